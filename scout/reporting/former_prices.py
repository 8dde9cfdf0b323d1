"""Former prices against what was observed: Article 6a of Directive 98/6/EC (Omnibus).

A shop that announces a reduction has to name as the former price the lowest one of the 30 days before the reduction. What was observed
can contradict a claim: any lower price in these days does. It can confirm one only where all of the 30 days were watched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

WINDOW = timedelta(days=30)  # the directive's


class ClaimVerdict(str, Enum):
    """What the observations say of a claimed former price."""

    TOO_HIGH = "too high"  # a lower price was observed in the 30 days before the reduction
    CONFIRMED = "confirmed"  # 30 days were watched, and no price was lower
    OPEN = "not watched for long enough"


@dataclass(frozen=True)
class ObservedPrice:
    """A price that held from this time on."""

    at: datetime
    price: Decimal


@dataclass(frozen=True)
class FormerPrice:
    """A claimed former price of one offer and what was observed before the reduction."""

    url: str
    title: str | None
    currency: str | None
    price: Decimal
    claimed: Decimal
    verdict: ClaimVerdict
    lowest: Decimal | None  # observed in the 30 days before the reduction
    reduced_at: datetime | None  # when the present price was first observed; None: it always was
    watched_days: float  # of these 30
    observations: Sequence[ObservedPrice]  # in these days, oldest first

    def as_dict(self) -> dict[str, Any]:
        """For JSON: amounts as text, moments as ISO 8601."""
        values = asdict(self) | {"verdict": self.verdict.value, "price": str(self.price), "claimed": str(self.claimed)}
        values["lowest"] = None if self.lowest is None else str(self.lowest)
        values["reduced_at"] = None if self.reduced_at is None else self.reduced_at.isoformat()
        values["observations"] = [{"at": one.at.isoformat(), "price": str(one.price)} for one in self.observations]
        return values


def judge_former_price(
    url: str, title: str | None, currency: str | None, claimed: Decimal, history: Sequence[ObservedPrice]
) -> FormerPrice | None:
    """What the history (oldest first, in one currency, the last one being the present price) says of the claim; None if it is no reduction.

    >>> from datetime import timezone
    >>> day = lambda number, price: ObservedPrice(datetime(2026, 5, number, tzinfo=timezone.utc), Decimal(price))
    >>> judged = judge_former_price("u", None, "EUR", Decimal("20"), [day(1, "20"), day(9, "14"), day(12, "18"), day(20, "15")])
    >>> judged.verdict.value, str(judged.lowest), judged.watched_days
    ('too high', '14', 19.0)
    """
    if not history or claimed <= history[-1].price:
        return None
    price, began = history[-1].price, len(history) - 1
    while began and history[began - 1].price == price:
        began -= 1
    if not began:
        return FormerPrice(url, title, currency, price, claimed, ClaimVerdict.OPEN, None, None, 0.0, ())
    reduced_at = history[began].at
    start = reduced_at - WINDOW
    earlier = [one for one in history[:began] if one.at <= start][-1:]  # it held when the 30 days began
    seen = [*earlier, *(one for one in history[:began] if one.at > start)]
    lowest = min(one.price for one in seen)
    watched = (reduced_at - max(start, seen[0].at)) / timedelta(days=1)
    is_watched = seen[0].at <= start
    verdict = ClaimVerdict.TOO_HIGH if lowest < claimed else ClaimVerdict.CONFIRMED if is_watched else ClaimVerdict.OPEN
    return FormerPrice(url, title, currency, price, claimed, verdict, lowest, reduced_at, round(watched, 2), seen)
