"""Column types that behave the same on SQLite and PostgreSQL: aware UTC times, exact money, JSON, 64-bit ids."""

from __future__ import annotations

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Integer, Numeric, String
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

MONEY_CHARACTERS = 64  # SQLite ignores the limit of a text column anyway

WideId = BigInteger().with_variant(Integer, "sqlite")  # SQLite auto-increments INTEGER keys only
Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def now() -> datetime:
    """The current time, aware, in UTC."""
    return datetime.now(timezone.utc)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime, stored and returned in UTC. Naive ones raise ValueError, as their time zone is unknown."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        value = value.astimezone(timezone.utc)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=timezone.utc) if value.tzinfo is None else value.astimezone(timezone.utc)


class Money(TypeDecorator[Decimal]):
    """An exact amount: NUMERIC on PostgreSQL, text on SQLite, whose numbers are floats. 12.90 stays 12.90."""

    impl = Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(String(MONEY_CHARACTERS) if dialect.name == "sqlite" else Numeric())

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> Any:
        return format(value, "f") if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> Decimal | None:
        return None if value is None else Decimal(value)
