"""A kept page gives the offer that the crawl had; what breaks on one page does not take the others with it."""

from __future__ import annotations

import json
import os
import signal
from datetime import datetime, timedelta, timezone

import pytest

from scout.archive import KeptPage
from scout.archive import reextraction as reading
from scout.archive.process_pool import read_in_processes
from scout.archive.reextraction import NOT_A_PRODUCT_PAGE, OTHER_SHOP, Outcome, PageReader
from scout.crawl.parse_sandbox import ParseSandbox
from tests.crawl.tiny_shop import PRODUCTS, detail, listing

ROOT = "https://tiny.example/"
PAGES = [KeptPage(f"{ROOT}product/{n}", detail(n), "tiny", "detail", None, {"category": ["A", "B"]}) for n in PRODUCTS]


def test_what_the_crawl_knew_is_used_as_the_crawl_uses_it() -> None:
    page = KeptPage(f"{ROOT}p", "<h1>Lamp</h1><p>€12.50</p>", "tiny", "detail", None, {"category": ["A", "B"]})
    (offer,) = PageReader().outcome(page).offers
    assert (offer["category"], offer["shop"]) == ("A > B", "tiny")
    page = KeptPage(page.url, page.html, "tiny", "detail", None, {"values": {"price": "1.299,00 €", "colour": "red"}})
    (offer,) = PageReader().outcome(page).offers
    assert (offer["price"], offer["colour"]) == ("1299.00", "red")


def test_variants_are_offers_of_their_own_as_in_a_crawl() -> None:
    """A page with two variants that have numbers and prices of their own gives the product and its variants."""
    sizes = [
        {"@type": "Product", "name": f"Lamp {size}", "sku": f"L-{size}", "gtin13": gtin,
         "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR"}}
        for size, gtin, price in (("S", "4006381333931", "12.00"), ("L", "4006381333948", "15.00"))
    ]  # fmt: skip
    group = {"@context": "https://schema.org", "@type": "ProductGroup", "name": "Lamp", "hasVariant": sizes}
    html = f'<h1>Lamp</h1><p>from €12.00</p><script type="application/ld+json">{json.dumps(group)}</script>'
    product, *variants = PageReader().outcome(KeptPage(f"{ROOT}p", html, "tiny", "detail")).offers
    assert variants and {variant["parent"] for variant in variants} == {product["url"]}
    assert {offer.get("sku") for offer in (product, *variants)} >= {"L-S", "L-L"}


def test_reviewers_are_named_only_where_the_setting_allows_it() -> None:
    reviews = [{"author": "Ann", "text": "Bright and small."}]
    page = KeptPage(f"{ROOT}product/1", detail(1), "tiny", "detail", None, {"values": {"reviews": reviews}})
    (named,), (nameless,) = (PageReader(author_days=days).outcome(page).offers for days in (30, 0))
    assert named["reviews"] == reviews and nameless["reviews"] == [{"text": "Bright and small."}]


def test_processes_give_the_same_outcomes_in_the_same_order() -> None:
    alone, together = list(read_in_processes(PAGES, PageReader(), 1)), list(read_in_processes(PAGES, PageReader(), 2))
    assert together == alone and [outcome.url for outcome in alone] == [page.url for page in PAGES]
    assert all(outcome.offers for outcome in alone)


def test_of_another_crawlers_pages_only_products_become_offers() -> None:
    found = PageReader(hosts={"tiny.example": "tiny"}).outcome(KeptPage(f"{ROOT}product/1", detail(1)))
    assert len(found.offers) == 1 and found.shop == "tiny"
    assert (
        PageReader().outcome(KeptPage(f"{ROOT}chairs", listing("chairs", [1, 2, 3], ""))).reason == NOT_A_PRODUCT_PAGE
    )


def test_pages_of_shops_that_were_not_asked_for_are_left_alone() -> None:
    assert PageReader(only=frozenset({"lamps"})).outcome(PAGES[0]).reason == OTHER_SHOP


