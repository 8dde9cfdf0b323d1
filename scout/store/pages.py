"""Visited pages: one row each, with the text if pages are kept, or while a product on it waits for the shop's rules."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, Table, Text, bindparam, delete, func, select, update

from scout.items import Visit, anonymous_knowledge
from scout.kept_page import KeptPage
from scout.store.identity import digest
from scout.store.models import Shop, VisitedPage
from scout.store.upsert import upsert
from scout.values.storable import storable

PAGE_BATCH = 20  # a page may have megabytes
_PAGES = cast("Table", VisitedPage.__table__)
VISIT_COLUMNS = ("crawl_id", "level", "referer", "status", "fetched_at", "digest", "body", "headers", "known")


@dataclass(frozen=True)
class StoredPage:
    """A stored page that can replace a response: its text, ETag and Last-Modified, and the crawl that fetched it."""

    html: str
    headers: Mapping[str, str]
    crawl: int | None


def visit_row(visit: Visit, shop: int, crawl: int | None) -> dict[str, Any]:
    """The row of a visit."""
    return {
        "shop_id": shop,
        "crawl_id": crawl,
        "key": digest(visit.url),
        "url": storable(visit.url),
        "level": visit.level,
        "referer": storable(visit.referer),
        "status": visit.status,
        "fetched_at": visit.at,
        "digest": visit.digest,
        "body": None if visit.html is None else zlib.compress(visit.html.encode(errors="replace")),
        "headers": storable(visit.headers),
        "known": storable(visit.known),
    }


def save_visits(connection: Connection, shop: int, visits: Iterable[Visit], crawl: int | None) -> None:
    """Store pages without an offer, or whose offer is not stored yet. The column `known` of an existing row stays."""
    rows = [visit_row(visit, shop, crawl) for visit in visits]
    rows.sort(key=lambda row: row["key"])  # one order for all workers avoids deadlocks
    columns = [name for name in VISIT_COLUMNS if name != "known"]
    upsert(connection, VisitedPage, rows, key=("shop_id", "key"), update=columns)


def stored_page(connection: Connection, shop: int, url: str) -> StoredPage | None:
    """The page at this URL, if it can replace a response."""
    query = select(VisitedPage.body, VisitedPage.headers, VisitedPage.crawl_id)
    row = connection.execute(query.where(VisitedPage.shop_id == shop, VisitedPage.key == digest(url))).first()
    if row is None or row.body is None or row.headers is None:
        return None
    return StoredPage(zlib.decompress(row.body).decode(), row.headers, row.crawl_id)


def delete_page_texts(connection: Connection, crawl: int) -> None:
    """Delete the texts that this crawl stored while pages waited for rules, and the rows of pages without an offer."""
    of_crawl = VisitedPage.crawl_id == crawl
    connection.execute(delete(VisitedPage).where(of_crawl, VisitedPage.offer_id.is_(None)))
    with_text = update(VisitedPage).where(of_crawl, VisitedPage.body.is_not(None))
    connection.execute(with_text.values(body=None, headers=None))


def forget_waiting_texts(connection: Connection, crawl: int, urls: Any) -> None:
    """Forget the texts of these pages (a query of their URLs) that only waited for rules: they are to be fetched again."""
    waiting = update(VisitedPage).where(VisitedPage.crawl_id == crawl, VisitedPage.offer_id.is_(None))
    connection.execute(waiting.where(VisitedPage.url.in_(urls)).values(body=None, headers=None))


def forget_review_authors(connection: Connection, before: datetime) -> None:
    """Remove the reviewers' names from the column `known` of pages last fetched before then."""
    query = select(VisitedPage.id, VisitedPage.known).where(
        VisitedPage.fetched_at < before, VisitedPage.known.cast(Text).contains('"author"')
    )
    rows = connection.execute(query).all()
    nameless = [{"page": row.id, "known": anonymous_knowledge(row.known)} for row in rows]
    if nameless:
        connection.execute(update(_PAGES).where(VisitedPage.id == bindparam("page")), nameless)


def page_counts(connection: Connection) -> dict[str, tuple[int, int]]:
    """For each shop with kept product pages: their number, and the bytes they take in the database."""
    size = func.sum(func.length(VisitedPage.body))
    query = select(Shop.name, func.count(VisitedPage.id), size).join(Shop, Shop.id == VisitedPage.shop_id)
    query = query.where(*_HAS_PRODUCT_TEXT).group_by(Shop.name).order_by(Shop.name)
    return {name: (count, int(size)) for name, count, size in connection.execute(query)}


def has_page_texts(connection: Connection, shop: int) -> bool:
    """Whether the text of any page of the shop is stored."""
    query = select(VisitedPage.id).where(VisitedPage.shop_id == shop, VisitedPage.body.is_not(None)).limit(1)
    return connection.execute(query).first() is not None


def kept_pages(connection: Connection, shop: int, name: str) -> Iterator[KeptPage]:
    """The shop's product pages that have a stored text, those of one product together, read in batches."""
    last = (0, 0)
    columns = (VisitedPage.id, VisitedPage.offer_id, VisitedPage.url, VisitedPage.body, VisitedPage.level)
    place = (VisitedPage.offer_id, VisitedPage.id)
    while True:
        query = select(*columns, VisitedPage.fetched_at, VisitedPage.known).where(VisitedPage.shop_id == shop)
        offer, page = last
        after = (VisitedPage.offer_id > offer) | ((VisitedPage.offer_id == offer) & (VisitedPage.id > page))
        rows = connection.execute(query.where(*_HAS_PRODUCT_TEXT, after).order_by(*place).limit(PAGE_BATCH)).all()
        for row in rows:
            html = zlib.decompress(row.body).decode()
            yield KeptPage(row.url, html, name, row.level or "detail", row.fetched_at, row.known or {})
        if not rows:
            return
        last = (rows[-1].offer_id, rows[-1].id)


_HAS_PRODUCT_TEXT = (VisitedPage.body.is_not(None), VisitedPage.offer_id.is_not(None))
