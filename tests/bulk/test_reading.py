"""A kept page gives the offer that the crawl had; what breaks on one page does not take the others with it."""

from __future__ import annotations

import json

import pytest

from scout.archives import KeptPage
from scout.bulk import reading
from scout.bulk.pool import pooled
from scout.bulk.reading import NO_PRODUCT_PAGE, OTHER_SHOP, Reader
from tests.crawl.tiny_shop import PRODUCTS, detail, listing

ROOT = "https://tiny.example/"
PAGES = [KeptPage(f"{ROOT}product/{n}", detail(n), "tiny", "detail", None, {"category": ["A", "B"]}) for n in PRODUCTS]


def test_what_the_crawl_knew_is_used_as_the_crawl_uses_it() -> None:
    page = KeptPage(f"{ROOT}p", "<h1>Lamp</h1><p>€12.50</p>", "tiny", "detail", None, {"category": ["A", "B"]})
    (offer,) = Reader().outcome(page).offers
    assert (offer["category"], offer["shop"]) == ("A > B", "tiny")
    page = KeptPage(page.url, page.html, "tiny", "detail", None, {"values": {"price": "1.299,00 €", "colour": "red"}})
    (offer,) = Reader().outcome(page).offers
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
    product, *variants = Reader().outcome(KeptPage(f"{ROOT}p", html, "tiny", "detail")).offers
    assert variants and {variant["parent"] for variant in variants} == {product["url"]}
    assert {offer.get("sku") for offer in (product, *variants)} >= {"L-S", "L-L"}


def test_reviewers_are_named_only_where_the_setting_allows_it() -> None:
    reviews = [{"author": "Ann", "text": "Bright and small."}]
    page = KeptPage(f"{ROOT}product/1", detail(1), "tiny", "detail", None, {"values": {"reviews": reviews}})
    (named,), (nameless,) = (Reader(author_days=days).outcome(page).offers for days in (30, 0))
    assert named["reviews"] == reviews and nameless["reviews"] == [{"text": "Bright and small."}]


def test_processes_give_the_same_outcomes_in_the_same_order() -> None:
    alone, together = list(pooled(PAGES, Reader(), 1)), list(pooled(PAGES, Reader(), 2))
    assert together == alone and [outcome.url for outcome in alone] == [page.url for page in PAGES]
    assert all(outcome.offers for outcome in alone)


def test_of_another_crawlers_pages_only_products_become_offers() -> None:
    found = Reader(hosts={"tiny.example": "tiny"}).outcome(KeptPage(f"{ROOT}product/1", detail(1)))
    assert len(found.offers) == 1 and found.shop == "tiny"
    assert Reader().outcome(KeptPage(f"{ROOT}chairs", listing("chairs", [1, 2, 3], ""))).reason == NO_PRODUCT_PAGE


def test_pages_of_shops_that_were_not_asked_for_are_left_alone() -> None:
    assert Reader(only=frozenset({"lamps"})).outcome(PAGES[0]).reason == OTHER_SHOP


def test_a_page_that_is_made_to_choke_a_parser_is_not_parsed() -> None:
    assert Reader().outcome(KeptPage(ROOT, "<a>" * 400_000, "tiny", "detail")).reason == "too_many_tags"


def test_a_page_that_breaks_is_told_and_the_others_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def extract(page, *args, **kwargs):
        if page.url.endswith("/2"):
            raise RuntimeError("oh")
        return original(page, *args, **kwargs)

    original = reading.extract
    monkeypatch.setattr(reading, "extract", extract)
    broken, *others = sorted(pooled(PAGES, Reader(), 1), key=lambda outcome: not outcome.is_broken)
    assert broken.reason == "broken: RuntimeError: oh" and all(outcome.offers for outcome in others)
