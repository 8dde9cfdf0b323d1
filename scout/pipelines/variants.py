"""Variants with a number or a price of their own as offers of their own: a price comparison lists by EAN, not by page.

The product's own offer goes out first; its variants follow through all pipelines, and its page is not over before they are stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from scout.crawl.component import Component
from scout.crawl.scrapy_internals import send_to_pipelines
from scout.fields import amount_key
from scout.items import context_of
from scout.offer import Evidence, Offer

NUMBERS = ("ean", "sku")  # that tell one variant from another
OWN = ("title", *NUMBERS, "han", "price", "list_price", "availability")  # never taken over from the product
SHARED = ("shop", "brand", "category", "currency", "description", "images")  # what a product says for all its variants
LISTED = "the variants in the page's data"  # where the evidence of a variant's own values stands


class VariantsPipeline(Component):
    """The last one: nothing drops the product's offer any more."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self.send_variants, signal=signals.item_scraped)

    def process_item(self, item: Any) -> Any:
        if isinstance(item, Offer):
            context_of(item).variants = tuple(variant_offers(item))
        return item

    async def send_variants(self, item: Any, response: Response | None) -> None:
        """The offer has come out: its variants go the same way."""
        variants = context_of(item).variants if isinstance(item, Offer) else ()
        if not variants or self.crawler.engine is None:
            return
        self.count("scout/variants/offers", len(variants))
        await send_to_pipelines(self.crawler, variants, response)


def variant_offers(offer: Offer) -> Iterator[Offer]:
    """The offers of a product's variants that have a number or a price of their own.

    Not the one that the product's own offer shows already, and none that has a page of its own: that page tells more.
    """
    listed = offer.get("variants") or ()
    if offer.get("parent") or not isinstance(listed, (list, tuple)):
        return
    has_prices = any(variant.get("price") for variant in listed)
    for variant in listed:
        if _is_own(variant, offer) and _is_on_page(variant, offer):
            yield _variant_offer(variant, offer, has_prices=has_prices)


def _is_own(variant: Mapping[str, Any], offer: Offer) -> bool:
    numbers = [name for name in NUMBERS if variant.get(name)]
    if any(str(variant[name]) == str(offer.get(name)) for name in numbers):
        return False
    return bool(numbers) or bool(
        variant.get("price") and amount_key(str(variant["price"])) != amount_key(offer.get("price"))
    )


def _is_on_page(variant: Mapping[str, Any], offer: Offer) -> bool:
    url = variant.get("url")
    return not url or urlsplit(url).path.rstrip("/") == urlsplit(offer["url"]).path.rstrip("/")


def _variant_offer(variant: Mapping[str, Any], offer: Offer, *, has_prices: bool) -> Offer:
    own = {name: variant[name] for name in OWN if variant.get(name)}
    own.setdefault("title", _title(variant, offer))
    shared = {name: offer[name] for name in (*SHARED, *(() if has_prices else ("price",))) if offer.get(name)}
    made = Offer({**shared, **own})
    made.evidence = {name: offer.evidence[name] for name in shared if name in offer.evidence}
    made.evidence |= {name: Evidence(LISTED, raw=str(value), origin="structured") for name, value in own.items()}
    made["parent"] = offer["url"]
    made["url"] = variant.get("url") or offer["url"]
    made["urls"] = list(dict.fromkeys([made["url"], offer["url"]]))
    if variant.get("options"):
        made["options"] = dict(variant["options"])
        made.evidence["options"] = Evidence(LISTED, raw=str(made["options"]), origin="structured")
    context_of(made).token = context_of(offer).token
    return made


def _title(variant: Mapping[str, Any], offer: Offer) -> str:
    """The product's name with what is chosen: "Shirt - Red, XL"."""
    chosen = ", ".join(str(value) for value in (variant.get("options") or {}).values())
    return f"{offer['title']} - {chosen}" if chosen else str(offer["title"])
