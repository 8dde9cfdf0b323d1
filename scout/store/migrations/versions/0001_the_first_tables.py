"""The first tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json, Money, UtcDateTime, WideId

revision = "0001"
down_revision = None

TABLES = (
    "shops crawls categories known_offers rules_versions offers offer_addresses price_history specifications images reviews "
    "pages matches accepted_missing"
).split()


def _id() -> sa.Column[Any]:
    return sa.Column("id", WideId, nullable=False, primary_key=True)


def _of(name: str, table: str, *, ondelete: str = "CASCADE", **options: Any) -> sa.Column[Any]:
    options = {"nullable": False, "index": True} | options
    return sa.Column(name, WideId, sa.ForeignKey(f"{table}.id", ondelete=ondelete), **options)


def _shop() -> sa.Column[Any]:
    return _of("shop_id", "shops", index=False)  # the first column of a unique key, or indexed below


def _crawl() -> sa.Column[Any]:
    return _of("crawl_id", "crawls", nullable=True, ondelete="SET NULL")


def _texts(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text(), nullable=True) for name in names]


def _text(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=False)


def _key(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.String(32), nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, UtcDateTime(), nullable=nullable)


def _json(name: str) -> sa.Column[Any]:
    return sa.Column(name, Json, nullable=False)


def _part(table: str, *columns: sa.Column[Any]) -> None:
    op.create_table(table, _id(), _of("offer_id", "offers"), _number("position"), *columns)


def upgrade() -> None:
    """Shops and what is known of them."""
    op.create_table(
        "shops",
        *(_id(), sa.Column("name", sa.String(255), nullable=False, unique=True), *_texts("url")),
        *(_number("interval_seconds", nullable=True), _time("added_at")),
    )
    op.create_table(
        "crawls",
        *(_id(), _shop(), _text("spider"), _time("started_at"), _time("finished_at", nullable=True)),
        *(*_texts("reason"), _json("stats"), sa.Index(None, "shop_id", "finished_at")),
    )
    op.create_table(
        "categories",
        *(_id(), _shop(), _of("parent_id", "categories", nullable=True), _key("key")),
        *(_text("name"), _json("path"), sa.UniqueConstraint("shop_id", "key")),
    )
    op.create_table(
        "known_offers",
        *(_id(), _shop(), _key("key"), _number("position"), _json("values"), _time("imported_at")),
        sa.UniqueConstraint("shop_id", "key"),
    )
    op.create_table(
        "rules_versions",
        *(_id(), _shop(), _number("version"), _text("yaml"), _time("saved_at")),
        sa.UniqueConstraint("shop_id", "version"),
    )
    _create_offers()
    _create_what_refers_to_offers()


def _create_offers() -> None:
    op.create_table(
        "offers",
        *(_id(), _shop(), _crawl(), _of("category_id", "categories", nullable=True, ondelete="SET NULL")),
        *(_key("key"), _text("url"), *_texts("canonical", "parent", "title", "description")),
        *(sa.Column("price", Money()), *_texts("currency", "availability", "brand", "sku", "ean", "han")),
        *(_json("extra"), _json("evidence"), _key("digest"), _key("twin", nullable=True)),
        *(_time("first_seen"), _time("last_seen"), _time("changed_at")),
        sa.UniqueConstraint("shop_id", "key"),
        *(sa.Index(None, "shop_id", "crawl_id"), sa.Index(None, "shop_id", "twin")),
    )
    op.create_table(
        "offer_addresses",
        *(_id(), _shop(), _of("offer_id", "offers"), _key("key"), _text("url")),
        sa.UniqueConstraint("shop_id", "key"),
    )
    op.create_table(
        "price_history",
        *(_id(), _of("offer_id", "offers"), _crawl(), _time("at"), sa.Column("price", Money())),
        *_texts("currency", "availability"),
    )
    _part("specifications", _text("name"), _text("value"), *_texts("section", "quantity", "unit"))
    _part("images", _text("url"))
    _part("reviews", *_texts("author", "rating", "date", "text"), _json("extra"))


def _create_what_refers_to_offers() -> None:
    op.create_table(
        "pages",
        *(_id(), _shop(), _crawl(), _of("offer_id", "offers", nullable=True, ondelete="SET NULL")),
        *(_key("key"), _text("url"), *_texts("level", "referer"), _number("status", nullable=True)),
        *(_time("fetched_at"), _key("digest", nullable=True), sa.Column("body", sa.LargeBinary())),
        sa.UniqueConstraint("shop_id", "key"),
    )
    op.create_table(
        "matches",
        *(_id(), _shop(), _of("known_offer_id", "known_offers", index=False), _of("offer_id", "offers")),
        *(sa.Column("score", sa.Double(), nullable=False), _text("reason"), _time("matched_at")),
        *(sa.UniqueConstraint("known_offer_id", "offer_id"), sa.Index(None, "shop_id")),
    )
    op.create_table(
        "accepted_missing",
        *(_id(), _shop(), _of("offer_id", "offers", index=False, unique=True), _text("reason")),
        *(_time("accepted_at"), sa.Index(None, "shop_id")),
    )


def downgrade() -> None:
    """Drop everything."""
    for table in reversed(TABLES):
        op.drop_table(table)
