"""Learning for the commands `learn` and `evaluate`: the crawl of known offers with its progress bar, and the table of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from scrapy import signals
from scrapy.crawler import Crawler, CrawlerProcessBase

from scout.command_line.tables import text_table
from scout.rules import ShopRules
from scout.spiders.arguments import parse_arguments
from scout.spiders.offers import OffersArguments, OffersSpider


def fetch_and_learn(process: CrawlerProcessBase, shops: Sequence[dict[str, Any]]) -> list[OffersSpider | None]:
    """Run a spider with the arguments of each shop; they then have the pages and the rules. None for one that could not start."""
    crawlers = []
    progress = _progress()
    for arguments in shops:
        parse_arguments(OffersArguments, arguments)
        crawler = process.create_crawler(OffersSpider)
        _ProgressBar(progress, crawler, f"fetching offers of {arguments['shop']}")
        process.crawl(crawler, **arguments)
        crawlers.append(crawler)
    with progress:
        process.start()
    return [crawler.spider if isinstance(crawler.spider, OffersSpider) else None for crawler in crawlers]


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


class _ProgressBar:
    """Shows how many of a shop's pages have been fetched."""

    def __init__(self, progress: Progress, crawler: Crawler, name: str) -> None:
        self.progress, self.crawler = progress, crawler
        self.task = progress.add_task(name, total=None)
        crawler.signals.connect(self.update, signal=signals.response_received, weak=False)
        crawler.signals.connect(self.update, signal=signals.spider_opened, weak=False)

    def update(self, **_: object) -> None:
        spider = self.crawler.spider
        if isinstance(spider, OffersSpider):
            self.progress.update(self.task, total=len(spider.offers), completed=len(spider.pages) + len(spider.gone))


def failure(spider: OffersSpider | None) -> str:
    """Why there are no rules."""
    if spider is None:
        return "the pages could not be fetched; the log says why"
    if spider.context.failure is not None:
        return spider.context.failure.reason
    if spider.gone and not spider.pages:
        return f"no page of the known offers could be fetched: {counted_reasons(spider.gone)}"
    return f"interrupted with {len(spider.pages)} of {len(spider.offers)} pages; the same command continues from there"


def counted_reasons(gone: Mapping[str, str]) -> str:
    """The reasons for which pages were left out, each with its count."""
    reasons = list(gone.values())
    return ", ".join(f"{reasons.count(reason)} × {reason}" for reason in dict.fromkeys(reasons))


def rules_table(rules: ShopRules) -> Table:
    """Per field: on how many pages it was found, its selectors, the expected quality, and what is wrong."""
    numbers = ("found on", "selectors", "accuracy", "precision")
    rows = []
    for name, rule in rules.fields.items():
        best = "; ".join(filter(None, (rule.rules[0].place if rule.rules else "", rule.diagnosis)))
        pages = "" if rule.known is None else f"{rule.found} of {rule.known}"
        rows.append((name, pages, str(len(rule.rules)), _percent(rule.accuracy), _percent(rule.precision), best))
    return text_table(("field", *numbers, "best selector, or what is wrong"), rows, numbers=numbers)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"
