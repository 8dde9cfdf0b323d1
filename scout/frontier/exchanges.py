"""The exchange with the table: what has happened is written and leases are fetched, in one transaction in a thread, one at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from heapq import heappop, heappush
from typing import TypeVar

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import call_later, run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scout.crawl.configuration import read_setting
from scout.crawl.pages_in_progress import PagesInProgress
from scout.crawl.scrapy_internals import wake
from scout.frontier.pace import Pace, Turns
from scout.frontier.table import LEASE_SECONDS, Changes, ExchangeResult, Frontier, Lease, NewRequest
from scout.frontier.worker_stage import Event, Stage, WorkerStage
from scout.store.writer import retry_while_unavailable

LINGER = 0.1  # seconds that changes wait for company at most, while there is enough to do: what a kill makes be fetched again
ENOUGH = 500  # requests that need not wait for more
MANY_MARKS = 12  # pages that are over and need not wait for more: a kill would have them fetched again
CLOSING = 0.05  # seconds between two looks whether the last exchange has come to its end
POLL = 1.0  # seconds until a worker without work looks again whether others have left some
RENEW = LEASE_SECONDS / 4  # so that a lease outlives two failed renewals

T = TypeVar("T")


class Exchanges:
    """What waits to be written and what waits to be requested; `fail` is called when the database fails."""

    def __init__(
        self, crawler: Crawler, frontier: Frontier, pages: PagesInProgress, fail: Callable[[Exception], None]
    ) -> None:
        self.crawler, self.frontier, self.pages, self.fail = crawler, frontier, pages, fail
        self.stage = WorkerStage()
        self.pace = Pace()
        self.turns = Turns(crawler, lambda delay: self._patiently(lambda: frontier.turn(delay)), fail)
        self._new: list[NewRequest] = []
        self._ready: list[Lease] = []
        self._running: Deferred[None] | None = None
        self._lingering: Deferred[None] | None = None  # what the exchange waits for until there is enough to write
        self._renewed_at = time.monotonic()

    @property
    def has_work(self) -> bool:
        """Whether leases wait, or may come."""
        return bool(self._ready or self._new or self._running)

    @property
    def has_leases(self) -> bool:
        """Whether leases wait."""
        return bool(self._ready)

    def add(self, new: NewRequest) -> None:
        """A request to write; one that is only kept for later is no work yet."""
        self._new.append(new)
        if not new.later:
            self.stage.on(Event.NEW_REQUEST)
        self.wake()
        if len(self._new) >= ENOUGH:
            self._flush()

    def next_lease(self) -> Lease | None:
        """The most urgent lease, if any is there."""
        return heappop(self._ready) if self._ready else None

    def wake_if_due(self) -> None:
        """Begin an exchange when leases run short or many pages are over; don't let it wait when that is urgent."""
        has_many_marks = len(self.pages.marks) >= MANY_MARKS
        runs_short = len(self._ready) < self.pace.low and not self.stage.is_drained
        if runs_short or has_many_marks:
            self.wake()
        has_more = self.stage.now is not Stage.SHORT or len(self._new) >= self.pace.low
        if not self.pages.open or has_many_marks or (runs_short and (has_more or not self._ready)):
            self._flush()

    def wake(self) -> None:
        """See to it that changes are written and leases fetched."""
        if self._running is None and not self.stage.is_over:
            self._running = deferred_from_coro(self._exchange())

    def look_again(self) -> None:
        """Ask for leases once more: others may have left some."""
        self.stage.on(Event.LOOK_AGAIN)
        self.wake()

    def keep_alive(self) -> None:
        """Renew the leases for as long as the worker lives."""
        if not self.stage.is_over:
            self.wake()
            call_later(RENEW, self.keep_alive)

    async def finish(self) -> None:
        """Write what is left and give the leases back."""
        while self._running is not None:
            self._flush()
            await sleep(CLOSING)
        await run_in_thread(self._write, self._changes())
        await run_in_thread(self.frontier.release)

    def _patiently(self, act: Callable[[], T]) -> T:
        """Call `act` until the database is there, as long as the user's patience lasts. In a thread."""
        return retry_while_unavailable(act, read_setting(self.crawler.settings, "SCOUT_DATABASE_PATIENCE"))

    async def _exchange(self) -> None:
        try:
            if self._ready or self.stage.is_drained:
                await self._wait_for_batch()
            changes = self._changes()
            result = await run_in_thread(self._write, changes)
        except Exception as error:  # whatever it is: a crawl must not go on without its frontier
            self.fail(error)
            return
        finally:
            self._running = None
        self._accept(result, changes.wanted)

    async def _wait_for_batch(self) -> None:
        """Wait for more to write with what there is: until leases run short, whatever the machine's speed, but for LINGER at most."""
        lingering = self._lingering = Deferred()
        call_later(LINGER, self._flush, lingering)
        await maybe_deferred_to_future(lingering)

    def _flush(self, lingering: Deferred[None] | None = None) -> None:
        """Let the exchange that waits for company go on; with `lingering`, only if it is still the same."""
        waiting = self._lingering
        if waiting is not None and lingering in (None, waiting):
            self._lingering = None
            waiting.callback(None)

    def _changes(self) -> Changes:
        self.pace.keep(self.turns.delay)
        wanted = 0 if self.stage.is_over else max(0, self.pace.ahead - len(self._ready))
        new, self._new = self._new, []
        return Changes(new, self.pages.taken_marks(), wanted)

    def _write(self, changes: Changes) -> ExchangeResult:
        renew = time.monotonic() - self._renewed_at > RENEW
        result = self._patiently(lambda: self.frontier.exchange(changes, renew=renew))
        if renew:
            self._renewed_at = time.monotonic()
        return result

    def _accept(self, result: ExchangeResult, wanted: int) -> None:
        for lease in result.leases:
            heappush(self._ready, lease)
        has_changed = self.stage.on(self._event(result, wanted))
        if self._new or self.pages.marks:
            self.wake()
        elif has_changed and self.stage.now is Stage.WAITING:
            call_later(POLL, self._poll)
        wake(self.crawler)

    def _event(self, result: ExchangeResult, wanted: int) -> Event:
        if len(result.leases) >= wanted:
            return Event.LEASED
        if result.leases or self._new:
            return Event.LEASED_FEW
        return Event.OTHERS_WORK if result.others_work else Event.NOTHING_LEFT

    def _poll(self) -> None:
        if self.stage.now is Stage.WAITING:
            self.look_again()
