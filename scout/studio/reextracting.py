"""Reads a shop's kept pages again, so that a new rule corrects what is stored without a crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from scout.archive.reextraction import PageReader
from scout.extraction.lexicon import lexicon
from scout.kept_page import KeptPage
from scout.rules import ShopRules
from scout.store import SaveCounts, Store
from scout.store.writer import OfferWriter
from scout.studio.jobs import Job

BATCH = 50  # pages whose offers are written at once


def reextract_pages(
    store: Store,
    pages: Iterable[KeptPage],
    rules: ShopRules | None,
    shop: str,
    directory: str,
    author_days: int,
    job: Job,
) -> SaveCounts:
    """Store the offers of these pages by these rules; `job` is told how far it is."""
    reader = PageReader({shop: rules}, lexicon(Path(directory)), frozenset({shop}), author_days=author_days)
    writer, total = OfferWriter(store, patience=0), SaveCounts()
    with closing(reader.sandbox()) as sandbox:
        for batch in _batches(pages):
            offers = [offer for page in batch for offer in reader.outcome(page, sandbox).offers]
            total += writer.write(offers, None).saved
            job.done += len(batch)
    return total


def _batches(pages: Iterable[KeptPage]) -> Iterator[list[KeptPage]]:
    batch: list[KeptPage] = []
    for page in pages:
        batch.append(page)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
