"""scrapy reextract: read the offers of kept pages anew, by the rules of today, without fetching anything."""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.progress import track

from scout.archive import offers_writer, readable_pages, write_pages
from scout.archive.files import local_path
from scout.archive.process_pool import pooled
from scout.archive.reextraction import BROKEN, OTHER_SHOP, Outcome, PageReader
from scout.archive.spark import SparkJob, check_archive, is_parquet, spark_session
from scout.commands.base import DONE, FAILED, ScoutCommand
from scout.errors import UsageError
from scout.extraction.lexicon import lexicon
from scout.items import OfferItem
from scout.kept_page import KeptPage
from scout.spiders.rules_store import load_rules
from scout.store import SaveCounts, Store
from scout.store.batched import batched
from scout.store.upsert import BATCH
from scout.store.writer import OfferWriter
from scout.urls import shop_name

STAGED = "pages.parquet"
SHOWN = 5  # of the pages that could not be read, by name


class Command(ScoutCommand):
    """The offers of kept pages, read anew."""

    def syntax(self) -> str:
        return "[SHOP ...] [--from FILE ...] [--to FILE] [--jobs N | --spark MASTER]"

    def short_desc(self) -> str:
        return "Read the offers of kept pages anew, by today's rules, without fetching"

    def long_desc(self) -> str:
        return (
            "For the pages that crawls with SCOUT_KEEP_PAGES have kept in the database, or that stand in WARC or Parquet files (`scrapy "
            "pages --to` writes them; other crawlers' WARC files are read too): when rules were learned, induced or edited since, their "
            "offers are read again, in as many processes as there are processors or as a job of Apache Spark, and stored as a crawl "
            "stores them, or written to a file. Examples: scrapy reextract; scrapy reextract --from pages.warc.gz --to offers.parquet; "
            "scrapy reextract --spark 'local[*]'"
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shops", nargs="*", metavar="SHOP", help="only these shops (default: all)")
        parser.add_argument(
            "--from",
            dest="archives",
            action="append",
            default=[],
            metavar="FILE",
            help="a WARC or Parquet file; with --spark also an address such as s3a://bucket/pages.parquet",
        )
        parser.add_argument("--to", metavar="FILE", help=".parquet or .jsonl, instead of the database")
        parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (default: all)")
        parser.add_argument("--spark", metavar="MASTER", help="as a Spark job: local[*], spark://host:7077, yarn ...")
        parser.add_argument(
            "--staging",
            type=Path,
            metavar="DIR",
            help="with --spark: where pages of the database wait; all nodes must see it",
        )

    def work(self, opts: argparse.Namespace) -> int:
        work = self._by_spark if opts.spark else self._by_pool
        with self.open_store() as store:
            reader = self._reader(store, opts)
            told = ReextractionSummary()
            work(store, reader, opts, told)
            if opts.to is None:  # a page that was kept still names those whom the database has forgotten in time
                store.forget_review_authors(reader.author_days)
        return told.report(opts.to)

    def _reader(self, store: Store, opts: argparse.Namespace) -> PageReader:
        directory = self.setting("SCOUT_RULES_DIR")
        known = store.shops()
        if not opts.archives:
            for shop in opts.shops:
                store.shop(shop)  # a mistyped name is told before any work is done
        rules = {shop: load_rules(shop, directory, store) for shop in opts.shops or [status.name for status in known]}
        hosts = {shop_name(status.url): status.name for status in known if status.url}
        days = int(self.setting("SCOUT_REVIEW_AUTHOR_DAYS"))
        size, seconds = int(self.setting("SCOUT_TRIAL_SIZE")), float(self.setting("SCOUT_TRIAL_SECONDS"))
        return PageReader(rules, lexicon(Path(directory)), frozenset(opts.shops) or None, hosts, days, size, seconds)

    def _by_pool(self, store: Store, reader: PageReader, opts: argparse.Namespace, told: ReextractionSummary) -> None:
        write = offers_writer(local_path(opts.to)) if opts.to else None
        outcomes = told.of(shown(pooled(pages(store, opts), reader, max(1, opts.jobs)), total(store, opts)))
        if write is None:
            told.save(store, outcomes)
        else:
            told.written = write(offers(outcomes))

    def _by_spark(self, store: Store, reader: PageReader, opts: argparse.Namespace, told: ReextractionSummary) -> None:
        if opts.to and not is_parquet(opts.to):
            raise UsageError(f"A Spark job writes Parquet: end {opts.to} in .parquet")
        with staged(store, opts) as archives, spark_session(opts.spark) as session:
            job = SparkJob(session, archives, reader)
            if opts.to is None:
                told.save(store, told.of(shown(job.outcomes(), total(store, opts))))
            else:
                job.write(opts.to)
                told.reasons, told.written = job.reasons, job.written


class ReextractionSummary:
    """What became of the pages, to be told at the end."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()  # "": has an offer
        self.broken: list[str] = []
        self.saved, self.written, self.refused = SaveCounts(), 0, 0

    def of(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The outcomes, counted as they pass."""
        for outcome in outcomes:
            self.reasons[outcome.kind or ""] += 1
            if outcome.is_broken and len(self.broken) < SHOWN:
                self.broken.append(f"{outcome.url}: {outcome.reason}")
            yield outcome

    def save(self, store: Store, outcomes: Iterable[Outcome]) -> None:
        """Store the offers as a crawl does, whatever shops they are of."""
        writer = OfferWriter(store, patience=0)
        for batch in batched(offers(outcomes), BATCH):
            written = writer.write(batch, None)
            self.saved += written.saved
            self.refused += len(written.refused)
            for offer, error in written.refused:
                print(f"  refused by the database: {offer.get('url')}: {error}")

    def report(self, target: str | None) -> int:
        """Say it; the exit code."""
        read = self.reasons.total() - self.reasons[OTHER_SHOP]
        if not read:
            print("No kept pages: crawl with -s SCOUT_KEEP_PAGES=True first, or name a file of pages with --from")
            return FAILED
        became = f"{self.written:,} offers written to {target}" if target else _became(self.saved)
        print(f"{read:,} pages read: {became}")
        for reason, count in self.reasons.most_common():
            if reason and reason != OTHER_SHOP:
                print(f"  {count:,} without an offer: {reason}")
        for page in self.broken:
            print(f"    {page}")
        if self.refused:
            print(f"  {self.refused:,} offers refused by the database")
        return FAILED if self.reasons[BROKEN] or self.refused else DONE


def _became(saved: SaveCounts) -> str:
    return f"{saved.new:,} offers new, {saved.changed:,} changed, {saved.unchanged:,} as before"


def pages(store: Store, opts: argparse.Namespace) -> Iterator[KeptPage]:
    """The pages that are asked for: those of the files, else those of the database."""
    if opts.archives:
        return chain.from_iterable([readable_pages(local_path(name)) for name in opts.archives])
    shops = opts.shops or list(store.page_counts())
    return chain.from_iterable(map(store.pages, shops))


def total(store: Store, opts: argparse.Namespace) -> int | None:
    """How many pages the database has for this; a file does not tell before it is read."""
    if opts.archives:
        return None
    return sum(count for shop, (count, _) in store.page_counts().items() if not opts.shops or shop in opts.shops)


def shown(outcomes: Iterable[Outcome], total: int | None) -> Iterable[Outcome]:
    """The outcomes, with a bar for who watches."""
    console = Console(stderr=True)
    return track(outcomes, "reading pages", total, console=console, transient=True, disable=not console.is_terminal)


def offers(outcomes: Iterable[Outcome]) -> Iterator[OfferItem]:
    """The offers among them."""
    return (offer for outcome in outcomes for offer in outcome.offers)


@contextmanager
def staged(store: Store, opts: argparse.Namespace) -> Iterator[list[str]]:
    """The archives that a Spark job reads; pages of the database are written to one first, because no executor reaches into it."""
    if opts.archives:
        for name in opts.archives:
            check_archive(name)
        yield opts.archives
        return
    with tempfile.TemporaryDirectory(prefix="scout-", dir=opts.staging) as directory:
        target = Path(directory) / STAGED
        write_pages(target, pages(store, opts))
        yield [str(target)]
