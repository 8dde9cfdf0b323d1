"""Writing and reading offers: one row per product of a shop, with its price history, parts and evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import astuple, dataclass, fields
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Any, cast

from sqlalchemy import Connection, Row, Table, bindparam, delete, insert, select, update

from scout.fields import CATEGORY_STEP, category_names
from scout.items import CrawledOffer
from scout.offer import Evidence, Offer
from scout.store.categories import category_ids
from scout.store.columns import now
from scout.store.crawls import last_complete_crawl
from scout.store.identity import (
    BatchProduct,
    digest,
    group_by_product,
    merge_offers,
    product_fingerprint,
    unite_products,
)
from scout.store.models import (
    LEASED,
    AcceptedMissing,
    Category,
    FrontierUrl,
    OfferAddress,
    PriceChange,
    Review,
    Shop,
    Specification,
    StoredOffer,
    VisitedPage,
)
from scout.store.overrides import apply_overrides
from scout.store.pages import VISIT_COLUMNS, save_rows, visit_row
from scout.store.parts import PARTS
from scout.store.presence import OfferState
from scout.store.price_age import price_seen
from scout.store.upsert import BATCH, upsert
from scout.values.storable import storable, storable_amount

TEXT_COLUMNS = ("canonical", "parent", "title", "description", "currency", "availability", "brand", "sku", "ean", "han")
PLACED_FIELDS = {"url", "urls", "shop", "price", "category"} | {*TEXT_COLUMNS, *PARTS}  # the others go into `extra`
EVIDENCE_FIELDS = frozenset(entry.name for entry in fields(Evidence))
FACTS = ("title", "brand", "sku", "ean", "han", "price", "availability")  # what rules are checked by
PRICE_COLUMNS = ("price", "currency", "availability")  # a change in one of them is added to the history

_OFFERS = cast("Table", StoredOffer.__table__)


@dataclass(frozen=True)
class SaveCounts:
    """How many products were new, changed or unchanged since an earlier crawl, or seen again in the same crawl.

    `late` are those that were not saved, because another worker has taken over the page they come from.
    """

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    again: int = 0
    late: int = 0

    def __add__(self, other: SaveCounts) -> SaveCounts:
        return SaveCounts(*(ours + theirs for ours, theirs in zip(astuple(self), astuple(other), strict=True)))


class OfferRecord(Offer):
    """A stored offer, with its id, when it was first and last seen, in which crawl, and whether the shop still has it."""

    id: int
    first_seen: datetime
    last_seen: datetime
    crawl: int | None
    state: OfferState = "current"
    price_seen_at: datetime | None = None

    @property
    def age_days(self) -> int:
        """How old its values are: whole days since its page was last read."""
        return (now() - self.last_seen).days

    @property
    def price_age_days(self) -> int | None:
        """Whole days since its price was seen in the shop, on its page or in a list; None where it has none, or nobody knows."""
        return None if self.price_seen_at is None else (now() - self.price_seen_at).days


# --- writing ------------------------------------------------------------------------------------------------------------------


def save_offers(
    connection: Connection,
    shop: int,
    offers: Sequence[Offer],
    crawl: int | None,
    leases: Mapping[str, int] = MappingProxyType({}),
) -> SaveCounts:
    """Insert or update one batch in this transaction. Other writers of the same shop wait until it ends.

    `leases` has the number of the worker's lease for the pages that it has leased: an offer of a page that went to another is late.
    """
    connection.execute(select(Shop.id).where(Shop.id == shop).with_for_update(key_share=True))
    lost = _lost_pages(connection, crawl, {_token(offer) for offer in offers} & leases.keys(), leases)
    valid = [offer for offer in offers if _token(offer) not in lost]
    saved = _BatchSave(connection, shop, crawl).save(valid) if valid else SaveCounts()
    return saved + SaveCounts(late=len(offers) - len(valid))


def _token(offer: Offer) -> str:
    """The frontier's name for the offer's page; empty where it has none."""
    return offer.token or "" if isinstance(offer, CrawledOffer) else ""


def _lost_pages(connection: Connection, crawl: int | None, pages: Set[str], leases: Mapping[str, int]) -> set[str]:
    """Which of the pages are no longer this worker's. Asked under the shop's lock: whoever has them now saves later, and wins."""
    query = select(FrontierUrl.key, FrontierUrl.state, FrontierUrl.lease)
    query = query.where(FrontierUrl.crawl_id == crawl, FrontierUrl.key.in_(pages))
    rows = connection.execute(query) if pages else ()
    return {row.key for row in rows if (row.state, row.lease) != (LEASED, leases[row.key])}


class _BatchSave:
    """Writes one batch of offers to the tables."""

    def __init__(self, connection: Connection, shop: int, crawl: int | None) -> None:
        self.connection, self.shop, self.crawl, self.at = connection, shop, crawl, now()

    def save(self, offers: Sequence[Offer]) -> SaveCounts:
        pairs = self._with_existing_rows(group_by_product(offers))
        self._fill_from_this_crawl(pairs)
        products = [product for product, _ in pairs]
        apply_overrides(self.connection, self.shop, products)
        rows = self._new_rows(products)
        new = [(product, row) for (product, old), row in zip(pairs, rows, strict=True) if old is None]
        known = [(product, row, old) for (product, old), row in zip(pairs, rows, strict=True) if old is not None]
        changed = [(product, row, old) for product, row, old in known if row["digest"] != old.digest]
        ids = self._insert(new) | {id(product): old.id for product, _, old in known}
        self._update(changed)
        self._mark_seen([old.id for _, _, old in known])
        self._add_addresses(products, ids)
        self._add_history(new, changed, ids)
        written = [*(product for product, _ in new), *(product for product, _, _ in changed)]
        self._replace_parts(written, ids, outdated=[old.id for _, _, old in changed])
        self._save_visits(products, ids)
        first_seen = [(row, old) for _, row, old in known if not self._is_of_this_crawl(old)]  # in this crawl
        unchanged = sum(row["digest"] == old.digest for row, old in first_seen)
        again = len(offers) - len(new) - len(first_seen)
        return SaveCounts(len(new), len(first_seen) - unchanged, unchanged, again)

    def _is_of_this_crawl(self, row: Row[Any]) -> bool:
        return self.crawl is not None and row.crawl_id == self.crawl

    def _with_existing_rows(self, products: list[BatchProduct]) -> list[tuple[BatchProduct, Row[Any] | None]]:
        """Each product with its row in the database, if it has one. Rows that turn out to be one product are merged."""
        columns = [_OFFERS.c[name] for name in ("id", "digest", "crawl_id", *PRICE_COLUMNS)]
        by_address = select(OfferAddress.key.label("token"), *columns).where(
            OfferAddress.offer_id == StoredOffer.id,
            OfferAddress.shop_id == self.shop,
            OfferAddress.key.in_([key for product in products for key in product.keys]),
        )
        by_fingerprint = select(StoredOffer.twin.label("token"), *columns).where(
            StoredOffer.shop_id == self.shop,
            StoredOffer.crawl_id == self.crawl,  # values of another crawl may be outdated
            StoredOffer.twin.in_([key for product in products for key in product.fingerprints]),
        )
        rows = {row.token: row for query in (by_fingerprint, by_address) for row in self.connection.execute(query)}

        def existing(product: BatchProduct) -> dict[int, Row[Any]]:
            return {rows[token].id: rows[token] for token in (*product.keys, *product.fingerprints) if token in rows}

        return [(product, self._merge_rows(existing(product))) for product in unite_products(products, existing)]

    def _merge_rows(self, rows: dict[int, Row[Any]]) -> Row[Any] | None:
        """The oldest of the rows, by id, after merging the others into it."""
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
        """If one of the rows was accepted as missing from the catalogue, the merged row is."""
        accepted = select(AcceptedMissing.id, AcceptedMissing.offer_id)
        rows = self.connection.execute(accepted.where(AcceptedMissing.offer_id.in_({oldest, *others}))).all()
        if rows and all(row.offer_id != oldest for row in rows):
            kept = update(AcceptedMissing).where(AcceptedMissing.id == rows[0].id)
            self.connection.execute(kept.values(offer_id=oldest))

    def _fill_from_this_crawl(self, pairs: list[tuple[BatchProduct, Row[Any] | None]]) -> None:
        """Keep values that only an earlier page of the same crawl has; values of an earlier crawl are replaced."""
        seen_again = {row.id: product for product, row in pairs if row and self._is_of_this_crawl(row)}
        for record in read_offers(self.connection, StoredOffer.id.in_(seen_again)) if seen_again else ():
            product = seen_again[record.id]
            product.offer = merge_offers(record, product.offer)

    def _new_rows(self, products: list[BatchProduct]) -> list[dict[str, Any]]:
        paths = [category_names(product.offer.get("category")) for product in products]
        ids = category_ids(self.connection, self.shop, filter(None, paths))
        return [self._new_row(product, ids.get(path)) for product, path in zip(products, paths, strict=True)]

    def _new_row(self, product: BatchProduct, category: int | None) -> dict[str, Any]:
        """The columns without the evidence, which is long and only written if something has changed."""
        offer = product.offer
        price = storable_amount(offer.get("price"))
        extra = {name: value for name, value in offer.items() if name not in PLACED_FIELDS}
        if price is None and offer.get("price") is not None:
            extra["price"] = offer["price"]  # not an amount, but worth keeping
        return {
            **{name: storable(offer.get(name)) for name in TEXT_COLUMNS},
            "url": storable(offer["url"]),
            "price": price,
            "category_id": category,
            "twin": product_fingerprint(offer),
            "extra": storable(extra),
            "digest": digest([_comparable_content(offer), {f: vars(e) for f, e in offer.evidence.items()}]),
        }

    def _insert(self, new: list[tuple[BatchProduct, dict[str, Any]]]) -> dict[int, int]:
        if not new:
            return {}
        seen = {"shop_id": self.shop, "first_seen": self.at, "last_seen": self.at, "changed_at": self.at}
        crawls = self._crawls_of([product.offer for product, _ in new])
        rows = [
            {**row, **seen, "crawl_id": crawl, "key": product.key, "evidence": _stored_evidence(product)}
            | self._price_seen(row)
            for (product, row), crawl in zip(new, crawls, strict=True)
        ]
        statement = insert(StoredOffer).returning(StoredOffer.id, sort_by_parameter_order=True)
        ids = self.connection.execute(statement, rows).scalars()
        return {id(product): id_ for (product, _), id_ in zip(new, ids, strict=True)}

    def _price_seen(self, row: dict[str, Any]) -> dict[str, Any]:
        """Since when the price of a new offer is known: a page that was kept has not been seen today."""
        is_seen = self.crawl is not None and row["price"] is not None
        return {"price_seen_at": self.at if is_seen else None, "price_checks": int(is_seen)}

    def _crawls_of(self, offers: list[Offer]) -> list[int | None]:
        """The crawl that each new offer counts for: this one. Offers of kept pages have none: they count for the crawl of their
        parent, or for the last complete one, or else they would look gone."""
        if self.crawl is not None:
            return [self.crawl] * len(offers)
        parents = [digest(str(offer.get("parent"))) for offer in offers]
        of_parents = select(OfferAddress.key, StoredOffer.crawl_id).where(
            OfferAddress.offer_id == StoredOffer.id, OfferAddress.shop_id == self.shop, OfferAddress.key.in_(parents)
        )
        known = {row.key: row.crawl_id for row in self.connection.execute(of_parents)}
        complete = self.connection.execute(select(last_complete_crawl(self.shop))).scalar()
        return [known.get(parent, complete) for parent in parents]

    def _update(self, changed: list[tuple[BatchProduct, dict[str, Any], Row[Any]]]) -> None:
        rows = []
        for product, row, old in changed:
            new = {name: value for name, value in row.items() if name != "url"}  # an offer keeps its first URL
            rows.append({**new, "changed_at": self.at, "offer": old.id, "evidence": _stored_evidence(product)})
        if rows:
            self.connection.execute(update(_OFFERS).where(StoredOffer.id == bindparam("offer")), rows)

    def _mark_seen(self, ids: list[int]) -> None:
        """Only a crawl sees offers in the shop; re-extraction of kept pages does not."""
        if ids and self.crawl is not None:
            seen = update(StoredOffer).where(StoredOffer.id.in_(ids))
            self.connection.execute(
                seen.values(last_seen=self.at, crawl_id=self.crawl, **price_seen(self.crawl, self.at))
            )

    def _add_addresses(self, products: list[BatchProduct], ids: dict[int, int]) -> None:
        rows = [
            {"shop_id": self.shop, "offer_id": ids[id(product)], "key": key, "url": storable(url)}
            for product in products
            for key, url in product.keys.items()
        ]
        upsert(self.connection, OfferAddress, rows, key=("shop_id", "key"))

    def _add_history(self, new: list[Any], changed: list[Any], ids: dict[int, int]) -> None:
        repriced = [(p, row) for p, row, old in changed if any(row[c] != getattr(old, c) for c in PRICE_COLUMNS)]
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

    def _save_visits(self, products: list[BatchProduct], ids: dict[int, int]) -> None:
        rows = {
            digest(visit.url): visit_row(visit, self.shop, self.crawl) | {"offer_id": ids[id(product)]}
            for product in products
            for visit in product.visits
        }
        save_rows(self.connection, list(rows.values()), (*VISIT_COLUMNS, "offer_id"))


def forget_review_authors(connection: Connection, before: datetime) -> int:
    """Remove the reviewers' names from offers last seen before then; the reviews stay. Returns the number of names."""
    stale = select(StoredOffer.id).where(StoredOffer.last_seen < before)
    named = update(Review).where(Review.author.is_not(None), Review.offer_id.in_(stale))
    return connection.execute(named.values(author=None)).rowcount


