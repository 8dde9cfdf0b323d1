"""Adding and removing shops, and the status of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, Select, delete, func, select, update

from scout.errors import UsageError
from scout.store.columns import now
from scout.store.crawls import (
    COMPLETE,
    FAILED_CRAWL,
    INCOMPLETE,
    INCOMPLETE_AGAIN,
    PRICES_SPIDER,
    SHOP_SPIDER,
    last_complete_crawls,
)
from scout.store.models import NAME_CHARACTERS, AcceptedMissing, Crawl, KnownOffer, Shop, StoredMatch, StoredOffer
from scout.store.presence import is_gone_from_its_shop
from scout.store.upsert import upsert
from scout.values.storable import storable

LIMIT_REACHED = "closespider_"  # how the reasons begin with which a crawl stops at a limit that its user set
FIRST_WAIT = timedelta(minutes=15)  # after a crawl that was not complete
# they reverse the direction of the text
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class LastRefresh:
    """The last refresh of a shop's prices: when it began and ended, and why it ended."""

    started: datetime
    finished: datetime | None
    reason: str | None


@dataclass(frozen=True)
class ShopStatus:
    """A shop's status: its last crawl, how much of it is stored, and when it is due."""

    name: str
    url: str | None
    interval: timedelta | None
    added_at: datetime
    last_started: datetime | None
    last_finished: datetime | None
    last_reason: str | None
    trying_since: datetime | None  # when the first crawl after the last complete one began
    offers: int
    known: int
    matched: int
    accepted: int  # offers that may be missing from the catalogue
    is_paused: bool = False  # until somebody resumes it
    quiet_hours: str | None = None  # local time in which a fleet does not crawl it
    limits: Mapping[str, Any] = field(default_factory=dict)  # settings of its crawls
    refresh: timedelta | None = None  # how often a fleet refreshes its prices between two crawls
    last_refresh: LastRefresh | None = None

    @property
    def coverage(self) -> float | None:
        """The share of the shop's offers that are in the catalogue, without accepted gaps.

        None if there is nothing to compare, or if the last crawl is not complete: then nobody knows of how many offers it is a share.
        """
        expected = self.offers - self.accepted
        return self.matched / expected if expected and self.known and self.last_reason == COMPLETE else None

    @property
    def due_at(self) -> datetime | None:
        """When it is crawled or its prices are refreshed next; None: only on request."""
        return min(filter(None, (self.crawl_due_at, self.refresh_due_at)), default=None)

    @property
    def crawl_due_at(self) -> datetime | None:
        """When to crawl the whole shop next; None: only on request.

        At once if it was never crawled or its crawl was interrupted. After a crawl that failed or is incomplete, when as much time has
        passed as was spent trying, so that a shop that stays down is asked ever more rarely, but at least as often as a healthy one.
        """
        if self.interval is None or self.is_paused:
            return None
        if self.last_finished is None:
            return self.last_started or self.added_at
        if self.last_reason == COMPLETE:
            return self.last_finished + self.interval
        if _is_interruption(self.last_reason):
            return self.last_finished
        spent = self.last_finished - (self.trying_since or self.last_finished)
        return self.last_finished + min(max(spent, FIRST_WAIT), self.interval)

    @property
    def refresh_due_at(self) -> datetime | None:
        """When to refresh its prices next; None: not at all, or not before a crawl of the whole shop is complete.

        At once if a refresh was interrupted; else when its prices have been left alone for the time that the shop's `refresh` says.
        """
        if not self.refresh or self.is_paused or self.last_finished is None or self.last_reason != COMPLETE:
            return None
        last = self.last_refresh
        if last is None or last.started < self.last_finished:
            return self.last_finished + self.refresh
        if last.finished is None or _is_interruption(last.reason):
            return last.started
        return last.finished + self.refresh

    @property
    def is_open(self) -> bool:
        """Whether a crawl or a refresh has begun and not ended."""
        is_crawl_open = self.last_started is not None and self.last_finished is None
        return is_crawl_open or (self.last_refresh is not None and self.last_refresh.finished is None)

    def is_due(self, at: datetime | None = None) -> bool:
        """Whether it should be crawled or refreshed now, or at this time."""
        return self.due_at is not None and self.due_at <= (at or now())

    def needs_only_prices(self, at: datetime | None = None) -> bool:
        """Whether a refresh of its prices is due and no crawl of the whole shop."""
        at = at or now()
        is_crawl_due = self.crawl_due_at is not None and self.crawl_due_at <= at
        return not is_crawl_due and self.refresh_due_at is not None and self.refresh_due_at <= at


def _is_interruption(reason: str | None) -> bool:
    """Whether a crawl that ended for this reason is to go on at once: it neither came to its end nor to a limit."""
    is_end = reason in (COMPLETE, INCOMPLETE, INCOMPLETE_AGAIN, FAILED_CRAWL)
    return not is_end and not str(reason).startswith(LIMIT_REACHED)


def check_shop_name(name: str) -> str:
    """Return the name if a shop can have it; raise a UsageError that says why not."""
    if not name.strip() or name != name.strip() or any(not c.isprintable() or c in _BIDI for c in name):
        raise UsageError(f"{name!r} cannot be the name of a shop: it is empty or has invisible characters")
    if len(name) > NAME_CHARACTERS:
        raise UsageError(f"A shop's name has at most {NAME_CHARACTERS} characters, this one {len(name)}: {name[:40]}…")
    return name


def shop_id(connection: Connection, name: str) -> int | None:
    """The id of the shop with this name; None if there is none."""
    return connection.execute(select(Shop.id).where(Shop.name == name)).scalar()


def shop_names(connection: Connection) -> list[str]:
    """The names of all shops, sorted."""
    return list(connection.execute(select(Shop.name).order_by(Shop.name)).scalars())


