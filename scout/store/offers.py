"""Writing and reading offers: one row per shop and product, updated in batches, with its history, parts and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, bindparam, delete, insert, select, update

from scout.fields import CATEGORY_STEP
from scout.offer import Evidence, Offer
from scout.store.categories import category_ids, category_path
from scout.store.columns import now
from scout.store.crawls import last_complete
from scout.store.identity import BatchProduct, digest, merged, products, twin, united
from scout.store.models import (
    AcceptedMissing,
    Category,
    OfferAddress,
    PriceChange,
    Review,
    Shop,
    StoredOffer,
    VisitedPage,
)
from scout.store.pages import OF_VISIT, visit_row
from scout.store.parts import PARTS
from scout.store.texts import amount, storable
from scout.store.upsert import BATCH, upsert

TEXT_COLUMNS = ("canonical", "parent", "title", "description", "currency", "availability", "brand", "sku", "ean", "han")
ELSEWHERE = {"url", "urls", "shop", "price", "category"} | {*TEXT_COLUMNS, *PARTS}  # has a place; all else is `extra`
EVIDENCE_FIELDS = frozenset(entry.name for entry in fields(Evidence))
PRICE_COLUMNS = ("price", "currency", "availability")  # a change in one of them is history

_OFFERS = cast("Table", StoredOffer.__table__)


@dataclass(frozen=True)
class Saved:
    """What a saving did: products that were new, changed or unchanged since an earlier crawl, and those met again in this one."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    again: int = 0

    def __add__(self, other: Saved) -> Saved:
        return Saved(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))


class OfferRecord(Offer):
    """An offer as the database has it: also its id, when it was first and last seen, and in which crawl."""

    id: int
    first_seen: datetime
    last_seen: datetime
    crawl: int | None


# --- writing ------------------------------------------------------------------------------------------------------------------


def save_offers(connection: Connection, shop: int, offers: Sequence[Offer], crawl: int | None) -> Saved:
    """Insert or update one batch in the present transaction. A second writer of the same shop waits until it ends."""
    connection.execute(select(Shop.id).where(Shop.id == shop).with_for_update(key_share=True))
    return _Saving(connection, shop, crawl).save(offers)


