"""Scrapy's scheduler with its queue in the database: what a killed crawl had not finished, the next start finishes.

Scrapy asks for requests synchronously, so a few are leased ahead, in a thread; what has happened meanwhile (new requests, pages that
are over) is written in the same transaction. A request that cannot be written as data, a retry and a redirect wait in memory, as
ever; so does a start request that asks not to be filtered, which every worker makes for itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from http import HTTPStatus
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import call_later, run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scout.crawl.account import AccountState, state_of_failure
from scout.crawl.configuration import is_enabled, read_setting
from scout.crawl.context import CrawlContext
from scout.crawl.failure_reasons import rejection
from scout.crawl.pages_in_progress import PageResult, PagesInProgress
from scout.crawl.scrapy_internals import download_slots, wake
from scout.errors import ScoutError
from scout.fetch import FetchState, asked_urls
from scout.frontier.ledger import MOVED, CrawlLedger
from scout.frontier.requests import NotData, request_data, request_from
from scout.frontier.resuming import Entry, entered_crawl, leave_crawl, products_of
from scout.frontier.table import LEASE_SECONDS, Changes, ExchangeResult, Frontier, Lease, NewRequest
from scout.store import Store
from scout.store.writer import retry_while_unavailable
from scout.url_rules import is_same_page
from scout.walking.walk import Step

MIDDLEWARE = (
    "scout.frontier.middleware.FrontierMiddleware"  # says which pages are finished: without it, no crawl would end
)
FAILED = "database_failed"  # the reason with which the crawl is closed
REFUSED = "refused"  # the reason with which a crawl is closed that gets nothing but refusals
RETRY_GROWTH = 4  # times the pause before the last round of retries
MAX_UNREAD_RUN = 20  # pages in a row that were refused or failed: then it is asked whether the shop still answers
CHECK_SECONDS = 15.0  # that a page may take which was read before
LINGER = 0.1  # seconds that changes wait for company at most, while there is enough to do: what a kill makes be fetched again
ENOUGH = 500  # requests that need not wait for more
MANY_MARKS = 12  # pages that are over and need not wait for more: a kill would have them fetched again
CLOSING = 0.05  # seconds between two looks whether the last exchange has come to its end
POLL = 1.0  # seconds until a worker without work looks again whether others have left some
RENEW = LEASE_SECONDS / 4  # so that a lease outlives two failed renewals
AHEAD = 1.0  # seconds of work that are leased ahead: more would delay what is found meanwhile and is more urgent
MIN_LEASES, MAX_LEASES = 8, 100
FULL_LEASES = 48  # of a crawl without a pause, however slow the machine is: enough that an exchange does not weigh on single pages
MIN_TURN = 0.1  # seconds of pause from which on workers take turns; for shorter ones a turn costs more than it spares

logger = logging.getLogger(__name__)


class FrontierScheduler(Scheduler):
    """Scrapy's own scheduler for a spider without a shop or a crawl without a database; see the module for the others."""

    crawler: Crawler
    frontier: Frontier | None = None

    def open(self, spider: Spider) -> Deferred[None] | None:
        opened = super().open(spider)
        if not self._is_durable(spider):
            return opened
        self.pages = PagesInProgress(getattr(spider, "holds", lambda token: False))
        self.context = CrawlContext.of(self.crawler)
        self.context.pages = self.pages
        self._retrying: Deferred[None] | None = None  # the pause before a round of retries
        self._is_settled = False  # nothing is left to retry
        self._is_paused = False  # because nothing but refusals and failures came back
        self._checking: Deferred[None] | None = None  # whether the shop still answers
        self._seen: set[str] = set()
        self._kept: set[str] = set()
        self._new: list[NewRequest] = []
        self._begun: list[str] = []
        self._ready: list[Lease] = []
        self._pace = _Pace()
        self._running: Deferred[None] | None = None
        self._lingering: Deferred[None] | None = None  # what the exchange waits for until there is enough to write
        self._workers = 1
        self._is_waiting = self._has_turn = False
        self._is_short = False  # whether the table had fewer requests than were asked for
        self._turning: Deferred[None] | None = None  # kept: nobody else holds on to the task
        self._is_drained = self._is_exhausted = self._is_polling = self._is_stopped = False
        self._renewed_at = time.monotonic()
        self.crawler.signals.connect(self._on_idle, signal=signals.spider_idle)
        self.crawler.signals.connect(self._on_closed, signal=signals.spider_closed)
        return deferred_from_coro(self._open(spider))

    def _is_durable(self, spider: Spider) -> bool:
        settings = self.crawler.settings
        has_shop = isinstance(getattr(spider, "shop", None), str) and hasattr(spider, "crawl_id")
        is_wanted = read_setting(settings, "SCOUT_FRONTIER") and bool(read_setting(settings, "SCOUT_DATABASE"))
        if not (is_wanted and has_shop):
            return False
        if is_enabled(settings, "SPIDER_MIDDLEWARES", MIDDLEWARE):
            return True
        logger.warning("Requests are not kept: add %s to SPIDER_MIDDLEWARES", MIDDLEWARE)
        return False

    async def _open(self, spider: Any) -> None:
        entry, known, kept = await run_in_thread(self._enter, spider)
        self._seen, self._kept = {key for key, _ in known}, {lease.key for lease in kept}
        spider.crawl_id = entry.crawl
        if hasattr(spider, "keep_for_later"):
            spider.keep_for_later = self._keep
        if entry.is_resumed:
            logger.info("Crawl %d of %s goes on: %d pages known", entry.crawl, spider.shop, len(known))
            self._count("resumed")
            if hasattr(spider, "resume"):
                later = [request_from(lease.url, lease.priority, lease.data, spider) for lease in kept]
                spider.resume([url for _, url in known], entry.products, later)
        self._heartbeat()

    def _enter(self, spider: Any) -> tuple[Entry, list[tuple[str, str]], list[Lease]]:
        store = Store.open(read_setting(self.crawler.settings, "SCOUT_DATABASE"))
        start_url = getattr(spider, "start_url", None)
        entry = entered_crawl(store, spider.shop, spider.name, start_url, spider.crawl_id)
        self.frontier, self.ledger = Frontier(store, entry.crawl), CrawlLedger(store, entry.crawl)
        self.frontier.reclaim()
        return (entry, self.frontier.known(), self.frontier.kept()) if entry.is_resumed else (entry, [], [])

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
        self._is_exhausted = False
        return self._stored(request, key, again=request.dont_filter or is_due)

    def next_request(self) -> Request | None:
        request = super().next_request()
        if self.frontier is None or request is not None:
            return request
        if self._pause_if_refused() or (self._ready and self._must_wait()):
            return None
        while self._ready and request is None:
            request = self._leased_request(heappop(self._ready))
        if self._runs_short or len(self.pages.marks) >= MANY_MARKS:
            self._wake()
        if self._is_urgent():
            self._flush_now()
        return request

    @property
    def _runs_short(self) -> bool:
        return len(self._ready) < self._pace.low and not self._is_drained

    def _is_urgent(self) -> bool:
        """Whether changes wait no longer: nothing else will come, many pages are over, or leases can be had and are needed."""
        if not self.pages.open or len(self.pages.marks) >= MANY_MARKS:
            return True
        has_more = not self._is_short or len(self._new) >= self._pace.low
        return self._runs_short and (has_more or not self._ready)

    def has_pending_requests(self) -> bool:
        if self.frontier is None:
            return super().has_pending_requests()
        return super().has_pending_requests() or bool(self._ready or self._new or self._running)

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
            self._new.append(NewRequest(key, request.url, data, request.priority, later=True, shown=_shown(request)))
            self._wake()

    def _stored(self, request: Request, key: str, *, again: bool) -> bool:
        try:
            data = request_data(request, self.spider)
        except NotData as error:
            logger.warning("%s cannot be resumed after a kill: %s", request, error)
            self._count("memory")
            return super().enqueue_request(request.replace(dont_filter=True))
        self._new.append(NewRequest(key, request.url, data, request.priority, again, shown=_shown(request)))
        self._stats.inc_value("scheduler/enqueued")
        self._is_drained = False
        self._wake()
        if len(self._new) >= ENOUGH:
            self._flush_now()
        return True

    def _must_wait(self) -> bool:
        """Several workers ask a shop no more often than one would: they take turns, which only the database can give out.

        One that is alone takes them too: another may come at any time. For short pauses it is enough that each makes its own longer.
        """
        if self.crawler.engine is None:
            return False
        delay = self._delay
        if delay < MIN_TURN:
            return self._workers > 1 and self._must_pause(delay * self._workers)
        if self._has_turn:
            self._has_turn = False
            return False
        if not self._is_waiting:
            self._is_waiting = True
            self._turning = deferred_from_coro(self._take_turn(delay))
        return True

    @property
    def _delay(self) -> float:
        """Seconds between two requests, as politeness has it."""
        slots = download_slots(self.crawler) if self.crawler.engine else {}
        return max((slot.delay for slot in slots.values()), default=0.0)

    def _must_pause(self, pause: float) -> bool:
        left = self._pace.last + pause - time.monotonic()
        if left > 0 and not self._is_waiting:
            self._is_waiting = True
            call_later(left, self._continue)
        return left > 0

    async def _take_turn(self, delay: float) -> None:
        frontier = self.frontier
        assert frontier
        patience = read_setting(self.crawler.settings, "SCOUT_DATABASE_PATIENCE")
        try:
            left = await run_in_thread(retry_while_unavailable, lambda: frontier.turn(delay), patience)
            self._has_turn = left <= 0
            await sleep(left)
        except Exception as error:  # as in _exchange: not without the frontier
            self._fail(error)
        self._continue()

    def _continue(self) -> None:
        self._is_waiting = False
        wake(self.crawler)

    def _enqueue_retry_or_redirect(self, request: Request, token: str) -> bool:
        """A retry or redirect of a page that this worker has leased: it stays the same page."""
        key = self._key(request)
        is_elsewhere = key != token and key not in self.pages.open[token].aliases
        is_known = key in self._seen and key not in self._kept
        if is_elsewhere and is_known and not request.dont_filter:
            self.df.log(request, self.spider)
            self.pages.judge(token, PageResult(AccountState.SAME_PRODUCT, MOVED, digest=key))
            self.pages.read(token)
            self._wake()
            return False
        if is_elsewhere:
            self._seen.add(key)
            self._kept.discard(key)
            self.pages.redirected(token, key, request.url)
        return super().enqueue_request(request.replace(dont_filter=True))

    def _leased_request(self, lease: Lease) -> Request | None:
        self.pages.opened(lease.key, lease.url)
        self._begun.append(lease.key)
        self._pace.count()
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
        self.pages.failed(token, self._failure_reason(token, failure))
        self._wake()
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

    # --- the exchange with the table ----------------------------------------------------------------------------------

    def _wake(self) -> None:
        """See to it that changes are written and leases fetched; one exchange at a time."""
        if self._running is None and not self._is_stopped:
            self._running = deferred_from_coro(self._exchange())

    async def _exchange(self) -> None:
        try:
            if self._ready or self._is_drained:
                await self._wait_for_batch()
            changes = self._changes()
            result = await run_in_thread(self._exchanged, changes)
        except Exception as error:  # whatever it is: a crawl must not go on without its frontier
            self._fail(error)
            return
        finally:
            self._running = None
        self._accept(result, changes.wanted)

    async def _wait_for_batch(self) -> None:
        """Wait for more to write with what there is: until leases run short, whatever the machine's speed, but for LINGER at most."""
        lingering = self._lingering = Deferred()
        call_later(LINGER, self._flush_now, lingering)
        await maybe_deferred_to_future(lingering)

    def _flush_now(self, lingering: Deferred[None] | None = None) -> None:
        """Let the exchange that waits for company go on; with `lingering`, only if it is still the same."""
        waiting = self._lingering
        if waiting is not None and lingering in (None, waiting):
            self._lingering = None
            waiting.callback(None)

    def _changes(self) -> Changes:
        self._pace.keep(self._delay)
        wanted = 0 if self._is_stopped else max(0, self._pace.ahead - len(self._ready))
        new, self._new = self._new, []
        begun, self._begun = self._begun, []
        return Changes(new, self._marks(), begun, wanted)

    def _marks(self) -> list[Any]:
        """The pages that are over; none any more once an offer could not be stored, because its page is not over."""
        marks = self.pages.taken_marks()
        return [] if self._stats.get_value("scout/persist/unsaved") else marks

    def _exchanged(self, changes: Changes) -> ExchangeResult:
        assert self.frontier
        renew = time.monotonic() - self._renewed_at > RENEW
        patience = read_setting(self.crawler.settings, "SCOUT_DATABASE_PATIENCE")
        result = retry_while_unavailable(lambda: self.frontier.exchange(changes, renew=renew), patience)  # type: ignore[union-attr]
        if renew:
            self._renewed_at = time.monotonic()
        return result

    def _accept(self, result: ExchangeResult, wanted: int) -> None:
        for lease in result.leases:
            heappush(self._ready, lease)
        self._workers = max(1, result.workers)
        self._is_short = len(result.leases) < wanted
        self._is_drained = bool(wanted) and not result.leases and not self._new
        self._is_exhausted = self._is_drained and not result.others_work
        if self._new or self.pages.marks:
            self._wake()
        elif self._is_drained and result.others_work and not self._is_polling:
            self._is_polling = True
            call_later(POLL, self._look_again)
        wake(self.crawler)

    def _look_again(self) -> None:
        self._is_polling = self._is_drained = False
        self._wake()

    def _heartbeat(self) -> None:
        if not self._is_stopped:
            self._wake()
            call_later(RENEW, self._heartbeat)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _on_idle(self) -> None:
        """Nothing to do here: the crawl is over only if the frontier says so, after all that happened here is written."""
        if self._is_stopped or self._is_settled:
            return
        if self._is_exhausted and not self.pages.marks:
            self._retrying = self._retrying or deferred_from_coro(self._retry())
            raise DontCloseSpider
        if not self._is_polling:
            self._look_again()
        raise DontCloseSpider

    async def _retry(self) -> None:
        """Ask again for what failed or was refused, after a pause; the crawl is over when nothing of it is left to ask again."""
        settings = self.crawler.settings
        try:
            rounds = read_setting(settings, "SCOUT_RETRY_ROUNDS")
            unread, made = await run_in_thread(self.ledger.retries, rounds)
            if unread:
                pause = read_setting(settings, "SCOUT_RETRY_PAUSE") * RETRY_GROWTH**made
                logger.info("%d pages could not be read and are asked again in %.0f s", unread, pause)
                await sleep(pause)
                again = await run_in_thread(self.ledger.ask_again, rounds)
                self._stats.inc_value("scout/frontier/retried", again)
                self._is_drained = self._is_exhausted = False
                self._wake()
            else:
                self._is_settled = True
        except Exception as error:  # as in _exchange: not without the frontier
            self._fail(error)
        finally:
            self._retrying = None
        wake(self.crawler)

    def _pause_if_refused(self) -> bool:
        """Stop asking when nothing but refusals and failures comes back, until it is known whether the shop still answers."""
        if self.pages.unread_run >= MAX_UNREAD_RUN and not (self._is_paused or self._is_settled):
            self._is_paused = True
            self._checking = deferred_from_coro(self._check_shop())
        return self._is_paused

    async def _check_shop(self) -> None:
        """Ask for a page that was read before. While it is not to be had the crawl pauses, and gives up when pauses do not help."""
        rounds, pause = (
            read_setting(self.crawler.settings, name) for name in ("SCOUT_RETRY_ROUNDS", "SCOUT_RETRY_PAUSE")
        )
        for made in range(rounds + 1):
            if await self._still_answers():
                self.pages.unread_run, self._is_paused = 0, False
                wake(self.crawler)
                return
            if made < rounds:
                logger.warning("The shop refuses or fails every page; pausing for %.0f s", pause * RETRY_GROWTH**made)
                await sleep(pause * RETRY_GROWTH**made)
        logger.error("The shop still refuses or fails every page, also one that was read before. The crawl stops.")
        self._is_settled = True
        if self.crawler.engine is not None:
            await self.crawler.engine.close_spider_async(reason=REFUSED)

    async def _still_answers(self) -> bool:
        """Whether the product page that was read last is still one; the start page, where none was."""
        engine, known = self.crawler.engine, self.pages.last_read
        url = known or getattr(self.spider, "start_url", None)
        if engine is None or url is None:
            return True
        request = Request(url, callback=NO_CALLBACK, meta={"download_timeout": CHECK_SECONDS, "dont_retry": True})
        try:
            response = await engine.download_async(request)
        except Exception as error:  # whatever a download can raise: the page is not to be had
            logger.debug("%s cannot be had: %s", url, error)
            return False
        is_product = getattr(self.spider, "shows_product", None)
        return response.status == HTTPStatus.OK and (known is None or is_product is None or is_product(response))

    def _fail(self, error: Exception) -> None:
        if self._is_stopped:
            return
        self._is_stopped = True
        if not isinstance(error, ScoutError):
            logger.error("The frontier broke", exc_info=error)
        reason = f"{error}. The crawl stops; start it again when the database works."
        logger.error("%s", reason)
        self._stats.set_value("scout/exit_code", 1)
        self._stats.set_value("scout/exit/reason", reason)
        if self.crawler.engine is not None and self.crawler.engine.running:
            deferred_from_coro(self.crawler.engine.close_spider_async(reason=FAILED))

    async def _close(self, reason: str) -> None:
        """Write what is left and give the leases back."""
        has_failed, self._is_stopped = self._is_stopped, True
        while self._running is not None:
            self._flush_now()
            await sleep(CLOSING)
        if has_failed:
            return
        if self.pages.open:
            logger.info("%d pages were not finished and will be fetched again", len(self.pages.open))
        try:
            await run_in_thread(self._exchanged, self._changes())
            assert self.frontier
            await run_in_thread(self.frontier.release)
            self.context.outcome = await run_in_thread(self.ledger.outcome, reason)
            if hasattr(self.spider, "resume"):  # what the others found is the crawl's too
                found = await run_in_thread(products_of, self.frontier.store, self.frontier.crawl)
                self.spider.resume((), found, ())
        except ScoutError as error:
            self._is_stopped = False
            self._fail(error)

    async def _on_closed(self, reason: str) -> None:
        if self.frontier is None:  # there was no crawl to enter, and the user knows
            return
        ended = "failed" if self._stats.get_value("scout/exit_code") else reason
        store, crawl = self.frontier.store, self.frontier.crawl
        try:
            self.context.outcome = await run_in_thread(leave_crawl, store, crawl, ended, self._stats.get_stats())
            self._report(await run_in_thread(self.frontier.counts))
        except ScoutError as error:
            self._fail(error)
        finally:
            store.close()

    def _report(self, counts: dict[str, int]) -> None:
        for state, count in counts.items():
            self._stats.set_value(f"scout/frontier/{state}", count)

    def _count(self, event: str) -> None:
        self._stats.inc_value(f"scout/frontier/{event}")

    @property
    def _stats(self) -> Any:
        return self.crawler.stats


