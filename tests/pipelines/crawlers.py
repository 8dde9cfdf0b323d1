"""A crawler that does not crawl: pipelines get their settings, stats and spider from it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager
from scrapy.statscollectors import MemoryStatsCollector

from scout.rules import ShopRules


def crawler(rules: ShopRules | None = None, **settings: Any) -> Any:
    """What a pipeline sees of a crawler with Scout's settings whose spider has these rules."""
    chosen = Settings()
    chosen.setmodule("scout.settings")
    chosen.setdict(settings, priority="cmdline")
    made = SimpleNamespace(settings=chosen, spider=SimpleNamespace(name="shop", rules=rules), engine=None)
    made.stats, made.signals = MemoryStatsCollector(made), SignalManager(made)
    return made


def stats(made: Any) -> dict[str, Any]:
    """Scout's own stats."""
    found = made.stats.get_stats()
    return {name.removeprefix("scout/"): value for name, value in found.items() if name.startswith("scout/")}
