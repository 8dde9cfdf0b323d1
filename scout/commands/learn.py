"""scrapy learn: rules for a shop from offers that are known."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.crawler import Crawler

from scout.commands.base import BELOW_THRESHOLD, DONE, FAILED, ScoutCommand
from scout.errors import UsageError
from scout.matching.catalogue import read_catalogue, read_mapping
from scout.reporting.crawl_summary import emptiness
from scout.rules import DEFAULT_THRESHOLD, ShopRules
from scout.rules.files import rule_path
from scout.spiders.arguments import checked
from scout.spiders.offers import OffersArguments, OffersSpider, has_address, has_selectors

WIDE = 200  # columns of a table that goes into a file or a pipe
MAX_PROBLEMS = 5  # rows of a catalogue that are named; the others are counted


class Command(ScoutCommand):
    """Learn a shop's rules."""

    requires_crawler_process = True
    default_settings = {}

    def syntax(self) -> str:
        return "SHOP [--offers FILE]"

    def short_desc(self) -> str:
        return "Learn a shop's rules from known offers"

    def long_desc(self) -> str:
        return (
            "Reads known offers (CSV, XLSX, JSON, JSON lines, XML feed, or an address that pages through them) into the database, fetches "
            "the pages of some of them politely, learns where each field stands, writes rules/SHOP.yaml and shows per field what was "
            "found. An interrupted learning goes on where it stopped. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 below "
            "--min-precision."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shop", metavar="SHOP", help="the name of the shop")
        parser.add_argument(
            "--offers",
            metavar="FILE",
            help="known offers with their addresses: a file or URL (default: those imported before)",
        )
        parser.add_argument(
            "--mapping", metavar="FILE", help="YAML that says which column is which field, where that is not plain"
        )
        parser.add_argument(
            "--limit", type=int, metavar="N", help="learn from N offers at most (default: SCOUT_LEARN_MAX_OFFERS)"
        )
        parser.add_argument(
            "--threshold",
            type=float,
            default=DEFAULT_THRESHOLD,
            metavar="F",
            help="least quality of a selector",
        )
        parser.add_argument(
            "--min-precision", type=float, metavar="P", help="exit with 3 where a field's expected precision is less"
        )
        parser.add_argument("--fresh", action="store_true", help="fetch all pages anew")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings
        if not (opts.loglevel or opts.logfile):  # the table is the result; a log is there for those who ask
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")

    def work(self, opts: argparse.Namespace) -> int:
        self._import(opts)
        spider = self._crawled(opts)
        if spider is None or spider.rules is None:
            print(f"Error: {_failure(spider)}", file=sys.stderr)
            return FAILED
        self._show(spider)
        if not has_selectors(spider.rules):
            because = emptiness(spider.crawler.stats.get_stats())
            told = "no field could be learned; rules that there were stay as they are"
            print(f"Error: {told}{f'. {because}' if because else ''}", file=sys.stderr)
            return FAILED
        return _below(spider.rules, opts.min_precision)

    def _import(self, opts: argparse.Namespace) -> None:
        """The catalogue into the database; rows that cannot be read are told."""
        if not opts.offers:
            return
        mapping = read_mapping(opts.mapping) if opts.mapping else None
        catalogue = read_catalogue(opts.offers, mapping=mapping)
        for problem in catalogue.problems[:MAX_PROBLEMS]:
            print(f"{opts.offers}, {problem}", file=sys.stderr)
        if len(catalogue.problems) > MAX_PROBLEMS:
            print(f"... and {len(catalogue.problems) - MAX_PROBLEMS} more rows", file=sys.stderr)
        if not any(map(has_address, catalogue.rows)):
            columns = ", ".join(catalogue.columns)
            raise UsageError(
                f"{opts.offers} has no column with the offers' addresses, which begin with http:// or https:// "
                f"(its columns: {columns}); --mapping can name it"
            )
        with self.open_store() as store:
            store.import_catalogue(opts.shop, catalogue.rows)

    def _crawled(self, opts: argparse.Namespace, *, write: bool = True) -> OffersSpider | None:
        """Fetch and learn; the spider, which then has the pages and the rules."""
        with self.open_store() as store:
            if not any(map(has_address, store.known_offers(opts.shop))):
                raise UsageError(f"no offer of {opts.shop} with an address is known: add --offers FILE")
        assert self.crawler_process
        crawler = self.crawler_process.create_crawler(OffersSpider)
        arguments: dict[str, Any] = {
            "shop": opts.shop,
            "threshold": opts.threshold,
            "fresh": opts.fresh,
            "write": write,
        }
        if opts.limit is not None:
            arguments["limit"] = opts.limit
        checked(OffersArguments, arguments)
        bar = _Bar(crawler)
        self.crawler_process.crawl(crawler, **arguments)
        with bar.progress:
            self.crawler_process.start()
        return crawler.spider if isinstance(crawler.spider, OffersSpider) else None

    def _show(self, spider: OffersSpider) -> None:
        assert spider.rules is not None
        console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
        console.print(table(spider.rules))
        gone = f", {len(spider.gone)} left out ({_reasons(spider.gone)})" if spider.gone else ""
        told = f"Learned from {len(spider.pages)} of {spider.known:,} known offers{gone}."
        console.print(told, markup=False)
        if has_selectors(spider.rules):
            console.print(f"Rules: {rule_path(self.setting('SCOUT_RULES_DIR'), spider.shop)}", markup=False)


class _Bar:
    """Shows how many pages are there."""

    def __init__(self, crawler: Crawler) -> None:
        columns = (TextColumn("fetching offers"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.progress.add_task("", total=None)
        self.crawler = crawler
        crawler.signals.connect(self.update, signal=signals.response_received)
        crawler.signals.connect(self.update, signal=signals.spider_opened)

    def update(self, **_: object) -> None:
        """As far as the spider is."""
        spider = self.crawler.spider
        if isinstance(spider, OffersSpider):
            self.progress.update(self.task, total=len(spider.offers), completed=len(spider.pages) + len(spider.gone))


def table(rules: ShopRules) -> Table:
    """Per field: on how many pages it was found, how many selectors, what to expect, and what is wrong."""
    made = Table(box=SIMPLE_HEAD)
    for name in ("field", "found on", "selectors", "accuracy", "precision", "best selector, or what is wrong"):
        made.add_column(name, justify="left" if name.startswith(("field", "best")) else "right", overflow="fold")
    for name, rule in rules.fields.items():
        best = "; ".join(filter(None, (rule.rules[0].place if rule.rules else "", rule.diagnosis)))
        found = "" if rule.known is None else f"{rule.found} of {rule.known}"
        cells = (name, found, str(len(rule.rules)), _share(rule.accuracy), _share(rule.precision), best)
        made.add_row(*map(Text, cells))
    return made


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _reasons(gone: Mapping[str, str]) -> str:
    reasons = list(gone.values())
    return ", ".join(f"{reasons.count(reason)} × {reason}" for reason in dict.fromkeys(reasons))


def _failure(spider: OffersSpider | None) -> str:
    if spider is None:
        return "the pages could not be fetched; the log says why"
    if spider.gone and not spider.pages:
        return f"no page of the known offers could be fetched: {_reasons(spider.gone)}"
    return f"interrupted with {len(spider.pages)} of {len(spider.offers)} pages; the same command goes on from there"


def _below(rules: ShopRules, least: float | None) -> int:
    """The exit code: whether all fields are as precise as the user wants."""
    wanting = [
        n for n, rule in rules.fields.items() if least is not None and rule.rules and (rule.precision or 0.0) < least
    ]
    if wanting:
        print(f"Below the precision of {least}: {', '.join(wanting)}", file=sys.stderr)
    return BELOW_THRESHOLD if wanting else DONE
