"""What a catalogue is asked and what it says: requests, and products with variants in the normal form of an offer's fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from scout.values.numbers import format_amount, whole_number
from scout.values.text import clean_text, plain_prose

IN_STOCK, OUT_OF_STOCK = "InStock", "OutOfStock"
MAX_EXPONENT = 9  # decimals of a currency: the most that are believed


@dataclass(frozen=True)
class CatalogueRequest:
    """What to ask for. One with a body is a POST that only looks something up; none of them changes anything in the shop."""

    url: str
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CatalogueAnswer:
    """What came for a request, with the headers by their names in lower case. `data` raises ValueError where it is no JSON."""

    request: CatalogueRequest
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The address that was asked."""
        return self.request.url

    @cached_property
    def data(self) -> Any:
        """The answer, parsed."""
        return json.loads(self.body)

    def asked_again(self, **parameters: object) -> CatalogueRequest:
        """The same request with other values of some parameters of its address."""
        parts = urlsplit(self.url)
        query = dict(parse_qsl(parts.query)) | {name: str(value) for name, value in parameters.items()}
        return replace(self.request, url=parts._replace(query=urlencode(query)).geturl())


@dataclass(frozen=True)
class CatalogueProduct:
    """A product of a catalogue. `values` are an offer's fields, `variants` what an offer's `variants` are.

    `categories` are keys of the tree that the catalogue gives apart.
    """

    key: str
    url: str
    values: Mapping[str, Any]
    variants: tuple[Mapping[str, Any], ...] = ()
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class CatalogueCategory:
    """A category in a tree, below the one with the key `parent`."""

    name: str
    parent: str = ""


@dataclass(frozen=True)
class CataloguePage:
    """One answer: products, categories and variants (by the product's key), how many there are in all, and where it goes on.

    `further` are lists that are to be read after this one, each once. `flaw` says why the catalogue cannot be whole.
    """

    products: tuple[CatalogueProduct, ...] = ()
    variants: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    total: int | None = None
    following: CatalogueRequest | None = None
    further: tuple[CatalogueRequest, ...] = ()
    flaw: str | None = None
    categories: Mapping[str, CatalogueCategory] = field(default_factory=dict)


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


def sold_values(price: str | None, listed: str | None, currency: str | None = None, **more: Any) -> dict[str, Any]:
    """What a product or variant is sold for, and what else is said of it: numbers, stock, options."""
    before = listed if listed and price and Decimal(listed) > Decimal(price) else None
    return with_values(price=price, list_price=before, currency=currency if price else None, **more)


def deepest(paths: Iterable[Iterable[str]]) -> list[str] | None:
    """The longest of several category paths; the first one where several are.

    >>> deepest([["Sale"], ["Furniture", "Chairs"]])
    ['Furniture', 'Chairs']
    """
    cleaned = ([step for step in map(clean_text, path) if step] for path in paths)
    return max(cleaned, key=len, default=None) or None


def mappings(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a JSON list."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def named_entries(value: Any, name: str) -> tuple[list[Mapping[str, Any]], str | None] | None:
    """The entries of a list that have a text under this name, with what is wrong where some have none; None where none has."""
    if not isinstance(value, list):
        return None
    found = [entry for entry in mappings(value) if text(entry.get(name))]
    if value and not found:
        return None
    return found, f"{len(value) - len(found):,} of its products have no {name}" if len(found) < len(value) else None


def addresses(entries: Iterable[Mapping[str, Any]], name: str = "src") -> list[str]:
    """The addresses of images."""
    found = (entry.get(name) for entry in entries)
    return [src for src in found if isinstance(src, str) and src.startswith(("https://", "http://"))]


def page_number(url: str, name: str = "page") -> int:
    """Which page of a catalogue an address names; 1 where it names none."""
    return whole_number(dict(parse_qsl(urlsplit(url).query)).get(name, "1")) or 1


def stock_state(is_there: Any) -> str | None:
    """The availability that a flag tells; None where it is no flag."""
    return (IN_STOCK if is_there else OUT_OF_STOCK) if isinstance(is_there, bool) else None


def mapping(value: Any) -> Mapping[str, Any]:
    """A JSON object; an empty one in place of what is none."""
    return value if isinstance(value, Mapping) else {}
