"""Crawls from the studio: a shop is added by its address, watched, stopped and gone on with."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, expect

from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.studio.running import RunningStudio, open_tab


def test_from_a_new_address_to_its_first_offers_within_a_minute(hasty: RunningStudio, browser: Browser) -> None:
    tab, seen = open_tab(browser, hasty)
    with serving(tiny_shop()) as server:
        tab.get_by_label("Add a shop by its address").fill(server.url)
        began = time.monotonic()
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("button", name="Stop")).to_be_visible()
        expect(tab.locator(".state-complete").first).to_be_visible(timeout=60_000)
        assert time.monotonic() - began < 60
    expect(tab.locator(".crawl-card")).to_contain_text(f"{len(PRODUCTS)} offers")
    tab.reload()
    expect(tab.get_by_role("cell", name="Chairs")).to_be_visible()
    tab.locator(".tiles").get_by_role("link").click()
    expect(tab.locator("#count")).to_contain_text(str(len(PRODUCTS)))
    assert seen.foreign == [] and seen.errors == []


def test_a_crawl_is_stopped_and_gone_on_with(hasty: RunningStudio, browser: Browser) -> None:
    tab, _ = open_tab(browser, hasty)
    slow = {**tiny_shop(), "/product/3": Answer("", 503, delay=1.0)}
    with serving(slow) as server:
        tab.get_by_label("Add a shop by its address").fill(server.url)
        tab.keyboard.press("Enter")
        while "/product/3" not in server.asked:
            tab.wait_for_timeout(50)
        tab.get_by_role("button", name="Stop").click()
        go_on = tab.get_by_role("button", name="Go on")
        expect(go_on).to_be_visible(timeout=60_000)
        server.table = tiny_shop()
        go_on.click()
        expect(tab.locator(".state-complete").first).to_be_visible(timeout=60_000)
    name = hasty.store.shops()[0].name
    assert len(hasty.store.crawls(name)) == 1
    assert hasty.store.shop(name).offers == len(PRODUCTS)


def test_a_crawl_that_fails_says_why(hasty: RunningStudio, browser: Browser) -> None:
    tab, _ = open_tab(browser, hasty)
    tab.get_by_label("Add a shop by its address").fill("http://127.0.0.1:9/")
    tab.keyboard.press("Enter")
    expect(tab.locator(".crawl-card")).to_contain_text(re.compile("failed", re.I), timeout=60_000)
    expect(tab.get_by_role("button", name="Crawl now")).to_be_visible()


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "http://[", "two words", "https://"])
def test_what_is_no_address_adds_nothing(studio: RunningStudio, browser: Browser, address: str) -> None:
    tab, _ = open_tab(browser, studio)
    tab.get_by_label("Add a shop by its address").fill(address)
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("alert")).to_contain_text("is not the address of a shop")
    assert studio.store.shops() == []


def test_read_only_starts_nothing(studio: RunningStudio, browser: Browser) -> None:
    studio.workshop.is_read_only = True
    studio.store.add_shop("lamps.example", "https://lamps.example/")
    tab, _ = open_tab(browser, studio)
    assert tab.get_by_label("Add a shop by its address").count() == 0
    tab.goto(f"{studio.root}/shop?shop=lamps.example")
    assert tab.get_by_role("button", name="Crawl now").count() == 0