# --- reading ------------------------------------------------------------------------------------------------------------------


def read_offers(connection: Connection, *conditions: Any) -> Iterator[OfferRecord]:
    """The offers that meet all conditions, by id, read in batches so that they need little memory."""
    last = 0
    while True:
        query = select(_OFFERS, Shop.name.label("shop"), Category.path.label("category"))
        query = query.join(Shop, Shop.id == StoredOffer.shop_id)
        query = query.outerjoin(Category, Category.id == StoredOffer.category_id)
        query = query.where(StoredOffer.id > last, *conditions).order_by(StoredOffer.id).limit(BATCH)
        rows = connection.execute(query).all()
        if not rows:
            return
        yield from _with_parts(connection, rows)
        last = rows[-1].id


def read_facts(connection: Connection, shop: int) -> dict[str, dict[str, str]]:
    """By address: the facts of every product of the shop, without all that is costly to read."""
    query = select(StoredOffer.url, StoredOffer.extra, *(_OFFERS.c[name] for name in FACTS))
    rows = connection.execute(query.where(StoredOffer.shop_id == shop, StoredOffer.parent.is_(None)))
    named = ((url, {**extra, **dict(zip(FACTS, values, strict=True))}) for url, extra, *values in rows)
    return {url: {name: str(v) for name, v in facts.items() if isinstance(v, (str, Decimal))} for url, facts in named}


