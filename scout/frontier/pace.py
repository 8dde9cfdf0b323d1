"""How many requests a worker leases ahead, and when it may send one: all workers together keep the shop's delay."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from scout.crawl.scrapy_internals import download_slots, wake

AHEAD = 1.0  # seconds of work that are leased ahead: more would delay what is found meanwhile and is more urgent
MIN_LEASES, MAX_LEASES = 8, 100
FULL_LEASES = 48  # of a crawl without a delay, however slow the machine is: enough that an exchange does not weigh on single pages
MIN_TURN = 0.1  # seconds; of shorter delays several make one turn, because each turn is a transaction


class Pace:
    """How many requests are made in a while, and so how many to lease ahead.

    Without a delay it is a good many even if few are made: a busy machine must not be given more to do.
    """

    def __init__(self) -> None:
        self._least = self._usual = MIN_LEASES
        self._since, self._made = time.monotonic(), 0

    def count(self) -> None:
        """A request is made."""
        self._made += 1
        passed = time.monotonic() - self._since
        if passed > AHEAD:
            self._usual = int(min(MAX_LEASES, 2 * AHEAD * self._made / passed))
            self._since, self._made = time.monotonic(), 0

    def keep(self, delay: float) -> None:
        """Requests are sent `delay` seconds apart."""
        possible = 2 * AHEAD / delay if delay > 0 else FULL_LEASES
        self._least = int(min(FULL_LEASES, max(MIN_LEASES, possible)))

    @property
    def ahead(self) -> int:
        """How many to lease."""
        return max(self._least, self._usual)

    @property
    def low(self) -> int:
        """With fewer than these, it is time for more."""
        return self.ahead // 2


class Turns:
    """The worker's turns to send a request: given out by the database, also to one that is alone, as another may join at any time."""

    def __init__(self, crawler: Crawler, take: Callable[[float], float], fail: Callable[[Exception], None]) -> None:
        self.crawler, self._take, self._fail = crawler, take, fail
        self._left = 0  # requests that may be sent in this turn
        self._waiting: Deferred[None] | None = None

    @property
    def delay(self) -> float:
        """Seconds between two requests, as politeness has it."""
        slots = download_slots(self.crawler) if self.crawler.engine else {}
        return max((slot.delay for slot in slots.values()), default=0.0)

    def must_wait(self) -> bool:
        """Whether the next request has to wait; the engine is woken when it need not any more."""
        delay = self.delay
        if delay <= 0:
            return False
        if self._left:
            self._left -= 1
            return False
        self._waiting = self._waiting or deferred_from_coro(self._wait(delay))
        return True

    async def _wait(self, delay: float) -> None:
        requests = max(1, ceil(MIN_TURN / delay))
        try:
            seconds = await run_in_thread(self._take, delay * requests)
            self._left = requests if seconds <= 0 else 0
            await sleep(seconds)
        except Exception as error:  # whatever it is: a crawl must not go on without its frontier
            self._fail(error)
        finally:
            self._waiting = None
        wake(self.crawler)
