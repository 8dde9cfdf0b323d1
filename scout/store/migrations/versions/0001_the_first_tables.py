"""The first tables."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from scout.store.columns import Json, Money, UtcDateTime, WideId

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

KEY = sa.String(32)


def _id() -> sa.Column[Any]:
    return sa.Column("id", WideId, nullable=False, primary_key=True)


def _of(
    name: str, table: str, *, nullable: bool = False, ondelete: str = "CASCADE", index: bool = True
) -> sa.Column[Any]:
    return sa.Column(name, WideId, sa.ForeignKey(f"{table}.id", ondelete=ondelete), nullable=nullable, index=index)


def _shop() -> sa.Column[Any]:
    return _of("shop_id", "shops", index=False)  # the first column of a unique key, or indexed below


def _crawl() -> sa.Column[Any]:
    return _of("crawl_id", "crawls", nullable=True, ondelete="SET NULL")


def _texts(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text(), nullable=True) for name in names]


def _text(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=False)


def _time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, UtcDateTime(), nullable=nullable)


def _json(name: str) -> sa.Column[Any]:
    return sa.Column(name, Json, nullable=False)


def _part(table: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        table, _id(), _of("offer_id", "offers"), sa.Column("position", sa.Integer(), nullable=False), *columns
    )


def upgrade() -> None:
    """Shops and what is known of them."""
    op.create_table(
        "shops",
        *(_id(), sa.Column("name", sa.String(255), nullable=False, unique=True), *_texts("url")),
        *(sa.Column("interval_seconds", sa.Integer(), nullable=True), _time("added_at")),
    )
    op.create_table(
        "crawls",
        *(_id(), _shop(), _text("spider"), _time("started_at"), _time("finished_at", nullable=True)),
        *(*_texts("reason"), _json("stats"), sa.Index(None, "shop_id", "finished_at")),
    )
    op.create_table(
        "categories",
        *(_id(), _shop(), _of("parent_id", "categories", nullable=True), sa.Column("key", KEY, nullable=False)),
        *(_text("name"), _json("path"), sa.UniqueConstraint("shop_id", "key")),
    )
    op.create_table(
        "known_offers",
        *(_id(), _shop(), sa.Column("key", KEY, nullable=False), sa.Column("position", sa.Integer(), nullable=False)),
        *(_json("values"), _time("imported_at"), sa.UniqueConstraint("shop_id", "key")),
    )
    op.create_table(
        "rules_versions",
        *(_id(), _shop(), sa.Column("version", sa.Integer(), nullable=False), _text("yaml"), _time("saved_at")),
        sa.UniqueConstraint("shop_id", "version"),
    )
    _create_offers()
    _create_what_refers_to_offers()


def _create_offers() -> None:
    op.create_table(
        "offers",
        *(_id(), _shop(), _crawl(), _of("category_id", "categories", nullable=True, ondelete="SET NULL")),
        *(sa.Column("key", KEY, nullable=False), _text("url"), *_texts("canonical", "parent", "title", "description")),
        *(
            sa.Column("price", Money(), nullable=True),
            *_texts("currency", "availability", "brand", "sku", "ean", "han"),
        ),
        *(
            _json("extra"),
            _json("evidence"),
            sa.Column("digest", KEY, nullable=False),
            sa.Column("twin", KEY, nullable=True),
        ),
        *(_time("first_seen"), _time("last_seen"), _time("changed_at")),
        sa.UniqueConstraint("shop_id", "key"),
        *(sa.Index(None, "shop_id", "crawl_id"), sa.Index(None, "shop_id", "twin")),
    )
    op.create_table(
        "offer_addresses",
        *(_id(), _shop(), _of("offer_id", "offers"), sa.Column("key", KEY, nullable=False), _text("url")),
        sa.UniqueConstraint("shop_id", "key"),
    )
    op.create_table(
        "price_history",
        *(_id(), _of("offer_id", "offers"), _crawl(), _time("at"), sa.Column("price", Money(), nullable=True)),
        *_texts("currency", "availability"),
    )
    _part("specifications", _text("name"), _text("value"), *_texts("section", "quantity", "unit"))
    _part("images", _text("url"))
    _part("reviews", *_texts("author", "rating", "date", "text"), _json("extra"))


def _create_what_refers_to_offers() -> None:
    op.create_table(
        "pages",
        *(_id(), _shop(), _crawl(), _of("offer_id", "offers", nullable=True, ondelete="SET NULL")),
        *(sa.Column("key", KEY, nullable=False), _text("url"), *_texts("level", "referer")),
        *(
            sa.Column("status", sa.Integer(), nullable=True),
            _time("fetched_at"),
            sa.Column("digest", KEY, nullable=True),
        ),
        *(sa.Column("body", sa.LargeBinary(), nullable=True), sa.UniqueConstraint("shop_id", "key")),
    )
    op.create_table(
        "matches",
        *(_id(), _shop(), _of("known_offer_id", "known_offers", index=False), _of("offer_id", "offers")),
        *(sa.Column("score", sa.Double(), nullable=False), _text("reason"), _time("matched_at")),
        *(sa.UniqueConstraint("known_offer_id", "offer_id"), sa.Index(None, "shop_id")),
    )
    op.create_table(
        "accepted_missing",
        *(
            _id(),
            _shop(),
            sa.Column("offer_id", WideId, sa.ForeignKey("offers.id", ondelete="CASCADE"), nullable=False, unique=True),
        ),
        *(_text("reason"), _time("accepted_at"), sa.Index(None, "shop_id")),
    )


def downgrade() -> None:
    """Drop everything."""
    for table in (
        *(
            "accepted_missing",
            "matches",
            "pages",
            "reviews",
            "images",
            "specifications",
            "price_history",
            "offer_addresses",
        ),
        *("offers", "rules_versions", "known_offers", "categories", "crawls", "shops"),
    ):
        op.drop_table(table)
