"""A page item becomes an offer that carries what the crawl knows of it; what is no offer is dropped by a named reason."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from itemadapter import ItemAdapter

from scout.crawl.failure_reasons import NotAnOffer
from scout.items import CrawledOffer, PageItem, offers_of
from scout.offer import Offer
from scout.page import Page
from scout.pipelines.offers import OfferPipeline
from tests.pipelines.crawlers import crawler, stats
from tests.store.examples import offer

HTML = """<html><head><title>Lamp</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product",
"name": "Lamp", "sku": "L-1", "offers": {"@type": "Offer", "price": "12.90", "priceCurrency": "EUR"}}</script></head>
<body><h1>Lamp</h1></body></html>"""
URL = "https://shop.example/p/1"


def through(item: Any, made: Any = None) -> Any:
    return asyncio.run(OfferPipeline.from_crawler(made or crawler()).process_item(item))


def extracted(*, settings: dict[str, Any] | None = None, **item: Any) -> CrawledOffer:
    found = through(PageItem(page=Page(URL, HTML), shop="lamps", **item), crawler(**settings or {}))
    assert isinstance(found, CrawledOffer)
    return found


def test_the_visit_is_remembered_and_the_page_only_where_pages_are_kept() -> None:
    not_kept = {"SCOUT_KEEP_PAGES": "none"}
    visit = extracted(level="detail", referer="https://shop.example/", status=200, settings=not_kept).visit
    assert visit is not None and (visit.url, visit.level, visit.status, visit.html) == (URL, "detail", 200, None)
    kept = extracted().visit
    assert kept is not None and kept.html == HTML
    opted_out = extracted(directives={"noarchive"}).visit
    assert opted_out is not None and opted_out.html is None


def test_anything_else_passes_untouched_and_each_way_of_extraction_is_counted() -> None:
    made, item = crawler(), {"anything": 1}
    assert through(item, made) is item
    through(PageItem(page=Page(URL, HTML), shop="lamps"), made)
    assert stats(made) == {"extract/zero_shot": 1, "validate/valid": 1}


def test_item_adapter_sees_every_field_of_an_offer_and_nothing_else() -> None:
    found = extracted(token="page 1", alternates=("https://shop.example/de/1",))
    assert dict(ItemAdapter(found)) == dict(found) and not {"token", "visit", "alternates"} & set(found)
    assert (found.token, found.alternates) == ("page 1", ("https://shop.example/de/1",))


def test_an_offer_of_the_spiders_own_is_checked_as_well_and_counted() -> None:
    made = crawler()
    found = through(Offer(url=URL, title="Lamp", price="12,90 €", currency="Dukaten", ean="4006381333932"), made)
    assert dict(found) == {"url": URL, "title": "Lamp", "price": "12.90"}
    assert stats(made) == {"normalise/unreadable/currency": 1, "normalise/unreadable/ean": 1, "validate/valid": 1}


def test_what_is_no_offer_is_dropped_by_its_reason() -> None:
    made = crawler()
    with pytest.raises(NotAnOffer, match="NotAProduct"):
        through(Offer(url="https://shop.example/about", title="About us"), made)
    assert stats(made) == {"validate/NotAProduct": 1}


def test_a_row_whose_provider_declares_it_need_not_look_like_a_product() -> None:
    made, row = crawler(), Offer(url="https://guide.example/#row=1", title="Zur Post")
    assert through(CrawledOffer.of(row, is_declared=True), made) == row
    assert stats(made) == {"validate/declared": 1, "validate/valid": 1}


def test_variants_are_nested_in_the_offer_of_their_product() -> None:
    made = crawler()
    found = through(offer(variants=[{"sku": "A", "price": "13.00"}, {"sku": "B", "price": "14.00"}]), made)
    product, *variants = offers_of(found)
    assert product is found and [variant["sku"] for variant in variants] == ["A", "B"]
    assert {variant["parent"] for variant in variants} == {found["url"]}
    assert stats(made)["variants/offers"] == 2
