"""crawls: the crawls there were and are, their progress, and what failed."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand

if TYPE_CHECKING:
    from rich.table import Table

    from scout.frontier.progress import CrawlProgress

SHOWN_FAILURES = 3  # reasons in a row of the table; --json has all
TEXT_COLUMNS = ("shop", "state", "started (UTC)")
NUMBER_COLUMNS = ("pages", "left", "done", "pages/min", "time left", "workers", "offers")
HOUR = 60  # minutes


class Command(ScoutCommand):
    """The crawls of one shop, or of all."""

    usage = "[SHOP] [--last N] [--json] [--failed]"
    description = (
        "List crawls, the newest first. A crawl is `complete` when everything that the shop showed to it was read, whatever happened to "
        "its workers; one that began at a category has the scope `part` (--json), one that read "
        "known addresses only `known`, a refresh `prices`. A crawl that stopped earlier is resumed by the next "
        "`crawl shop` of that shop; `crawl shop -a crawl=ID` joins a running one. "
        "With SHOP, also say how complete each crawl is."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shop", nargs="?", metavar="SHOP", help="only the crawls of this shop")
        add("--last", type=int, default=20, metavar="N", help="show the last N crawls (default: %(default)s)")
        add("--json", action="store_true", help="print JSON, for programs (schema: coverage)")
        add("--failed", action="store_true", help="list the pages that failed: crawl, reason, URL (tabs between)")

    def work(self, opts: argparse.Namespace) -> None:
        from scout.command_line.tables import output_console
        from scout.frontier.progress import coverage_json, failed_pages, progress

        with self.open_store() as store:
            crawls = progress(store, opts.shop, opts.last)
            if opts.failed:
                for crawl in crawls:
                    for url, reason in failed_pages(store, crawl.id):
                        print(crawl.id, reason, url, sep="\t")
                return
        if opts.json:
            print(json.dumps([coverage_json(crawl) for crawl in crawls], ensure_ascii=False, indent=1))
            return
        console = output_console()
        if crawls:
            console.print(_table(crawls))
        for crawl in crawls if opts.shop else ():
            console.print(f"Crawl {crawl.id}: {crawl.outcome}")
            for name, healed in crawl.healed.items():
                console.print(f"  the pages had changed; {name} {healed}")
        console.print(f"{len(crawls):,} {'crawl' if len(crawls) == 1 else 'crawls'}")


def _table(crawls: list[CrawlProgress]) -> Table:
    from scout.command_line.tables import text_table

    columns = ("crawl", *TEXT_COLUMNS, *NUMBER_COLUMNS, "failed")
    return text_table(columns, map(_cells, crawls), numbers=("crawl", *NUMBER_COLUMNS))


def _cells(crawl: CrawlProgress) -> list[str]:
    rate = "" if crawl.pages_per_minute is None else f"{crawl.pages_per_minute:,.0f}"
    share = "" if crawl.share is None else f"{crawl.share:.0%}"
    progress = [f"{crawl.pages:,}", f"{crawl.left:,}", share, rate, _time_left(crawl.minutes_left)]
    texts = [str(crawl.id), crawl.shop, crawl.state, f"{crawl.started_at:%Y-%m-%d %H:%M}"]
    return [*texts, *progress, str(crawl.workers or ""), f"{crawl.offers:,}", _failures(crawl)]


def _time_left(minutes: float | None) -> str:
    """Minutes as a person says them.

    >>> _time_left(3.4), _time_left(200), _time_left(None)
    ('3 min', '3.3 h', '')
    """
    if minutes is None:
        return ""
    return f"{minutes:,.0f} min" if minutes < HOUR else f"{minutes / HOUR:,.1f} h"


def _failures(crawl: CrawlProgress) -> str:
    """The most frequent reasons, with their counts."""
    counts = [f"{count:,} {reason}" for reason, count in crawl.failures.items()]
    return ", ".join(counts[:SHOWN_FAILURES]) + (" …" if len(counts) > SHOWN_FAILURES else "")
