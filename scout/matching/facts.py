"""What matching knows of one row: its identifiers in normal form, its words, its price."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scout.matching.columns import standard_rows
from scout.matching.words import MAX_TEXT, plain, text_of
from scout.urls import clean_url
from scout.values.gtin import normal_gtin
from scout.values.price import parse_price

DECIMAL = re.compile(r"\d+(?:\.\d{1,2})?")
NUMBER_NOISE = re.compile(r"[\W_]+")
MIN_CODE = 4  # a manufacturer's number of fewer characters is shared by many products ("X1")
MIN_SKU = 3
NOT_A_VALUE = frozenset(
    " na none null unknown unbekannt ka notavailable doesnotapply diverse various generic 0".split(" ")
)


# fields that say nothing in words about the product, or are read on their own; all others, unknown ones too, are part of its text
NOT_TOLD = frozenset(
    "id url urls canonical images shop price currency availability ean sku title description first_seen parent reviews".split()
)
MAX_OTHER = 300  # characters of one such field
NOT_A_DETAIL = NOT_TOLD | {"brand"}  # compared on its own


@dataclass(frozen=True)
class Facts:
    """One row, read once. An absent identifier is None."""

    urls: frozenset[str]
    ean: str | None
    brand: str | None
    han: str | None
    sku: str | None
    title: str
    text: str
    price: float | None
    details: Mapping[str, str]


def facts(rows: Sequence[Mapping[str, Any]]) -> list[Facts]:
    """The facts of each row, whatever its columns are called."""
    return [facts_of(row) for row in standard_rows(rows)]


def facts_of(row: Mapping[str, Any]) -> Facts:
    """The facts of a row under the fields' own names."""
    title = plain(text_of(row.get("title")))
    description = plain(text_of(row.get("description"))[:MAX_TEXT])
    brand = code_of(row.get("brand"))
    told = {key: plain(text_of(value)[:MAX_OTHER]) for key, value in row.items() if key not in NOT_TOLD}
    details = {key: text for key, text in told.items() if text and key not in NOT_A_DETAIL}
    if pictures := picture_names(row.get("images")):
        details["images"] = pictures
    return Facts(
        urls=urls_of(row),
        ean=next((number for text in as_texts(row.get("ean")) if (number := normal_gtin(text))), None),
        brand=brand,
        han=long_enough(code_of(row.get("han")), MIN_CODE),
        sku=long_enough(code_of(row.get("sku")), MIN_SKU),
        title=title,
        text=f"{title} {' '.join(told.values())} {description}",
        price=price_of(row.get("price")),
        details=details,
    )


def as_texts(value: Any) -> list[str]:
    """A value, or each value of a list, as text."""
    return [text_of(entry) for entry in value] if isinstance(value, (list, tuple, set, frozenset)) else [text_of(value)]


def code_of(value: Any) -> str | None:
    """A code without case, space and punctuation; None where the cell only says that there is none."""
    code = NUMBER_NOISE.sub("", plain(text_of(value)))
    return None if code in NOT_A_VALUE else code


def long_enough(code: str | None, least: int) -> str | None:
    """The code, unless it is too short to name one product."""
    return code if code and len(code) >= least else None


def urls_of(row: Mapping[str, Any]) -> frozenset[str]:
    """All addresses the row gives for its offer, as keys."""
    texts = [text for key in ("url", "urls", "canonical") for text in as_texts(row.get(key))]
    return frozenset(key for text in texts if (key := url_key(text)))


def url_key(address: str) -> str | None:
    """An address reduced to what tells pages apart: unwrapped and without tracking, scheme, www, fragment and closing slash.

    >>> url_key("https://www.shop.example/p/1/?utm_source=feed#top") == url_key("http://shop.example/p/1")
    True
    """
    if "://" not in address:
        return None
    try:
        parts = urlsplit(clean_url(address.strip()))
    except ValueError:
        return None
    if not parts.netloc:
        return None
    host = parts.netloc.casefold().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    key = f"{host}{parts.path.rstrip('/')}{query}"
    return key if key != host else None  # a shop's front page names no offer


def picture_names(value: Any) -> str:
    """The file names of the pictures, as one word each: shops that take a maker's pictures often keep them.

    >>> picture_names(["https://shop.example/img/WFW-8300_1.jpg?w=200"])
    'wfw83001'
    """
    stems = [address.partition("?")[0].rpartition("/")[2].partition(".")[0] for address in as_texts(value)]
    return " ".join(filter(None, (NUMBER_NOISE.sub("", plain(stem)) for stem in stems)))


def price_of(value: Any) -> float | None:
    """The amount as a number for ratios; None where it cannot be read or is nothing."""
    text = text_of(value).strip()
    if DECIMAL.fullmatch(text):
        return float(text) or None
    price = parse_price(text) if text else None
    return float(price.amount) or None if price and price.amount is not None else None