def _shown(request: Request) -> str | None:
    """As what the shop shows the request's address; None for a request that no walk made."""
    step = request.cb_kwargs.get("came")
    return step.shown if isinstance(step, Step) else None


class _Pace:
    """How many requests are made in a while, and so how many to lease ahead.

    Where no pause is kept, it is a good many even if few are made: a busy machine must not be given more to do.
    """

    def __init__(self) -> None:
        self.least = self.usual = MIN_LEASES
        self._since, self._made = time.monotonic(), 0
        self.last = 0.0  # when a request was made

    def count(self) -> None:
        self._made += 1
        self.last = time.monotonic()
        passed = time.monotonic() - self._since
        if passed > AHEAD:
            self.usual = int(min(MAX_LEASES, 2 * AHEAD * self._made / passed))
            self._since, self._made = time.monotonic(), 0

    def keep(self, delay: float) -> None:
        """So many seconds are kept between two requests."""
        possible = 2 * AHEAD / delay if delay > 0 else FULL_LEASES
        self.least = int(min(FULL_LEASES, max(MIN_LEASES, possible)))

    @property
    def ahead(self) -> int:
        """So many are to be leased."""
        return max(self.least, self.usual)

    @property
    def low(self) -> int:
        """With fewer than these, it is time for more."""
        return self.ahead // 2
