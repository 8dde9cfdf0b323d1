"""What a catalogue says: products with variants, in the normal form of an offer's fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from scout.values.numbers import format_amount, whole_number
from scout.values.text import clean_text, plain_prose

IN_STOCK, OUT_OF_STOCK = "InStock", "OutOfStock"
MAX_EXPONENT = 9  # decimals of a currency: the most that are believed


@dataclass(frozen=True)
class CatalogueProduct:
    """A product of a catalogue. `values` are an offer's fields, `variants` what an offer's `variants` are."""

    key: str
    url: str
    values: Mapping[str, Any]
    variants: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class CataloguePage:
    """One answer: products, variants of products (by the product's key), how many there are in all, and where it goes on.

    `further` are lists that are to be read after this one, each once.
    """

    products: tuple[CatalogueProduct, ...] = ()
    variants: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    total: int | None = None
    next_url: str | None = None
    further: tuple[str, ...] = ()


def with_values(**values: Any) -> dict[str, Any]:
    """The values that there are."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, ())}


def text(value: Any) -> str:
    """A name or number as clean text; nothing of what is neither."""
    return clean_text(str(value)) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def prose(value: Any) -> str:
    """A description without its tags."""
    return plain_prose(value) if isinstance(value, str) else ""


def amount(value: Any, minor_digits: int = 0) -> str | None:
    """A price as offers hold it; None for what is no amount, and for 0, which is what an empty field becomes.

    >>> amount("1299", 2), amount("12.9"), amount("0.00"), amount("free")
    ('12.99', '12.90', None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or not 0 <= minor_digits <= MAX_EXPONENT:
        return None
    try:
        number = Decimal(str(value).strip()).scaleb(-minor_digits)
    except InvalidOperation:
        return None
    return format_amount(number) if number.is_finite() and Decimal(0) < number < Decimal(10) ** MAX_EXPONENT else None


def list_amount(listed: str | None, price: str | None) -> str | None:
    """The price before, where it is above the price."""
    return listed if listed and price and Decimal(listed) > Decimal(price) else None


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a JSON list."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def addresses(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """The `src` of images."""
    found = (entry.get("src") for entry in entries)
    return [src for src in found if isinstance(src, str) and src.startswith(("https://", "http://"))]


def following(url: str) -> str:
    """The address of the next page."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    query["page"] = str((whole_number(query.get("page", "1")) or 1) + 1)
    return parts._replace(query=urlencode(query)).geturl()


@dataclass
class CatalogueAnswer:
    """What came for a request: where from, the data, and the headers by their names in lower case."""

    url: str
    data: Any
    headers: Mapping[str, str] = field(default_factory=dict)
