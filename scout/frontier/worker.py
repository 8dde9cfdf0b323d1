"""One worker of a crawl: a single coroutine that writes what has happened and leases what comes next, until nothing is left.

It goes from one exchange with the table to the next. When nothing is left to lease, it asks again for what could not be read; when nothing
but refusals and failures comes back, it finds out whether the shop still answers. Exchanges go on during all pauses.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from heapq import heappop, heappush
from http import HTTPStatus
from math import ceil
from time import monotonic
from typing import TypeVar

from scrapy import Request
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import call_later, run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scout.crawl.configuration import read_setting
from scout.crawl.context import CrawlContext
from scout.crawl.scrapy_internals import download_slots, wake
from scout.errors import ScoutError
from scout.fetch import page_of
from scout.frontier.ledger import ask_again, count_retries
from scout.frontier.table import LEASE_SECONDS, Changes, ExchangeResult, Frontier, Lease, NewRequest
from scout.store.writer import retry_while_unavailable

TICK = 0.1  # seconds that changes wait for company at most, while there is enough to do: what a kill makes be fetched again
ENOUGH = 500  # requests that need not wait for more
MANY_MARKS = 12  # pages that are over and need not wait for more: a kill would have them fetched again
POLL = 1.0  # seconds until a worker without work looks again whether others have left some
RENEW = LEASE_SECONDS / 4  # so that a lease outlives two failed renewals
AHEAD = 2.0  # seconds of work that are leased ahead: more would delay what is found meanwhile and is more urgent
MIN_LEASES, MAX_LEASES = 8, 64  # without a delay, so many that an exchange does not weigh on single pages
MIN_TURN = 0.1  # seconds; of shorter delays several make one turn, because each turn is a transaction
REFUSED = "refused"  # the reason with which a crawl is closed that gets nothing but refusals
RETRY_GROWTH = 4  # times the pause before the last round of retries
# Pages in a row that were refused or failed: then it is asked whether the shop still answers. More than Scrapy asks for at once (16), so
# that one short outage is no reason; not many more, because each of them is one that a shop that blocks has to refuse.
MAX_UNREAD_RUN = 20

T = TypeVar("T")

logger = logging.getLogger(__name__)


class Worker:
    """What waits to be written, the leases that wait to be requested, and the worker's turns to send a request."""

    def __init__(self, context: CrawlContext, frontier: Frontier) -> None:
        self.context, self.crawler, self.pages, self.frontier = context, context.crawler, context.pages, frontier
        self.is_over = False  # closing, or the database is gone or broken
        self.has_failed = False
        self._is_settled = False  # nothing is left to ask, or to ask again
        self._new: list[NewRequest] = []
        self._ready: list[Lease] = []
        self._ahead = MIN_LEASES
        self._result = ExchangeResult()  # of the last exchange
        self._has_more = True  # the table, as far as is known
        self._is_exchanging = False
        self._look_at = self._renew_at = monotonic() + RENEW
        self._waiting: Deferred[None] | None = None  # for the next tick
        self._turns = 0  # requests that may be sent before the next turn
        self._taking_turn: Deferred[None] | None = None
        self._running = deferred_from_coro(self._run())

    # --- what the scheduler asks --------------------------------------------------------------------------------------

    @property
    def has_work(self) -> bool:
        """Whether leases wait, or may come."""
        return bool(self._ready or self._new or self._is_exchanging or self._wants_leases)

    @property
    def may_close(self) -> bool:
        """Whether the frontier says that the crawl is over, after all that happened here was written."""
        return self.is_over or (self._is_settled and not self.pages.marks)

    def add(self, new: NewRequest) -> None:
        """A request to write."""
        self._new.append(new)
        if len(self._new) >= ENOUGH:
            self._wake()

    def next_lease(self) -> Lease | None:
        """The most urgent lease; None while there is none, it is not this worker's turn, or the shop seems to refuse everything."""
        is_free = self._ready and self.pages.unread_run < MAX_UNREAD_RUN and self._has_turn()
        lease = heappop(self._ready) if is_free else None
        if self._is_urgent:
            self._wake()
        return lease

    async def finish(self) -> None:
        """Write what is left and give the leases back."""
        self.is_over = True
        self._wake()
        await maybe_deferred_to_future(self._running)
        if not self.has_failed:
            changes = Changes(self._new, self.pages.taken_marks())
            await self._ask(lambda: self.frontier.exchange(changes))
            await self._ask(self.frontier.release)

    def fail(self, error: Exception) -> None:
        """Whatever the error is: a crawl must not go on without its frontier."""
        if self.has_failed:
            return
        self.is_over = self.has_failed = True
        if not isinstance(error, ScoutError):
            logger.error("The frontier broke", exc_info=error)
        self.context.stop_without_database(error)

    # --- exchanges ----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            while not self.is_over:
                await self._step()
                if self.pages.unread_run >= MAX_UNREAD_RUN:
                    await self._check_shop()
                elif self._is_exhausted:
                    await self._retry_unread()
        except Exception as error:
            self.fail(error)

    async def _step(self) -> None:
        """Wait for a tick, unless it is urgent, and exchange what there is."""
        if not self._is_urgent:
            self._waiting = Deferred()
            timer = call_later(TICK, self._wake)
            await maybe_deferred_to_future(self._waiting)
            timer.cancel()
        is_due = self._new or self.pages.marks or self._wants_leases or monotonic() >= self._look_at
        if is_due and not self.is_over:
            await self._exchange()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    @property
    def _wants_leases(self) -> bool:
        """Whether leases run short, and there may be more."""
        has_more = self._has_more or any(not new.later for new in self._new)
        return len(self._ready) < self._ahead // 2 and has_more

    @property
    def _is_urgent(self) -> bool:
        """Whether to wait for company would cost more than an exchange: the worker's time, or much that a kill would lose."""
        if not self.pages.open or len(self.pages.marks) >= MANY_MARKS or len(self._new) >= ENOUGH:
            return bool(self._new or self.pages.marks or self._wants_leases)
        has_more = self._has_more or not self._ready or len(self._new) >= self._ahead // 2
        return self._wants_leases and has_more

    @property
    def _is_exhausted(self) -> bool:
        """Whether nothing is left to lease for anybody, and nothing to do here."""
        is_empty = not (self._has_more or self._result.leases or self._result.others_work)
        engine = self.crawler.engine
        return is_empty and not self.may_close and engine is not None and engine.spider_is_idle()

    async def _exchange(self) -> None:
        delay = self._delay()
        self._ahead = int(min(MAX_LEASES, max(MIN_LEASES, AHEAD / delay))) if delay > 0 else MAX_LEASES
        changes = Changes(self._new, self.pages.taken_marks(), max(0, self._ahead - len(self._ready)))
        self._new, self._is_exchanging = [], True
        is_renewal = monotonic() >= self._renew_at
        self._result = result = await self._ask(lambda: self.frontier.exchange(changes, renew=is_renewal))
        self._is_exchanging = False
        self._has_more = len(result.leases) >= changes.wanted
        self._is_settled &= not (changes.new or changes.marks or result.leases)
        self._renew_at = monotonic() + RENEW if is_renewal else self._renew_at
        self._look_at = monotonic() + (POLL if result.others_work else RENEW)
        for lease in result.leases:
            heappush(self._ready, lease)
        wake(self.crawler)

    async def _ask(self, act: Callable[[], T]) -> T:
        """What the database answers, in a thread; while it is away it is asked again, as long as the user's patience lasts."""
        return await run_in_thread(retry_while_unavailable, act, self._setting("SCOUT_DATABASE_PATIENCE"))

    def _setting(self, name: str) -> float:
        value: float = read_setting(self.crawler.settings, name)
        return value

    # --- turns: all workers together keep the shop's delay ------------------------------------------------------------

    def _delay(self) -> float:
        """Seconds between two requests, as politeness has it."""
        slots = download_slots(self.crawler) if self.crawler.engine else {}
        return max((slot.delay for slot in slots.values()), default=0.0)

    def _has_turn(self) -> bool:
        """Whether a request may be sent; the engine is woken when one may. The database knows: another worker may join at any time."""
        delay = self._delay()
        if delay > 0 and not self._turns:
            self._taking_turn = self._taking_turn or deferred_from_coro(self._take_turn(delay))
            return False
        self._turns = max(0, self._turns - 1)
        return True

    async def _take_turn(self, delay: float) -> None:
        requests = max(1, ceil(MIN_TURN / delay))
        try:
            seconds = await self._ask(lambda: self.frontier.turn(delay * requests))
            self._turns = requests if seconds <= 0 else 0
            await sleep(seconds)
        except Exception as error:
            self.fail(error)
        finally:
            self._taking_turn = None
        wake(self.crawler)

    # --- pages that could not be read ---------------------------------------------------------------------------------

    async def _retry_unread(self) -> None:
        """Ask again for what failed or was refused, after a pause; the crawl is over when nothing of it is left to ask again."""
        store, crawl, rounds = self.frontier.store, self.frontier.crawl, int(self._setting("SCOUT_RETRY_ROUNDS"))
        unread, made = await self._ask(lambda: count_retries(store, crawl, rounds))
        if unread:
            logger.info("%d pages could not be read and are asked again in %.0f s", unread, self._seconds(made))
            await self._pause(made)
            again = 0 if self.is_over else await self._ask(lambda: ask_again(store, crawl, rounds))
            self.crawler.stats.inc_value("scout/frontier/retried", again)
        self._is_settled, self._has_more = not unread, bool(unread)
        wake(self.crawler)

    async def _check_shop(self) -> None:
        """Ask for a page that was read before. While it is not to be had the crawl pauses, and gives up when pauses do not help."""
        rounds = int(self._setting("SCOUT_RETRY_ROUNDS"))
        for made in range(rounds + 1):
            asked = deferred_from_coro(self._still_answers())
            while not asked.called and not self.is_over:
                await self._step()
            if self.is_over or asked.result:
                self.pages.unread_run = 0
                wake(self.crawler)
                return
            if made < rounds:
                logger.warning("The shop refuses or fails every page; pausing for %.0f s", self._seconds(made))
                await self._pause(made)
        logger.error("The shop still refuses or fails every page, also one that was read before. The crawl stops.")
        self.context.close_spider(REFUSED)
        while not self.is_over:
            await self._step()

    async def _still_answers(self) -> bool:
        """Whether the product page that was read last is still one; the start page, where none was."""
        engine, known = self.crawler.engine, self.pages.last_read
        url = known or self.context.shop.start_url
        if engine is None or url is None:
            return True
        request = Request(url, callback=NO_CALLBACK, meta={"dont_retry": True})
        try:
            response = await engine.download_async(request)
            is_product = self.context.knowledge.is_product_page
            if response.status != HTTPStatus.OK or known is None or is_product is None:
                return response.status == HTTPStatus.OK
            return isinstance(response, TextResponse) and is_product(page_of(response))
        except (
            Exception
        ) as error:  # whatever a download can raise, or a page that cannot be judged: it is not to be had
            logger.debug("%s cannot be had: %s", url, error)
            return False

    async def _pause(self, made: int) -> None:
        """Let requests wait before the next round, after so many; what was found and read meanwhile is still exchanged."""
        end = monotonic() + self._seconds(made)
        while monotonic() < end and not self.is_over:
            await self._step()

    def _seconds(self, made: int) -> float:
        return self._setting("SCOUT_RETRY_PAUSE") * RETRY_GROWTH**made
