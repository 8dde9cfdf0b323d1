"""Scrapy's scheduler with its queue in the database: what a killed crawl had not finished, the next start finishes.

Scrapy asks for requests synchronously, so a few are leased ahead. A request that cannot be written as data, a retry and a redirect
wait in memory, as ever; so does a start request that asks not to be filtered, which every worker makes for itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scout.crawl.account import AccountState, state_of_failure
from scout.crawl.configuration import is_enabled, read_setting
from scout.crawl.context import CrawlContext, EarlierRuns
from scout.crawl.failure_reasons import rejection
from scout.crawl.pages_in_progress import PageResult
from scout.errors import ScoutError
from scout.fetch import FetchState, asked_urls
from scout.frontier.ledger import crawl_outcome
from scout.frontier.lost_lists import MOVED
from scout.frontier.progress import offers_met
from scout.frontier.requests import NotData, request_data, request_from
from scout.frontier.resuming import entered_crawl, leave_crawl, products_of
from scout.frontier.table import Frontier, Lease, NewRequest
from scout.frontier.worker import Worker
from scout.store.crawls import FAILED_CRAWL
from scout.url_rules import is_same_page
from scout.walking.steps import Step

# says which pages are finished: without it, no crawl would end
MIDDLEWARE = "scout.frontier.middleware.FrontierMiddleware"

logger = logging.getLogger(__name__)


class FrontierScheduler(Scheduler):
    """Scrapy's own scheduler for a spider without a shop or a crawl without a database; see the module for the others."""

    crawler: Crawler
    worker: Worker | None = None

    def open(self, spider: Spider) -> Deferred[None] | None:
        opened = super().open(spider)
        self.context = CrawlContext.of(self.crawler)
        if not self._is_durable():
            return opened
        self.pages = self.context.pages
        self._seen: set[str] = set()
        self._kept: set[str] = set()
        self.context.add_record(self._leave_crawl)
        return deferred_from_coro(self._open())

    def _is_durable(self) -> bool:
        settings, shop = self.crawler.settings, self.context.shop
        is_wanted = read_setting(settings, "SCOUT_FRONTIER") and bool(read_setting(settings, "SCOUT_DATABASE"))
        if not (is_wanted and shop.name is not None and shop.is_resumable):
            return False
        is_told = is_enabled(settings, "SPIDER_MIDDLEWARES", MIDDLEWARE)
        if not is_told:
            logger.warning("Requests are not kept: add %s to SPIDER_MIDDLEWARES", MIDDLEWARE)
        return is_told

    async def _open(self) -> None:
        if not await self.context.loaded():
            return
        try:
            self.frontier, self.context.earlier = await run_in_thread(self._enter)
        except ScoutError as error:
            self.context.fail_to_start(error)
            return
        self.context.crawl_id, self.context.keep_for_later = self.frontier.crawl, self._keep
        self.context.leases, self.context.count_pages = self.frontier.leases, self.frontier.count_pages
        self.context.leave_at_once = self._leave_at_once
        self.worker = Worker(self.context, self.frontier)
        self.crawler.signals.connect(self._on_idle, signal=signals.spider_idle)

    def _enter(self) -> tuple[Frontier, EarlierRuns | None]:
        store, shop = self.context.store(), self.context.shop
        spider = f"{self.spider.name} {shop.scope}".rstrip()
        entry = entered_crawl(store, str(shop.name), spider, shop.start_url, self.context.crawl_id)
        frontier = Frontier(store, entry.crawl)
        if not entry.is_resumed:
            return frontier, None
        known, kept = frontier.known(), frontier.kept()
        logger.info("Crawl %d of %s goes on: %d pages known", entry.crawl, shop.name, len(known))
        self._stats.inc_value("scout/frontier/resumed")
        self._seen, self._kept = set(known), {lease.key for lease in kept}
        later = (request_from(lease.url, lease.priority, lease.data, self.spider) for lease in kept)
        asked, products = tuple(known.values()), products_of(store, entry.crawl)
        return frontier, EarlierRuns(asked, products, tuple(later), frontier.has_lists())

    # --- what the engine calls ----------------------------------------------------------------------------------------

    def enqueue_request(self, request: Request) -> bool:
        if self.worker is None:
            return super().enqueue_request(request)
        state = FetchState.of(request)
        if state.token in self.pages.open:
            return self._enqueue_retry_or_redirect(request, state.token)
        state.token = None
        if request.dont_filter and request.meta.get("is_start_request"):
            return super().enqueue_request(request)
        key = self._key(request)
        is_due = key in self._kept
        if key in self._seen and not request.dont_filter and not is_due:
            self.df.log(request, self.spider)
            return False
        try:
            self._add(request, key, again=request.dont_filter or is_due)
        except NotData as error:
            logger.warning("%s cannot be resumed after a kill: %s", request, error)
            self._stats.inc_value("scout/frontier/memory")
            return super().enqueue_request(request.replace(dont_filter=True))
        self._stats.inc_value("scheduler/enqueued")
        return True

    def next_request(self) -> Request | None:
        request = super().next_request()
        while self.worker is not None and request is None and (lease := self.worker.next_lease()):
            request = self._leased_request(lease)
        return request

    def has_pending_requests(self) -> bool:
        return super().has_pending_requests() or (self.worker is not None and self.worker.has_work)

    def close(self, reason: str) -> Deferred[None] | None:
        closed = super().close(reason)
        return closed if self.worker is None else deferred_from_coro(self._close(self.worker, reason))

    # --- requests -----------------------------------------------------------------------------------------------------

    def _keep(self, request: Request) -> None:
        """Remember a request that the spider may make later; it will ask for it then, this run's spider or the next one's."""
        key = self._key(request)
        if key not in self._seen:
            self._add(request, key, later=True)
            self._kept.add(key)

    def _add(self, request: Request, key: str, *, again: bool = False, later: bool = False) -> None:
        assert self.worker
        self._seen.add(key)
        self._kept.discard(key)
        step = request.cb_kwargs.get("came")
        shown = step.shown if isinstance(step, Step) else None
        data = request_data(request, self.spider)
        self.worker.add(NewRequest(key, request.url, data, request.priority, again, later, shown))

    def _enqueue_retry_or_redirect(self, request: Request, token: str) -> bool:
        """A retry or redirect of a page that this worker has leased: it stays the same page."""
        key = self._key(request)
        is_elsewhere = key != token and key not in self.pages.open[token].aliases
        is_known = key in self._seen and key not in self._kept
        if is_elsewhere and is_known and not request.dont_filter:
            self.df.log(request, self.spider)
            self.pages.judge(token, PageResult(AccountState.SAME_PRODUCT, MOVED, digest=key))
            self.pages.read(token)
            return False
        if (
            is_elsewhere
        ):  # known as soon as the page is over: where it fails, its target is asked by itself if it is shown
            self.pages.redirected(token, key, request.url)
        return super().enqueue_request(request.replace(dont_filter=True))

    def _leased_request(self, lease: Lease) -> Request | None:
        self.pages.opened(lease.key, lease.url)
        try:
            request = request_from(lease.url, lease.priority, lease.data, self.spider)
        except NotData as error:
            self.pages.failed(lease.key, str(error))
            return None
        FetchState.of(request).token = lease.key
        request.errback = partial(self._failed_page, lease.key, request.errback)
        self._stats.inc_value("scheduler/dequeued")
        return request

    def _failed_page(self, token: str, errback: Callable[[Failure], Any] | None, failure: Failure) -> Any:
        """The page failed. Where it led elsewhere, and there is nothing, it is not gone: the shop said so of another one."""
        reason, page = rejection(failure.value), self.pages.open.get(token)
        if page is not None and page.aliases:
            request: Request = failure.request  # type: ignore[attr-defined]
            is_elsewhere = not is_same_page(asked_urls(request)[0], request.url)
            reason = f"redirect_{reason}" if is_elsewhere and state_of_failure(reason) is AccountState.GONE else reason
        self.pages.failed(token, reason)
        return failure if errback is None else errback(failure)

    def _key(self, request: Request) -> str:
        assert self.crawler.request_fingerprinter
        return self.crawler.request_fingerprinter.fingerprint(request).hex()[:32]

    # --- the end ------------------------------------------------------------------------------------------------------

    def _on_idle(self) -> None:
        """Nothing to do here: the crawl is over only if the frontier says so."""
        if self.worker is not None and not self.worker.may_close:
            raise DontCloseSpider

    async def _close(self, worker: Worker, reason: str) -> None:
        """Write what is left, give the leases back, and read what may be said of the crawl."""
        if self.pages.open:
            logger.info("%d pages were not finished and will be fetched again", len(self.pages.open))
        store, crawl = self.frontier.store, self.frontier.crawl
        try:
            await worker.finish()
            if not worker.has_failed:
                self.context.outcome = await run_in_thread(crawl_outcome, store, crawl, reason)
                self.context.stored_products = await run_in_thread(products_of, store, crawl)
        except ScoutError as error:
            worker.fail(error)

    async def _leave_crawl(self, reason: str) -> None:
        if self.worker is None:  # there was no crawl to enter, and the user knows
            return
        try:
            await run_in_thread(self._leave, FAILED_CRAWL if self.context.failure else reason)
            for state, count in (await run_in_thread(self.frontier.counts)).items():
                self._stats.set_value(f"scout/frontier/{state}", count)
            if self.frontier.late:
                self._stats.inc_value("scout/frontier/late", self.frontier.late)
        except ScoutError as error:
            self.worker.fail(error)

    def _leave_at_once(self) -> None:
        """Give the leases back and read what may be said of the crawl; what happened since the last exchange will happen again."""
        self.frontier.release()
        self._leave("shutdown")

    def _leave(self, reason: str) -> None:
        store, crawl = self.frontier.store, self.frontier.crawl
        self.context.outcome = leave_crawl(store, crawl, reason, self._stats.get_stats())
        self.context.stored_offers = max(self.context.stored_offers, offers_met(store, crawl))

    @property
    def _stats(self) -> Any:
        return self.crawler.stats