def test_a_page_that_is_made_to_choke_a_parser_is_not_parsed() -> None:
    assert PageReader().outcome(KeptPage(ROOT, "<a>" * 400_000, "tiny", "detail")).reason == "too_many_tags"


def test_a_page_that_breaks_is_told_and_the_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def process_page(page, *args, **kwargs):
        if page.url.endswith("/2"):
            raise RuntimeError("oh")
        return original(page, *args, **kwargs)

    original = reading.process_page
    monkeypatch.setattr(reading, "process_page", process_page)
    broken, *others = sorted(read_in_processes(PAGES, PageReader(), 1), key=lambda outcome: not outcome.is_broken)
    assert broken.reason == "broken: RuntimeError: oh" and all(outcome.offers for outcome in others)


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (KeptPage("http://[foo/x", detail(1)), "broken: ValueError: Invalid IPv6 URL"),
        (KeptPage(None, detail(1)), "broken: "),  # type: ignore[arg-type]
        (KeptPage(f"{ROOT}product/1", None, "tiny", "detail"), "broken: "),  # type: ignore[arg-type]
        (KeptPage(f"{ROOT}product/1", detail(1), "tiny", "detail", None, {"values": [1]}), "broken: "),
        (KeptPage(f"{ROOT}product/1", detail(1), defect="known is not JSON"), "broken: known is not JSON"),
    ],
)
def test_a_page_with_an_impossible_address_text_or_knowledge_is_broken_by_itself(page: KeptPage, reason: str) -> None:
    first, bad, last = read_in_processes([PAGES[0], page, PAGES[1]], PageReader(), 1)
    assert first.offers and last.offers and not bad.offers
    assert bad.kind == "broken" and (bad.reason or "").startswith(reason) and bad.url == page.url


class Deadly(PageReader):
    """Two of its pages end the process that reads them, as the machine does when it has no memory left."""

    def outcome(self, kept: KeptPage, sandbox: ParseSandbox | None = None) -> Outcome:
        if kept.url.endswith(("/2", "/9")):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().outcome(kept, sandbox)


def test_a_page_that_ends_its_process_is_told_and_the_others_are_read_in_their_order() -> None:
    pages = [KeptPage(f"{ROOT}product/{n}", detail(n % 9 + 1), "tiny", "detail") for n in range(1, 31)]
    found = list(read_in_processes(pages, Deadly(), 2))
    assert [outcome.url for outcome in found] == [page.url for page in pages]
    lost = {outcome.url: outcome.reason for outcome in found if not outcome.offers}
    assert lost == {f"{ROOT}product/{n}": "broken: the process that read it ended" for n in (2, 9)}


def test_a_large_page_is_read_on_trial_first() -> None:
    """One whose reading takes longer than it may is told; the page after it is read."""
    large = KeptPage(f"{ROOT}product/1", detail(1) + "<p>x</p>" * 20_000, "tiny", "detail")
    hasty, patient = PageReader(trial_size=50_000, trial_seconds=0.001), PageReader(trial_size=50_000, trial_seconds=60)
    refused, small = hasty.read([large, PAGES[0]])
    assert refused.reason == "parser_timeout" and small.offers
    (taken,) = patient.read([large])
    assert taken.offers


def test_reviewers_on_pages_whose_time_is_over_are_not_named() -> None:
    reviews = {"values": {"reviews": [{"author": "Ann", "text": "Bright and small."}]}}
    now = datetime.now(timezone.utc)
    old, young = (
        KeptPage(f"{ROOT}product/1", detail(1), "tiny", "detail", now - timedelta(days=days), reviews)
        for days in (40, 20)
    )
    assert [
        outcome.offers[0]["reviews"][0].get("author") for outcome in PageReader(author_days=30).read([old, young])
    ] == [
        None,
        "Ann",
    ]
