"""After each complete crawl: are there as many offers as last time, with as many of their fields? If not, say what fell, and fail.

Silent decay is how crawlers die: a shop changes its pages, and the price is gone from all offers while every request succeeds.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request as WebRequest
from urllib.request import urlopen

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.configuration import is_enabled, refusal
from scout.crawl.context import CrawlContext
from scout.errors import ScoutError
from scout.store import Store
from scout.store.crawls import COMPLETE
from scout.store.health import Health, describe_drops, health, previous_health

logger = logging.getLogger(__name__)

PERSIST = "scout.pipelines.persist.PersistPipeline"
EXIT_THRESHOLD_MISSED = 3  # exit code: a threshold is not met
WEBHOOK_SECONDS = 10.0


class Monitoring(Component):
    """Watches a crawl that has an id in the database; see the settings SCOUT_MONITOR_*."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.database = self.setting("SCOUT_DATABASE")
        if not self.database:
            raise NotConfigured
        if not is_enabled(crawler.settings, "ITEM_PIPELINES", PERSIST):
            raise refusal(crawler.settings, f"no offers are stored to compare with: add {PERSIST} to ITEM_PIPELINES")
        self.allowed = {
            "items": self.setting("SCOUT_MONITOR_ITEMS"),
            "coverage": self.setting("SCOUT_MONITOR_COVERAGE"),
        }
        self.webhook, self.file = self.setting("SCOUT_MONITOR_WEBHOOK"), self.setting("SCOUT_MONITOR_PROMETHEUS")
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """The verdict comes before the first `await`: those who write down how the crawl ended come after, and need it."""
        crawl = getattr(spider, "crawl_id", None)
        if crawl is None:
            return
        outcome = CrawlContext.of(self.crawler).outcome
        is_complete = outcome.state == "complete" if outcome else reason == COMPLETE
        fell = self._fell(crawl) if is_complete else []
        if fell:
            self._fail(f"{getattr(spider, 'shop', spider.name)}: {'; '.join(fell)}")
        if self.file:
            await run_in_thread(write_prometheus, Path(self.file), self._labels(spider), self._stats.get_stats())
        if self.webhook and self._stats.get_value("scout/exit_code"):
            await run_in_thread(tell, self.webhook, self._message(spider, crawl, fell))

    def _fell(self, crawl: int) -> list[str]:
        try:
            with (
                Store.open(self.database) as store,
                store.reading() as connection,
            ):
                now, before = health(connection, crawl), previous_health(connection, crawl)
        except ScoutError as error:
            logger.warning("The crawl cannot be compared with the last one: %s", error)
            return []
        self._set_stats(now)
        return [] if before is None else describe_drops(before, now, **self.allowed)

    def _set_stats(self, now: Health) -> None:
        for name, value in now.stats().items():
            self._stats.set_value(name, value)

    def _fail(self, text: str) -> None:
        logger.error("%s (against the last complete crawl)", text)
        if not self._stats.get_value("scout/exit_code"):
            self._stats.set_value("scout/exit_code", EXIT_THRESHOLD_MISSED)
            self._stats.set_value("scout/exit/reason", f"{text} (against the last complete crawl)")

    def _message(self, spider: Spider, crawl: int, fell: list[str]) -> dict[str, Any]:
        text = self._stats.get_value("scout/exit/reason")
        return {**self._labels(spider), "crawl": crawl, "text": text, "fell": fell}

    def _labels(self, spider: Spider) -> dict[str, str]:
        return {"shop": str(getattr(spider, "shop", "")), "spider": spider.name}

    @property
    def _stats(self) -> Any:
        return self.crawler.stats


def tell(webhook: str, message: Mapping[str, Any]) -> None:
    """POST the message as JSON; a webhook that is down must not change how the crawl ends."""
    data = json.dumps(message).encode()
    request = WebRequest(webhook, data, {"Content-Type": "application/json"}, method="POST")
    try:
        with urlopen(request, timeout=WEBHOOK_SECONDS):
            pass
    except (OSError, ValueError) as error:
        logger.warning("The webhook was not told: %s", error)


def write_prometheus(path: Path, labels: Mapping[str, str], stats: Mapping[str, Any]) -> None:
    """All figures as a text file for Prometheus' node exporter (textfile collector); replaced at once, never half written."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text("\n".join(prometheus_lines(labels, stats)) + "\n", encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        logger.warning("The figures for Prometheus were not written: %s", error)


def prometheus_lines(labels: Mapping[str, str], stats: Mapping[str, Any]) -> Iterator[str]:
    """One gauge with the stat's name as a label: Scrapy makes up new stats as it goes.

    >>> list(prometheus_lines({"shop": 'a"b'}, {"item_scraped_count": 3, "finish_reason": "finished"}))[-1]
    'scout_stat{shop="a\\\\"b",stat="item_scraped_count"} 3'
    """
    yield "# HELP scout_stat A stat of the last crawl of a shop."
    yield "# TYPE scout_stat gauge"
    for name, value in sorted(stats.items()):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            told = ",".join(f'{label}="{_escaped(text)}"' for label, text in {**labels, "stat": name}.items())
            yield f"scout_stat{{{told}}} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
