"""How healthy a crawl's yield is: how many offers, and how many of them have each field. Compared with the crawl before, it tells decay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, func, select

from scout.store.crawls import COMPLETE
from scout.store.models import Crawl, StoredOffer

FIELDS = ("title", "description", "price", "currency", "availability", "brand", "sku", "ean", "han", "category")
ROUNDING = 1e-4  # shares are kept with four digits
STAT = "scout/monitor/"  # the stats under which a crawl remembers its figures


@dataclass(frozen=True)
class Health:
    """The figures of one crawl; `coverage` is a share for each field."""

    offers: int
    coverage: Mapping[str, float] = field(default_factory=dict)

    def stats(self) -> dict[str, Any]:
        """As stats, so that the next crawl finds them."""
        shares = {f"{STAT}coverage/{name}": round(share, 4) for name, share in self.coverage.items()}
        return {f"{STAT}offers": self.offers, **shares}

    @classmethod
    def from_stats(cls, stats: Mapping[str, Any]) -> Health | None:
        """Read back; None where the crawl was not watched."""
        offers, prefix = stats.get(f"{STAT}offers"), f"{STAT}coverage/"
        if offers is None:
            return None
        shares = {name.removeprefix(prefix): share for name, share in stats.items() if name.startswith(prefix)}
        return cls(int(offers), shares)


def health(connection: Connection, crawl: int) -> Health:
    """The figures of the offers that this crawl met, whoever of its workers did."""
    columns = [_column(name) for name in FIELDS]
    counts = [func.count(column).label(name) for name, column in zip(FIELDS, columns, strict=True)]
    row = connection.execute(
        select(func.count().label("offers"), *counts).select_from(StoredOffer).where(StoredOffer.crawl_id == crawl)
    ).one()
    return Health(row.offers, {name: getattr(row, name) / row.offers for name in FIELDS} if row.offers else {})


def _column(name: str) -> Any:
    return StoredOffer.category_id if name == "category" else getattr(StoredOffer, name)


def health_before(connection: Connection, crawl: int) -> Health | None:
    """Those of the last complete crawl of the same shop by the same spider."""
    this = select(Crawl.shop_id, Crawl.spider).where(Crawl.id == crawl).subquery()
    query = select(Crawl.stats).where(Crawl.shop_id == this.c.shop_id, Crawl.spider == this.c.spider)
    query = query.where(Crawl.id < crawl, Crawl.reason == COMPLETE).order_by(Crawl.id.desc()).limit(1)
    stats = connection.execute(query).scalar()
    return None if stats is None else Health.from_stats(stats)


def falls(before: Health, after: Health, *, items: float, coverage: float) -> list[str]:
    """What fell by more than is allowed (shares), in words.

    >>> falls(Health(200, {"price": 0.99}), Health(150, {"price": 0.8}), items=0.2, coverage=0.1)
    ['offers fell from 200 to 150 (-25 %)', 'offers with price fell from 99 % to 80 %']
    """
    told = []
    if before.offers and after.offers < (1 - items) * before.offers:
        change = after.offers / before.offers - 1
        told.append(f"offers fell from {before.offers:,} to {after.offers:,} ({100 * change:.0f} %)")
    for name, share in before.coverage.items():
        left = after.coverage.get(name, 0.0)
        if share - left > coverage + ROUNDING:
            told.append(f"offers with {name} fell from {100 * share:.0f} % to {100 * left:.0f} %")
    return told
