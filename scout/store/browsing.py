"""Looking through what is stored, a screen at a time: offers found, filtered and sorted; one offer; its pages.

A screen continues after the last row of the one before (a keyset), so that the last screen of 100,000 offers costs what the first does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Connection, Float, Select, and_, cast, func, or_, select

from scout.kept_page import KeptPage
from scout.store.models import OfferAddress, PriceChange, Shop, StoredOffer, VisitedPage
from scout.store.pages import read_text

MAX_COUNT = 10_000  # found offers that are counted: nobody looks through more
WITH, WITHOUT = "with", "without"  # of prices
_SEARCHED = (StoredOffer.title, StoredOffer.brand, StoredOffer.sku, StoredOffer.ean, StoredOffer.han, StoredOffer.url)
_NO_PRICE = -1.0  # sorts before every price
_SORTS: dict[str, Any] = {
    "title": func.coalesce(StoredOffer.title, ""),
    "price": func.coalesce(cast(StoredOffer.price, Float), _NO_PRICE),
    "changed": StoredOffer.changed_at,
    "added": StoredOffer.id,
}
SORTS = tuple(_SORTS)


@dataclass(frozen=True)
class OfferFilter:
    """Which offers, in which order. `text` is found anywhere in title, brand, numbers or address, every word of it."""

    text: str = ""
    shop: str = ""
    availability: str = ""
    price: str = ""  # WITH, WITHOUT or empty
    sort: str = "added"
    descending: bool = True

    def conditions(self, connection: Connection) -> list[ColumnElement[bool]]:
        """What every row meets."""
        # SQLite's LIKE knows no case among Latin letters, and is three times as fast as comparing lower(), which knows no others either
        is_sqlite = connection.dialect.name == "sqlite"
        found: list[ColumnElement[bool]] = []
        for word in self.text.split():
            pattern = _pattern(word)
            likes = (c.like(pattern, "/") if is_sqlite else c.ilike(pattern, "/") for c in _SEARCHED)
            found.append(or_(*likes))
        if self.shop:
            found.append(StoredOffer.shop_id == select(Shop.id).where(Shop.name == self.shop).scalar_subquery())
        if self.availability:
            found.append(StoredOffer.availability == self.availability)
        if self.price in (WITH, WITHOUT):
            found.append(StoredOffer.price.is_not(None) if self.price == WITH else StoredOffer.price.is_(None))
        return found


@dataclass(frozen=True)
class ListedOffer:
    """A row of the list of offers. `key` is its place in the order, for the next screen."""

    id: int
    shop: str
    url: str
    title: str | None
    brand: str | None
    price: Decimal | None
    currency: str | None
    availability: str | None
    last_seen: datetime
    key: str


def listed_offers(
    connection: Connection, wanted: OfferFilter, after: tuple[str, int] | None, limit: int
) -> list[ListedOffer]:
    """The next rows after the one with this key and id."""
    order = _SORTS[wanted.sort]
    columns = ("id", "url", "title", "brand", "price", "currency", "availability", "last_seen")
    query = select(
        *(getattr(StoredOffer, name) for name in columns), Shop.name.label("shop"), order.label("place")
    ).join(Shop, Shop.id == StoredOffer.shop_id)
    query = query.where(*wanted.conditions(connection))
    if after is not None:
        query = query.where(_is_after(wanted, _place(wanted.sort, after[0]), after[1]))
    ways = (order.desc(), StoredOffer.id.desc()) if wanted.descending else (order, StoredOffer.id)
    rows = connection.execute(query.order_by(*ways).limit(limit))
    return [ListedOffer(**{n: getattr(row, n) for n in (*columns, "shop")}, key=_key(row.place)) for row in rows]


def count_offers(connection: Connection, wanted: OfferFilter) -> int:
    """How many offers there are, counted up to MAX_COUNT + 1."""
    conditions = wanted.conditions(connection)
    query = select(StoredOffer.id).where(*conditions)
    counted = select(func.count()).select_from((query.limit(MAX_COUNT + 1) if conditions else query).subquery())
    return connection.execute(counted).scalar_one()


def _pattern(word: str) -> str:
    """What LIKE takes for a text that has the word anywhere."""
    for sign in "/%_":
        word = word.replace(sign, f"/{sign}")
    return f"%{word}%"


def _key(place: Any) -> str:
    return place.isoformat() if isinstance(place, datetime) else str(place)


def _place(sort: str, key: str) -> Any:
    """The value that `_key` wrote. ValueError if it is none."""
    kinds: dict[str, Any] = {"price": float, "changed": datetime.fromisoformat, "added": int}
    return kinds.get(sort, str)(key)


def _is_after(wanted: OfferFilter, place: Any, id_: int) -> ColumnElement[bool]:
    order = _SORTS[wanted.sort]
    if wanted.descending:
        return or_(order < place, and_(order == place, StoredOffer.id < id_))
    return or_(order > place, and_(order == place, StoredOffer.id > id_))


@dataclass(frozen=True)
class PagePointer:
    """A page of an offer: its id, its address, when it was fetched, and whether its text is kept."""

    id: int
    url: str
    fetched_at: datetime
    is_kept: bool


def pages_of_offer(connection: Connection, offer: int) -> list[PagePointer]:
    """The pages that an offer was read from, the newest first."""
    has_text = VisitedPage.body.is_not(None).label("has_text")
    query = select(VisitedPage.id, VisitedPage.url, VisitedPage.fetched_at, has_text, VisitedPage.digest)
    rows = connection.execute(
        query.where(VisitedPage.offer_id == offer).order_by(VisitedPage.fetched_at.desc(), VisitedPage.id)
    ).all()
    return [PagePointer(row.id, row.url, row.fetched_at, bool(row.has_text)) for row in rows]


def price_changes(connection: Connection, offer: int) -> Sequence[Any]:
    """When the price, currency or availability of an offer changed, oldest first: at, price, currency, availability."""
    query = select(PriceChange.at, PriceChange.price, PriceChange.currency, PriceChange.availability)
    return connection.execute(query.where(PriceChange.offer_id == offer).order_by(PriceChange.id)).all()


def addresses_of_offer(connection: Connection, offer: int) -> list[str]:
    """All addresses of an offer, in the order in which they were met."""
    query = select(OfferAddress.url).where(OfferAddress.offer_id == offer).order_by(OfferAddress.id)
    return list(connection.execute(query).scalars())


@dataclass(frozen=True)
class StudiedPage:
    """A kept page with its place in the database: its id, and the offer that was read from it."""

    id: int
    offer: int | None
    page: KeptPage


def studied_page(connection: Connection, page: int) -> StudiedPage | None:
    """The kept page with this id; None where there is none, or its text is not kept."""
    query = _texts().where(VisitedPage.id == page)
    row = connection.execute(query).first()
    return None if row is None else _studied(row)


def listed_pages(connection: Connection, shop: str, after: int, limit: int) -> list[tuple[int, str, str | None]]:
    """Kept pages of a shop after this id: id, address, level."""
    query = select(VisitedPage.id, VisitedPage.url, VisitedPage.level).join(Shop, Shop.id == VisitedPage.shop_id)
    query = query.where(Shop.name == shop, VisitedPage.body.is_not(None), VisitedPage.id > after)
    return [(row.id, row.url, row.level) for row in connection.execute(query.order_by(VisitedPage.id).limit(limit))]


def kept_page_ids(connection: Connection, shop: str, urls: Iterable[str]) -> dict[str, int]:
    """Address -> id of those of these pages whose text is kept."""
    query = select(VisitedPage.url, VisitedPage.id).join(Shop, Shop.id == VisitedPage.shop_id)
    query = query.where(Shop.name == shop, VisitedPage.body.is_not(None), VisitedPage.url.in_(list(urls)))
    return {row.url: row.id for row in connection.execute(query)}


def kept_levels(connection: Connection, shop: str, urls: Iterable[str]) -> dict[str, int]:
    """What the last crawl took these pages for, with the number of each; "offer" counts those that gave one."""
    query = select(VisitedPage.level, func.count().label("count_"), func.count(VisitedPage.offer_id).label("offers"))
    query = query.join(Shop, Shop.id == VisitedPage.shop_id).where(Shop.name == shop, VisitedPage.url.in_(list(urls)))
    rows = connection.execute(query.group_by(VisitedPage.level)).all()
    return {**{row.level or "other": row.count_ for row in rows}, "offer": sum(row.offers for row in rows)}


def product_page_ids(connection: Connection, shop: str) -> list[int]:
    """The ids of all kept product pages of a shop."""
    query = select(VisitedPage.id).join(Shop, Shop.id == VisitedPage.shop_id).where(Shop.name == shop)
    query = query.where(VisitedPage.body.is_not(None), VisitedPage.offer_id.is_not(None))
    return list(connection.execute(query.order_by(VisitedPage.id)).scalars())


def studied_pages(connection: Connection, ids: Sequence[int]) -> list[StudiedPage]:
    """The kept pages with these ids, by id."""
    query = _texts().where(VisitedPage.id.in_(ids)).order_by(VisitedPage.id)
    return [_studied(row) for row in connection.execute(query)]


def _texts() -> Select[Any]:
    columns = ("id", "offer_id", "url", "body", "level", "fetched_at", "known")
    query = select(*(getattr(VisitedPage, name) for name in columns), Shop.name.label("shop"))
    return query.join(Shop, Shop.id == VisitedPage.shop_id).where(VisitedPage.body.is_not(None))


def _studied(row: Any) -> StudiedPage:
    page = KeptPage(row.url, read_text(row.body), row.shop, row.level or "detail", row.fetched_at, row.known or {})
    return StudiedPage(row.id, row.offer_id, page)
