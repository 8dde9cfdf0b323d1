"""The tables of the first release; what came before it made them step by step, and ended with this number."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json, Money, UtcDateTime, WideId

revision = "0010"
down_revision = None

TABLES = (
    "shops crawls categories known_offers rules_versions offers offer_addresses price_history specifications images reviews "
    "pages matches accepted_missing match_decisions frontier query_forms attribute_values"
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


def _number(name: str, *, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=nullable, **options)


def _time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, UtcDateTime(), nullable=nullable)


def _json(name: str, *, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, Json, nullable=nullable, **options)


def _concept() -> sa.Column[Any]:
    return sa.Column("concept", sa.Text(), nullable=True, index=True)


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
        *(*_texts("reason", "start_url"), _json("stats"), _json("account", nullable=True)),
        *(_time("asked_at", nullable=True), sa.Index(None, "shop_id", "finished_at")),
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
    _create_frontier()
    _create_query_forms()


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
    _part(
        "specifications", _text("name"), _text("value"), *_texts("section", "quantity", "unit", "qualifier"), _concept()
    )
    _part("images", _text("url"))
    _part("reviews", *_texts("author", "rating", "date", "text"), _json("extra"))


def _create_what_refers_to_offers() -> None:
    op.create_table(
        "pages",
        *(_id(), _shop(), _crawl(), _of("offer_id", "offers", nullable=True, ondelete="SET NULL")),
        *(_key("key"), _text("url"), *_texts("level", "referer"), _number("status", nullable=True)),
        *(_time("fetched_at"), _key("digest", nullable=True), sa.Column("body", sa.LargeBinary())),
        *(_json("headers", nullable=True), _json("known", nullable=True)),
        *(sa.UniqueConstraint("shop_id", "key"), sa.Index("ix_pages_shop_id_pages_digest", "shop_id", "digest")),
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
    op.create_table(
        "match_decisions",
        *(_id(), _shop(), _key("offer_key"), _key("known_key")),
        *(sa.Column("is_same", sa.Boolean(), nullable=False), _time("decided_at")),
        sa.UniqueConstraint("shop_id", "offer_key", "known_key"),
    )


def _create_frontier() -> None:
    op.create_table(
        "frontier",
        *(_id(), _of("crawl_id", "crawls", index=False), _key("key"), _text("url"), _text("request")),
        *(_number("priority"), sa.Column("state", sa.String(8), nullable=False), *_texts("worker", "reason")),
        *(_time("leased_until", nullable=True), _number("lease", server_default="0"), _number("deaths")),
        *(_time("ended_at", nullable=True), _number("rounds", server_default="0"), _key("digest", nullable=True)),
        *(sa.Column("shown", sa.String(8)), sa.Column("outcome", sa.String(16)), _json("listing", nullable=True)),
        sa.UniqueConstraint("crawl_id", "key"),
        sa.Index(None, "crawl_id", "state", "priority", "id"),
    )


def _create_query_forms() -> None:
    op.create_table(
        "query_forms",
        *(_id(), _shop(), _key("key"), _text("url"), sa.Column("cooperation", sa.String(8), nullable=False)),
        *(*_texts("title", "description", "keywords"), _time("gathered_at"), _json("elements", server_default="[]")),
        sa.UniqueConstraint("shop_id", "key"),
    )
    op.create_table(
        "attribute_values",
        *(_id(), _of("form_id", "query_forms", index=False), _key("key"), _text("attribute"), _text("value")),
        sa.UniqueConstraint("form_id", "key"),
    )


def downgrade() -> None:
    """Drop everything."""
    for table in reversed(TABLES):
        op.drop_table(table)
