"""Visited pages: one row each, with the text if pages are kept, or while a product on it waits for the shop's rules."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, Table, Text, Update, bindparam, delete, func, select, update

from scout.items import Visit, anonymous_knowledge
from scout.kept_page import KeptPage
from scout.store.batched import batched
from scout.store.identity import digest
from scout.store.models import Review, Shop, VisitedPage
from scout.store.upsert import upsert
from scout.values.storable import storable

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PAGE_BATCH = 20  # a page may have megabytes
NEWEST = 100  # pages of a shop: where none of them has validators, the others need not be asked
PRUNE_BATCH = 500  # rows in one statement
MEGABYTE = 1_000_000
_ZSTD = b"\x28\xb5\x2f\xfd"  # how its data begins (RFC 8878); zlib wrote earlier ones
_PAGES = cast("Table", VisitedPage.__table__)
VISIT_COLUMNS = ("crawl_id", "level", "referer", "status", "fetched_at", "digest", "body", "headers", "known")


@dataclass(frozen=True)
class StoredPage:
    """A stored page that can replace a response: its text, ETag and Last-Modified, the crawl that fetched it, and when."""

    html: str
    headers: Mapping[str, str]
    crawl: int | None
    fetched_at: datetime


def visit_row(visit: Visit, shop: int, crawl: int | None) -> dict[str, Any]:
    """The row of a visit; its text is not compressed yet."""
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
        "body": visit.html,
        "headers": storable(visit.headers),
        "known": storable(visit.known),
    }


def save_visits(connection: Connection, shop: int, visits: Iterable[Visit], crawl: int | None) -> None:
    """Store pages without an offer, or whose offer is not stored yet. The column `known` of an existing row stays."""
    columns = [name for name in VISIT_COLUMNS if name != "known"]
    save_rows(connection, [visit_row(visit, shop, crawl) for visit in visits], columns)


def save_rows(connection: Connection, rows: Sequence[dict[str, Any]], columns: Sequence[str]) -> None:
    """Write rows of visits, each text once in its shop: what this or another page has already is neither compressed nor written."""
    owners = _text_owners(connection, rows)
    unchanged, others = [], []
    for row in sorted(rows, key=lambda row: row["key"]):  # one order for all workers avoids deadlocks
        text = row.pop("body")
        owner = None if text is None else owners.get(row["digest"])
        if owner == row["key"]:
            unchanged.append(row)
            continue
        others.append(row | {"body": None if text is None or owner else _compressed(text)})
        if text is not None:
            owners.setdefault(row["digest"], row["key"])
    upsert(connection, VisitedPage, others, key=("shop_id", "key"), update=columns)
    upsert(connection, VisitedPage, unchanged, key=("shop_id", "key"), update=[c for c in columns if c != "body"])


def _text_owners(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """For those texts that are stored: their digest, and the key of the page that has them."""
    digests = {row["digest"] for row in rows if row["body"] is not None}
    if not digests:
        return {}
    query = select(VisitedPage.digest, VisitedPage.key).where(VisitedPage.shop_id == rows[0]["shop_id"])
    stored = connection.execute(query.where(VisitedPage.digest.in_(digests), VisitedPage.body.is_not(None)))
    return {row.digest: row.key for row in stored}


def _compressed(text: str) -> bytes:
    return zstd.compress(text.encode(errors="replace"))


def read_text(body: bytes) -> str:
    """The text of a compressed page."""
    return (zstd.decompress(body) if body.startswith(_ZSTD) else zlib.decompress(body)).decode()


def stored_page(connection: Connection, shop: int, url: str) -> StoredPage | None:
    """The page at this URL, if it can replace a response."""
    query = select(VisitedPage.body, VisitedPage.headers, VisitedPage.crawl_id, VisitedPage.fetched_at)
    row = connection.execute(query.where(VisitedPage.shop_id == shop, VisitedPage.key == digest(url))).first()
    if row is None or row.body is None or row.headers is None:
        return None
    return StoredPage(read_text(row.body), row.headers, row.crawl_id, row.fetched_at)


def delete_page_texts(connection: Connection, crawl: int, *, only_waiting: bool = False) -> None:
    """Delete the texts that this crawl stored while pages waited for rules, and the rows of pages without an offer; or only the latter."""
    of_crawl = VisitedPage.crawl_id == crawl
    connection.execute(delete(VisitedPage).where(of_crawl, VisitedPage.offer_id.is_(None)))
    if not only_waiting:
        connection.execute(_delete_texts(of_crawl))


def forget_texts(connection: Connection, crawl: int, urls: Any) -> None:
    """Forget what this crawl fetched for these pages (a query of their URLs): they are to be fetched again."""
    connection.execute(_delete_texts(VisitedPage.crawl_id == crawl, VisitedPage.url.in_(urls)))


def _delete_texts(*conditions: Any) -> Update:
    return update(VisitedPage).where(VisitedPage.body.is_not(None), *conditions).values(body=None, headers=None)


def prune_pages(connection: Connection, budget: int, tolerance: float = 0.0) -> int:
    """Delete the texts that were fetched longest ago if all together have more bytes than the budget; returns how many.

    With a tolerance of 0.1, nothing is deleted up to 110 % of the budget.
    """
    size = func.length(VisitedPage.body)
    has_text = VisitedPage.body.is_not(None)
    excess = (connection.execute(select(func.sum(size)).where(has_text)).scalar_one() or 0) - budget
    if excess <= budget * tolerance:
        return 0
    oldest = select(VisitedPage.id, size.label("size")).where(has_text).order_by(VisitedPage.fetched_at, VisitedPage.id)
    doomed = []
    for row in connection.execute(oldest):
        if excess <= 0:
            break
        doomed.append(row.id)
        excess -= row.size
    for batch in batched(doomed, PRUNE_BATCH):
        connection.execute(_delete_texts(VisitedPage.id.in_(batch)))
    return len(doomed)


def forget_review_authors(connection: Connection, before: datetime) -> None:
    """Remove the names of reviewers from pages last fetched before then: in the column `known`, and the texts that show them."""
    is_old = VisitedPage.fetched_at < before
    named = select(Review.offer_id).where(Review.author.is_not(None))
    connection.execute(_delete_texts(is_old, VisitedPage.offer_id.in_(named)))
    query = select(VisitedPage.id, VisitedPage.known).where(is_old, VisitedPage.known.cast(Text).contains('"author"'))
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


def has_replacements(connection: Connection, shop: int, crawl: int | None) -> bool:
    """Whether a stored page may replace a response: `crawl` itself stored one, or the newest ones show that the shop sends validators."""
    stored = select(VisitedPage.headers).where(VisitedPage.shop_id == shop, VisitedPage.body.is_not(None))
    own = connection.execute(stored.where(VisitedPage.crawl_id == crawl).limit(1)).first()
    newest = connection.execute(stored.order_by(VisitedPage.id.desc()).limit(NEWEST)).scalars()
    return own is not None or any(newest)


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
            html = read_text(row.body)
            yield KeptPage(row.url, html, name, row.level or "detail", row.fetched_at, row.known or {})
        if not rows:
            return
        last = (rows[-1].offer_id, rows[-1].id)


_HAS_PRODUCT_TEXT = (VisitedPage.body.is_not(None), VisitedPage.offer_id.is_not(None))
