"""Reviews that a shop shows on pages of their own."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import TextResponse

from scout.crawl.component import Component
from scout.extraction.extractor import reviews
from scout.fetch import take_page
from scout.page import Page
from scout.walking.review_pages import next_review_page, review_pages

MAX_PAGES = 20  # pages of one product's reviews that are fetched

logger = logging.getLogger(__name__)


class ReviewPages(Component):
    """Fetches the pages of products' reviews, each once a crawl, through the crawl's own downloader."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._asked: set[str] = set()

    async def read_all(self, product: Page) -> list[dict[str, str]]:
        """The reviews on a product's page and on the pages that it links, each once."""
        found = {_key(review): review for review in reviews(product)}
        async for review in self._linked_reviews(product):
            found.setdefault(_key(review), review)
        return list(found.values())

    async def _linked_reviews(self, product: Page) -> AsyncIterator[dict[str, str]]:
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
        return take_page(response)


def _key(review: dict[str, str]) -> tuple[str | None, str | None]:
    return review.get("author"), review.get("text")
