"""The tables. A row of `offers` is one product of one shop: updated, never duplicated; price changes are kept as history."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

from scout.store.columns import Json, Money, UtcDateTime, WideId, now

KEY_CHARACTERS = 32  # a digest, as URLs can be longer than PostgreSQL allows in an index (2,704 bytes)
NAME_CHARACTERS = 255  # of a shop
STATE_CHARACTERS = 8  # pending, leased, done, failed
LEASED = "leased"  # the state of a request that a worker has
OUTCOME_CHARACTERS = 16  # the states of a crawl's account


class Model(DeclarativeBase):
    """Base of all tables; constraints get predictable names, for migrations to refer to."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {datetime: UtcDateTime(), Decimal: Money(), dict[str, Any]: Json, str: Text()}


def _reference(column: str, **options: Any) -> Any:
    """A foreign key; its row is deleted with the row it refers to."""
    return mapped_column(WideId, ForeignKey(column, ondelete="CASCADE"), **options)


class ShopRow:
    """Mixin: a row that belongs to a shop and is deleted with it."""

    id: Mapped[int] = mapped_column(WideId, primary_key=True, sort_order=-3)

    @declared_attr
    def shop_id(cls) -> Mapped[int]:
        return mapped_column(WideId, ForeignKey("shops.id", ondelete="CASCADE"), sort_order=-2)


class OfferPart:
    """Mixin: the n-th image, review ... of an offer, deleted with it."""

    id: Mapped[int] = mapped_column(WideId, primary_key=True, sort_order=-3)
    position: Mapped[int] = mapped_column(sort_order=-1)

    @declared_attr
    def offer_id(cls) -> Mapped[int]:
        return mapped_column(WideId, ForeignKey("offers.id", ondelete="CASCADE"), index=True, sort_order=-2)


class Shop(Model):
    __tablename__ = "shops"

    id: Mapped[int] = mapped_column(WideId, primary_key=True, sort_order=-3)
    name: Mapped[str] = mapped_column(String(NAME_CHARACTERS), unique=True)
    url: Mapped[str | None]
    interval_seconds: Mapped[int | None]  # how often to crawl it; None or 0: only on request
    paused_at: Mapped[datetime | None]  # since when a fleet leaves it alone
    quiet_hours: Mapped[str | None]  # "22:00-06:00", when no crawl of a fleet begins
    limits: Mapped[dict[str, Any] | None]  # settings of this shop's crawls: its delay, how long one may take ...
    refresh_seconds: Mapped[int | None]  # how often a fleet refreshes its prices between two crawls; None or 0: never
    added_at: Mapped[datetime] = mapped_column(default=now)


class Crawl(ShopRow, Model):
    __tablename__ = "crawls"
    __table_args__ = (Index(None, "shop_id", "finished_at"),)

    spider: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(default=now)
    finished_at: Mapped[datetime | None]
    reason: Mapped[str | None]  # Scrapy's close reason: "finished" means that no requests were left
    stats: Mapped[dict[str, Any]] = mapped_column(default=dict)
    account: Mapped[dict[str, Any] | None]  # what became of the addresses that were shown to it, once it ended
    start_url: Mapped[str | None]  # a crawl that starts elsewhere does not resume this one
    asked_at: Mapped[datetime | None]  # when one of its workers last took its turn to send a request


class FrontierUrl(Model):
    """A request of a crawl: pending, leased by a worker, done or failed. Stored as data from which any worker can rebuild it."""

    __tablename__ = "frontier"
    __table_args__ = (UniqueConstraint("crawl_id", "key"), Index(None, "crawl_id", "state", "priority", "id"))

    id: Mapped[int] = mapped_column(WideId, primary_key=True, sort_order=-3)
    crawl_id: Mapped[int] = _reference("crawls.id")
    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # Scrapy's fingerprint: method, URL and body
    url: Mapped[str]
    request: Mapped[str]  # JSON, without Scrapy's defaults
    priority: Mapped[int]
    state: Mapped[str] = mapped_column(String(STATE_CHARACTERS))
    worker: Mapped[str | None]  # that has leased it
    leased_until: Mapped[datetime | None]
    lease: Mapped[int] = mapped_column(default=0, server_default="0")  # the number of its last lease
    deaths: Mapped[int]  # how often a worker died that had leased it
    reason: Mapped[str | None]  # why it failed
    ended_at: Mapped[datetime | None]
    shown: Mapped[str | None] = mapped_column(
        String(STATE_CHARACTERS)
    )  # product, list or page; None: not in the account
    outcome: Mapped[str | None] = mapped_column(String(OUTCOME_CHARACTERS))  # its state in the account, once it ended
    rounds: Mapped[int] = mapped_column(
        default=0, server_default="0"
    )  # how often it was asked again after it had failed
    digest: Mapped[str | None] = mapped_column(String(KEY_CHARACTERS))  # of the text of a page that is no product
    listing: Mapped[
        dict[str, Any] | None
    ]  # of a list: its category, the products it shows (digests), how many it states, what it calls itself


