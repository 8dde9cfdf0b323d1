"""Stores the text of pages in the database, by SCOUT_KEEP_PAGES, and deletes the oldest beyond SCOUT_PAGE_BUDGET.

The page of an offer is stored with the offer. This is for the others: lists, so that the next crawl need not fetch unchanged ones;
and pages whose product waits for the shop's rules, which a resumed crawl would otherwise have to fetch again.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any, cast

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.configuration import pages_to_keep, refusal
from scout.errors import ScoutError
from scout.fetch import FetchState, expected_level, robots_directives, validators
from scout.items import PageItem, Visit
from scout.pipelines.batches import Batches
from scout.store.crawls import COMPLETE
from scout.store.identity import digest

BATCH, LINGER = 50, 0.02  # pages per transaction, and the seconds to wait for more; a callback waits for this

PRUNE_PAGES = 1_000  # read between two looks at the budget: some megabytes
PRUNE_TOLERANCE = 0.1  # of the budget, that the texts may be over it until then

logger = logging.getLogger(__name__)


class KeepPagesMiddleware(Component):
    """Stores a page at the end of its callback, before the frontier marks it as done."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.setting("SCOUT_DATABASE"):
            raise NotConfigured
        if self.context.shop.name is None:
            raise refusal(crawler.settings, "the spider has no attribute `shop`, by which its pages are stored")
        self.mode = pages_to_keep(crawler.settings)
        self.budget = self.setting("SCOUT_PAGE_BUDGET")
        self._unpruned = 0  # pages since the budget was checked
        self._batches: Batches[Visit] = Batches(self._write, size=BATCH, linger=LINGER)
        self.context.add_record(self.forget_pages)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        has_item = False
        async for output in result:
            has_item = has_item or (isinstance(output, PageItem) and output.page.url == response.url)
            yield output
        is_page = isinstance(response, HtmlResponse) and response.body  # a spider may make up an empty one
        if is_page and not FetchState.of(response).is_rejected:
            await self._store_page(cast("HtmlResponse", response), has_item)
            await self._prune_now_and_then()

    async def _store_page(self, response: HtmlResponse, has_item: bool) -> None:
        """Store the page, unless it is not needed or stored with its offer."""
        directives = robots_directives(response)
        state = FetchState.of(response)
        is_held = (state.is_kept_to_resume or self.context.held.has(state.token)) and "noarchive" not in directives
        is_wanted = self.mode == "all" and not has_item and response.status == 200 and not directives
        if not (is_held or is_wanted):
            return
        level, status, html = expected_level(response), response.status, response.text
        headers = validators(response)
        visit = Visit(response.url, level, status=status, digest=digest(html), html=html, headers=headers)
        try:
            await self._batches.add(visit)
            self.count("scout/keep/pages")
        except ScoutError as error:
            self.count("scout/keep/failed")
            logger.warning("Could not keep %s: %s", response.url, error)

    async def _write(self, visits: list[Visit]) -> None:
        shop, crawl = str(self.context.shop.name), self.context.crawl_id
        await run_in_thread(lambda: self.context.store().save_visits(shop, visits, crawl))

    async def forget_pages(self, reason: str) -> None:
        """Delete texts beyond the budget, and those that only waited for rules when the crawl is complete, also of its earlier runs."""
        crawl = self.context.crawl_id
        try:
            if crawl is not None and self.mode != "all" and reason == COMPLETE:
                keeps_products = self.mode == "products"
                store = self.context.store()
                await run_in_thread(lambda: store.delete_page_texts(crawl, only_waiting=keeps_products))
            await self._prune(tolerance=0)
        except ScoutError as error:
            logger.warning("Could not delete pages that are not needed any more: %s", error)

    async def _prune_now_and_then(self) -> None:
        self._unpruned += 1
        if self._unpruned >= PRUNE_PAGES:
            self._unpruned = 0
            await self._prune(PRUNE_TOLERANCE)

    async def _prune(self, tolerance: float) -> None:
        if self.mode == "none" or not self.budget:
            return
        deleted = await run_in_thread(lambda: self.context.store().prune_pages(self.budget, tolerance))
        if deleted:
            self.count("scout/keep/pruned", deleted)
            logger.info("Deleted the %d oldest kept pages: SCOUT_PAGE_BUDGET is %g MB", deleted, self.budget)