def concept_values(connection: Connection, concept: str) -> Iterator[Row[Any]]:
    """The attributes of one concept of all offers, by shop and offer."""
    columns = [Specification.__table__.c[name] for name in ("name", "value", "quantity", "unit", "qualifier")]
    query = select(Shop.name.label("shop"), StoredOffer.url, *columns).join_from(Specification, StoredOffer)
    query = query.join(Shop, Shop.id == StoredOffer.shop_id).where(Specification.concept == concept)
    yield from connection.execute(query.order_by(Shop.name, StoredOffer.id, Specification.position))


def _with_parts(connection: Connection, rows: Sequence[Row[Any]]) -> Iterator[OfferRecord]:
    offers = {row.id: _record(row) for row in rows}
    addresses = select(OfferAddress.offer_id, OfferAddress.url).where(OfferAddress.offer_id.in_(offers))
    for offer, url in connection.execute(addresses.order_by(OfferAddress.id)):
        offers[offer].setdefault("urls", []).append(url)
    for name, part in PARTS.items():
        table = part.table
        query = select(table).where(table.c.offer_id.in_(offers)).order_by(table.c.offer_id, table.c.position)
        for offer_id, found in groupby(connection.execute(query), key=attrgetter("offer_id")):
            offers[offer_id][name] = part.collected([part.value(row) for row in found])
    yield from offers.values()


