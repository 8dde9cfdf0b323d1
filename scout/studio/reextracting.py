"""Reads a shop's kept pages again, so that a new rule corrects what is stored without a crawl."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from scout.archive.reextraction import PageReader
from scout.extraction.lexicon import lexicon
from scout.kept_page import KeptPage
from scout.store import SaveCounts
from scout.store.batched import batched
from scout.store.writer import OfferWriter
from scout.studio.jobs import Job
from scout.studio.workshop import Workshop

BATCH = 50  # pages whose offers are written at once


def reextract_pages(workshop: Workshop, shop: str, pages: Iterable[KeptPage], job: Job) -> SaveCounts:
    """Store the offers of these pages by the shop's present rules; `job` gets the progress."""
    rules, _ = workshop.studies.rules(shop)
    words = lexicon(Path(workshop.rules_directory))
    reader = PageReader({shop: rules}, words, frozenset({shop}), author_days=workshop.author_days)
    writer, total = OfferWriter(workshop.store, patience=0), SaveCounts()
    with closing(reader.sandbox()) as sandbox:
        for batch in batched(pages, BATCH):
            offers = [offer for page in batch for offer in reader.outcome(page, sandbox).offers]
            total += writer.write(offers, None).saved
            job.done += len(batch)
    return total
