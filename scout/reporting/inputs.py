"""The input of a report: values that the store has read from the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from scout.matching import Match
from scout.offer import Offer

_SEPARATOR = ">"  # between the names of a category path


@dataclass(frozen=True)
class ShopOffer:
    """An offer of the shop, its id in the database, when it was first seen, and how old its values are.

    `state` is current, unreached (the last crawl has not read it) or gone.
    """

    id: int
    offer: Offer
    first_seen: datetime | None = None
    state: str = "current"
    age_days: int | None = None
    price_age_days: int | None = None

    @property
    def price(self) -> Decimal | None:
        """The price, where the offer has one."""
        return _decimal(self.offer.get("price"))

    @property
    def category(self) -> tuple[str, ...]:
        """The category as a path of names; empty where it is not known."""
        return category_path(self.offer.get("category"))

    def text(self, name: str) -> str:
        """A field as text; empty where there is none."""
        value = self.offer.get(name)
        return value if isinstance(value, str) else "" if value is None else str(value)


@dataclass(frozen=True)
class ReportedCrawl:
    """A crawl, as far as the report needs it."""

    started: datetime
    finished: datetime | None
    reason: str | None
    is_complete: bool
    stats: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PricePoint:
    """The price of an offer from a point in time."""

    at: datetime
    price: Decimal | None
    currency: str | None = None


@dataclass(frozen=True)
class ShopData:
    """The input of a report on one shop. `crawls` are the complete ones and the last, newest first; `vanished` are offers of earlier
    crawls that are gone; `matches` refer to `known` and `found` by position. `known_gone` are the known rows whose page the shop says is
    gone, `known_unreadable` those that no crawl may read; `unread` is how many products more the last crawl may have missed at most, None
    where nobody can say. `undecided` are the candidates of offers that are neither matched nor missing, `missing` the probability that an
    offer is missing. `variants` is the number of offers where the catalogue lists products, not their variants: `found` then has one
    offer of each product; else it is 0."""

    shop: str
    made_at: datetime
    found: Sequence[ShopOffer] = ()
    known: Sequence[Mapping[str, Any]] = ()
    matches: Sequence[Match] = ()
    undecided: Sequence[Match] = ()
    missing: Mapping[int, float] = field(default_factory=dict)
    variants: int = 0
    url: str | None = None
    accepted: Mapping[int, str] = field(default_factory=dict)
    crawls: Sequence[ReportedCrawl] = ()
    vanished: Sequence[ShopOffer] = ()
    history: Mapping[int, Sequence[PricePoint]] = field(default_factory=dict)
    imported_at: datetime | None = None
    known_gone: frozenset[int] = frozenset()
    known_unreadable: frozenset[int] = frozenset()
    unread: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the last crawl has read all that the shop shows."""
        return self.crawl is not None and self.crawl.is_complete

    @property
    def crawl(self) -> ReportedCrawl | None:
        """The last crawl."""
        return self.crawls[0] if self.crawls else None


def _decimal(value: Any) -> Decimal | None:
    """A plain decimal string as a number; None for anything else."""
    try:
        number = Decimal(str(value)) if value is not None else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def category_path(value: Any) -> tuple[str, ...]:
    """A category as a path of names, given as "A > B" or as a list of names."""
    names = value.split(_SEPARATOR) if isinstance(value, str) else value or ()
    return tuple(name for name in (str(part).strip() for part in names) if name)
