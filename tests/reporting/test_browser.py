"""The report in a real browser: its numbers, its table, its silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from scout.matching import Match
from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.reporting.figures import ReportFigures, report_figures
from scout.reporting.page import FILES, overview_page, report_page
from scout.reporting.texts import Language
from tests.reporting.sample import COMPLETE, found, shop

EN = Language("en")
MARK = "window.executed = (window.executed || 0) + 1"
PAYLOADS = [
    f"<script>{MARK}</script>",
    f"</script><script>{MARK}</script>",
    f"</ScRiPt ><script>{MARK}</script>",
    f"<!--<script>{MARK}</script>",
    f"<!--</script><script>{MARK}</script>-->",
    f"]]><script>{MARK}</script>",
    f"<img src=x onerror='{MARK}'>",
    f"<img src=x onerror={MARK}//",
    f'"><img src=x onerror="{MARK}">',
    f"'><svg onload='{MARK}'>",
    f"<svg/onload={MARK}>",
    f"<svg><script>{MARK}</script></svg>",
    f"<svg><animate onbegin='{MARK}' attributeName=x dur=1s>",
    f"<math><mtext></mtext><script>{MARK}</script></math>",
    f"<iframe srcdoc='<script>{MARK}</script>'></iframe>",
    f"<iframe src='javascript:{MARK}'></iframe>",
    f"<body onload='{MARK}'>",
    f"<details open ontoggle='{MARK}'>",
    f"<video><source onerror='{MARK}'>",
    f"<audio src=x onerror='{MARK}'>",
    f"<input autofocus onfocus='{MARK}'>",
    f"<select autofocus onfocus='{MARK}'>",
    f"<marquee onstart='{MARK}'>",
    f"<object data='javascript:{MARK}'>",
    f"<embed src='javascript:{MARK}'>",
    f"<a href='javascript:{MARK}'>click</a>",
    f"<form action='javascript:{MARK}'><input type=submit>",
    f"<button formaction='javascript:{MARK}' autofocus>",
    f"<link rel=stylesheet href='data:text/css,x' onload='{MARK}'>",
    f"<style>@import 'http://127.0.0.1:9/x.css';</style><style onload='{MARK}'>",
    f"<meta http-equiv=refresh content='0;url=javascript:{MARK}'>",
    "<base href='http://127.0.0.1:9/'>",
    "<img src='http://127.0.0.1:9/pixel.png'>",
    f"{{{{constructor.constructor('{MARK}')()}}}}",
    f"${{{MARK}}}",
    "{% for x in ().__class__.__mro__ %}{{ x }}{% endfor %}",
    f"\\u003cscript>{MARK}\\u003c/script>",
    f"&lt;script&gt;{MARK}&lt;/script&gt;",
    f"javascript:{MARK}",
    f"\u2028<script>{MARK}</script>\u2029",
    f"<template><script>{MARK}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={MARK}>'>",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_browser()
    assert path, HOW_TO_INSTALL
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


def opened(browser: Browser, folder: Path, text: str, width: int = 1280) -> tuple[Page, list[str]]:
    """The page in a browser of this width, and a list of what went wrong or out."""
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    seen: list[str] = []
    tab = browser.new_page(viewport={"width": width, "height": 900})
    tab.set_default_timeout(10_000)
    tab.on("request", lambda request: seen.append(request.url) if not request.url.startswith("file:") else None)
    tab.on("pageerror", lambda error: seen.append(str(error)))
    tab.on("dialog", lambda dialog: seen.append(dialog.message))
    tab.goto(path.as_uri())
    return tab, seen


def listing() -> ReportFigures:
    colours = ("red", "green", "blue")
    items = [found(n, title=f"{colours[n % 3]} lamp {n}", price=f"{(n * 37) % 100}.50") for n in range(90)]
    return report_figures(shop(items, range(30)))


def titles(tab: Page) -> list[str]:
    return tab.locator("[data-table=missing] tbody td:first-child").all_inner_texts()


def test_the_numbers_on_the_page_are_the_figures(browser: Browser, tmp_path: Path) -> None:
    made = listing()
    tab, seen = opened(browser, tmp_path, report_page(made, EN))
    counts = {
        name: tab.inner_text(f"#count-{name}")
        for name in ("offers", "matched", "missing", "gone", "changed", "accepted")
    }
    assert counts == {"offers": "90", "matched": "30", "missing": "60", "gone": "0", "changed": "0", "accepted": "0"}
    assert tab.inner_text("[data-table=missing] .count") == "60 of 60"
    assert seen == []


def test_sorting_turns_round_and_keeps_numbers_as_numbers(browser: Browser, tmp_path: Path) -> None:
    made = listing()
    tab, _ = opened(browser, tmp_path, report_page(made, EN))
    prices = sorted((float(made.data.found[p].price or 0), made.data.found[p].text("title")) for p in made.missing)
    header = tab.locator("[data-table=missing] th", has_text="Price")
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    shown = tab.locator("[data-table=missing] tbody td:nth-child(3)").all_inner_texts()
    assert shown == [f"{price:.2f} EUR" for price, _ in prices[:25]]
    header.locator("button").press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert titles(tab)[0] == prices[-1][1]


def test_searching_filtering_and_paging_work_together(browser: Browser, tmp_path: Path) -> None:
    tab, _ = opened(browser, tmp_path, report_page(listing(), EN))
    assert len(titles(tab)) == 25
    tab.get_by_role("button", name="Next").first.click()
    assert tab.inner_text("[data-table=missing] .pager .quiet") == "Page 2 of 3"
    tab.fill("[data-table=missing] input", "RED lamp")
    expect(tab.locator("[data-table=missing] .count")).to_have_text("20 of 60")
    assert all(title.startswith("red") for title in titles(tab))
    tab.select_option("[data-table=missing] select >> nth=0", label="Home > Room 1")
    assert tab.inner_text("[data-table=missing] .count") == "5 of 60"
    tab.get_by_role("button", name="Reset").first.click()
    assert tab.inner_text("[data-table=missing] .count") == "60 of 60"
    tab.fill("[data-table=missing] input", "nowhere to be found")
    expect(tab.locator("[data-table=missing] tbody")).to_contain_text("Nothing matches")


def test_a_category_leads_to_its_missing_offers(browser: Browser, tmp_path: Path) -> None:
    made = listing()
    tab, _ = opened(browser, tmp_path, report_page(made, EN))
    tab.locator(".tree a[href='#missing?category=Home']").click()
    expect(tab.locator("[data-table=missing] .count")).to_have_text("60 of 60")
    tab.locator(".tree li li", has_text="Room 2").hover()
    tab.locator(".tree a[href='#missing?category=Home%20%3E%20Room%202']").click()
    missing = made.tree.children["Home"].children["Room 2"].missing
    expect(tab.locator("[data-table=missing] .count")).to_have_text(f"{missing} of 60")


def test_links_lead_to_the_offers(browser: Browser, tmp_path: Path) -> None:
    tab, _ = opened(browser, tmp_path, report_page(listing(), EN))
    link = tab.locator("[data-table=missing] tbody a").first
    assert link.get_attribute("href") == "https://shop.example/p/30"
    assert "noopener" in (link.get_attribute("rel") or "")


def test_no_text_of_a_shop_runs_and_no_request_leaves(browser: Browser, tmp_path: Path) -> None:
    assert len(PAYLOADS) >= 40
    hostile = [
        found(n, title=text, brand=text, category=f"{text} > {text}", url=text, sku=text, ean=text, currency=text)
        for n, text in enumerate(PAYLOADS)
    ]
    data = shop(
        hostile, range(5), shop=PAYLOADS[0], known=[{"name": text, "sku": text, "price": text} for text in PAYLOADS]
    )
    made = report_figures(data)
    tab, seen = opened(browser, tmp_path, report_page(made, EN))
    for step in range(2):
        assert tab.locator("[data-table=missing] tbody tr").count() == (25, len(PAYLOADS) - 30)[step]
        tab.get_by_role("button", name="Next").first.click() if step == 0 else None
    for column in tab.locator("[data-table=missing] th button").all():
        column.click()
    tab.locator("summary").first.click()
    tab.wait_for_timeout(300)
    assert tab.evaluate("window.executed") is None
    assert seen == []
    assert titles(tab)[0] in {text.strip() for text in PAYLOADS} | {" ".join(text.split()) for text in PAYLOADS}


def test_fifty_thousand_missing_offers_open_within_a_second(browser: Browser, tmp_path: Path) -> None:
    """The page's own work until its table can be used, in CPU time: a second on a machine that does nothing else."""
    items = [found(n, category=f"Home > Room {n % 200}", brand=f"Brand {n % 900}") for n in range(50_000)]
    path = tmp_path / "report.html"
    path.write_text(report_page(report_figures(shop(items, [])), EN), encoding="utf-8")
    tab = browser.new_page()
    tab.set_default_timeout(20_000)
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    tab.goto(path.as_uri())
    expect(tab.locator("[data-table=missing] .count")).to_have_text("50,000 of 50,000")
    spent = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    assert spent["TaskDuration"] < 1.0
    assert tab.locator("tr").count() < 500
    tab.fill("[data-table=missing] input", "thing 49999")
    expect(tab.locator("[data-table=missing] .count")).to_have_text("1 of 50,000")


