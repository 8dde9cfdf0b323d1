"""The health of a crawl's results: how many offers, the share of them that has each field, and how often one page stood for many
addresses. A change since the last crawl shows decay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from scout.store.crawls import last_complete_before
from scout.store.models import Crawl, FrontierUrl, StoredOffer

COVERED_FIELDS = ("title", "description", "price", "currency", "availability", "brand", "sku", "ean", "han", "category")
ROUNDING = 1e-4  # shares are stored with four digits
STAT_PREFIX = "scout/monitor/"  # of the stats that hold these figures
SAME_PRODUCT = "same_product"  # scout.crawl.account.AccountState
MIN_SAME_PAGE = 3  # addresses with the same values: two products may differ in a picture only


class Finding(NamedTuple):
    """A change that is worse than allowed; `setting` is the name of the setting that allows it."""

    setting: str
    text: str


@dataclass(frozen=True)
class Health:
    """The figures of one crawl; `coverage` is the share of offers that have a field, `repeated` the share of the products' addresses that
    show what other addresses show as well."""

    offers: int
    coverage: Mapping[str, float] = field(default_factory=dict)
    repeated: float | None = None

    def stats(self) -> dict[str, Any]:
        """The figures as stats, from which the next crawl reads them."""
        shares = {f"{STAT_PREFIX}coverage/{name}": round(share, 4) for name, share in self.coverage.items()}
        repeated = {} if self.repeated is None else {f"{STAT_PREFIX}repeated": round(self.repeated, 4)}
        return {f"{STAT_PREFIX}offers": self.offers, **shares, **repeated}

    @classmethod
    def from_stats(cls, stats: Mapping[str, Any]) -> Health | None:
        """The figures in these stats; None if the crawl was not monitored."""
        offers, prefix = stats.get(f"{STAT_PREFIX}offers"), f"{STAT_PREFIX}coverage/"
        if offers is None:
            return None
        shares = {name.removeprefix(prefix): share for name, share in stats.items() if name.startswith(prefix)}
        return cls(int(offers), shares, stats.get(f"{STAT_PREFIX}repeated"))


def health(connection: Connection, crawl: int) -> Health:
    """The figures of this crawl's offers, by all its workers."""
    columns = [_offer_column(name) for name in COVERED_FIELDS]
    counts = [func.count(column).label(name) for name, column in zip(COVERED_FIELDS, columns, strict=True)]
    row = connection.execute(
        select(func.count().label("offers"), *counts).select_from(StoredOffer).where(StoredOffer.crawl_id == crawl)
    ).one()
    coverage = {name: getattr(row, name) / row.offers for name in COVERED_FIELDS} if row.offers else {}
    return Health(row.offers, coverage, _repeated(connection, crawl))


def _repeated(connection: Connection, crawl: int) -> float:
    """The share of addresses whose page is that of another address: a cache that mixes up its keys makes it rise."""
    values = (StoredOffer.title, StoredOffer.price, StoredOffer.sku, StoredOffer.ean, StoredOffer.description)
    products = (StoredOffer.crawl_id == crawl) & StoredOffer.parent.is_(None)
    groups = select(func.count().label("count_")).where(products, StoredOffer.title.is_not(None)).group_by(*values)
    same = groups.having(func.count() >= MIN_SAME_PAGE).subquery()
    alike = connection.execute(select(func.coalesce(func.sum(same.c.count_ - 1), 0))).scalar_one()
    offers = connection.execute(select(func.count()).select_from(StoredOffer).where(products)).scalar_one()
    is_same = (FrontierUrl.crawl_id == crawl) & (FrontierUrl.outcome == SAME_PRODUCT)
    merged = connection.execute(select(func.count()).select_from(FrontierUrl).where(is_same)).scalar_one()
    return (int(alike) + merged) / (offers + merged) if offers else 0.0


def _offer_column(name: str) -> Any:
    return StoredOffer.category_id if name == "category" else getattr(StoredOffer, name)


def previous_health(connection: Connection, crawl: int) -> Health | None:
    """The figures of the last complete crawl of the same shop by the same spider."""
    stats = connection.execute(select(Crawl.stats).where(Crawl.id == last_complete_before(connection, crawl))).scalar()
    return None if stats is None else Health.from_stats(stats)


def describe_repetition(before: Health, after: Health, allowed: Mapping[str, float]) -> list[Finding]:
    """A finding if more addresses than before show what others show.

    >>> describe_repetition(Health(100, repeated=0.02), Health(100, repeated=0.3), {"SCOUT_MONITOR_SAME_PAGE": 0.1})
    [Finding(setting='SCOUT_MONITOR_SAME_PAGE', text='30 % of the product addresses show the same product as another one (2 % before)')]
    """
    old, new = before.repeated, after.repeated
    if old is None or new is None or new - old <= allowed["SCOUT_MONITOR_SAME_PAGE"] + ROUNDING:
        return []
    text = f"{100 * new:.0f} % of the product addresses show the same product as another one ({100 * old:.0f} % before)"
    return [Finding("SCOUT_MONITOR_SAME_PAGE", text)]


def describe_drops(before: Health, after: Health, allowed: Mapping[str, float]) -> list[Finding]:
    """A finding for each figure that fell by more than the allowed share.

    >>> allowed = {"SCOUT_MONITOR_ITEMS": 0.2, "SCOUT_MONITOR_COVERAGE": 0.1}
    >>> drops = describe_drops(Health(200, {"price": 0.99}), Health(150, {"price": 0.8}), allowed)
    >>> [finding.text for finding in drops]
    ['offers fell from 200 to 150 (-25 %)', 'offers with price fell from 99 % to 80 %']
    """
    drops = []
    if before.offers and after.offers < (1 - allowed["SCOUT_MONITOR_ITEMS"]) * before.offers:
        change = after.offers / before.offers - 1
        text = f"offers fell from {before.offers:,} to {after.offers:,} ({100 * change:.0f} %)"
        drops.append(Finding("SCOUT_MONITOR_ITEMS", text))
    for name, share in before.coverage.items():
        share_now = after.coverage.get(name, 0.0)
        if share - share_now > allowed["SCOUT_MONITOR_COVERAGE"] + ROUNDING:
            text = f"offers with {name} fell from {100 * share:.0f} % to {100 * share_now:.0f} %"
            drops.append(Finding("SCOUT_MONITOR_COVERAGE", text))
    return drops
