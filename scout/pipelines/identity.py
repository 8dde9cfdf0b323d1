"""One product, one offer: further addresses of a product go to the database with the first one, and out of the feeds."""

from __future__ import annotations

from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from scout.crawl.component import Component
from scout.crawl.configuration import is_enabled, refusal
from scout.crawl.failure_reasons import RepeatedOffer
from scout.items import EarlierOffer, context_of
from scout.offer import Offer
from scout.walking.identity import Products


class IdentityPipeline(Component):
    """Before the database: an offer that was met before takes the first one's address, and all others as its `urls`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.products = Products()

    def process_item(self, item: Any) -> Any:
        if isinstance(item, EarlierOffer) and not item.get("parent"):
            self.products.find_or_add(Offer(item), ())
        if not isinstance(item, Offer) or item.get("parent"):
            return item
        known = self.products.find_or_add(item, context_of(item).alternates)
        if known is not None:
            context_of(item).first_url = known.urls[0]
            item["url"], item["urls"] = known.urls[0], list(known.urls)
            self.count("scout/identity/repeated")
        return item


class RepeatsPipeline(Component):
    """After the database: what was only a further address of a product goes no further.

    Nor does what an earlier run stored, unless a feed is written anew: one that is appended to has it already.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not is_enabled(crawler.settings, "ITEM_PIPELINES", f"{__name__}.IdentityPipeline"):
            raise refusal(crawler.settings, f"no offer is known to be repeated: add {__name__}.IdentityPipeline")

        self.is_feed_new = any(feed.get("overwrite") for feed in crawler.settings.getdict("FEEDS").values())

    def process_item(self, item: Any) -> Any:
        if isinstance(item, EarlierOffer) and not self.is_feed_new:
            raise DropItem(f"{item['url']} was stored by an earlier run", log_level="DEBUG")
        first_url = context_of(item).first_url if isinstance(item, Offer) else None
        if first_url is not None:
            raise RepeatedOffer(item, first_url)
        return item
