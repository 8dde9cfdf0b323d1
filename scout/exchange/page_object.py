"""A page object of web-poet, with which spiders of scrapy-poet get Scout's extraction. Needs the extra `poet`.

class ProductSpider(scrapy.Spider):
    async def parse_product(self, response, page: ScoutProductPage):
        yield await page.to_item()
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from web_poet import HttpResponse, ItemPage
from zyte_common_items import Product

from scout.exchange.zyte_product import as_zyte_product
from scout.extraction.extractor import extract
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules

__all__ = ["ScoutProductPage"]


class ScoutProductPage(ItemPage[Product]):
    """A product's page as a `zyte_common_items.Product`: each value right or absent.

    A subclass for a shop sets `rules`, loaded with `scout.ShopRules.load`; without them, each page is read by itself.
    """

    rules: ClassVar[ShopRules | None] = None

    def __init__(self, response: HttpResponse) -> None:
        self.response = response

    @cached_property
    def offer(self) -> Offer:
        """The offer on the page, in Scout's own form."""
        offer = extract(Page(str(self.response.url), self.response.text), self.rules)
        return offer if offer.get("url") else Offer(offer, url=str(self.response.url), evidence=offer.evidence)

    async def to_item(self) -> Product:
        """The offer as a Product."""
        product: Product = as_zyte_product(self.offer)
        return product

    def why(self, field: str) -> Evidence | None:
        """Where the value of a field of the offer comes from, or why there is none."""
        return self.offer.why(field)
