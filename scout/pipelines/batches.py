"""Group commit: what arrives while one batch is being written goes with the next, and everyone waits for their own batch only."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from scrapy.utils.asyncio import sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

T = TypeVar("T")


class Batches(Generic[T]):
    """Hands items to `write`, one call at a time, in lists of at most `size`.

    A batch that is not full waits `linger` seconds for company. What `write` raises is raised by each `add` of that batch.
    """

    def __init__(self, write: Callable[[list[T]], Awaitable[None]], *, size: int, linger: float) -> None:
        self._write, self._size, self._linger = write, max(size, 1), linger
        self._waiting: list[tuple[T, Deferred[None]]] = []
        self._running: Deferred[None] | None = None  # kept: nobody else holds on to the task

    async def add(self, item: T) -> None:
        """Returns when the batch with this item has been written."""
        written: Deferred[None] = Deferred()
        self._waiting.append((item, written))
        if self._running is None:
            self._running = deferred_from_coro(self._run())
        await maybe_deferred_to_future(written)

    async def _run(self) -> None:
        try:
            while self._waiting:
                if len(self._waiting) < self._size:
                    await sleep(self._linger)
                batch, self._waiting = self._waiting[: self._size], self._waiting[self._size :]
                await self._write_batch(batch)
        finally:
            self._running = None

    async def _write_batch(self, batch: list[tuple[T, Deferred[None]]]) -> None:
        try:
            await self._write([item for item, _ in batch])
        except Exception as error:  # not swallowed: everyone who waits gets it
            for _, written in batch:
                written.errback(error)
        else:
            for _, written in batch:
                written.callback(None)
