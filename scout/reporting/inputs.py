"""What a report is made of: plain values that a command has taken out of the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from scout.matching import Match
from scout.offer import Offer

SEPARATOR = ">"  # between the names of a category path


@dataclass(frozen=True)
class Found:
    """An offer of the shop, its id in the database and when it was first met."""

    id: int
    offer: Offer
    first_seen: datetime | None = None

    @property
    def price(self) -> Decimal | None:
        """The price, where the offer has one."""
        return decimal_of(self.offer.get("price"))

    @property
    def category(self) -> tuple[str, ...]:
        """The category as a path of names; empty where it is not known."""
        return path_of(self.offer.get("category"))

    def text(self, name: str) -> str:
        """A field as text; empty where there is none."""
        value = self.offer.get(name)
        return value if isinstance(value, str) else "" if value is None else str(value)


@dataclass(frozen=True)
class ReportedCrawl:
    """A crawl as the report tells of it."""

    started: datetime
    finished: datetime | None
    reason: str | None
    is_complete: bool
    stats: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PricePoint:
    """What an offer cost from a moment on."""

    at: datetime
    price: Decimal | None
    currency: str | None = None


@dataclass(frozen=True)
class ShopData:
    """All that a report on one shop is made of. `crawls` are complete walks and the last one, newest first; `vanished` are offers of
    earlier crawls that the last complete one did not meet; `matches` point into `known` and `found` by position."""

    shop: str
    made_at: datetime
    found: Sequence[Found] = ()
    known: Sequence[Mapping[str, Any]] = ()
    matches: Sequence[Match] = ()
    url: str | None = None
    accepted: Mapping[int, str] = field(default_factory=dict)
    crawls: Sequence[ReportedCrawl] = ()
    vanished: Sequence[Found] = ()
    history: Mapping[int, Sequence[PricePoint]] = field(default_factory=dict)
    imported_at: datetime | None = None

    @property
    def crawl(self) -> ReportedCrawl | None:
        """The last crawl."""
        return self.crawls[0] if self.crawls else None


def decimal_of(value: Any) -> Decimal | None:
    """A plain decimal string as a number; None for anything else."""
    try:
        number = Decimal(str(value)) if value is not None else None
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def path_of(value: Any) -> tuple[str, ...]:
    """A category as a path of names, given as "A > B" or as a list of names."""
    names = value.split(SEPARATOR) if isinstance(value, str) else value or ()
    return tuple(name for name in (str(part).strip() for part in names) if name)
