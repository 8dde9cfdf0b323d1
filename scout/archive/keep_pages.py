"""Stores the text of pages in the database: of all pages with SCOUT_KEEP_PAGES, else of those whose product waits for the shop's rules.

The page of an offer is stored with the offer. This is for the others: lists, so that the next crawl need not fetch unchanged ones;
and pages that a resumed crawl would otherwise have to fetch again.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, cast

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.asyncio import run_in_thread

from scout.archive.conditional_requests import validators
from scout.crawl.configuration import read_setting, refusal
from scout.crawl.failure_reasons import page_rejected
from scout.errors import ScoutError
from scout.fetch import FetchState, expected_level
from scout.items import PageItem, Visit
from scout.middlewares.optouts import robots_directives
from scout.pipelines.batches import Batches
from scout.store import Store
from scout.store.crawls import COMPLETE
from scout.store.identity import digest

BATCH, LINGER = 50, 0.02  # pages per transaction, and the seconds to wait for more; a callback waits for this

logger = logging.getLogger(__name__)


class KeepPagesMiddleware:
    """Stores a page at the end of its callback, before the frontier marks it as done."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.keeps_all = read_setting(crawler.settings, "SCOUT_KEEP_PAGES")
        self.store: Store | None = None
        self._batches: Batches[Visit] = Batches(self._write, size=BATCH, linger=LINGER)
        self._reading: set[str] = set()  # URLs whose callback is running
        self._rejected: set[str] = set()  # those of them that were rejected
        self._waiting: dict[str, dict[str, str] | None] = {}  # URL -> headers: pages whose item the spider holds back

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> KeepPagesMiddleware:
        if not read_setting(crawler.settings, "SCOUT_DATABASE"):
            raise NotConfigured
        if not isinstance(getattr(crawler.spider, "shop", None), str):
            raise refusal(crawler.settings, "the spider has no attribute `shop`, by which its pages are stored")
        middleware = cls(crawler)
        crawler.signals.connect(middleware.rejected, signal=page_rejected)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    def rejected(self, url: str) -> None:
        """A rejected page is not stored: the next crawl tries it again."""
        if url in self._reading:
            self._rejected.add(url)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        has_item = False
        self._reading.add(response.url)
        try:
            async for output in result:
                if isinstance(output, PageItem):
                    has_item = has_item or output.page.url == response.url
                    output.headers = self._headers_of(output, response)
                yield output
            is_rejected = response.url in self._rejected
        finally:
            self._reading.discard(response.url)
            self._rejected.discard(response.url)
        is_page = isinstance(response, HtmlResponse) and response.body  # a spider may make up an empty one
        if is_page and not is_rejected:
            await self._store_page(cast("HtmlResponse", response), has_item)

    def _headers_of(self, item: PageItem, response: Response) -> dict[str, str] | None:
        if not self.keeps_all:
            return None
        return validators(response) if item.page.url == response.url else self._waiting.pop(item.page.url, None)

    def _is_held(self, response: Response) -> bool:
        """Whether the spider holds back an item of the page until it has rules."""
        holds = getattr(self.crawler.spider, "holds", None)
        token = FetchState.of(response).token
        return bool(token and holds is not None and holds(token))

    async def _store_page(self, response: HtmlResponse, has_item: bool) -> None:
        """Store the page, unless it is not needed or stored with its offer."""
        is_held = self._is_held(response)
        is_wanted = self.keeps_all and not has_item and response.status == 200 and not robots_directives(response)
        if not isinstance(getattr(self.crawler.spider, "shop", None), str) or not (is_held or is_wanted):
            return
        headers = validators(response)
        if is_held and self.keeps_all:
            self._waiting[response.url] = headers
        level, status, html = expected_level(response), response.status, response.text
        visit = Visit(response.url, level, status=status, digest=digest(html), html=html, headers=headers)
        try:
            await self._batches.add(visit)
            self._count("pages")
        except ScoutError as error:
            self._count("failed")
            logger.warning("Could not keep %s: %s", response.url, error)

    async def _write(self, visits: list[Visit]) -> None:
        await run_in_thread(self._save, visits)

    def _save(self, visits: list[Visit]) -> None:
        spider: Any = self.crawler.spider
        self._open_store().save_visits(spider.shop, visits, getattr(spider, "crawl_id", None))

    def _open_store(self) -> Store:
        if self.store is None:
            self.store = Store.open(read_setting(self.crawler.settings, "SCOUT_DATABASE"))
        return self.store

    async def spider_closed(self, reason: str) -> None:
        """Delete texts that only waited for rules when the crawl is complete, also those of its earlier runs."""
        crawl = getattr(self.crawler.spider, "crawl_id", None)
        try:
            if crawl is not None and not self.keeps_all and reason == COMPLETE:
                await run_in_thread(lambda: self._open_store().delete_page_texts(crawl))
        except ScoutError as error:
            logger.warning("Could not delete pages that are not needed any more: %s", error)
        finally:
            if self.store is not None:
                self.store.close()

    def _count(self, event: str) -> None:
        assert self.crawler.stats
        self.crawler.stats.inc_value(f"scout/keep/{event}")
