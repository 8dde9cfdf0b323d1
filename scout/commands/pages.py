"""pages: list the kept pages, or write them to a file: WARC for web archives, Parquet for analysis."""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path

from scout.command_line import DONE, FAILED
from scout.command_line.base import AddArgument, ScoutCommand

MEGABYTE = 1_000_000


class Command(ScoutCommand):
    """The kept pages."""

    usage = "[SHOP ...] [--to FILE]"
    description = (
        "List the product pages that crawls have kept (SCOUT_KEEP_PAGES), as they were last fetched. With --to, write them to a "
        "file: .warc or .warc.gz, which any web archive reads, or .parquet. `scout reextract --from FILE` reads such a file."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shops", nargs="*", metavar="SHOP", help="only the pages of these shops (default: all)")
        add("--to", type=Path, metavar="FILE", help="write the pages to FILE.warc, .warc.gz or .parquet")

    def work(self, opts: argparse.Namespace) -> int:
        with self.open_store() as store:
            for shop in opts.shops:
                store.shop(shop)  # raises a UsageError for a name that does not exist
            kept = store.page_counts()
            counts = {shop: kept[shop] for shop in kept if not opts.shops or shop in opts.shops}
            if not counts:
                print("No kept pages: crawl a shop first, with SCOUT_KEEP_PAGES other than none")
                return FAILED
            if opts.to:
                from scout.archive import write_pages

                store.forget_review_authors(self.setting("SCOUT_REVIEW_AUTHOR_DAYS"))
                written = write_pages(opts.to, chain.from_iterable(map(store.pages, counts)))
                print(f"{written:,} pages written to {opts.to}")
                return DONE
        for shop, (count, size) in counts.items():
            print(f"{shop}: {count:,} pages, {size / MEGABYTE:,.1f} MB")
        return DONE
