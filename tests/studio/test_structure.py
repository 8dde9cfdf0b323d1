"""A page's structure in a real browser: its records and pager, and what a person says that pages of its template are."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, page, tiny_shop
from tests.studio.running import RunningStudio, open_tab

GUIDES = 6


def shop_with_guides() -> dict[str, object]:
    """The tiny shop, and guides that look like products to a machine: they have a price and a button."""
    pages: dict[str, object] = dict(tiny_shop())
    links = "".join(f'<li><a href="/guide/{number}">Guide {number}</a></li>' for number in range(1, GUIDES + 1))
    pages["/"] = page("Tiny Shop", f"<p>Welcome to our little shop for the house.</p><ul class=guides>{links}</ul>")
    for number in range(1, GUIDES + 1):
        pages[f"/guide/{number}"] = page(
            f"Guide {number}",
            f"<article class='guide'><h1>Guide No. {number}</h1><p class='by'>By Ada</p>"
            f"<p class='price'>€{number}.00</p>"
            f"<p class='stock'>In stock</p><button>Add to basket</button>"
            f""
            f"<table><tr><th>Article number</th><td>GU-{number:04d}</td></tr></table>"
            f"<p class='advice'>What to look for when buying, part {number}: legs, seats and the rest.</p></article>",
        )
    return pages


def crawl_to_its_end(tab: Tab, button: str, state: str) -> None:
    tab.get_by_role("button", name=button).click()
    expect(tab.get_by_role("button", name="Crawl now")).to_be_hidden()
    expect(tab.get_by_role("button", name="Crawl now")).to_be_visible(timeout=60_000)
    expect(tab.locator(".crawl-card")).to_contain_text(state)


def test_a_list_shows_its_records_and_a_template_that_a_person_marks_is_no_product_in_the_next_crawl(
    hasty: RunningStudio, browser: Browser
) -> None:
    offers = len(PRODUCTS) + GUIDES
    with serving(shop_with_guides()) as server:  # type: ignore[arg-type]
        hasty.store.add_shop("tiny", server.url)
        tab, seen = open_tab(browser, hasty)
        tab.goto(f"{hasty.root}/shop?shop=tiny")
        crawl_to_its_end(tab, "Crawl now", f"{offers} offers")
        tab.reload()
        tab.get_by_role("link", name=re.compile("chairs$")).click()
        expect(tab.locator("#level")).to_have_text("list")
        expect(tab.locator(".records li")).to_have_count(3)
        expect(tab.locator(".panel")).to_contain_text("/chairs?page=2")
        expect(tab.frame_locator("#frame").locator("[data-scout-fields~=record]")).to_have_count(3)
        tab.goto(f"{hasty.root}/shop?shop=tiny")
        tab.get_by_role("link", name=re.compile("guide.1$")).click()
        tab.get_by_role("link", name="Structure").click()
        expect(tab.locator("#alike")).to_contain_text(f"{GUIDES} of", timeout=60_000)
        expect(tab.locator("#alike")).to_contain_text(f"{GUIDES} with an offer")
        tab.get_by_role("button", name="This is no product").click()
        expect(tab.locator("#alike")).to_contain_text("Marked as no products", timeout=60_000)
        marked = tab.url
        tab.goto(f"{hasty.root}/shop?shop=tiny")
        crawl_to_its_end(tab, "Crawl now", f"offers fell from {offers} to {len(PRODUCTS)}")
        assert hasty.store.shop("tiny").offers == offers, "what monitoring doubts is not believed"
        crawl_to_its_end(tab, "The shop has changed: crawl and believe it", f"{len(PRODUCTS)} offers")
        assert hasty.store.shop("tiny").offers == len(PRODUCTS)
        tab.goto(marked)
        tab.get_by_role("button", name="Take the mark back").click()
        expect(tab.get_by_role("button", name="This is no product")).to_be_visible(timeout=60_000)
        assert seen.foreign == [] and seen.errors == []
