"""Shops and offers in a real browser: found, filtered, sorted, one of them explained."""

from __future__ import annotations

import re
from datetime import timedelta

from playwright.sync_api import Browser, expect

from scout.offer import Evidence, Offer
from scout.store.models import PriceChange
from tests.studio.running import ROOT, SHOP, RunningStudio, keep_shop, lamp_page, open_tab, press


def titles(tab) -> list[str]:
    return tab.locator(".rows tbody .lead a").all_inner_texts()


def test_from_the_shops_to_an_offer_by_keys_alone(lamps: RunningStudio, browser: Browser) -> None:
    tab, seen = open_tab(browser, lamps)
    expect(tab.get_by_role("heading", level=1)).to_have_text("Shops")
    tab.keyboard.press("g")
    tab.keyboard.press("o")
    expect(tab.locator("#count")).to_have_text("24")
    press(tab, "/")
    tab.keyboard.type("torch lumen")
    tab.keyboard.press("Enter")
    expect(tab.locator("#count")).to_have_text("4")
    assert all(title.startswith("Torch") for title in titles(tab))
    press(tab, "j")
    press(tab, "j")
    chosen = titles(tab)[1]
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", level=1)).to_have_text(chosen)
    assert seen.foreign == [] and seen.errors == []


def test_sorting_by_price_counts_amounts_and_not_letters(studio: RunningStudio, browser: Browser) -> None:
    prices = ["9.50", "100.00", "20.00", None]
    studio.store.save_offers(
        SHOP, [Offer(title=f"Lamp {n}", url=f"{ROOT}{n}", **({"price": p} if p else {})) for n, p in enumerate(prices)]
    )
    tab, _ = open_tab(browser, studio)
    tab.goto(f"{studio.root}/offers?sort=price")
    assert titles(tab) == ["Lamp 3", "Lamp 0", "Lamp 2", "Lamp 1"]
    tab.get_by_role("link", name="Price").click()
    assert titles(tab) == ["Lamp 1", "Lamp 2", "Lamp 0", "Lamp 3"]
    tab.select_option("select[name=price]", "without")
    expect(tab.locator("#count")).to_have_text("1")
    assert titles(tab) == ["Lamp 3"]


def test_the_screens_of_a_list_show_every_offer_once(studio: RunningStudio, browser: Browser) -> None:
    same = [Offer(title="Same lamp", url=f"{ROOT}{number}", price="5.00") for number in range(120)]
    studio.store.save_offers(SHOP, same)
    tab, _ = open_tab(browser, studio)
    for sort in ("title", "-price", "-changed", "added"):
        tab.goto(f"{studio.root}/offers?sort={sort}")
        links: list[str] = []
        while True:
            links += [str(link.get_attribute("href")) for link in tab.locator(".rows tbody .lead a").all()]
            if not tab.locator("a[rel=next]").count():
                break
            tab.locator("a[rel=next]").click()
        assert len(links) == len(set(links)) == 120


def test_a_search_takes_the_signs_of_patterns_for_themselves(studio: RunningStudio, browser: Browser) -> None:
    studio.store.save_offers(
        SHOP, [Offer(title=title, url=f"{ROOT}{title}") for title in ("100% wool", "100 wool", "a_b")]
    )
    tab, _ = open_tab(browser, studio)
    tab.goto(f"{studio.root}/offers?q=0%25")
    assert titles(tab) == ["100% wool"]
    tab.goto(f"{studio.root}/offers?q=_")
    assert titles(tab) == ["a_b"]


def test_an_offer_shows_values_evidence_abstentions_addresses_and_prices(
    lamps: RunningStudio, browser: Browser
) -> None:
    url = f"{ROOT}p/3"
    offer = lamps.offer_id(url)
    with lamps.store.writing() as connection:
        first = lamps.store.price_history(SHOP, url)[0]
        rows = [
            {"offer_id": offer, "at": first.at + timedelta(days=day), "price": first.price + day, "currency": "EUR"}
            for day in (3, 9)
        ]
        connection.execute(PriceChange.__table__.insert(), rows)
    tab, seen = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}/offers/{offer}")
    row = tab.locator("tr", has=tab.get_by_role("rowheader", name="price", exact=True))
    expect(row).to_contain_text("23.50")
    row.locator("summary").press("Enter")
    expect(row).to_contain_text("€23.50")
    absent = tab.locator("tr.absent", has=tab.get_by_role("rowheader", name="ean", exact=True))
    expect(absent).to_contain_text("nothing on the page names it clearly")
    expect(tab.get_by_role("img", name=re.compile("Price from 23.50 to 32.50"))).to_be_visible()
    expect(tab.get_by_role("link", name=url)).to_have_attribute("rel", "noreferrer noopener")
    assert seen.foreign == [] and seen.errors == []


def test_names_of_shops_and_products_are_text_wherever_they_stand(studio: RunningStudio, browser: Browser) -> None:
    mark = "<img src=x onerror='document.title=1'>"
    evil = Offer(title=f"{mark} lamp", url=f"{ROOT}{mark}", brand=f"</table>{mark}", price="5.00")
    evil.evidence["title"] = Evidence(f"{mark}::text", mark, votes=(mark,), runner_up=mark)
    studio.store.save_offers(f"shop & {mark}", [evil])
    tab, seen = open_tab(browser, studio)
    offer = studio.offer_id(f"{ROOT}{mark}", f"shop & {mark}")
    for path in ("/", "/offers", f"/offers/{offer}"):
        tab.goto(studio.root + path)
        assert tab.locator("main img").count() == 0
    tab.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="shop &").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text(f"shop & {mark}")
    assert seen.foreign == [] and seen.errors == []


def test_what_does_not_exist_is_said_in_a_page(studio: RunningStudio, browser: Browser) -> None:
    tab, _ = open_tab(browser, studio)
    for path, status in (
        ("/offers/999", 404),
        ("/shop?shop=nobody", 404),
        ("/shop", 404),
        ("/offers?sort=price&after=x&id=1", 400),
    ):
        answer = tab.goto(studio.root + path)
        assert answer is not None and answer.status == status
        expect(tab.get_by_role("alert")).to_be_visible()


def test_pages_without_an_offer_do_not_stand_in_the_way(studio: RunningStudio, browser: Browser) -> None:
    keep_shop(studio.store, {f"{ROOT}p/1": lamp_page(1)}, is_complete=False)
    tab, _ = open_tab(browser, studio)
    tab.get_by_role("link", name=SHOP).click()
    expect(tab.get_by_role("heading", name="Kept pages")).to_be_visible()
    expect(tab.get_by_role("link", name=f"{ROOT}p/1")).to_be_visible()