class Category(ShopRow, Model):
    __tablename__ = "categories"
    __table_args__ = (UniqueConstraint("shop_id", "key"),)

    parent_id: Mapped[int | None] = _reference("categories.id", index=True)
    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # digest of the whole path
    name: Mapped[str]
    path: Mapped[list[str]] = mapped_column(Json)


class VisitedPage(ShopRow, Model):
    """A page, as last fetched."""

    __tablename__ = "pages"
    __table_args__ = (UniqueConstraint("shop_id", "key"), Index(None, "shop_id", "digest"))

    crawl_id: Mapped[int | None] = mapped_column(WideId, ForeignKey("crawls.id", ondelete="SET NULL"), index=True)
    offer_id: Mapped[int | None] = mapped_column(WideId, ForeignKey("offers.id", ondelete="SET NULL"), index=True)
    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # digest of the URL
    url: Mapped[str]
    level: Mapped[str | None]
    referer: Mapped[str | None]
    status: Mapped[int | None]
    fetched_at: Mapped[datetime] = mapped_column(default=now)
    digest: Mapped[str | None] = mapped_column(String(KEY_CHARACTERS))  # of the text: each is stored once in its shop
    body: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)  # Zstandard of UTF-8, if pages are kept
    headers: Mapped[dict[str, Any] | None]  # ETag and Last-Modified; None: always fetch it again
    known: Mapped[dict[str, Any] | None]  # what the page itself does not say: the category path, the spider's values


class StoredOffer(ShopRow, Model):
    __tablename__ = "offers"
    __table_args__ = (
        UniqueConstraint("shop_id", "key"),
        Index(None, "shop_id", "crawl_id"),
        Index(None, "shop_id", "twin"),
    )

    crawl_id: Mapped[int | None] = mapped_column(WideId, ForeignKey("crawls.id", ondelete="SET NULL"), index=True)
    category_id: Mapped[int | None] = mapped_column(
        WideId, ForeignKey("categories.id", ondelete="SET NULL"), index=True
    )
    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))
    url: Mapped[str]
    canonical: Mapped[str | None]
    parent: Mapped[str | None]
    title: Mapped[str | None]
    description: Mapped[str | None]
    price: Mapped[Decimal | None]
    currency: Mapped[str | None]
    availability: Mapped[str | None]
    brand: Mapped[str | None]
    sku: Mapped[str | None]
    ean: Mapped[str | None]
    han: Mapped[str | None]
    extra: Mapped[dict[str, Any]] = mapped_column(default=dict)  # fields without a column, such as learned ones
    evidence: Mapped[dict[str, Any]] = mapped_column(default=dict)  # field -> Evidence.as_dict()
    digest: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # of all values, to recognise an unchanged offer
    twin: Mapped[str | None] = mapped_column(String(KEY_CHARACTERS))  # product_fingerprint, shared by its other pages
    first_seen: Mapped[datetime] = mapped_column(default=now)
    last_seen: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)
    price_seen_at: Mapped[datetime | None]  # when its price was last seen in the shop: on its page, or in a list
    price_checks: Mapped[int] = mapped_column(default=0, server_default="0")  # crawls that saw it


class OfferAddress(ShopRow, Model):
    """A URL of a product; each leads to exactly one offer of the shop."""

    __tablename__ = "offer_addresses"
    __table_args__ = (UniqueConstraint("shop_id", "key"),)

    offer_id: Mapped[int] = _reference("offers.id", index=True)
    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))
    url: Mapped[str]


class PriceChange(Model):
    """The price of an offer from this time on."""

    __tablename__ = "price_history"

    id: Mapped[int] = mapped_column(WideId, primary_key=True, sort_order=-3)
    offer_id: Mapped[int] = _reference("offers.id", index=True)
    crawl_id: Mapped[int | None] = mapped_column(WideId, ForeignKey("crawls.id", ondelete="SET NULL"), index=True)
    at: Mapped[datetime] = mapped_column(default=now)
    price: Mapped[Decimal | None]
    currency: Mapped[str | None]
    availability: Mapped[str | None]


class OfferChange(ShopRow, Model):
    """What a complete crawl found changed since the complete crawl before it, and whether it was sent."""

    __tablename__ = "changes"
    __table_args__ = (UniqueConstraint("offer_id", "crawl_id", "kind"), Index(None, "shop_id", "at"))

    offer_id: Mapped[int] = _reference("offers.id")
    crawl_id: Mapped[int] = _reference("crawls.id", index=True)
    at: Mapped[datetime] = mapped_column(default=now)
    kind: Mapped[str] = mapped_column(String(STATE_CHARACTERS))  # new, gone, back, price or stock
    before: Mapped[dict[str, Any] | None]  # what the earlier crawl saw, and when
    after: Mapped[dict[str, Any] | None]
    settled_at: Mapped[datetime | None]  # when the webhook received it, or when none was set


