"""The work of the command `reextract`: in a pool of processes or as a Spark job, into the database or into a file."""

from __future__ import annotations

import argparse
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
from scout.archive.process_pool import read_in_processes
from scout.archive.reextraction import BROKEN, OTHER_SHOP, Outcome, PageReader
from scout.archive.spark import SparkJob, check_archive, is_parquet, spark_session
from scout.command_line import DONE, FAILED
from scout.errors import UsageError
from scout.kept_page import KeptPage
from scout.offer import Offer
from scout.store import SaveCounts, Store
from scout.store.batched import batched
from scout.store.upsert import BATCH
from scout.store.writer import OfferWriter

STAGING_FILE = "pages.parquet"
SHOWN_BROKEN = 5  # unreadable pages that are named


def reextract(store: Store, reader: PageReader, opts: argparse.Namespace) -> int:
    """Extract the offers, print a summary, and return the exit code."""
    summary = _Summary()
    run = _run_spark_job if opts.spark else _run_pool
    run(store, reader, opts, summary)
    return summary.print(opts.to)


def _run_pool(store: Store, reader: PageReader, opts: argparse.Namespace, summary: _Summary) -> None:
    write = offers_writer(local_path(opts.to)) if opts.to else None
    outcomes = read_in_processes(_pages(store, opts), reader, max(1, opts.jobs))
    counted = summary.count(_with_progress_bar(outcomes, _page_count(store, opts)))
    if write is None:
        summary.save(store, counted)
    else:
        summary.written = write(_offers(counted))


def _run_spark_job(store: Store, reader: PageReader, opts: argparse.Namespace, summary: _Summary) -> None:
    if opts.to and not is_parquet(opts.to):
        raise UsageError(f"A Spark job writes Parquet: end {opts.to} in .parquet")
    with _staged(store, opts) as archives, spark_session(opts.spark) as session:
        job = SparkJob(session, archives, reader)
        if opts.to is None:
            summary.save(store, summary.count(_with_progress_bar(job.outcomes(), _page_count(store, opts))))
        else:
            job.write(opts.to)
            summary.reasons, summary.written = job.reasons, job.written


class _Summary:
    """What came of the pages, counted on the way and printed at the end."""

    def __init__(self) -> None:
        self.reasons: Counter[str] = Counter()  # why a page has no offer; "" counts those that have one
        self.broken: list[str] = []
        self.saved, self.written, self.refused = SaveCounts(), 0, 0

    def count(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The outcomes, counted as they pass."""
        for outcome in outcomes:
            self.reasons[outcome.kind or ""] += 1
            if outcome.is_broken and len(self.broken) < SHOWN_BROKEN:
                self.broken.append(f"{outcome.url}: {outcome.reason}")
            yield outcome

    def save(self, store: Store, outcomes: Iterable[Outcome]) -> None:
        """Store the offers as a crawl does, whatever their shops."""
        writer = OfferWriter(store, patience=0)
        for batch in batched(_offers(outcomes), BATCH):
            written = writer.write(batch, None)
            self.saved += written.saved
            self.refused += len(written.refused)
            for offer, error in written.refused:
                print(f"  refused by the database: {offer.get('url')}: {error}")

    def print(self, target: str | None) -> int:
        """Print the summary and return the exit code."""
        read = self.reasons.total() - self.reasons[OTHER_SHOP]
        if not read:
            print(
                "No kept pages: crawl a shop first, with SCOUT_KEEP_PAGES other than none, or name a file of pages with --from"
            )
            return FAILED
        saved = f"{self.saved.new:,} offers new, {self.saved.changed:,} changed, {self.saved.unchanged:,} unchanged"
        print(f"{read:,} pages read: {f'{self.written:,} offers written to {target}' if target else saved}")
        for reason, count in self.reasons.most_common():
            if reason and reason != OTHER_SHOP:
                print(f"  {count:,} without an offer: {reason}")
        for page in self.broken:
            print(f"    {page}")
        if self.refused:
            print(f"  {self.refused:,} offers refused by the database")
        return FAILED if self.reasons[BROKEN] or self.refused else DONE


def _pages(store: Store, opts: argparse.Namespace) -> Iterator[KeptPage]:
    """The pages in the files that the user named, otherwise those in the database."""
    if opts.archives:
        return chain.from_iterable([readable_pages(local_path(name)) for name in opts.archives])
    return chain.from_iterable(map(store.pages, opts.shops or list(store.page_counts())))


def _page_count(store: Store, opts: argparse.Namespace) -> int | None:
    """How many pages the database has; None for files, which do not say before they are read."""
    if opts.archives:
        return None
    return sum(count for shop, (count, _) in store.page_counts().items() if not opts.shops or shop in opts.shops)


def _with_progress_bar(outcomes: Iterable[Outcome], total: int | None) -> Iterable[Outcome]:
    console = Console(stderr=True)
    return track(outcomes, "reading pages", total, console=console, transient=True, disable=not console.is_terminal)


def _offers(outcomes: Iterable[Outcome]) -> Iterator[Offer]:
    return (offer for outcome in outcomes for offer in outcome.offers)


@contextmanager
def _staged(store: Store, opts: argparse.Namespace) -> Iterator[list[str]]:
    """The archives for a Spark job. Its executors cannot reach the database, so pages from there are written to a file first."""
    if opts.archives:
        for name in opts.archives:
            check_archive(name)
        yield opts.archives
        return
    with tempfile.TemporaryDirectory(prefix="scout-", dir=opts.staging) as directory:
        target = Path(directory) / STAGING_FILE
        write_pages(target, _pages(store, opts))
        yield [str(target)]