def ensure_shop(connection: Connection, name: str, url: str | None = None) -> int:
    """The id of the shop with this name, added if it is new; several workers may do so at the same time.

    `url` becomes its URL if it has none yet.
    """
    id_ = shop_id(connection, name)
    if id_ is None:
        id_ = _add_shop(connection, name)
    if url:
        connection.execute(update(Shop).where(Shop.id == id_, Shop.url.is_(None)).values(url=storable(url)))
    return id_


def _add_shop(connection: Connection, name: str) -> int:
    row = {"name": check_shop_name(name), "added_at": now()}
    upsert(connection, Shop, [row], key=["name"])
    return connection.execute(select(Shop.id).where(Shop.name == name)).scalar_one()


def add_or_update_shop(connection: Connection, name: str, values: dict[str, Any]) -> bool:
    """Add the shop, or change those of its values that are not None; True if it is new."""
    is_new = shop_id(connection, name) is None
    given = {key: value for key, value in values.items() if value is not None}
    id_ = ensure_shop(connection, name)
    if given:
        connection.execute(update(Shop).where(Shop.id == id_).values(**given))
    return is_new


def pause_shops(connection: Connection, names: Iterable[str], *, is_paused: bool) -> None:
    """Leave these shops alone, or no longer."""
    paused_at = now() if is_paused else None
    connection.execute(update(Shop).where(Shop.name.in_(names)).values(paused_at=paused_at))


def remove_shop(connection: Connection, name: str) -> bool:
    """Remove the shop and all that belongs to it; False if there is none."""
    return bool(connection.execute(delete(Shop).where(Shop.name == name)).rowcount)


def shop_statuses(connection: Connection, name: str | None = None) -> list[ShopStatus]:
    """The status of all shops, or of the one with this name, sorted; seven queries, however many shops there are."""
    chosen = select(Shop.id).where(Shop.name == name) if name is not None else select(Shop.id)
    offers, known, matched, accepted = (_counts_by_shop(connection, query, chosen) for query in _COUNTS)
    trying = _trying_since(connection, chosen)
    refreshes = {row.shop_id: row for row in connection.execute(_newest_crawls(PRICES_SPIDER))}
    last = _newest_crawls(SHOP_SPIDER).subquery()
    query = select(Shop.__table__, last.c.started_at, last.c.finished_at, last.c.reason)
    query = query.outerjoin(last, last.c.shop_id == Shop.id).where(Shop.id.in_(chosen)).order_by(Shop.name)
    return [
        ShopStatus(
            name=row.name,
            url=row.url,
            interval=timedelta(seconds=row.interval_seconds) if row.interval_seconds else None,
            added_at=row.added_at,
            last_started=row.started_at,
            last_finished=row.finished_at,
            last_reason=row.reason,
            trying_since=trying.get(row.id),
            offers=offers.get(row.id, 0),
            known=known.get(row.id, 0),
            matched=matched.get(row.id, 0),
            accepted=accepted.get(row.id, 0),
            is_paused=row.paused_at is not None,
            quiet_hours=row.quiet_hours or None,
            limits=row.limits or {},
            refresh=timedelta(seconds=row.refresh_seconds) if row.refresh_seconds else None,
            last_refresh=_last_refresh(refreshes.get(row.id)),
        )
        for row in connection.execute(query)
    ]


def _newest_crawls(spider: str) -> Select[Any, Any, Any, Any]:
    """The newest crawl of this spider of every shop."""
    newest = select(func.max(Crawl.id)).where(Crawl.spider == spider).group_by(Crawl.shop_id)
    return select(Crawl.shop_id, Crawl.started_at, Crawl.finished_at, Crawl.reason).where(Crawl.id.in_(newest))


def _last_refresh(row: Row[Any, Any, Any, Any] | None) -> LastRefresh | None:
    return None if row is None else LastRefresh(row.started_at, row.finished_at, row.reason)


_COMPLETE = last_complete_crawls()
_PRESENT = (
    select(StoredOffer.shop_id, func.count(StoredOffer.id.distinct()).label("count_"))
    .outerjoin(_COMPLETE, _COMPLETE.c.shop_id == StoredOffer.shop_id)
    .where(~is_gone_from_its_shop(func.coalesce(_COMPLETE.c.id, 0)))
)
_COUNTS = (
    _PRESENT,
    select(KnownOffer.shop_id, func.count().label("count_")),
    _PRESENT.join(StoredMatch, StoredMatch.offer_id == StoredOffer.id),
    _PRESENT.join(AcceptedMissing, AcceptedMissing.offer_id == StoredOffer.id).where(
        ~select(StoredMatch.id).where(StoredMatch.offer_id == StoredOffer.id).exists()
    ),
)


def _trying_since(connection: Connection, shops: Select[Any]) -> dict[int, datetime]:
    """When the first crawl after the last complete one of each of these shops began."""
    query = select(Crawl.shop_id, func.min(Crawl.started_at).label("began")).where(Crawl.spider == SHOP_SPIDER)
    query = query.outerjoin(_COMPLETE, _COMPLETE.c.shop_id == Crawl.shop_id)
    query = query.where(Crawl.id > func.coalesce(_COMPLETE.c.id, 0), Crawl.shop_id.in_(shops))
    return {row.shop_id: row.began for row in connection.execute(query.group_by(Crawl.shop_id))}


def _counts_by_shop(connection: Connection, query: Select[Any, Any], shops: Select[Any]) -> dict[int, int]:
    shop = query.selected_columns[0]
    rows = connection.execute(query.where(shop.in_(shops)).group_by(shop))
    return {row.shop_id: row.count_ for row in rows}
