"""What changed in a shop from one complete crawl to the next: new, gone, back, price, stock.

Both sides must have been seen: the earlier one by a complete crawl, the later one by the complete crawl that has just ended. What
an incomplete or failed crawl has read becomes a change only when a complete one confirms it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, or_, select, update

from scout.store.batched import batched
from scout.store.columns import now
from scout.store.crawls import COMPLETE, SHOP_SPIDER
from scout.store.models import Crawl, OfferChange, PriceChange, Shop, StoredOffer
from scout.store.presence import is_gone
from scout.store.upsert import BATCH, upsert

NEW, GONE, BACK, PRICE, STOCK = KINDS = ("new", "gone", "back", "price", "stock")
_PRESENCE = (NEW, GONE, BACK)


@dataclass(frozen=True)
class ChangeRecord:
    """One change of one offer; `before` and `after` hold the values and the time at which each was seen."""

    id: int
    shop: str
    kind: str
    at: datetime
    url: str
    title: str | None
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    crawl: int

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**vars(self), "at": self.at.isoformat(timespec="seconds")}


class _Seen(NamedTuple):
    """The value of a field at a time."""

    at: datetime
    values: tuple[Any, ...]


# --- writing --------------------------------------------------------------------------------------------------------------


def record_changes(connection: Connection, crawl: int) -> int:
    """Write down what this crawl, which is complete, found changed; how much. Not to be called for any other crawl."""
    row = connection.execute(select(Crawl.shop_id, Crawl.spider).where(Crawl.id == crawl)).one()
    last = _last_whole_crawl(connection, row.shop_id, crawl)
    if last is None:
        return 0
    book = _ChangeBook(connection, row.shop_id, crawl)
    changes = [*book.values(PRICE, _price), *book.values(STOCK, _stock), *book.new(last.finished_at), *book.back()]
    if row.spider == SHOP_SPIDER:  # only who looked everywhere can miss something
        changes += book.gone(last.id)
    for some in batched(changes, BATCH):
        upsert(connection, OfferChange, some, key=("offer_id", "crawl_id", "kind"))
    return len(changes)


def _last_whole_crawl(connection: Connection, shop: int, before: int) -> Any:
    """The complete crawl of the whole shop before this one: without it there is nothing to compare with."""
    query = select(Crawl.id, Crawl.finished_at).where(Crawl.shop_id == shop, Crawl.id < before)
    query = query.where(Crawl.spider == SHOP_SPIDER, Crawl.reason == COMPLETE)
    return connection.execute(query.order_by(Crawl.id.desc()).limit(1)).first()


def _price(row: Any) -> tuple[Any, ...] | None:
    return None if row.price is None or row.currency is None else (row.price, row.currency)


def _stock(row: Any) -> tuple[Any, ...] | None:
    return None if row.availability is None else (row.availability,)


_FIELDS = {PRICE: ("price", "currency"), STOCK: ("availability",)}


class _ChangeBook:
    """The changes that one complete crawl shows."""

    def __init__(self, connection: Connection, shop: int, crawl: int) -> None:
        self._connection, self._shop, self._crawl, self._at = connection, shop, crawl, now()

    def values(self, kind: str, of: Any) -> Iterator[dict[str, Any]]:
        """Offers of this crawl whose value is another than the last one that a complete crawl saw, or that was reported."""
        for some in batched(self._repriced(), BATCH):
            offers = self._connection.execute(select(StoredOffer.__table__).where(StoredOffer.id.in_(some))).all()
            earlier = self._earlier(kind, some, of)
            for offer in offers:
                before, after = earlier.get(offer.id), of(offer)
                if before is None or after is None or before.values == after:
                    continue
                if kind == PRICE and before.values[1] != after[1]:
                    continue  # amounts in two currencies are no change of price
                names = _FIELDS[kind]
                yield self._row(offer, kind, _said(names, before.values, before.at), self._now(offer, names))

    def new(self, since: datetime) -> Iterator[dict[str, Any]]:
        """Offers of this crawl that no crawl had seen when the last complete one ended."""
        known = select(OfferChange.offer_id).where(OfferChange.kind == NEW, OfferChange.shop_id == self._shop)
        query = self._own().where(StoredOffer.first_seen > since, StoredOffer.id.not_in(known))
        for offer in self._connection.execute(query):
            yield self._row(offer, NEW, None, self._now(offer))

    def back(self) -> Iterator[dict[str, Any]]:
        """Offers of this crawl of which the last thing that was said is that they are gone."""
        newest = select(func.max(OfferChange.id)).where(
            OfferChange.shop_id == self._shop, OfferChange.kind.in_(_PRESENCE)
        )
        is_gone_event = select(OfferChange.offer_id, OfferChange.before).where(
            OfferChange.id.in_(newest.group_by(OfferChange.offer_id)), OfferChange.kind == GONE
        )
        gone = {row.offer_id: row.before for row in self._connection.execute(is_gone_event)}
        for some in batched(gone, BATCH):
            for offer in self._connection.execute(self._own().where(StoredOffer.id.in_(some))):
                yield self._row(offer, BACK, gone[offer.id], self._now(offer))

    def gone(self, last: int) -> Iterator[dict[str, Any]]:
        """Offers that the last complete crawl, or one since, has seen, and that this one says are gone."""
        query = select(StoredOffer.__table__).where(StoredOffer.shop_id == self._shop, StoredOffer.crawl_id >= last)
        for offer in self._connection.execute(query.where(is_gone(self._shop))):
            seen = _said((*_FIELDS[PRICE], *_FIELDS[STOCK]), (offer.price, offer.currency, offer.availability))
            yield self._row(offer, GONE, {**seen, "at": offer.last_seen.isoformat()}, None)

    def _own(self) -> Select[Any]:
        return select(StoredOffer.__table__).where(StoredOffer.crawl_id == self._crawl)

    def _repriced(self) -> Sequence[int]:
        """Offers of this crawl with more than one row of history: no other one can have changed."""
        query = select(PriceChange.offer_id).join(StoredOffer, StoredOffer.id == PriceChange.offer_id)
        query = query.where(StoredOffer.crawl_id == self._crawl).group_by(PriceChange.offer_id)
        return self._connection.execute(query.having(func.count() > 1)).scalars().all()

    def _earlier(self, kind: str, offers: Sequence[int], of: Any) -> dict[int, _Seen]:
        """For each offer: its last value in a complete crawl before this one, or, if that is later, in the last change of it.

        Kept pages that were extracted again count too: then it was the reading that changed, and not the shop.
        """
        seen: dict[int, _Seen] = {}
        history = select(PriceChange.__table__).outerjoin(Crawl, Crawl.id == PriceChange.crawl_id)
        history = history.where(PriceChange.offer_id.in_(offers), or_(Crawl.id.is_(None), Crawl.reason == COMPLETE))
        history = history.where(func.coalesce(PriceChange.crawl_id, 0) != self._crawl).order_by(PriceChange.id)
        for row in self._connection.execute(history):
            if (values := of(row)) is not None:
                seen[row.offer_id] = _Seen(row.at, values)
        said = select(OfferChange.__table__).where(OfferChange.offer_id.in_(offers), OfferChange.kind == kind)
        for row in self._connection.execute(said.where(OfferChange.crawl_id != self._crawl).order_by(OfferChange.id)):
            if row.offer_id not in seen or seen[row.offer_id].at < row.at:
                seen[row.offer_id] = _Seen(row.at, tuple(_parsed(name, row.after[name]) for name in _FIELDS[kind]))
        return seen

    def _now(self, offer: Any, names: Sequence[str] = (*_FIELDS[PRICE], *_FIELDS[STOCK])) -> dict[str, Any]:
        return _said(names, [getattr(offer, name) for name in names], offer.last_seen)

    def _row(self, offer: Any, kind: str, before: Any, after: Any) -> dict[str, Any]:
        own = {"shop_id": self._shop, "offer_id": offer.id, "crawl_id": self._crawl, "at": self._at}
        return {**own, "kind": kind, "before": before, "after": after}


def _said(names: Iterable[str], values: Iterable[Any], at: datetime | None = None) -> dict[str, Any]:
    """Values as JSON has them; amounts are exact, as text."""
    said = {n: format(v, "f") if isinstance(v, Decimal) else v for n, v in zip(names, values, strict=True)}
    return said if at is None else {**said, "at": at.isoformat()}


def _parsed(name: str, value: Any) -> Any:
    return Decimal(value) if name == "price" and value is not None else value


# --- reading --------------------------------------------------------------------------------------------------------------


def read_changes(
    connection: Connection, shop: int | None, since: datetime | None, kinds: Sequence[str] = KINDS
) -> Iterator[ChangeRecord]:
    """The changes of a shop, or of all shops, newest first."""
    query = _records().where(OfferChange.kind.in_(kinds)).order_by(OfferChange.id.desc())
    query = query if shop is None else query.where(OfferChange.shop_id == shop)
    query = query if since is None else query.where(OfferChange.at >= since)
    return _read(connection, query)


def unsettled_changes(connection: Connection, shop: int) -> list[ChangeRecord]:
    """What no webhook has received yet, oldest first."""
    query = _records().where(OfferChange.shop_id == shop, OfferChange.settled_at.is_(None))
    return list(_read(connection, query.order_by(OfferChange.id)))


def settle_changes(connection: Connection, ids: Iterable[int]) -> None:
    """These need not be sent any more."""
    for some in batched(ids, BATCH):
        connection.execute(update(OfferChange).where(OfferChange.id.in_(some)).values(settled_at=now()))


def _records() -> Select[Any]:
    columns = (OfferChange.id, Shop.name, OfferChange.kind, OfferChange.at, StoredOffer.url, StoredOffer.title)
    query = select(*columns, OfferChange.before, OfferChange.after, OfferChange.crawl_id)
    return query.join(Shop, Shop.id == OfferChange.shop_id).join(StoredOffer, StoredOffer.id == OfferChange.offer_id)


def _read(connection: Connection, query: Select[Any]) -> Iterator[ChangeRecord]:
    return (ChangeRecord(*row) for row in connection.execute(query))
