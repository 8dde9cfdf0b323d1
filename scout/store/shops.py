"""The shops: adding, removing, and at one glance how each of hundreds is doing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, func, select, update

from scout.errors import UsageError
from scout.store.columns import now
from scout.store.crawls import COMPLETE, WALK
from scout.store.models import NAME_CHARACTERS, Crawl, KnownOffer, Shop, StoredMatch, StoredOffer
from scout.store.texts import storable
from scout.store.upsert import upsert

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # turn the text around


@dataclass(frozen=True)
class ShopStatus:
    """A shop and how it is doing: its last crawl, what the database holds of it, and whether it is due."""

    name: str
    url: str | None
    interval: timedelta | None
    added_at: datetime
    last_started: datetime | None
    last_finished: datetime | None
    last_reason: str | None
    offers: int
    known: int
    matched: int

    @property
    def coverage(self) -> float | None:
        """The part of the shop's offers that the catalogue has; None where there is nothing to compare."""
        return self.matched / self.offers if self.offers and self.known else None

    @property
    def due_at(self) -> datetime | None:
        """When it shall be crawled next: at once if it never was or the last crawl did not end well; None: only when asked."""
        if self.interval is None:
            return None
        if self.last_finished is None or self.last_reason != COMPLETE:
            return self.last_started or self.added_at
        return self.last_finished + self.interval

    def is_due(self, at: datetime | None = None) -> bool:
        """Whether its time has come."""
        return self.due_at is not None and self.due_at <= (at or now())


def checked_name(name: str) -> str:
    """The name of a shop, or a UsageError that says what is wrong with it."""
    if not name.strip() or name != name.strip() or any(not c.isprintable() or c in _BIDI for c in name):
        raise UsageError(f"{name!r} cannot be the name of a shop: it is empty or has characters that cannot be seen")
    if len(name) > NAME_CHARACTERS:
        raise UsageError(f"The name of a shop has at most {NAME_CHARACTERS} characters, not {len(name)}: {name[:40]}…")
    return name


def shop_id(connection: Connection, name: str) -> int | None:
    """The id of the shop of this name."""
    return connection.execute(select(Shop.id).where(Shop.name == name)).scalar()


def ensured_shop(connection: Connection, name: str, url: str | None = None) -> int:
    """The id of the shop of this name, which is added where it is new; two workers may do so at the same time.

    `url` becomes its address where it has none yet.
    """
    found = shop_id(connection, name)
    if found is None:
        found = _added_shop(connection, name)
    if url:
        connection.execute(update(Shop).where(Shop.id == found, Shop.url.is_(None)).values(url=storable(url)))
    return found


def _added_shop(connection: Connection, name: str) -> int:
    row = {"name": checked_name(name), "added_at": now()}
    upsert(connection, Shop, [row], key=["name"])
    return connection.execute(select(Shop.id).where(Shop.name == name)).scalar_one()


def set_shop(connection: Connection, name: str, values: dict[str, Any]) -> bool:
    """Add the shop or change what is given of it; True where it is new."""
    is_new = shop_id(connection, name) is None
    given = {key: value for key, value in values.items() if value is not None}
    id_ = ensured_shop(connection, name)
    if given:
        connection.execute(update(Shop).where(Shop.id == id_).values(**given))
    return is_new


def remove_shop(connection: Connection, name: str) -> bool:
    """Remove the shop with all that belongs to it; False where there is none."""
    return bool(connection.execute(delete(Shop).where(Shop.name == name)).rowcount)


def shop_statuses(connection: Connection, name: str | None = None) -> list[ShopStatus]:
    """All shops (or the one of this name) by name; three counts and one join, however many shops there are."""
    offers, known = _counts(connection, StoredOffer), _counts(connection, KnownOffer)
    matched = _counts(connection, StoredMatch, func.count(StoredMatch.offer_id.distinct()))
    newest = select(func.max(Crawl.id).label("id")).where(Crawl.spider == WALK).group_by(Crawl.shop_id).subquery()
    last = select(Crawl).join(newest, newest.c.id == Crawl.id).subquery()
    query = select(Shop.__table__, last.c.started_at, last.c.finished_at, last.c.reason)
    query = query.outerjoin(last, last.c.shop_id == Shop.id).order_by(Shop.name)
    if name is not None:
        query = query.where(Shop.name == name)
    return [
        ShopStatus(
            name=row.name,
            url=row.url,
            interval=timedelta(seconds=row.interval_seconds) if row.interval_seconds else None,
            added_at=row.added_at,
            last_started=row.started_at,
            last_finished=row.finished_at,
            last_reason=row.reason,
            offers=offers.get(row.id, 0),
            known=known.get(row.id, 0),
            matched=matched.get(row.id, 0),
        )
        for row in connection.execute(query)
    ]


def _counts(connection: Connection, model: Any, what: Any = None) -> dict[int, int]:
    counted = func.count() if what is None else what
    query = select(model.shop_id, counted.label("count_")).group_by(model.shop_id)
    return {row.shop_id: row.count_ for row in connection.execute(query)}
