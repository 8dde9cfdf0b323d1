"""Writes offers in spite of failures: retries while the database is unavailable, and reports single offers that it rejects."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from scout.offer import Offer
from scout.store.failures import DatabaseUnavailable, DatabaseVanished, DiskFailure
from scout.store.offers import SaveCounts
from scout.store.repository import Store

FIRST_WAIT = 0.25  # seconds; doubled after each attempt
LONGEST_WAIT = 5.0  # seconds

logger = logging.getLogger(__name__)

T = TypeVar("T")


def retry_while_unavailable(act: Callable[[], T], patience: float, *, sleep: Callable[[float], None] = time.sleep) -> T:
    """Call `act` until the database is available, for `patience` seconds at most."""
    waited, wait = 0.0, FIRST_WAIT
    while True:
        try:
            return act()
        except DatabaseUnavailable as error:
            if waited + wait > patience:
                raise
            logger.warning("%s; retrying in %s s", error, wait)
        sleep(wait)
        waited, wait = waited + wait, min(2 * wait, LONGEST_WAIT)


@dataclass
class WriteResult:
    """The result of a batch: how many offers were saved, and which ones the database rejected, with the error."""

    saved: SaveCounts = field(default_factory=SaveCounts)
    refused: list[tuple[Offer, Exception]] = field(default_factory=list)

    def __iadd__(self, other: WriteResult) -> WriteResult:
        self.saved += other.saved
        self.refused += other.refused
        return self


class OfferWriter:
    """Saves offers of any shops. Raises DatabaseUnavailable after `patience` seconds, DiskFailure at once.

    `leases` are the pages that this worker has leased, with the numbers of the leases, as they are when an offer is saved.
    """

    def __init__(
        self,
        store: Store,
        patience: float,
        leases: Mapping[str, int] = MappingProxyType({}),
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.store, self.patience, self.leases, self.sleep = store, patience, leases, sleep

    def write(self, offers: Sequence[Offer], crawl: int | None) -> WriteResult:
        """Save all offers that the database accepts."""
        by_shop: dict[str, list[Offer]] = {}
        for offer in offers:
            by_shop.setdefault(str(offer.get("shop")), []).append(offer)
        total = WriteResult()
        for shop, group in by_shop.items():
            total += self._write(shop, group, crawl)
        return total

    def _write(self, shop: str, offers: list[Offer], crawl: int | None) -> WriteResult:
        save = partial(self.store.save_offers, shop, offers, crawl, self.leases)
        try:
            return WriteResult(retry_while_unavailable(save, self.patience, sleep=self.sleep))
        except (DatabaseUnavailable, DatabaseVanished, DiskFailure):
            raise
        except Exception as error:  # one bad offer must not lose the others
            if len(offers) == 1:
                return WriteResult(refused=[(offers[0], error)])
        total = WriteResult()
        for offer in offers:
            total += self._write(shop, [offer], crawl)
        return total
