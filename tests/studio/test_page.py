"""The kept page in a real browser: its values marked, a wrong one corrected by pointing, undone, overridden, kept from overwriting."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, FrameLocator, expect
from playwright.sync_api import Page as Tab

from scout.rules import ShopRules
from scout.rules.files import rule_path, rule_versions
from scout.store import browsing
from tests.studio.running import ROOT, SHOP, RunningStudio, complete_price, keep_shop, lamp_pages, open_tab

URL = f"{ROOT}p/3"


def page_id(studio: RunningStudio, url: str = URL) -> int:
    with studio.store.reading() as connection:
        return browsing.pages_of_offer(connection, studio.offer_id(url))[0].id


def open_page(studio: RunningStudio, browser: Browser, query: str = "", **options) -> tuple[Tab, FrameLocator]:
    tab, seen = open_tab(browser, studio, **options)
    tab.goto(f"{studio.root}/pages/{page_id(studio)}{query}")
    tab.seen = seen  # type: ignore[attr-defined]
    return tab, tab.frame_locator("#frame")


def nothing_wrong(tab: Tab) -> bool:
    return tab.seen.foreign == [] and tab.seen.errors == []  # type: ignore[attr-defined]


def prices(studio: RunningStudio) -> dict[str, str]:
    return {str(offer["url"]): str(offer["price"]) for offer in studio.store.offers(SHOP)}


TRUE_PRICES = {f"{ROOT}p/{number}": complete_price(number) for number in range(1, 25)}


def test_every_value_is_marked_in_its_place_and_abstentions_say_why(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser)
    expect(frame.locator("[data-scout-fields~=price][data-scout-role=value]")).to_have_text("€23.50")
    expect(frame.locator("[data-scout-fields~=title][data-scout-role=value]")).to_have_text("Pendant No. 3")
    rival = frame.locator("[data-scout-fields~=price][data-scout-role=rival]")
    expect(rival).to_have_text("27.90 EUR in all")
    expect(tab.locator("[data-field=ean]")).to_contain_text("nothing on the page names it clearly")
    colours = {
        one.evaluate("(e) => getComputedStyle(e).outlineColor")
        for one in frame.locator("[data-scout-role=value]").all()
    }
    assert len(colours) >= 5, "every field has a colour of its own"
    assert nothing_wrong(tab)


def test_a_value_lights_its_place_up_and_a_place_its_value(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser)
    price = frame.locator("[data-scout-fields~=price][data-scout-role=value]")
    tab.locator("[data-field=price]").hover()
    expect(price).to_have_attribute("data-scout-lit", "")
    frame.locator("[data-scout-fields~=sku]").first.hover()
    expect(tab.locator("[data-field=sku]")).to_have_class(re.compile("lit"))
    tab.get_by_role("button", name="Show brand on the page").focus()
    expect(frame.locator("[data-scout-fields~=brand]").first).to_have_attribute("data-scout-lit", "")


def test_from_a_wrong_price_to_a_locked_rule_for_the_whole_shop_in_three_actions(
    lamps: RunningStudio, browser: Browser
) -> None:
    assert prices(lamps)[URL] == "23.50"
    tab, _ = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}/offers/{lamps.offer_id(URL)}")
    tab.get_by_role("link", name="Correct price", exact=True).click()  # 1
    tab.frame_locator("#frame").get_by_text("27.90 EUR in all").click()  # 2
    expect(tab.locator("#effect-summary[data-over]")).to_have_text("24 of 24 pages change.", timeout=60_000)
    expect(tab.locator(".effect tbody tr").first).to_contain_text("23.50")
    expect(tab.locator(".effect tbody tr").first).to_contain_text("27.90")
    assert prices(lamps)[URL] == "23.50", "nothing is written before the click"
    tab.get_by_role("button", name="Save as locked rule").click()  # 3
    expect(tab.locator("#corrected")).to_contain_text("24 offers corrected", timeout=60_000)
    assert prices(lamps) == TRUE_PRICES
    rule = ShopRules.load(rule_path(lamps.workshop.rules_directory, SHOP)).fields["price"].rules[0]
    assert rule.locked and "whole" in rule.place
    expect(tab.locator("[data-field=price]")).to_contain_text("27.90")


def test_the_same_by_keys_alone(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser, "?pick=price")
    expect(frame.locator("body[data-scout-picking]")).to_be_attached()
    tab.keyboard.press("f")
    tab.keyboard.press("ArrowDown")  # begins at the first value, the title
    for key in [*["ArrowRight"] * 4, "ArrowDown", *["ArrowRight"] * 5]:
        tab.keyboard.press(key)
    expect(tab.locator("#at")).to_contain_text("27.90 EUR in all")
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("ArrowDown")
    for _ in range(5):
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    expect(tab.locator("#effect-summary[data-over]")).to_be_visible(timeout=60_000)
    expect(tab.locator(".new-value")).to_contain_text("27.90")
    tab.locator("main").focus()
    tab.keyboard.press("s")
    expect(tab.locator("#corrected")).to_be_visible(timeout=60_000)
    assert prices(lamps) == TRUE_PRICES


def test_a_part_of_a_text_is_marked_with_the_mouse(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser, "?pick=han")
    place = frame.locator("dd", has_text="LA-0003")
    box = place.bounding_box()
    assert box is not None
    place.evaluate(
        "(e) => { const r = document.createRange(); r.setStart(e.firstChild, 3); r.setEnd(e.firstChild, 7);"
        " getSelection().removeAllRanges(); getSelection().addRange(r); }"
    )
    place.dispatch_event("click")
    expect(tab.locator("input[name=part]")).to_have_value("0003")
    expect(tab.locator(".new-value bdi").first).to_have_text("0003")
    expect(tab.locator(".rule")).to_contain_text("after 'LA-'")


def test_a_value_that_the_page_does_not_show_is_found_by_saying_it(studio: RunningStudio, browser: Browser) -> None:
    hidden = {
        url: html.replace("</main>", f'</main><script type=\'application/json\'>{{"ref": "R-{number}-X"}}</script>')
        for number, (url, html) in enumerate(lamp_pages(6).items(), 1)
    }
    keep_shop(studio.store, hidden)
    tab, _ = open_page(studio, browser, "?pick=han")
    tab.get_by_label("Or say what it should be").fill("nowhere 7")
    tab.keyboard.press("Enter")
    expect(tab.locator("#places")).to_contain_text("Nothing on this page says")
    expect(tab.get_by_label("Value", exact=True)).to_have_value("nowhere 7")
    tab.get_by_label("Or say what it should be").fill("R-3-X")
    tab.keyboard.press("Enter")
    tab.get_by_role("link", name="the page's data").click()
    expect(tab.locator("#effect-summary[data-over]")).to_have_text("6 of 6 pages change.", timeout=60_000)
    tab.get_by_role("button", name="Save as locked rule").click()
    expect(tab.locator("#corrected")).to_contain_text("6 offers corrected", timeout=60_000)
    assert {offer["han"] for offer in studio.store.offers(SHOP)} == {f"R-{number}-X" for number in range(1, 7)}


def test_a_place_that_cannot_be_read_is_said_to_be_and_saves_nothing(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_role("heading").click()
    expect(tab.get_by_text("That cannot be read as price")).to_be_visible()
    assert tab.get_by_role("button", name="Save as locked rule").count() == 0


def test_undo_goes_back_to_the_version_before_and_corrects_the_offers_again(
    lamps: RunningStudio, browser: Browser
) -> None:
    before = prices(lamps)
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    tab.get_by_role("button", name="Save as locked rule").click()
    expect(tab.locator("#corrected")).to_be_visible(timeout=60_000)
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator("#corrected")).to_be_visible(timeout=60_000)
    assert prices(lamps) == before
    assert len(rule_versions(rule_path(lamps.workshop.rules_directory, SHOP))) == 3


def test_two_people_do_not_overwrite_each_others_rules(lamps: RunningStudio, browser: Browser) -> None:
    first, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    expect(first.get_by_role("button", name="Save as locked rule")).to_be_visible()
    second, other = open_page(lamps, browser, "?pick=sku")
    other.get_by_text("LA-0003").click()
    second.get_by_role("button", name="Save as locked rule").click()
    expect(second.locator("#corrected")).to_be_visible(timeout=60_000)
    first.get_by_role("button", name="Save as locked rule").click()
    expect(first.get_by_role("alert")).to_contain_text("have changed since you looked")
    rules = ShopRules.load(rule_path(lamps.workshop.rules_directory, SHOP))
    assert rules.fields["sku"].rules[0].locked and not rules.fields["price"].rules[0].locked


def test_one_value_is_set_by_hand_survives_a_crawl_and_is_forgotten_again(
    lamps: RunningStudio, browser: Browser
) -> None:
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    tab.get_by_role("button", name="Only this offer").click()
    expect(tab.locator("[data-field=price]")).to_contain_text("set by ada")
    assert prices(lamps)[URL] == "27.90" and prices(lamps)[f"{ROOT}p/4"] == "24.50"
    keep_shop(lamps.store, lamp_pages())
    offer = lamps.store.offer(SHOP, URL)
    assert offer is not None and offer["price"] == "27.90"
    tab.goto(f"{lamps.root}/offers/{offer.id}")
    row = tab.locator("tr", has=tab.get_by_role("rowheader", name="price", exact=True))
    row.locator("summary").click()
    expect(row).to_contain_text("instead of '23.50'")
    tab.goto(f"{lamps.root}/pages/{page_id(lamps)}?pick=price")
    tab.get_by_text("Set it for this offer only").click()
    tab.get_by_role("button", name="Believe the page again").click()
    expect(tab.locator("[data-field=price]")).to_contain_text("23.50")
    assert prices(lamps)[URL] == "23.50"


def set_by_hand(tab: Tab, value: str) -> None:
    tab.get_by_text("Set it for this offer only").click()
    tab.get_by_label("Value", exact=True).fill(value)
    tab.get_by_role("button", name="Set", exact=True).click()


def test_a_value_that_cannot_be_read_and_one_that_changed_meanwhile_are_refused(
    lamps: RunningStudio, browser: Browser
) -> None:
    first, _ = open_page(lamps, browser, "?pick=price")
    set_by_hand(first, "soon")
    expect(first.get_by_role("alert")).to_contain_text("cannot be read as price")
    first.goto(f"{lamps.root}/pages/{page_id(lamps)}?pick=price")
    second, _ = open_page(lamps, browser, "?pick=price")
    set_by_hand(second, "31,00 €")
    expect(second.locator("[data-field=price]")).to_contain_text("31.00")
    set_by_hand(first, "32.00")
    expect(first.get_by_role("alert")).to_contain_text("Somebody has changed this value")
    assert prices(lamps)[URL] == "31.00"
    first.goto(f"{lamps.root}/pages/{page_id(lamps)}?pick=ean")
    set_by_hand(first, "2000000043333")
    expect(first.locator("[data-field=ean]")).to_contain_text(
        "2000000043333"
    )  # of the shop's own, and a person says so


def test_conflicts_with_the_catalogue_are_counted_before_and_after(lamps: RunningStudio, browser: Browser) -> None:
    from scout.store.report_data import load_report_data

    rows = [{"url": url, "price": price} for url, price in list(TRUE_PRICES.items())[:10]]
    rows[0]["price"] = "999.00"
    lamps.store.import_catalogue(SHOP, rows)
    load_report_data(lamps.store, SHOP)
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    summary = tab.locator("#effect-summary[data-over]")
    expect(summary).to_contain_text("Of 10 that the catalogue knows, 1 disagree with it (before: 10)", timeout=60_000)


def test_every_state_has_its_own_address(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    tab.wait_for_url(re.compile(r"[?&]n=\d+"))
    other, _ = open_tab(browser, lamps)
    other.goto(tab.url)
    expect(other.locator(".new-value")).to_contain_text("27.90")
    tab.go_back()
    expect(tab.get_by_text("Click where the price stands")).to_be_visible()


def test_read_only_shows_everything_and_changes_nothing(lamps: RunningStudio, browser: Browser) -> None:
    lamps.workshop.is_read_only = True
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    expect(tab.get_by_role("button", name="Save as locked rule")).to_be_disabled()
    expect(tab.get_by_text("read-only", exact=True)).to_be_visible()
    tab.evaluate("document.querySelectorAll('button').forEach((one) => { one.disabled = false })")
    tab.get_by_role("button", name="Save as locked rule").click()
    expect(tab.get_by_role("alert")).to_contain_text("--read-only")
    assert not rule_path(lamps.workshop.rules_directory, SHOP).exists()
    assert prices(lamps)[URL] == "23.50"


def test_a_form_that_is_no_rule_is_refused(lamps: RunningStudio, browser: Browser) -> None:
    tab, frame = open_page(lamps, browser, "?pick=price")
    frame.get_by_text("27.90 EUR in all").click()
    tab.wait_for_url(re.compile(r"[?&]n=\d+"))
    pointed = tab.url
    no_css = '{"selector": {"kind": "text", "css": "p["}, "cut": {}, "learned": null, "check": true}'
    for rule in ("", "{}", "[]", no_css):
        tab.goto(pointed)
        form = tab.locator("form[action$='/rule']")
        form.locator("[name=rule]").evaluate("(field, rule) => { field.value = rule }", rule)
        form.get_by_role("button", name="Save as locked rule").click()
        expect(tab.get_by_role("alert")).to_contain_text("This is no rule")
