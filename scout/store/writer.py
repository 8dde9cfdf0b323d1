"""Writing offers whatever happens: waits for a database that is away, leaves out the one offer that it refuses, and says so."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scout.offer import Offer
from scout.store.failures import DatabaseAway, DiskTrouble
from scout.store.offers import Saved
from scout.store.repository import Store

FIRST_WAIT = 0.25  # seconds; doubled after each try
LONGEST_WAIT = 5.0  # a database that comes back shall not wait long for us

logger = logging.getLogger(__name__)

T = TypeVar("T")


def patiently(act: Callable[[], T], patience: float, *, sleep: Callable[[float], None] = time.sleep) -> T:
    """Do it, again and again while the database is away, for `patience` seconds at most."""
    waited, wait = 0.0, FIRST_WAIT
    while True:
        try:
            return act()
        except DatabaseAway as error:
            if waited + wait > patience:
                raise
            logger.warning("%s; trying again in %s s", error, wait)
        sleep(wait)
        waited, wait = waited + wait, min(2 * wait, LONGEST_WAIT)


@dataclass
class Written:
    """What became of a batch: how many are stored, and which the database refused, with the reason."""

    saved: Saved = field(default_factory=Saved)
    refused: list[tuple[Offer, Exception]] = field(default_factory=list)

    def __iadd__(self, other: Written) -> Written:
        self.saved += other.saved
        self.refused += other.refused
        return self


class OfferWriter:
    """Saves batches of offers of any shops. Raises DatabaseAway when `patience` (seconds) is used up, DiskTrouble at once."""

    def __init__(self, store: Store, patience: float, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self.store, self.patience, self.sleep = store, patience, sleep

    def write(self, offers: Sequence[Offer], crawl: int | None) -> Written:
        """Store all of them that can be stored."""
        by_shop: dict[str, list[Offer]] = {}
        for offer in offers:
            by_shop.setdefault(str(offer.get("shop")), []).append(offer)
        written = Written()
        for shop, group in by_shop.items():
            written += self._write(shop, group, crawl)
        return written

    def _write(self, shop: str, offers: list[Offer], crawl: int | None) -> Written:
        try:
            return Written(
                patiently(lambda: self.store.save_offers(shop, offers, crawl), self.patience, sleep=self.sleep)
            )
        except (DatabaseAway, DiskTrouble):
            raise
        except Exception as error:  # whatever is wrong with one offer must not take the others with it
            if len(offers) == 1:
                return Written(refused=[(offers[0], error)])
        written = Written()
        for offer in offers:
            written += self._write(shop, [offer], crawl)
        return written