class _Saving:
    """One batch on its way into the tables."""

    def __init__(self, connection: Connection, shop: int, crawl: int | None) -> None:
        self.connection, self.shop, self.crawl, self.at = connection, shop, crawl, now()

    def save(self, offers: Sequence[Offer]) -> Saved:
        stored = self._stored(products(offers))
        self._fill_from_this_crawl(stored)
        found = [product for product, _ in stored]
        rows = self._rows(found)
        new = [(product, row) for (product, old), row in zip(stored, rows, strict=True) if old is None]
        old = [(product, row, was) for (product, was), row in zip(stored, rows, strict=True) if was is not None]
        changed = [(product, row, was) for product, row, was in old if row["digest"] != was.digest]
        ids = self._insert(new) | {id(product): was.id for product, _, was in old}
        self._update(changed)
        self._mark_seen([was.id for _, _, was in old])
        self._add_addresses(found, ids)
        self._add_history(new, changed, ids)
        written = [*(product for product, _ in new), *(product for product, _, _ in changed)]
        self._replace_parts(written, ids, outdated=[was.id for _, _, was in changed])
        self._save_visits(found, ids)
        first = [(row, was) for _, row, was in old if not self._is_of_this_crawl(was)]
        unchanged = sum(row["digest"] == was.digest for row, was in first)
        return Saved(len(new), len(first) - unchanged, unchanged, len(offers) - len(new) - len(first))

    def _is_of_this_crawl(self, row: Row[Any]) -> bool:
        return self.crawl is not None and row.crawl_id == self.crawl

    def _stored(self, found: list[BatchProduct]) -> list[tuple[BatchProduct, Row[Any] | None]]:
        """Each product with its row, if it has one. Two rows that turn out to be one product become one."""
        columns = (
            StoredOffer.id,
            StoredOffer.digest,
            StoredOffer.crawl_id,
            *(StoredOffer.__table__.c[c] for c in PRICE_COLUMNS),
        )
        by_address = select(OfferAddress.key.label("token"), *columns).where(
            OfferAddress.offer_id == StoredOffer.id,
            OfferAddress.shop_id == self.shop,
            OfferAddress.key.in_([key for product in found for key in product.keys]),
        )
        by_twin = select(StoredOffer.twin.label("token"), *columns).where(
            StoredOffer.shop_id == self.shop,
            StoredOffer.crawl_id == self.crawl,  # twins are told by what they say now
            StoredOffer.twin.in_([key for product in found for key in product.twins]),
        )
        rows = {row.token: row for query in (by_twin, by_address) for row in self.connection.execute(query)}

        def known(product: BatchProduct) -> dict[int, Row[Any]]:
            return {rows[token].id: rows[token] for token in (*product.keys, *product.twins) if token in rows}

        return [(product, self._one_row(known(product))) for product in united(found, known)]

    def _one_row(self, rows: dict[int, Row[Any]]) -> Row[Any] | None:
        if not rows:
            return None
        oldest = min(rows)
        others = rows.keys() - {oldest}
        if others:
            for model in (OfferAddress, VisitedPage):
                self.connection.execute(update(model).where(model.offer_id.in_(others)).values(offer_id=oldest))
            self._keep_acceptance(oldest, others)
            self.connection.execute(delete(StoredOffer).where(StoredOffer.id.in_(others)))
        return rows[oldest]

    def _keep_acceptance(self, oldest: int, others: Set[int]) -> None:
        """What a person has said about one of the rows stays said."""
        said = select(AcceptedMissing.id, AcceptedMissing.offer_id).where(
            AcceptedMissing.offer_id.in_({oldest, *others})
        )
        rows = self.connection.execute(said).all()
        if rows and all(row.offer_id != oldest for row in rows):
            kept = update(AcceptedMissing).where(AcceptedMissing.id == rows[0].id)
            self.connection.execute(kept.values(offer_id=oldest))

    def _fill_from_this_crawl(self, stored: list[tuple[BatchProduct, Row[Any] | None]]) -> None:
        """A product met again in the same crawl keeps what only its earlier page said; a later crawl replaces everything."""
        again = {row.id: product for product, row in stored if row and self._is_of_this_crawl(row)}
        for record in records(self.connection, StoredOffer.id.in_(again)) if again else ():
            product = again[record.id]
            product.offer = merged(record, product.offer)

    def _rows(self, found: list[BatchProduct]) -> list[dict[str, Any]]:
        paths = [category_path(product.offer.get("category")) for product in found]
        ids = category_ids(self.connection, self.shop, filter(None, paths))
        return [self._row(product, ids.get(path)) for product, path in zip(found, paths, strict=True)]

    def _row(self, product: BatchProduct, category: int | None) -> dict[str, Any]:
        """The columns but for the evidence, which is long and only written where something has changed."""
        offer = product.offer
        price = amount(offer.get("price"))
        extra = {name: value for name, value in offer.items() if name not in ELSEWHERE}
        if price is None and offer.get("price") is not None:
            extra["price"] = offer["price"]  # not an amount, but not ours to lose
        return {
            **{name: storable(offer.get(name)) for name in TEXT_COLUMNS},
            "url": storable(offer["url"]),
            "price": price,
            "category_id": category,
            "twin": twin(offer),
            "extra": storable(extra),
            "digest": digest([_content(offer), {f: vars(e) for f, e in offer.evidence.items()}]),
        }

    def _insert(self, new: list[tuple[BatchProduct, dict[str, Any]]]) -> dict[int, int]:
        if not new:
            return {}
        seen = {"shop_id": self.shop, "first_seen": self.at, "last_seen": self.at, "changed_at": self.at}
        crawls = self._crawls_of([product.offer for product, _ in new])
        rows = [
            {**row, **seen, "crawl_id": crawl, "key": product.key, "evidence": _stored_evidence(product)}
            for (product, row), crawl in zip(new, crawls, strict=True)
        ]
        statement = insert(StoredOffer).returning(StoredOffer.id, sort_by_parameter_order=True)
        ids = self.connection.execute(statement, rows).scalars()
        return {id(product): id_ for (product, _), id_ in zip(new, ids, strict=True)}

    def _crawls_of(self, offers: list[Offer]) -> list[int | None]:
        """The crawl that each new offer counts for: this one. Without one, it is as present in the shop as its parent, or as what
        the last complete crawl has met: it was read from a kept page, and would else be taken for gone."""
        if self.crawl is not None:
            return [self.crawl] * len(offers)
        parents = [digest(str(offer.get("parent"))) for offer in offers]
        of_parents = select(OfferAddress.key, StoredOffer.crawl_id).where(
            OfferAddress.offer_id == StoredOffer.id, OfferAddress.shop_id == self.shop, OfferAddress.key.in_(parents)
        )
        known = {row.key: row.crawl_id for row in self.connection.execute(of_parents)}
        complete = self.connection.execute(select(last_complete(self.shop))).scalar()
        return [known.get(parent, complete) for parent in parents]

    def _update(self, changed: list[tuple[BatchProduct, dict[str, Any], Row[Any]]]) -> None:
        rows = [
            {**row, "changed_at": self.at, "offer": was.id, "evidence": _stored_evidence(product)}
            for product, row, was in changed
        ]
        for row in rows:
            del row["url"]  # its first address stays its own
        if rows:
            self.connection.execute(update(_OFFERS).where(StoredOffer.id == bindparam("offer")), rows)

    def _mark_seen(self, ids: list[int]) -> None:
        """Only a crawl has seen them in the shop; who reads kept pages anew has not."""
        if ids and self.crawl is not None:
            seen = update(StoredOffer).where(StoredOffer.id.in_(ids))
            self.connection.execute(seen.values(last_seen=self.at, crawl_id=self.crawl))

    def _add_addresses(self, found: list[BatchProduct], ids: dict[int, int]) -> None:
        rows = [
            {"shop_id": self.shop, "offer_id": ids[id(product)], "key": key, "url": storable(url)}
            for product in found
            for key, url in product.keys.items()
        ]
        upsert(self.connection, OfferAddress, rows, key=("shop_id", "key"))

    def _add_history(self, new: list[Any], changed: list[Any], ids: dict[int, int]) -> None:
        repriced = [(p, row) for p, row, was in changed if any(row[c] != getattr(was, c) for c in PRICE_COLUMNS)]
        rows = [
            {"offer_id": ids[id(product)], "crawl_id": self.crawl, "at": self.at, **{c: row[c] for c in PRICE_COLUMNS}}
            for product, row in (*new, *repriced)
        ]
        if rows:
            self.connection.execute(insert(PriceChange), rows)

    def _replace_parts(self, written: list[BatchProduct], ids: dict[int, int], outdated: list[int]) -> None:
        for name, part in PARTS.items():
            if outdated:
                self.connection.execute(delete(part.table).where(part.table.c.offer_id.in_(outdated)))
            rows = [
                {"offer_id": ids[id(product)], "position": position, **row}
                for product in written
                for position, row in enumerate(part.rows(product.offer.get(name) or ()))
            ]
            if rows:
                self.connection.execute(insert(part.table), rows)

    def _save_visits(self, found: list[BatchProduct], ids: dict[int, int]) -> None:
        rows = {
            digest(visit.url): visit_row(visit, self.shop, self.crawl) | {"offer_id": ids[id(product)]}
            for product in found
            for visit in product.visits
        }
        upsert(self.connection, VisitedPage, list(rows.values()), key=("shop_id", "key"), newer=(*OF_VISIT, "offer_id"))


