"""After each crawl: are there as many offers as last time, with as many of their fields, and with values like those of last time? If not,
say what changed, and fail.

Silent decay is how crawlers die: a shop changes its pages, and the price is gone from all offers, or a monthly rate stands in its place,
while every request succeeds.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.configuration import is_enabled, refusal
from scout.errors import ScoutError
from scout.extensions.webhook import tell
from scout.rules.files import shop_slug
from scout.store.crawls import COMPLETE
from scout.store.health import Finding, Health
from scout.store.monitoring import LIMITS, compare_with_last, describe_findings

logger = logging.getLogger(__name__)

PERSIST = "scout.pipelines.persist.PersistPipeline"
DONE, EXIT_THRESHOLD_MISSED = 0, 3  # exit codes; 3: a threshold is not met


class Monitoring(Component):
    """Watches a crawl that has an id in the database; see the settings SCOUT_MONITOR_*."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.setting("SCOUT_DATABASE"):
            raise NotConfigured
        if not is_enabled(crawler.settings, "ITEM_PIPELINES", PERSIST):
            raise refusal(crawler.settings, f"no offers are stored to compare with: add {PERSIST} to ITEM_PIPELINES")
        self.allowed: dict[str, float] = {name: self.setting(name) for name in LIMITS}
        self.webhook, self.file = self.setting("SCOUT_MONITOR_WEBHOOK"), self.setting("SCOUT_MONITOR_PROMETHEUS")
        self.context.add_check(self.check_crawl)

    async def check_crawl(self, reason: str) -> None:
        """Compare the crawl with the last complete one."""
        crawl, outcome = self.context.crawl_id, self.context.outcome
        if crawl is None:
            return
        is_complete = outcome.state == "complete" if outcome else reason == COMPLETE
        findings = await run_in_thread(partial(self._findings, crawl, is_complete=is_complete))
        if findings:
            exit_code = outcome.exit_code(self.setting("SCOUT_MAX_UNREAD")) if outcome else DONE
            self._fail(f"{self.context.shop.name}: {describe_findings(findings)}", has_failed=bool(exit_code))
        if self.file:
            path = Path(self.file.replace("{shop}", shop_slug(self._labels["shop"])))
            await run_in_thread(write_prometheus, path, self._labels, self._stats.get_stats())
        if self.webhook and self.context.failure is not None:
            message = {"crawl": crawl, "text": self.context.failure.reason, "fell": [one.text for one in findings]}
            await run_in_thread(tell, self.webhook, self._labels | message)

    def _findings(self, crawl: int, *, is_complete: bool) -> list[Finding]:
        try:
            with self.context.store().reading() as connection:
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
        if has_failed:
            logger.error(text)
        else:
            self.context.fail(text, EXIT_THRESHOLD_MISSED)

    @property
    def _labels(self) -> dict[str, Any]:
        assert self.crawler.spider
        return {"shop": self.context.shop.name or "", "spider": self.crawler.spider.name}

    @property
    def _stats(self) -> Any:
        return self.crawler.stats


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
