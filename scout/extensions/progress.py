"""How a walk is getting on: pages by level, products, rate, and what is left. One live line on a terminal, log lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from scout.crawl.component import Component
from scout.crawl.configuration import refusal

LEVEL_PREFIX = "scout/walk/level/"
LIVE_SECONDS = 0.5  # between two looks on a terminal
MIN_SECONDS = 1.0  # of crawling before a rate says anything

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WalkProgress:
    """The state of a walk in figures; str() is the line that is shown."""

    levels: Mapping[str, int] = field(default_factory=dict)
    products: int = 0
    waiting: int = 0
    seconds: float = 0.0

    @property
    def pages(self) -> int:
        """All pages read so far."""
        return sum(self.levels.values())

    @property
    def rate(self) -> float | None:
        """Pages a second; None before there is one."""
        return self.pages / self.seconds if self.seconds >= MIN_SECONDS and self.pages else None

    def __str__(self) -> str:
        levels = ", ".join(
            f"{count} {level}" for level, count in sorted(self.levels.items(), key=lambda pair: -pair[1])
        )
        parts = [f"{self.pages} pages ({levels})" if levels else "0 pages", f"{self.products} products"]
        if self.rate is not None:
            parts.append(f"{self.rate:.1f} pages/s")
            parts.append(f"{self.waiting} waiting, about {_duration(self.waiting / self.rate)} left")
        return " · ".join(parts)


def _duration(seconds: float) -> str:
    """A duration as people say it.

    >>> _duration(42), _duration(200), _duration(9000)
    ('42 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6_000 else f"{seconds / 3_600:.1f} h"


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
        self.live: Live | None = None
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_opened(self, spider: Spider) -> None:
        self.began = time.monotonic()
        if sys.stderr.isatty():
            self.live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self.live.start()
        self.loop = create_looping_call(self.show)
        self.loop.start(LIVE_SECONDS if self.live else self.interval, now=False)

    def spider_closed(self, spider: Spider) -> None:
        if not hasattr(self, "loop"):
            return
        self.loop.stop()
        if self.live is not None:
            self.live.stop()
        logger.info("%s", self.progress())

    def show(self) -> None:
        """The line, where people see it."""
        if self.live is not None:
            self.live.update(Text(str(self.progress())), refresh=True)
        else:
            logger.info("%s", self.progress())

    def progress(self) -> WalkProgress:
        """The figures now."""
        stats: Mapping[str, Any] = self.crawler.stats.get_stats() if self.crawler.stats else {}
        levels = {k.removeprefix(LEVEL_PREFIX): v for k, v in stats.items() if k.startswith(LEVEL_PREFIX)}
        asked = stats.get("scheduler/enqueued", 0) - stats.get("scheduler/dequeued", 0)
        found = self.context.products or ()
        return WalkProgress(levels, len(found), max(0, asked), time.monotonic() - self.began)
