"""scrapy crawls: which crawls there were and are, how far they are, and what failed."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from scout.commands.base import DONE, ScoutCommand
from scout.frontier.progress import CrawlProgress, failed_pages, progress

SHOWN = 20  # crawls, unless asked for more
SHOWN_FAILURES = 3  # reasons in a row of the table; --json has all
WIDE = 240  # columns of a table that goes into a file or a pipe
COLUMNS = (
    *(
        "crawl",
        "shop",
        "state",
        "started (UTC)",
        "pages",
        "left",
        "done",
        "pages/min",
        "time left",
        "workers",
        "offers",
    ),
    "failed",
)
LEFT = frozenset({"shop", "state", "started (UTC)", "failed"})  # aligned so; the others are numbers
HOUR = 60  # minutes


class Command(ScoutCommand):
    """The crawls of a shop, or of all."""

    def syntax(self) -> str:
        return "[SHOP] [--last N] [--json] [--failed]"

    def short_desc(self) -> str:
        return "List crawls: state, progress, throughput, failures by reason"

    def long_desc(self) -> str:
        return (
            "The newest crawls first. `complete` means that the frontier has nothing left, whatever became of the workers; a crawl that "
            "stopped before is resumed by the next `scrapy crawl shop` of its shop, and -a crawl=ID joins a running one. --failed lists "
            "the pages of these crawls that failed, with the reason of each. With SHOP each crawl also says how complete it is."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shop", nargs="?", metavar="SHOP", help="only the crawls of this shop")
        parser.add_argument("--last", type=int, default=SHOWN, metavar="N", help=f"so many (default: {SHOWN})")
        parser.add_argument("--json", action="store_true", help="as JSON")
        parser.add_argument("--failed", action="store_true", help="the pages that failed: crawl, reason, address")

    def work(self, opts: argparse.Namespace) -> int:
        with self.open_store() as store:
            found = progress(store, opts.shop, opts.last)
            if opts.failed:
                for crawl in found:
                    for url, reason in failed_pages(store, crawl.id):
                        print(crawl.id, reason, url, sep="\t")
                return DONE
        if opts.json:
            print(json.dumps([as_json(crawl) for crawl in found], ensure_ascii=False, indent=1))
            return DONE
        console = Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=WIDE)
        if found:
            console.print(table(found))
        for crawl in found if opts.shop else ():
            if crawl.statement:
                console.print(f"Crawl {crawl.id}: {crawl.statement}", markup=False)
        console.print(f"{len(found):,} {'crawl' if len(found) == 1 else 'crawls'}", markup=False)
        return DONE


def table(found: list[CrawlProgress]) -> Table:
    """One row for each crawl."""
    made = Table(box=SIMPLE_HEAD)
    for name in COLUMNS:
        made.add_column(name, justify="left" if name in LEFT else "right")
    for crawl in found:
        rate, share = crawl.pages_per_minute, crawl.share
        made.add_row(
            *(str(crawl.id), crawl.shop, crawl.state, f"{crawl.started_at:%Y-%m-%d %H:%M}", f"{crawl.pages:,}"),
            *(f"{crawl.left:,}", "" if share is None else f"{share:.0%}", "" if rate is None else f"{rate:,.0f}"),
            *(time_left(crawl.minutes_left), str(crawl.workers or ""), f"{crawl.offers:,}", failures(crawl)),
        )
    return made


def time_left(minutes: float | None) -> str:
    """As a person says it.

    >>> time_left(3.4), time_left(200), time_left(None)
    ('3 min', '3.3 h', '')
    """
    if minutes is None:
        return ""
    return f"{minutes:,.0f} min" if minutes < HOUR else f"{minutes / HOUR:,.1f} h"


def failures(crawl: CrawlProgress) -> str:
    """The most frequent reasons, with their counts."""
    told = [f"{count:,} {reason}" for reason, count in crawl.failures.items()]
    return ", ".join(told[:SHOWN_FAILURES]) + (" …" if len(told) > SHOWN_FAILURES else "")


def as_json(crawl: CrawlProgress) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "crawl": crawl.id,
        "shop": crawl.shop,
        "state": crawl.state,
        "started": crawl.started_at.isoformat(),
        "finished": crawl.finished_at.isoformat() if crawl.finished_at else None,
        "reason": crawl.reason,
        "pages": crawl.pages,
        "left": crawl.left,
        "unchanged": crawl.unchanged,
        "minutes_left": crawl.minutes_left,
        "pages_per_minute": crawl.pages_per_minute,
        "workers": crawl.workers,
        "offers": crawl.offers,
        "failures": crawl.failures,
        "completeness": crawl.statement,
    }