@pytest.mark.parametrize("width", [360, 800, 1200, 1280])
def test_nothing_is_wider_than_the_screen(browser: Browser, tmp_path: Path, width: int) -> None:
    long = "x" * 200
    items = [found(n, title=f"{long} {n}", brand=long, sku=long[:60], category=f"{long} > {long}") for n in range(40)]
    tab, _ = opened(browser, tmp_path, report_page(report_figures(shop(items, range(10))), Language("de")), width)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate("document.querySelector('nav ul').scrollWidth") <= width, "all sections can be seen at once"


def test_printing_opens_what_is_folded_and_hides_the_controls(browser: Browser, tmp_path: Path) -> None:
    tab, _ = opened(browser, tmp_path, report_page(listing(), EN))
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details:not(.evidence):not([open])").count() == 0
    assert not tab.locator("nav").is_visible()
    assert not tab.locator(".controls").first.is_visible()


def test_the_overview_lists_the_shops(browser: Browser, tmp_path: Path) -> None:
    tab, seen = opened(browser, tmp_path, overview_page([listing()], EN, {"lamps": "lamps/report.html"}))
    assert tab.locator("tbody a").get_attribute("href") == "lamps/report.html"
    assert "33.3" in tab.inner_text("tbody")
    assert seen == []


def test_every_figure_leads_to_its_rows(browser: Browser, tmp_path: Path) -> None:
    tab, seen = opened(browser, tmp_path, report_page(listing(), EN))
    for link in tab.locator(".tiles a, .small a[href^='#']").all():
        assert tab.locator(f"#{(link.get_attribute('href') or '').partition('?')[0][1:]}").count() == 1
    brand = tab.locator("#brands tbody tr").first
    figure, name = brand.locator("a").inner_text(), brand.locator("th").inner_text()
    brand.locator("a").click()
    expect(tab.locator("[data-table=missing] .count")).to_have_text(f"{figure} of 60")
    assert tab.locator("[data-table=missing] select >> nth=2").evaluate("e => e.selectedOptions[0].label") == name
    tab.locator("#prices tbody a").first.click()
    expect(tab.locator("[data-table=missing] .count")).to_have_text(
        f"{tab.locator('#prices tbody a').first.inner_text()} of 60"
    )
    assert seen == []


