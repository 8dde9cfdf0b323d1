"""reextract: extract the offers of kept pages again, with today's rules, without fetching anything."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand

if TYPE_CHECKING:
    from scout.archive.reextraction import PageReader
    from scout.store import Store


class Command(ScoutCommand):
    """The offers of kept pages, extracted again."""

    usage = "[SHOP ...] [--from FILE ...] [--to FILE] [--jobs N | --spark MASTER]"
    description = (
        "After rules were learned, induced or edited, extract offers again from the pages that crawls (see SCOUT_KEEP_PAGES) have "
        "kept in the database, or from WARC or Parquet files (`scout pages --to` writes them; WARC files of other crawlers work "
        "too). The work is shared by all processors, or runs as a job of Apache Spark. Offers are stored as a crawl stores them, "
        "or written to a file.\n\n"
        "Examples:\n"
        "scout reextract\n"
        "scout reextract --from pages.warc.gz --to offers.parquet\n"
        "scout reextract --spark 'local[*]'"
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("shops", nargs="*", metavar="SHOP", help="only the pages of these shops (default: all)")
        source = "a WARC or Parquet file (may be repeated); with --spark also a URL such as s3a://bucket/pages.parquet"
        add("--from", dest="archives", action="append", default=[], metavar="FILE", help=source)
        add("--to", metavar="FILE", help="write the offers to FILE.parquet or .jsonl, not to the database")
        add("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (default: one per processor)")
        add("--spark", metavar="MASTER", help="run as a Spark job: local[*], spark://host:7077, yarn ...")
        staging = "with --spark: where pages of the database wait; all nodes must see it"
        add("--staging", type=Path, metavar="DIR", help=staging)

    def work(self, opts: argparse.Namespace) -> int:
        from scout.command_line.reextraction import reextract

        with self.open_store() as store:
            reader = self._reader(store, opts)
            code = reextract(store, reader, opts)
            if opts.to is None:  # the kept pages may name reviewers whom the database had already forgotten
                store.forget_review_authors(reader.author_days)
        return code

    def _reader(self, store: Store, opts: argparse.Namespace) -> PageReader:
        from scout.archive.reextraction import PageReader
        from scout.extraction.lexicon import lexicon
        from scout.spiders.rules_store import load_rules
        from scout.urls import shop_name

        directory = self.setting("SCOUT_RULES_DIR")
        known = store.shops()
        if not opts.archives:
            for shop in opts.shops:
                store.shop(shop)  # raises a UsageError for a name that does not exist, before any work is done
        rules = {shop: load_rules(shop, directory, store) for shop in opts.shops or [status.name for status in known]}
        hosts = {shop_name(status.url): status.name for status in known if status.url}
        days = self.setting("SCOUT_REVIEW_AUTHOR_DAYS")
        size, seconds = self.setting("SCOUT_TRIAL_SIZE"), self.setting("SCOUT_TRIAL_SECONDS")
        return PageReader(rules, lexicon(Path(directory)), frozenset(opts.shops) or None, hosts, days, size, seconds)