def forget_review_authors(connection: Connection, before: datetime) -> int:
    """The names of reviewers go from offers that were last seen before then; the reviews stay."""
    stale = select(StoredOffer.id).where(StoredOffer.last_seen < before)
    named = update(Review).where(Review.author.is_not(None), Review.offer_id.in_(stale))
    return connection.execute(named.values(author=None)).rowcount


# --- reading ------------------------------------------------------------------------------------------------------------------


def records(connection: Connection, *conditions: Any) -> Iterator[OfferRecord]:
    """The offers for which all conditions hold, by id, read in batches: as many as there are, in little memory."""
    last = 0
    while True:
        query = select(_OFFERS, Shop.name.label("shop"), Category.path.label("category"))
        query = query.join(Shop, Shop.id == StoredOffer.shop_id).outerjoin(
            Category, Category.id == StoredOffer.category_id
        )
        query = query.where(StoredOffer.id > last, *conditions).order_by(StoredOffer.id).limit(BATCH)
        rows = connection.execute(query).all()
        if not rows:
            return
        yield from _with_parts(connection, rows)
        last = rows[-1].id


def _with_parts(connection: Connection, rows: Sequence[Row[Any]]) -> Iterator[OfferRecord]:
    found = {row.id: _record(row) for row in rows}
    addresses = (
        select(OfferAddress.offer_id, OfferAddress.url)
        .where(OfferAddress.offer_id.in_(found))
        .order_by(OfferAddress.id)
    )
    for offer, url in connection.execute(addresses):
        found[offer].setdefault("urls", []).append(url)
    for name, part in PARTS.items():
        table = part.table
        query = select(table).where(table.c.offer_id.in_(found)).order_by(table.c.offer_id, table.c.position)
        for row in connection.execute(query):
            found[row.offer_id].setdefault(name, []).append(part.value(row))
    yield from found.values()


def _stored_evidence(product: BatchProduct) -> dict[str, Any]:
    return {field: storable(evidence.as_dict()) for field, evidence in product.offer.evidence.items()}


def _content(offer: Offer) -> dict[str, Any]:
    """What makes an offer a changed one; its parts as their tables have them, which is more than the offer shows."""
    parts = {name: list(part.rows(offer[name])) for name, part in PARTS.items() if offer.get(name)}
    return {**{name: value for name, value in offer.items() if name != "urls"}, **parts}


def _record(row: Row[Any]) -> OfferRecord:
    values = {"url": row.url, "shop": row.shop, **{name: getattr(row, name) for name in TEXT_COLUMNS}}
    values["price"] = None if row.price is None else format(row.price, "f")
    values["category"] = CATEGORY_STEP.join(row.category) if row.category else None
    known = {name: value for name, value in values.items() if value is not None} | row.extra
    record = OfferRecord(known, evidence={field: _evidence(found) for field, found in row.evidence.items()})
    record.id, record.crawl, record.first_seen, record.last_seen = row.id, row.crawl_id, row.first_seen, row.last_seen
    return record


def _evidence(found: dict[str, Any]) -> Evidence:
    known = {
        name: value for name, value in found.items() if name in EVIDENCE_FIELDS
    }  # another version may have had others
    return Evidence(**{"selector": None, **known, "votes": tuple(found.get("votes", ()))})