def _stored_evidence(product: BatchProduct) -> dict[str, Any]:
    return {field: storable(evidence.as_dict()) for field, evidence in product.offer.evidence.items()}


def _comparable_content(offer: Offer) -> dict[str, Any]:
    """The values that make an offer a changed one; parts as table rows, which hold more than the offer shows."""
    parts = {name: list(part.rows(offer[name])) for name, part in PARTS.items() if offer.get(name)}
    return {**{name: value for name, value in offer.items() if name != "urls"}, **parts}


def _record(row: Row[Any]) -> OfferRecord:
    values = {"url": row.url, "shop": row.shop, **{name: getattr(row, name) for name in TEXT_COLUMNS}}
    values["price"] = None if row.price is None else format(row.price, "f")
    values["category"] = CATEGORY_STEP.join(row.category) if row.category else None
    known = {name: value for name, value in values.items() if value is not None} | row.extra
    record = OfferRecord(known, evidence={field: _evidence(stored) for field, stored in row.evidence.items()})
    record.id, record.crawl, record.first_seen, record.last_seen = row.id, row.crawl_id, row.first_seen, row.last_seen
    record.price_seen_at = row.price_seen_at
    return record


def _evidence(stored: dict[str, Any]) -> Evidence:
    """The stored evidence, without fields of other versions of Scout."""
    known = {name: value for name, value in stored.items() if name in EVIDENCE_FIELDS}
    return Evidence(**{"selector": None, **known, "votes": tuple(stored.get("votes", ()))})
