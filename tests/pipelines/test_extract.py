"""A page item becomes an offer: what the page says, and what only the walk knows."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

from itemadapter import ItemAdapter

from scout.items import PageItem, context_of
from scout.offer import Offer
from scout.page import Page
from scout.pipelines.extract import ExtractPipeline
from tests.pipelines.crawlers import crawler, stats

HTML = """<html><head><title>Lamp</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product",
"name": "Lamp", "sku": "L-1", "offers": {"@type": "Offer", "price": "12.90", "priceCurrency": "EUR"}}</script></head>
<body><h1>Lamp</h1></body></html>"""
URL = "https://shop.example/p/1"


def extracted(html: str = HTML, *, settings: dict[str, Any] | None = None, **item: Any) -> Offer:
    page = PageItem(page=Page(URL, html), shop="lamps", **item)
    found = ExtractPipeline.from_crawler(crawler(**settings or {})).process_item(page)
    assert isinstance(found, Offer)
    return found


def test_the_offer_has_the_pages_values_and_the_shop() -> None:
    found = extracted()
    assert (found["title"], found["price"], found["currency"], found["shop"]) == ("Lamp", "12.90", "EUR", "lamps")
    assert (found["url"], found["urls"]) == (URL, [URL])


def test_further_addresses_of_the_product_are_kept() -> None:
    assert extracted(urls=("https://shop.example/sale/1", URL))["urls"] == [URL, "https://shop.example/sale/1"]


def test_the_walked_category_fills_in_where_the_page_names_none() -> None:
    found = extracted(category=("Home", "Lamps"))
    assert found["category"] == "Home > Lamps"
    why = found.why("category")
    assert why is not None and why.origin == "crawl"


def test_what_the_spider_knows_wins_and_says_so() -> None:
    found = extracted(values={"title": "Lamp, blue", "colour": "blue"})
    assert (found["title"], found["colour"]) == ("Lamp, blue", "blue")
    why = found.why("title")
    assert why is not None and (why.selector, why.raw) == ("the spider", "Lamp, blue")


def test_the_visit_is_remembered_and_the_page_only_where_pages_are_kept() -> None:
    visit = context_of(extracted(level="detail", referer="https://shop.example/", status=200)).visit
    assert visit is not None and (visit.url, visit.level, visit.status, visit.html) == (URL, "detail", 200, None)
    kept = context_of(extracted(settings={"SCOUT_KEEP_PAGES": True})).visit
    assert kept is not None and kept.html == HTML


def test_anything_else_passes_untouched_and_each_way_of_extraction_is_counted() -> None:
    made = crawler()
    pipeline = ExtractPipeline.from_crawler(made)
    item = {"anything": 1}
    assert pipeline.process_item(item) is item
    pipeline.process_item(PageItem(page=Page(URL, HTML), shop="lamps"))
    assert stats(made) == {"extract/zero_shot": 1}


def test_item_adapter_sees_every_field_of_an_offer():
    offer = extracted(token="page 1", alternates=("https://shop.example/de/1",))
    assert dict(ItemAdapter(offer)) == dict(offer)
    assert vars(offer).keys() == {"evidence"}
    assert context_of(offer).token == "page 1"


def test_what_is_known_of_an_offer_goes_with_it():
    context = ref(context_of(extracted(token="page 1")))
    gc.collect()
    assert context() is None
