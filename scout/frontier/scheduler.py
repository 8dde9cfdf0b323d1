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
from scout.crawl.pages_in_progress import PageResult, PagesInProgress
from scout.errors import ScoutError
from scout.fetch import FetchState, asked_urls
from scout.frontier.exchanges import Exchanges
from scout.frontier.ledger import MOVED, CrawlLedger
from scout.frontier.progress import offers_met
from scout.frontier.recovery import Recovery
from scout.frontier.requests import NotData, request_data, request_from
from scout.frontier.resuming import Entry, entered_crawl, leave_crawl, products_of
from scout.frontier.table import Frontier, Lease, NewRequest
from scout.frontier.worker_stage import Event, Stage
from scout.store.crawls import FAILED_CRAWL
from scout.url_rules import is_same_page
from scout.walking.walk import Step

MIDDLEWARE = (
    "scout.frontier.middleware.FrontierMiddleware"  # says which pages are finished: without it, no crawl would end
)

logger = logging.getLogger(__name__)


class FrontierScheduler(Scheduler):
    """Scrapy's own scheduler for a spider without a shop or a crawl without a database; see the module for the others."""

    crawler: Crawler
    frontier: Frontier | None = None

    def open(self, spider: Spider) -> Deferred[None] | None:
        opened = super().open(spider)
        self.context = CrawlContext.of(self.crawler)
        if not self._is_durable():
            return opened
        self.pages = self.context.pages = PagesInProgress(self.context.held.has)
        self._seen: set[str] = set()
        self._kept: set[str] = set()
        self.context.add_record(self._leave_crawl)
        return deferred_from_coro(self._open())

    def _is_durable(self) -> bool:
        settings, shop = self.crawler.settings, self.context.shop
        has_shop = shop.name is not None and shop.is_resumable
        is_wanted = read_setting(settings, "SCOUT_FRONTIER") and bool(read_setting(settings, "SCOUT_DATABASE"))
        if not (is_wanted and has_shop):
            return False
        if is_enabled(settings, "SPIDER_MIDDLEWARES", MIDDLEWARE):
            return True
        logger.warning("Requests are not kept: add %s to SPIDER_MIDDLEWARES", MIDDLEWARE)
        return False

    async def _open(self) -> None:
        if not await self.context.loaded():
            return
        try:
            entry, known, kept = await run_in_thread(self._enter)
        except ScoutError as error:
            self.context.fail_to_start(error)
            return
        self._seen, self._kept = {key for key, _ in known}, {lease.key for lease in kept}
        self.context.crawl_id, self.context.keep_for_later = entry.crawl, self._keep
        if entry.is_resumed:
            logger.info("Crawl %d of %s goes on: %d pages known", entry.crawl, self.context.shop.name, len(known))
            self._count("resumed")
            later = (request_from(lease.url, lease.priority, lease.data, self.spider) for lease in kept)
            self.context.earlier = EarlierRuns(tuple(url for _, url in known), entry.products, tuple(later))
        self._begin()

    def _enter(self) -> tuple[Entry, list[tuple[str, str]], list[Lease]]:
        store, shop = self.context.store(), self.context.shop
        entry = entered_crawl(store, str(shop.name), self.spider.name, shop.start_url, self.context.crawl_id)
        frontier = Frontier(store, entry.crawl)
        frontier.reclaim()
        known, kept = (frontier.known(), frontier.kept()) if entry.is_resumed else ([], [])
        self.frontier, self.ledger = frontier, CrawlLedger(store, entry.crawl)
        return entry, known, kept

    def _begin(self) -> None:
        assert self.frontier
        self.exchanges = Exchanges(self.crawler, self.frontier, self.pages, self._fail)
        self.stage = self.exchanges.stage
        self.recovery = Recovery(self.context, self.pages, self.exchanges, self.ledger)
        self.context.leases, self.context.count_pages = self.frontier.leases, self.frontier.count_pages
        self.context.leave_at_once = self._leave_at_once
        self.crawler.signals.connect(self._on_idle, signal=signals.spider_idle)
        self.exchanges.keep_alive()

    # --- what the engine calls ----------------------------------------------------------------------------------------

    def enqueue_request(self, request: Request) -> bool:
        if self.frontier is None:
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
        self._seen.add(key)
        self._kept.discard(key)
        return self._stored(request, key, again=request.dont_filter or is_due)

    def next_request(self) -> Request | None:
        request = super().next_request()
        if self.frontier is None or request is not None:
            return request
        if self.recovery.is_paused() or (self.exchanges.has_leases and self.exchanges.turns.must_wait()):
            return None
        while request is None and (lease := self.exchanges.next_lease()):
            request = self._leased_request(lease)
        self.exchanges.wake_if_due()
        return request

    def has_pending_requests(self) -> bool:
        return super().has_pending_requests() or (self.frontier is not None and self.exchanges.has_work)

    def close(self, reason: str) -> Deferred[None] | None:
        closed = super().close(reason)
        return closed if self.frontier is None else deferred_from_coro(self._close(reason))

    # --- requests -----------------------------------------------------------------------------------------------------

    def _keep(self, request: Request) -> None:
        """Remember a request that the spider may make later; it will ask for it then, this run's spider or the next one's."""
        key = self._key(request)
        if key not in self._seen:
            self._seen.add(key)
            self._kept.add(key)
            data = request_data(request, self.spider)
            self.exchanges.add(NewRequest(key, request.url, data, request.priority, later=True, shown=_shown(request)))

    def _stored(self, request: Request, key: str, *, again: bool) -> bool:
        try:
            data = request_data(request, self.spider)
        except NotData as error:
            logger.warning("%s cannot be resumed after a kill: %s", request, error)
            self._count("memory")
            return super().enqueue_request(request.replace(dont_filter=True))
        self._stats.inc_value("scheduler/enqueued")
        self.exchanges.add(NewRequest(key, request.url, data, request.priority, again, shown=_shown(request)))
        return True

    def _enqueue_retry_or_redirect(self, request: Request, token: str) -> bool:
        """A retry or redirect of a page that this worker has leased: it stays the same page."""
        key = self._key(request)
        is_elsewhere = key != token and key not in self.pages.open[token].aliases
        is_known = key in self._seen and key not in self._kept
        if is_elsewhere and is_known and not request.dont_filter:
            self.df.log(request, self.spider)
            self.pages.judge(token, PageResult(AccountState.SAME_PRODUCT, MOVED, digest=key))
            self.pages.read(token)
            self.exchanges.wake()
            return False
        if is_elsewhere:
            self._seen.add(key)
            self._kept.discard(key)
            self.pages.redirected(token, key, request.url)
        return super().enqueue_request(request.replace(dont_filter=True))

    def _leased_request(self, lease: Lease) -> Request | None:
        self.pages.opened(lease.key, lease.url)
        self.exchanges.pace.count()
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
        reason, page = self._failure_reason(token, failure), self.pages.open.get(token)
        self._seen.difference_update(page.aliases if page else ())
        self.pages.failed(token, reason)
        self.exchanges.wake()
        return failure if errback is None else errback(failure)

    def _failure_reason(self, token: str, failure: Failure) -> str:
        """The word for the failure. A page that leads elsewhere, where there is nothing, is not gone: the shop said so of another one."""
        reason, page = rejection(failure.value), self.pages.open.get(token)
        request: Request = failure.request  # type: ignore[attr-defined]
        asked = asked_urls(request)[0]
        is_elsewhere = page is not None and page.aliases and not is_same_page(asked, request.url)
        return f"redirect_{reason}" if is_elsewhere and state_of_failure(reason) is AccountState.GONE else reason

    def _key(self, request: Request) -> str:
        assert self.crawler.request_fingerprinter
        return self.crawler.request_fingerprinter.fingerprint(request).hex()[:32]

    # --- the end ------------------------------------------------------------------------------------------------------

    def _on_idle(self) -> None:
        """Nothing to do here: the crawl is over only if the frontier says so, after all that happened here is written."""
        if self.stage.is_over or self.stage.now is Stage.SETTLED:
            return
        if self.stage.now is Stage.EXHAUSTED and not self.pages.marks:
            self.recovery.retry_unread()
        elif self.stage.now is not Stage.WAITING or self.pages.marks:
            self.exchanges.look_again()
        raise DontCloseSpider

    def _fail(self, error: Exception) -> None:
        if not self.stage.on(Event.FAIL):
            return
        if not isinstance(error, ScoutError):
            logger.error("The frontier broke", exc_info=error)
        self.context.stop_without_database(error)

    async def _close(self, reason: str) -> None:
        """Write what is left, give the leases back, and read what may be said of the crawl."""
        self.stage.on(Event.CLOSE)
        if self.stage.now is Stage.FAILED:
            return
        if self.pages.open:
            logger.info("%d pages were not finished and will be fetched again", len(self.pages.open))
        try:
            await self.exchanges.finish()
            assert self.frontier
            self.context.outcome = await run_in_thread(self.ledger.outcome, reason)
            self.context.stored_products = await run_in_thread(products_of, self.frontier.store, self.frontier.crawl)
        except ScoutError as error:
            self._fail(error)

    async def _leave_crawl(self, reason: str) -> None:
        if self.frontier is None:  # there was no crawl to enter, and the user knows
            return
        ended = FAILED_CRAWL if self.context.failure else reason
        store, crawl = self.frontier.store, self.frontier.crawl
        try:
            self.context.outcome = await run_in_thread(leave_crawl, store, crawl, ended, self._stats.get_stats())
            met = await run_in_thread(offers_met, store, crawl)
            self.context.stored_offers = max(self.context.stored_offers, met)
            for state, count in (await run_in_thread(self.frontier.counts)).items():
                self._stats.set_value(f"scout/frontier/{state}", count)
            if self.frontier.late:
                self._stats.inc_value("scout/frontier/late", self.frontier.late)
        except ScoutError as error:
            self._fail(error)

    def _leave_at_once(self) -> None:
        """Give the leases back and read what may be said of the crawl; what happened since the last exchange will happen again."""
        assert self.frontier
        store, crawl = self.frontier.store, self.frontier.crawl
        self.frontier.release()
        self.context.outcome = leave_crawl(store, crawl, "shutdown", self._stats.get_stats())
        self.context.stored_offers = offers_met(store, crawl)

    def _count(self, event: str) -> None:
        self._stats.inc_value(f"scout/frontier/{event}")

    @property
    def _stats(self) -> Any:
        return self.crawler.stats


def _shown(request: Request) -> str | None:
    """As what the shop shows the request's address; None for a request that no walk made."""
    step = request.cb_kwargs.get("came")
    return step.shown if isinstance(step, Step) else None
