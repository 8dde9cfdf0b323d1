"""Reviews: those on pages of their own are fetched where the user asks for it, and the names of their authors are kept only for a while."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import TextResponse
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.configuration import is_enabled, refusal
from scout.errors import ScoutError
from scout.extraction.extractor import reviews
from scout.items import PageItem, anonymous, anonymous_knowledge, context_of
from scout.offer import Offer
from scout.page import Page
from scout.store import Store
from scout.walking.review_pages import next_review_page, review_pages

MAX_PAGES = 20  # pages of one product's reviews that are fetched

logger = logging.getLogger(__name__)


class ReviewPagesPipeline(Component):
    """With `-a reviews=1`, a product's page waits here until the pages of its reviews are read; all go through the same downloader."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not getattr(getattr(crawler.spider, "args", None), "reviews", False):
            raise refusal(
                crawler.settings, "review pages are fetched for spiders with `args.reviews`, such as ShopSpider's"
            )
        self._asked: set[str] = set()

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and "reviews" not in item.values:
            found = {_key(review): review for review in reviews(item.page)}
            async for review in self._further(item.page):
                found.setdefault(_key(review), review)
            if found:
                item.values = {**item.values, "reviews": list(found.values())}
        return item

    async def _further(self, product: Page) -> Any:
        """The reviews on the pages that the product's page links, each page once a crawl, up to MAX_PAGES."""
        waiting = review_pages(product)
        for _ in range(MAX_PAGES):
            url = next((url for url in waiting if url not in self._asked), None)
            if url is None:
                return
            page = await self._fetched(url, product.url)
            if page is None:  # its other pages may be there
                continue
            for review in reviews(page):
                yield review
            following = next_review_page(page)
            waiting = [*waiting, following] if following else waiting

    async def _fetched(self, url: str, referer: str) -> Page | None:
        self._asked.add(url)
        request = Request(url, headers={"Referer": referer}, meta={"level": "reviews"})
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # whatever a download ends with: the offer goes out without these reviews
            logger.info("%s: its reviews cannot be read: %s", referer, error)
            self.count("scout/reviews/failed")
            return None
        if response.status != 200 or not isinstance(response, TextResponse):
            self.count("scout/reviews/failed")
            return None
        self.count("scout/reviews/pages")
        return Page(response.url, response.text)


def _key(review: dict[str, str]) -> tuple[str | None, str | None]:
    return review.get("author"), review.get("text")


class ReviewAuthorsPipeline(Component):
    """Forgets who wrote a review after SCOUT_REVIEW_AUTHOR_DAYS without having read it again; 0 keeps no names at all."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        is_stored = is_enabled(crawler.settings, "ITEM_PIPELINES", "scout.pipelines.persist.PersistPipeline")
        self.days = self.setting("SCOUT_REVIEW_AUTHOR_DAYS")
        self.database = self.setting("SCOUT_DATABASE") if is_stored else None

    def process_item(self, item: Any) -> Any:
        if isinstance(item, Offer) and self.days <= 0:
            forget_reviewers(item)
        return item

    async def close_spider(self) -> None:
        if not self.database:
            return
        try:
            await run_in_thread(forget_authors, self.database, self.days)
        except ScoutError as error:  # the crawl has ended with it by now; the next one, or an export, forgets them
            logger.warning("The names of reviewers were not removed: %s", error)


def forget_reviewers(offer: Offer) -> None:
    """Take the names of reviewers out of the offer, and out of what is remembered of its page."""
    if offer.get("reviews"):
        offer["reviews"] = anonymous(offer["reviews"])
    context = context_of(offer)
    if context.visit is not None:
        context.visit = replace(context.visit, known=anonymous_knowledge(context.visit.known))


def forget_authors(database: str, days: int) -> int:
    """Remove the names from reviews of offers that were not read for so many days; returns how many there were."""
    with Store.open(database) as store:
        return store.forget_review_authors(days)
