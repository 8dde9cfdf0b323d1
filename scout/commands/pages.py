"""scrapy pages: which pages are kept, and how to take them elsewhere: as WARC for archives, as Parquet for analysis."""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path

from scout.archive import write_pages
from scout.commands.base import DONE, FAILED, ScoutCommand

MEGABYTE = 1_000_000


class Command(ScoutCommand):
    """The kept pages."""

    def syntax(self) -> str:
        return "[SHOP ...] [--to FILE]"

    def short_desc(self) -> str:
        return "List kept pages, or write them to a WARC or Parquet file"

    def long_desc(self) -> str:
        return (
            "The product pages that crawls with SCOUT_KEEP_PAGES have kept, as they were last fetched. With --to they are written to a "
            "file: .warc or .warc.gz, which any web archive reads, or .parquet. `scrapy reextract --from FILE` reads them again."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shops", nargs="*", metavar="SHOP", help="only these shops (default: all)")
        parser.add_argument("--to", type=Path, metavar="FILE", help="ends in .warc, .warc.gz or .parquet")

    def work(self, opts: argparse.Namespace) -> int:
        with self.open_store() as store:
            for shop in opts.shops:
                store.shop(shop)  # a mistyped name is told
            counts = {
                shop: count for shop, count in store.page_counts().items() if not opts.shops or shop in opts.shops
            }
            if not counts:
                print("No kept pages: crawl with -s SCOUT_KEEP_PAGES=True first")
                return FAILED
            if opts.to:
                store.forget_review_authors(int(self.setting("SCOUT_REVIEW_AUTHOR_DAYS")))
                written = write_pages(opts.to, chain.from_iterable(map(store.pages, counts)))
                print(f"{written:,} pages written to {opts.to}")
                return DONE
        for shop, (count, size) in counts.items():
            print(f"{shop}: {count:,} pages, {size / MEGABYTE:,.1f} MB")
        return DONE