class Specification(OfferPart, Model):
    __tablename__ = "specifications"

    name: Mapped[str]
    value: Mapped[str]
    section: Mapped[str | None]
    quantity: Mapped[str | None]
    unit: Mapped[str | None]
    concept: Mapped[str | None] = mapped_column(index=True)  # one for the names of all shops
    qualifier: Mapped[str | None]  # what the name says beyond it


class Image(OfferPart, Model):
    __tablename__ = "images"

    url: Mapped[str]


class Review(OfferPart, Model):
    __tablename__ = "reviews"

    author: Mapped[str | None]
    rating: Mapped[str | None]
    date: Mapped[str | None]
    text: Mapped[str | None]
    extra: Mapped[dict[str, Any]] = mapped_column(default=dict)


class KnownOffer(ShopRow, Model):
    """A row of the catalogue, with its own columns."""

    __tablename__ = "known_offers"
    __table_args__ = (UniqueConstraint("shop_id", "key"),)

    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))
    position: Mapped[int]  # its place in the catalogue
    values: Mapped[dict[str, Any]]
    imported_at: Mapped[datetime] = mapped_column(default=now)


class StoredMatch(ShopRow, Model):
    __tablename__ = "matches"
    __table_args__ = (UniqueConstraint("known_offer_id", "offer_id"), Index(None, "shop_id"))

    known_offer_id: Mapped[int] = _reference("known_offers.id")
    offer_id: Mapped[int] = _reference("offers.id", index=True)
    score: Mapped[float]
    reason: Mapped[str]
    matched_at: Mapped[datetime] = mapped_column(default=now)


class AcceptedMissing(ShopRow, Model):
    """An offer that may be missing from the catalogue, for a reason that a person gave."""

    __tablename__ = "accepted_missing"
    __table_args__ = (Index(None, "shop_id"),)

    offer_id: Mapped[int] = _reference("offers.id", unique=True)
    reason: Mapped[str]
    accepted_at: Mapped[datetime] = mapped_column(default=now)


class MatchDecision(ShopRow, Model):
    """What a person decided: an offer is a row of the catalogue, is not that row, or (without a row) is in no row."""

    __tablename__ = "match_decisions"
    __table_args__ = (UniqueConstraint("shop_id", "offer_key", "known_key"),)

    offer_key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))
    known_key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # empty: no row
    is_same: Mapped[bool]
    decided_at: Mapped[datetime] = mapped_column(default=now)


class RulesVersion(ShopRow, Model):
    """A version of a shop's rules, for workers without access to the rules directory."""

    __tablename__ = "rules_versions"
    __table_args__ = (UniqueConstraint("shop_id", "version"),)

    version: Mapped[int]
    yaml: Mapped[str]
    saved_at: Mapped[datetime] = mapped_column(default=now)


class ValueOverride(ShopRow, Model):
    """A value of one offer that a person has set, whatever its page says; it survives crawls."""

    __tablename__ = "value_overrides"
    __table_args__ = (UniqueConstraint("shop_id", "key", "field"),)

    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # digest of one of the offer's URLs
    field: Mapped[str] = mapped_column(String(NAME_CHARACTERS))
    value: Mapped[str | None]  # normalised; None: the offer has no such value
    person: Mapped[str]
    decided_at: Mapped[datetime] = mapped_column(default=now)


class QueryForm(ShopRow, Model):
    """A query form that leads to offers, with its provider's description of it."""

    __tablename__ = "query_forms"
    __table_args__ = (UniqueConstraint("shop_id", "key"),)

    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # digest of the URL
    url: Mapped[str]
    cooperation: Mapped[str] = mapped_column(String(STATE_CHARACTERS))  # full, limited, none
    title: Mapped[str | None]
    description: Mapped[str | None]
    keywords: Mapped[str | None]
    elements: Mapped[list[Any]] = mapped_column(Json, default=list)  # name, kind, label and domain of each
    gathered_at: Mapped[datetime] = mapped_column(default=now)


class AttributeValue(Model):
    """The attribute index: a distinct value of an attribute behind a form."""

    __tablename__ = "attribute_values"
    __table_args__ = (UniqueConstraint("form_id", "key"),)

    id: Mapped[int] = mapped_column(WideId, primary_key=True, sort_order=-3)
    form_id: Mapped[int] = _reference("query_forms.id")
    key: Mapped[str] = mapped_column(String(KEY_CHARACTERS))  # digest of attribute and value
    attribute: Mapped[str]
    value: Mapped[str]
