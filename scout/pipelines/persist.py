"""Offers into the database: one per product, in batches, in a thread, and an item goes on only when it is stored.

An item waits here for its batch, so whoever sees `item_scraped` knows that the database has it. A database that is away is waited for;
one that stays away, or has no space, ends the crawl with an error and a non-zero exit. What could not be stored still reaches the feeds.
Further addresses of a product are stored with it and go no further, nor does what an earlier run stored, unless a feed is written anew.
"""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.context import DATABASE_FAILED
from scout.crawl.failure_reasons import RepeatedOffer
from scout.errors import ScoutError
from scout.items import CrawledOffer, EarlierOffer, offers_of
from scout.offer import Offer
from scout.pipelines.batches import Batches
from scout.store.crawls import FAILED_CRAWL
from scout.store.writer import OfferWriter, WriteResult, retry_while_unavailable
from scout.walking.identity import Products

OPENING_PATIENCE = 10.0  # seconds: at the start a person still watches, and the address may simply be wrong

logger = logging.getLogger(__name__)


class PersistPipeline(Component):
    """Recognises products that were seen before, and stores offers; the module's text says what it promises.

    Without a database it only recognises them.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.database = self.setting("SCOUT_DATABASE")
        self.author_days = self.setting("SCOUT_REVIEW_AUTHOR_DAYS")
        self.products = Products()
        self.given_urls: set[str] = set()  # of offers that this run was the first to give
        self.is_feed_new = any(feed.get("overwrite") for feed in crawler.settings.getdict("FEEDS").values())
        self.patience = self.setting("SCOUT_DATABASE_PATIENCE")
        self.batches: Batches[CrawledOffer] = Batches(
            self._write, size=self.setting("SCOUT_PERSIST_BATCH"), linger=self.setting("SCOUT_PERSIST_LINGER")
        )
        self.writer: OfferWriter | None = None
        self.is_failed = self.is_begun_here = False
        self.context.add_record(self.record_end)

    async def open_spider(self) -> None:
        """Open the database, and begin a crawl unless there is one."""
        if not self.database:
            logger.warning("SCOUT_DATABASE is empty: offers are not stored")
        if not self.database or not await self.context.loaded():
            return
        try:
            self.writer = await run_in_thread(retry_while_unavailable, self._open, min(self.patience, OPENING_PATIENCE))
        except ScoutError as error:
            self._fail(error)
            raise CloseSpider(DATABASE_FAILED) from error

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, EarlierOffer):
            return self._checked_earlier(item)
        if not isinstance(item, Offer):
            return item
        offer = CrawledOffer.of(item)
        first_url = self._first_url(offer)
        if self.database and not await self._is_saved(offer):
            self.count("scout/persist/unsaved")
            self._keep_page_open(offer)
        if first_url is not None:
            raise RepeatedOffer(offer, first_url)
        return offer

    def _checked_earlier(self, offer: EarlierOffer) -> EarlierOffer:
        """An offer that an earlier run stored, for a new feed: not where this run has read its page again before it came here."""
        known = None if offer.get("parent") else self.products.find_or_add(offer)
        urls = known.urls if known else [offer.get("parent") or offer["url"]]
        if not self.is_feed_new or not self.given_urls.isdisjoint(urls):
            raise DropItem(f"{offer['url']} was stored by an earlier run", log_level="DEBUG")
        return offer

    def _first_url(self, offer: CrawledOffer) -> str | None:
        """The first address of the product, if this is a further one: then the offer takes it, and all others as its `urls`."""
        known = None if offer.get("parent") else self.products.find_or_add(offer, offer.alternates)
        if known is None:
            self.given_urls.add(offer["url"])
            return None
        offer["url"], offer["urls"] = known.urls[0], list(known.urls)
        offer.variant_offers = ()  # stored with the first
        self.count("scout/identity/repeated")
        return known.urls[0]

    def _keep_page_open(self, offer: CrawledOffer) -> None:
        """A page is not over while one of its items is under way, and an offer that is not saved stays under way: it is fetched again."""
        self.context.pages.begun(offer.token or "")

    async def _is_saved(self, offer: CrawledOffer) -> bool:
        if self.is_failed:
            return False
        try:
            await self.batches.add(offer)
        except ScoutError as error:
            self._fail(error)
            return False
        return True

    async def record_end(self, reason: str) -> None:
        """Say in the database how the crawl ended; every item has been through by now.

        A crawl that failed has failed, whatever Scrapy calls its end: it must not tell which offers are gone.
        """
        if self.writer is None:
            return
        try:
            await run_in_thread(
                retry_while_unavailable, lambda: self._finish(reason), 0 if self.is_failed else self.patience
            )
        except ScoutError as error:
            self._fail(error)

    def _open(self) -> OfferWriter:
        store, shop, spider = self.context.store(), self.context.shop, self.crawler.spider
        if self.context.crawl_id is None and shop.name is not None and spider is not None:
            self.context.crawl_id = store.begin_crawl(shop.name, spider.name, url=shop.start_url)
            self.is_begun_here = True  # and so ended here; a crawl of the frontier ends when the frontier says so
        return OfferWriter(store, self.patience, self.context.leases)

    def _finish(self, reason: str) -> None:
        assert self.writer
        if self.context.crawl_id is not None and self.is_begun_here:
            ended = FAILED_CRAWL if self.context.failure else reason
            self.writer.store.finish_crawl(self.context.crawl_id, ended, self.crawler.stats.get_stats())
        if not self.is_failed:
            self.writer.store.forget_review_authors(self.author_days)

    async def _write(self, products: list[CrawledOffer]) -> None:
        assert self.writer
        offers = [offer for product in products for offer in offers_of(product)]
        self._report(await run_in_thread(self.writer.write, offers, self.context.crawl_id))

    # --- what is said about it ----------------------------------------------------------------------------------------

    def _report(self, written: WriteResult) -> None:
        saved = written.saved
        for event, count in asdict(saved).items():
            self.count(f"scout/persist/{event}", count)
        self.context.stored_offers += saved.new + saved.changed + saved.unchanged
        for offer, error in written.refused:
            self.count("scout/persist/refused")
            self.context.fail(f"the database refused {offer.get('url')}: {error}")

    def _fail(self, error: ScoutError) -> None:
        """Close the crawl, once: later items are not tried again, the database had its time."""
        if not self.is_failed:
            self.is_failed = True
            self.context.stop_without_database(error)
