"""How a crawl is getting on, in one line: live on a terminal, now and then elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call, run_in_thread
from scrapy.utils.defer import deferred_from_coro

from scout.crawl.component import Component
from scout.crawl.configuration import refusal
from scout.errors import ScoutError

if TYPE_CHECKING:
    from rich.console import Console

LIVE_SECONDS = 1.0  # between two looks on a terminal
MIN_SECONDS = 3.0  # of crawling before a rate says anything

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WalkProgress:
    """The state of a crawl in figures, with what earlier runs and other workers did; str() is the line that is shown.

    `waiting` is None if nobody counts it, `rate` (pages a second, now) before there is one.
    """

    pages: int = 0
    products: int = 0
    waiting: int | None = None
    rate: float | None = None

    def __str__(self) -> str:
        known = f" of {self.pages + self.waiting:,} known" if self.waiting else ""
        parts = [f"{self.pages:,}{known} pages", f"{self.products:,} products"]
        if self.rate:
            parts.append(f"{self.rate:.1f} pages/s")
        if self.rate and self.waiting:
            parts.append(f"about {_duration(self.waiting / self.rate)} left")
        return " · ".join(parts)


def _duration(seconds: float) -> str:
    """A duration as people say it.

    >>> _duration(42), _duration(200), _duration(9000)
    ('42 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3_600:.1f} h"


class LiveLine:
    """The last line of a terminal. Log messages are written above it, and do not tear it."""

    def __init__(self, console: Console) -> None:
        from rich.live import Live

        self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        stream = sys.stderr
        self._live.start()  # from here on, sys.stderr writes above the line
        self._handlers = [
            (handler, stream)
            for handler in logging.root.handlers
            if isinstance(handler, logging.StreamHandler) and handler.stream is stream
        ]
        for handler, _ in self._handlers:
            handler.setStream(sys.stderr)

    def show(self, text: str) -> None:
        from rich.text import Text

        self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)

    def close(self) -> None:
        """Remove the line, and let the log go its old way."""
        self._live.stop()
        while self._handlers:
            handler, stream = self._handlers.pop()
            handler.setStream(stream)


def _live_line() -> LiveLine | None:
    """A line on the terminal, if standard error is one. Elsewhere the library for it is not even loaded: that takes a tenth of a second."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console

    console = Console(stderr=True)
    return LiveLine(console) if console.is_terminal and not console.is_dumb_terminal else None


class ProgressExtension(Component):
    """Shows the progress of spiders that walk: those that count products."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.interval = self.setting("SCOUT_PROGRESS_INTERVAL")
        if self.interval <= 0:
            raise NotConfigured("SCOUT_PROGRESS_INTERVAL is 0")
        if self.context.products is None:
            raise refusal(
                crawler.settings, "the spider has no attribute `products`, the addresses of those it has found"
            )
        self.began = time.monotonic()
        self.pages = 0  # as last counted, and when this run began
        self.earlier_pages: int | None = None
        self.waiting: int | None = None
        self.line: LiveLine | None = None
        self.loop = create_looping_call(self._look)
        crawler.signals.connect(self._count_response, signal=signals.response_received)
        crawler.signals.connect(self._start, signal=signals.spider_opened)
        crawler.signals.connect(self.stop, signal=signals.spider_closed)

    def _start(self) -> None:
        self.began = time.monotonic()
        self.line = _live_line()
        deferred_from_coro(self._count())
        self.loop.start(LIVE_SECONDS if self.line else self.interval, now=False)

    def stop(self) -> None:
        """Show no more."""
        if self.loop.running:
            self.loop.stop()
            logger.info("%s", self.progress)
        if self.line is not None:
            self.line.close()
            self.line = None

    def _count_response(self) -> None:
        if self.context.count_pages is None:
            self.pages += 1

    def _look(self) -> None:
        deferred_from_coro(self._show())

    async def _count(self) -> None:
        if self.context.count_pages is None:
            return
        try:
            self.pages, self.waiting = await run_in_thread(self.context.count_pages)
        except ScoutError as error:  # the database is away: the crawl says so itself
            logger.debug("The progress is not known: %s", error)
        if self.earlier_pages is None:
            self.earlier_pages = self.pages

    async def _show(self) -> None:
        await self._count()
        if self.line is not None:
            self.line.show(str(self.progress))
        elif self.loop.running:
            sys.stderr.write(f"{self.progress}\n")

    @property
    def progress(self) -> WalkProgress:
        """The figures as last counted."""
        seconds = time.monotonic() - self.began
        held = len(self.context.held)  # read, and not over before there are rules
        pages = self.pages + held
        done = pages - (self.earlier_pages or 0)
        rate = done / seconds if seconds >= MIN_SECONDS and done else None
        waiting = None if self.waiting is None else max(0, self.waiting - held)
        return WalkProgress(pages, len(self.context.products or ()), waiting, rate)
