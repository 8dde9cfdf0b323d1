"""After each crawl: are there as many offers as last time, with as many of their fields, and with values like those of last time? If not,
say what changed, and fail.

Silent decay is how crawlers die: a shop changes its pages, and the price is gone from all offers, or a monthly rate stands in its place,
while every request succeeds.
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
from scout.store.health import Finding, Health
from scout.store.monitoring import LIMITS, compare_with_last, describe_findings

logger = logging.getLogger(__name__)

PERSIST = "scout.pipelines.persist.PersistPipeline"
DONE, EXIT_THRESHOLD_MISSED = 0, 3  # exit codes; 3: a threshold is not met
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
        self.allowed: dict[str, float] = {name: self.setting(name) for name in LIMITS}
        self.webhook, self.file = self.setting("SCOUT_MONITOR_WEBHOOK"), self.setting("SCOUT_MONITOR_PROMETHEUS")
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """The verdict comes before the first `await`: those who write down how the crawl ended come after, and need it."""
        crawl = getattr(spider, "crawl_id", None)
        if crawl is None:
            return
        outcome = CrawlContext.of(self.crawler).outcome
        is_complete = outcome.state == "complete" if outcome else reason == COMPLETE
        findings = self._findings(crawl, is_complete=is_complete)
        if findings:
            exit_code = outcome.exit_code(self.setting("SCOUT_MAX_UNREAD")) if outcome else DONE
            self._fail(
                f"{getattr(spider, 'shop', spider.name)}: {describe_findings(findings)}", has_failed=bool(exit_code)
            )
        if self.file:
            await run_in_thread(write_prometheus, Path(self.file), self._labels(spider), self._stats.get_stats())
        if self.webhook and self._stats.get_value("scout/exit_code"):
            await run_in_thread(tell, self.webhook, self._message(spider, crawl, findings))

    def _findings(self, crawl: int, *, is_complete: bool) -> list[Finding]:
        try:
            with Store.open(self.database) as store, store.reading() as connection:
                now, findings = compare_with_last(connection, crawl, self.allowed, is_complete=is_complete)
        except ScoutError as error:
            logger.warning("The crawl cannot be compared with the last one: %s", error)
            return []
        if is_complete:
            self._set_stats(now)
        return findings

    def _set_stats(self, now: Health) -> None:
        for name, value in now.stats().items():
            self._stats.set_value(name, value)

    def _fail(self, text: str, *, has_failed: bool) -> None:
        """End with code 3, unless the crawl does not end well anyway: one that is incomplete can still be resumed."""
        logger.error(text)
        if not has_failed and not self._stats.get_value("scout/exit_code"):
            self._stats.set_value("scout/exit_code", EXIT_THRESHOLD_MISSED)
            self._stats.set_value("scout/exit/reason", text)

    def _message(self, spider: Spider, crawl: int, findings: list[Finding]) -> dict[str, Any]:
        text = self._stats.get_value("scout/exit/reason")
        return {**self._labels(spider), "crawl": crawl, "text": text, "fell": [finding.text for finding in findings]}

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
