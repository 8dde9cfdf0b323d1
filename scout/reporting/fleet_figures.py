"""What is known of a fleet: every shop with its last crawl, how complete it was, and what became of its fields. Plain data, no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from scout.reporting.plots import step_line

# worst first; a shop that nobody wants crawled is nobody's worry
STATES = ("failed", "never", "incomplete", "interrupted", "running", "complete")
AGES = ("day", "week", "month", "older", "unknown")  # how long ago prices were seen: less than this


@dataclass(frozen=True)
class PastCrawl:
    """One of the last crawls of a shop."""

    crawl: int
    at: datetime
    scope: str  # shop, part, known, prices
    state: str
    offers: int
    seconds: float | None


@dataclass(frozen=True)
class ShopFigures:
    """One shop of the fleet. `age_hours` is the time since its last complete crawl ended; None: there was none."""

    name: str
    url: str | None
    state: str
    reason: str  # why it is not complete, in words; empty where it is
    offers: int
    age_hours: float | None
    read_share: float | None  # of the addresses that the shop showed to its last crawl
    fields: Mapping[str, float]  # the share of offers that have each field, in the last complete crawl
    fallen: Mapping[str, float]  # fields that fewer offers have than in the complete crawl before: by how much
    prices: Mapping[str, int]  # offers by when their price was last seen
    crawls: Sequence[PastCrawl]  # the newest last
    due_at: datetime | None
    is_due: bool
    is_paused: bool = False
    quiet_hours: str | None = None
    interval_hours: float | None = None

    @property
    def badness(self) -> tuple[Any, ...]:
        """Worst first: by state, fallen fields, and how long ago the last complete crawl was."""
        never = self.age_hours is None
        return (
            self.is_paused,
            STATES.index(self.state),
            -max(self.fallen.values(), default=0.0),
            not never,
            -(self.age_hours or 0),
        )

    @property
    def trend(self) -> str:
        """The offers of the last crawls as the points of a line in a box of 100 x 24; empty where there is no line."""
        counts = [crawl.offers for crawl in self.crawls]
        return step_line(counts) if len(counts) > 1 else ""

    def as_dict(self) -> dict[str, Any]:
        """For JSON: moments are ISO 8601 in UTC."""
        values = asdict(self)
        values["due_at"] = _iso(self.due_at)
        values["crawls"] = [{**asdict(crawl), "at": _iso(crawl.at)} for crawl in self.crawls]
        return values


@dataclass(frozen=True)
class FleetFigures:
    """All shops, the worst first."""

    made_at: datetime
    shops: Sequence[ShopFigures] = field(default_factory=tuple)

    @property
    def counts(self) -> dict[str, int]:
        """How many shops are in each state; paused ones are counted apart."""
        counted = dict.fromkeys((*STATES, "paused"), 0)
        for shop in self.shops:
            counted["paused" if shop.is_paused else shop.state] += 1
        return {state: count for state, count in counted.items() if count}

    @property
    def headline(self) -> str:
        """The fleet in one line."""
        counts = ", ".join(
            f"{count:,} {'never crawled' if state == 'never' else state}" for state, count in self.counts.items()
        )
        due = sum(shop.is_due for shop in self.shops)
        return f"{len(self.shops):,} {'shop' if len(self.shops) == 1 else 'shops'}: {counts or 'none'}; {due:,} due"

    def as_dict(self) -> dict[str, Any]:
        """For JSON, as docs/fleet.md describes it."""
        return {"made_at": _iso(self.made_at), "counts": self.counts, "shops": [shop.as_dict() for shop in self.shops]}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")
