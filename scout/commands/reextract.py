"""scrapy reextract: read the offers of kept pages anew, by the rules of today, without fetching anything."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from scout.commands.base import DONE, FAILED, ScoutCommand
from scout.extraction import extract
from scout.induce.template import Template, template
from scout.offer import Offer
from scout.page import Page
from scout.pipelines.normalise import normalise
from scout.pipelines.validate import DROPS, take_out_wrong_values
from scout.rules import ShopRules
from scout.spiders.rulebook import load_rules
from scout.store import Store
from scout.store.offers import Saved
from scout.store.upsert import batches

TOGETHER = 400  # pages that are read at the same time, so that a large shop fits into any memory
AT_ONCE = 8  # pages that a process gets at a time

Source = tuple[str, str]  # a page's address and text


class Command(ScoutCommand):
    """The offers of kept pages, read anew."""

    def syntax(self) -> str:
        return "[SHOP ...] [--jobs N]"

    def short_desc(self) -> str:
        return "Read the offers of kept pages anew, by today's rules, without fetching"

    def long_desc(self) -> str:
        return (
            "For the pages that crawls with SCOUT_KEEP_PAGES have kept: when rules were learned, induced or edited since, their offers are "
            "read again, in as many processes as there are processors, and stored as a crawl stores them. What the walk knew "
            "of an offer (its category) stays."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("shops", nargs="*", metavar="SHOP", help="the shops (default: all that have kept pages)")
        parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes (default: all)")

    def work(self, opts: argparse.Namespace) -> int:
        directory = self.setting("SCOUT_RULES_DIR")
        total = 0
        with self.open_store() as store:
            for shop in opts.shops or [status.name for status in store.shops()]:
                read, saved = reextracted(store, shop, directory, max(1, opts.jobs))
                total += read
                if read:
                    print(
                        f"{shop}: {read:,} pages read, {saved.changed:,} offers changed, {saved.unchanged:,} as before"
                    )
        if not total:
            print("No kept pages: crawl with -s SCOUT_KEEP_PAGES=True first")
        return DONE if total else FAILED


def reextracted(store: Store, shop: str, directory: str, jobs: int) -> tuple[int, Saved]:
    """Read the shop's kept pages anew and store what they say: how many pages, and what became of their offers."""
    rules, words = load_rules(shop, directory, store), template(Path(directory))
    read, saved = 0, Saved()
    sources: Iterator[Source] = ((page.url, page.html) for page in store.pages(shop))
    with ProcessPoolExecutor(jobs) as pool:
        for batch in batches(sources, TOGETHER):
            found = pool.map(partial(offer_on, rules=rules, words=words), batch, chunksize=AT_ONCE)
            saved += store.save_offers(shop, _completed(store, shop, found))
            read += len(batch)
    return read, saved


def offer_on(source: Source, *, rules: ShopRules | None, words: Template | None) -> Offer | None:
    """The offer on a page as a crawl would have it, or None where it would drop it. Pure, so it runs in any process."""
    offer = extract(Page(*source), rules, words, complete=True)
    normalise(offer, locale=rules.locale if rules else None, unreadable=lambda name: None)
    take_out_wrong_values(offer)
    return None if any(holds(offer) for _, holds in DROPS) else offer


def _completed(store: Store, shop: str, found: Iterable[Offer | None]) -> Iterator[Offer]:
    """The offers with what only the crawl knew of them."""
    for offer in found:
        old = store.offer(shop, offer["url"]) if offer is not None else None
        if offer is not None:
            yield offer if old is None else _with_walked(offer, old)


def _with_walked(offer: Offer, old: Offer) -> Offer:
    for name, evidence in old.evidence.items():
        value: Any = old.get(name)
        if evidence.origin == "crawl" and value and name not in offer:
            offer[name], offer.evidence[name] = value, evidence
    offer["urls"] = list(dict.fromkeys([*(old.get("urls") or ()), *(offer.get("urls") or [offer["url"]])]))
    return offer
