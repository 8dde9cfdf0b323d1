"""Undecided matches in a real browser: an offer beside the rows that it may be, decided by a key press."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from scout.store.identity import digest
from scout.studio import match_views
from scout.studio.undecided import CandidateRow, UndecidedOffer, undecided_offers
from tests.studio.running import ROOT, SHOP, RunningStudio, keep_shop, lamp_pages, open_tab, press


def three(store, shop: str) -> list[UndecidedOffer]:
    """Three offers with two candidates each: what is compared is the matter of scout.matching and its tests."""
    keys = [row.key for row in store.known_offers(shop)]
    found = []
    for number in (1, 2, 3):
        offer = store.offer(shop, f"{ROOT}p/{number}")
        rows = [
            CandidateRow(
                keys[number - 1], {"title": offer["title"], "brand": "Lumen", "price": "9.00"}, 0.7, "likeness"
            ),
            CandidateRow(keys[number], {"title": "Something else"}, 0.2, "likeness"),
        ]
        found.append(UndecidedOffer(offer.id, str(offer["url"]), offer, rows))
    return found


def test_each_is_decided_by_a_key_and_the_next_one_comes(lamps: RunningStudio, browser: Browser, monkeypatch) -> None:
    lamps.store.import_catalogue(SHOP, [{"name": f"Row {number}"} for number in range(4)])
    monkeypatch.setattr(match_views, "undecided_offers", three)
    tab, seen = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}/matches?shop={SHOP}")
    expect(tab.locator("#left")).to_have_text("3 of 3 left")
    expect(tab.locator(".candidate").first.locator(".same")).to_have_count(2)
    keys = [row.key for row in lamps.store.known_offers(SHOP)]
    press(tab, "1")
    expect(tab.locator("#left")).to_have_text("2 of 3 left")
    press(tab, "n")
    expect(tab.get_by_label("The offer")).to_contain_text("Pendant No. 3")
    press(tab, "0")
    expect(tab.locator("#left")).to_have_text("1 of 3 left")
    expect(tab.get_by_label("The offer")).to_contain_text("Lantern No. 2")
    press(tab, "2")
    expect(tab.get_by_text("All 3 are decided")).to_be_visible()
    offers = [digest(f"{ROOT}p/{number}") for number in (1, 2, 3)]
    assert lamps.store.decisions(SHOP) == {
        (offers[0], keys[0]): True,
        (offers[2], keys[2]): False,
        (offers[2], keys[3]): False,
        (offers[1], keys[2]): True,
    }
    assert seen.foreign == [] and seen.errors == []


def test_pictures_are_asked_for_only_when_somebody_wants_them(
    lamps: RunningStudio, browser: Browser, monkeypatch
) -> None:
    lamps.store.import_catalogue(SHOP, [{"name": f"Row {number}"} for number in range(4)])
    found = three(lamps.store, SHOP)
    for one, address in zip(found, ("https://pictures.example/1.png", "http://192.0.2.1/2.png", ""), strict=True):
        one.values["images"] = [address]  # type: ignore[index]
    monkeypatch.setattr(match_views, "undecided_offers", lambda store, shop: found)
    tab, seen = open_tab(browser, lamps)
    tab.route("**/*.png", lambda route: route.fulfill(status=404))
    tab.goto(f"{lamps.root}/matches?shop={SHOP}")
    expect(tab.locator("#left")).to_be_visible()
    assert seen.foreign == []
    press(tab, "p")
    expect(tab.locator(".picture")).to_have_count(1)
    assert seen.foreign == ["https://pictures.example/1.png"]
    press(tab, "1")
    expect(tab.get_by_label("The offer")).to_contain_text("Lantern No. 2")
    assert tab.locator(".picture").count() == 0, "a picture without encryption may lead into the local network"
    assert seen.foreign == ["https://pictures.example/1.png"] and "pictures=1" in tab.url


def test_nothing_is_stored_by_looking(lamps: RunningStudio, browser: Browser) -> None:
    lamps.store.import_catalogue(SHOP, [{"url": url, "price": "1.00"} for url in lamp_pages(5)])
    assert undecided_offers(lamps.store, SHOP) == []
    tab, _ = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}/matches?shop={SHOP}")
    expect(tab.get_by_text("Nothing is undecided.")).to_be_visible(timeout=30_000)
    assert lamps.store.matches(SHOP) == [] and lamps.store.decisions(SHOP) == {}


def test_a_list_that_was_computed_anew_meanwhile_is_not_decided_blindly(
    lamps: RunningStudio, browser: Browser, monkeypatch
) -> None:
    lamps.store.import_catalogue(SHOP, [{"name": f"Row {number}"} for number in range(4)])
    monkeypatch.setattr(match_views, "undecided_offers", three)
    tab, _ = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}/matches?shop={SHOP}")
    expect(tab.locator("#left")).to_be_visible()
    job = lamps.workshop.jobs.find(("matches", SHOP))
    assert job is not None
    job.result.reverse()
    press(tab, "1")
    expect(tab.get_by_role("alert")).to_contain_text("computed anew meanwhile")
    assert lamps.store.decisions(SHOP) == {}


def test_the_rules_page_shows_versions_and_what_changed(lamps: RunningStudio, browser: Browser) -> None:
    from scout.rules import FieldRules, Rule, ShopRules, TextSelector
    from scout.spiders.rules_store import save_rules

    keep_shop(lamps.store, {})
    for css in ("p.price", "dd.whole"):
        rules = ShopRules(shop=SHOP, fields={"price": FieldRules((Rule(TextSelector(css), locked=True),))})
        save_rules(rules, lamps.workshop.rules_directory, lamps.store)
    tab, _ = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}/rules?shop={SHOP}")
    expect(tab.get_by_role("cell", name="dd.whole")).to_be_visible()
    tab.get_by_role("link", name="What changed").click()
    expect(tab.locator(".minus").first).to_contain_text("p.price")
    tab.get_by_role("button", name="Go back to it").click()
    expect(tab.get_by_role("cell", name="p.price")).to_be_visible(timeout=30_000)