def test_the_filters_stand_in_the_address_and_come_back_with_it(browser: Browser, tmp_path: Path) -> None:
    tab, _ = opened(browser, tmp_path, report_page(listing(), EN))
    tab.fill("[data-table=missing] input", "red & lamp")
    expect(tab.locator("[data-table=missing] .count")).to_have_text("0 of 60")
    tab.fill("[data-table=missing] input", "red lamp")
    expect(tab.locator("[data-table=missing] .count")).to_have_text("20 of 60")
    tab.select_option("[data-table=missing] select >> nth=0", label="Home > Room 1")
    address = tab.url
    assert address.endswith("#missing?q=red+lamp&category=Home+%3E+Room+1")
    other = browser.new_page()
    other.goto(address)
    expect(other.locator("[data-table=missing] .count")).to_have_text("5 of 60")
    assert other.locator("[data-table=missing] input").input_value() == "red lamp"


def test_matched_pairs_are_shown_the_least_sure_first_and_each_value_unfolds_to_its_place(
    browser: Browser, tmp_path: Path
) -> None:
    items = [found(n) for n in range(3)]
    data = shop(items, range(2))
    data = replace(data, matches=[Match(0, 0, 0.98, "same SKU"), Match(1, 1, 0.71, "similar (0.71)")])
    tab, seen = opened(browser, tmp_path, report_page(report_figures(data), EN))
    rows = tab.locator("[data-table=matched] tbody tr")
    assert [row.split("\t")[0] for row in rows.all_inner_texts()] == ["Thing 1", "Thing 0"]
    assert "similar" in rows.first.inner_text() and "71" in rows.first.inner_text()
    rows.first.locator("summary").click()
    expect(rows.first.locator("dd")).to_have_text("span.price x")
    tab.locator("#crawl a", has_text="1").first.click()
    expect(tab.locator("[data-table=matched] .count")).to_have_text("1 of 2")
    assert seen == []


def test_printing_shows_all_rows_and_puts_the_pages_back_after_it(browser: Browser, tmp_path: Path) -> None:
    tab, _ = opened(browser, tmp_path, report_page(listing(), EN))
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert len(titles(tab)) == 60
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(titles(tab)) == 25


def test_a_category_says_what_its_figures_mean(browser: Browser, tmp_path: Path) -> None:
    figures = {"crawled": 25, "seen": 24, "stated": 26, "unread": 1, "complete": 0}
    crawl = replace(COMPLETE, stats={"scout/walk/categories": {"Lamps": figures}})
    data = shop([found(n) for n in range(3)], range(1), crawls=[crawl])
    tab, _ = opened(browser, tmp_path, report_page(report_figures(data), EN))
    said = tab.inner_text("[data-table=completeness] tbody td:last-child")
    assert said == (
        "1 of its lists' products could not be read; the shop states 2 more than its lists show; "
        "2 more were found in categories below it, or name it themselves"
    )


def test_the_files_beside_the_report_are_linked(browser: Browser, tmp_path: Path) -> None:
    tab, _ = opened(browser, tmp_path, report_page(listing(), EN))
    assert {link.inner_text() for link in tab.locator("#files a").all()} == set(FILES)
