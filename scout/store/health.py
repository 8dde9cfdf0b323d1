"""The health of a crawl's results: how many offers, and the share of them that has each field. A drop since the last crawl shows decay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, select

from scout.store.crawls import COMPLETE
from scout.store.models import Crawl, StoredOffer

COVERED_FIELDS = ("title", "description", "price", "currency", "availability", "brand", "sku", "ean", "han", "category")
ROUNDING = 1e-4  # shares are stored with four digits
STAT_PREFIX = "scout/monitor/"  # of the stats that hold these figures


@dataclass(frozen=True)
class Health:
    """The figures of one crawl; `coverage` is the share of offers that have a field."""

    offers: int
    coverage: Mapping[str, float] = field(default_factory=dict)

    def stats(self) -> dict[str, Any]:
        """The figures as stats, from which the next crawl reads them."""
        shares = {f"{STAT_PREFIX}coverage/{name}": round(share, 4) for name, share in self.coverage.items()}
        return {f"{STAT_PREFIX}offers": self.offers, **shares}

    @classmethod
    def from_stats(cls, stats: Mapping[str, Any]) -> Health | None:
        """The figures in these stats; None if the crawl was not monitored."""
        offers, prefix = stats.get(f"{STAT_PREFIX}offers"), f"{STAT_PREFIX}coverage/"
        if offers is None:
            return None
        shares = {name.removeprefix(prefix): share for name, share in stats.items() if name.startswith(prefix)}
        return cls(int(offers), shares)


def health(connection: Connection, crawl: int) -> Health:
    """The figures of this crawl's offers, by all its workers."""
    columns = [_offer_column(name) for name in COVERED_FIELDS]
    counts = [func.count(column).label(name) for name, column in zip(COVERED_FIELDS, columns, strict=True)]
    row = connection.execute(
        select(func.count().label("offers"), *counts).select_from(StoredOffer).where(StoredOffer.crawl_id == crawl)
    ).one()
    return Health(row.offers, {name: getattr(row, name) / row.offers for name in COVERED_FIELDS} if row.offers else {})


def _offer_column(name: str) -> Any:
    return StoredOffer.category_id if name == "category" else getattr(StoredOffer, name)


def previous_health(connection: Connection, crawl: int) -> Health | None:
    """The figures of the last complete crawl of the same shop by the same spider."""
    this = select(Crawl.shop_id, Crawl.spider).where(Crawl.id == crawl).subquery()
    query = select(Crawl.stats).where(Crawl.shop_id == this.c.shop_id, Crawl.spider == this.c.spider)
    query = query.where(Crawl.id < crawl, Crawl.reason == COMPLETE).order_by(Crawl.id.desc()).limit(1)
    stats = connection.execute(query).scalar()
    return None if stats is None else Health.from_stats(stats)


def describe_drops(before: Health, after: Health, *, items: float, coverage: float) -> list[str]:
    """A sentence for each figure that fell by more than the allowed share.

    >>> describe_drops(Health(200, {"price": 0.99}), Health(150, {"price": 0.8}), items=0.2, coverage=0.1)
    ['offers fell from 200 to 150 (-25 %)', 'offers with price fell from 99 % to 80 %']
    """
    drops = []
    if before.offers and after.offers < (1 - items) * before.offers:
        change = after.offers / before.offers - 1
        drops.append(f"offers fell from {before.offers:,} to {after.offers:,} ({100 * change:.0f} %)")
    for name, share in before.coverage.items():
        share_now = after.coverage.get(name, 0.0)
        if share - share_now > coverage + ROUNDING:
            drops.append(f"offers with {name} fell from {100 * share:.0f} % to {100 * share_now:.0f} %")
    return drops
