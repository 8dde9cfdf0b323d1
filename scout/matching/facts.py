"""What matching knows about a row: its identifiers in normal form, its words, its price."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from scout.matching.columns import rows_by_field
from scout.matching.words import MAX_TEXT, folded, text_of
from scout.urls import clean_url
from scout.values.gtin import normal_gtin
from scout.values.price import parse_price
from scout.values.tables import table

_NUMBER = re.compile(r"\d+(?:\.\d{1,4})?(?:[eE]\d)?|\d\.\d+[eE]\d")  # as feeds write it: 39.9 or 3.99E1
_PUNCTUATION = re.compile(r"[\W_]+")
_MIN_NUMBER = 4  # a shorter manufacturer's number is shared by many products ("X1")
_MIN_SKU = 3
_NO_VALUE = frozenset(
    " na none null unknown unbekannt ka notavailable doesnotapply diverse various generic 0".split(" ")
)
# fields that do not describe the product in words, or are compared separately; all others, unknown ones too, are part of its text
_NOT_TEXT = frozenset(
    "id url urls canonical images shop price currency availability ean sku title description first_seen parent reviews".split()
)
_MAX_OTHER = 300  # characters of one such field
_NOT_A_DETAIL = _NOT_TEXT | {"brand", "han"}  # compared separately


@dataclass(frozen=True)
class OfferFacts:
    """One row, read once. An absent identifier is None; `name` is the title with the manufacturer's number, wherever that stands."""

    urls: frozenset[str]
    ean: str | None
    brand: str | None
    han: str | None
    sku: str | None
    title: str
    name: str
    text: str
    price: float | None
    details: Mapping[str, str]


def read_facts(rows: Sequence[Mapping[str, Any]]) -> list[OfferFacts]:
    """The read_facts of each row, whatever its columns are called."""
    return [_facts_of_row(row) for row in rows_by_field(rows)]


def _facts_of_row(row: Mapping[str, Any]) -> OfferFacts:
    """The read_facts of a row under the fields' own names."""
    title = folded(text_of(row.get("title")))
    description = folded(text_of(row.get("description"))[:MAX_TEXT])
    brand = _normal_code(row.get("brand"))
    texts = {key: folded(text_of(value)[:_MAX_OTHER]) for key, value in row.items() if key not in _NOT_TEXT}
    details = {key: text for key, text in texts.items() if text and key not in _NOT_A_DETAIL}
    if pictures := _picture_names(row.get("images")):
        details["images"] = pictures
    return OfferFacts(
        urls=_url_keys(row),
        ean=next((number for text in _texts(row.get("ean")) if (number := normal_gtin(text))), None),
        brand=brand,
        han=_at_least(_normal_code(row.get("han")), _MIN_NUMBER),
        sku=_at_least(_normal_code(row.get("sku")), _MIN_SKU),
        title=title,
        name=extended(title, [texts.get("han", "")]),
        text=f"{title} {' '.join(texts.values())} {description}",
        price=_price_number(row.get("price"), row.get("currency")),
        details=details,
    )


def extended(title: str, texts: Iterable[str]) -> str:
    """A title with the texts that are not in it yet, however they are spaced.

    >>> extended("sony ps-lx350h turntable", ["pslx350h", "black"])
    'sony ps-lx350h turntable black'
    """
    letters = _PUNCTUATION.sub("", title)
    return " ".join([title, *(text for text in texts if _PUNCTUATION.sub("", text) not in letters)])


def _texts(value: Any) -> list[str]:
    """The texts of a list, or of a single value."""
    return [text_of(entry) for entry in value] if isinstance(value, (list, tuple, set, frozenset)) else [text_of(value)]


def _normal_code(value: Any) -> str | None:
    """A code without case, spaces and punctuation; None where the cell only says that there is none."""
    code = _PUNCTUATION.sub("", folded(text_of(value)))
    return None if code in _NO_VALUE else code


def _at_least(code: str | None, least: int) -> str | None:
    """The code, unless it is too short to identify a product."""
    return code if code and len(code) >= least else None


def _url_keys(row: Mapping[str, Any]) -> frozenset[str]:
    """Keys of all addresses that the row gives for its offer."""
    texts = [text for key in ("url", "urls", "canonical") for text in _texts(row.get(key))]
    return frozenset(key for text in texts if (key := url_key(text)))


def url_key(address: str) -> str | None:
    """An address reduced to what identifies a page: unwrapped, without tracking, scheme, www, fragment and trailing slash.

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
    return key if key != host else None  # a shop's front page is no offer


def _picture_names(value: Any) -> str:
    """The file names of the pictures, one word each: shops that use a manufacturer's pictures often keep them.

    >>> _picture_names(["https://shop.example/img/WFW-8300_1.jpg?w=200"])
    'wfw83001'
    """
    stems = [address.partition("?")[0].rpartition("/")[2].partition(".")[0] for address in _texts(value)]
    return " ".join(filter(None, (_PUNCTUATION.sub("", folded(stem)) for stem in stems)))


def _price_number(value: Any, currency: Any) -> float | None:
    """The amount as a number for ratios, roughly in euros; None where it cannot be read or is zero."""
    text = text_of(value).strip()
    price = None if _NUMBER.fullmatch(text) or not text else parse_price(text)
    amount = (
        float(text) if _NUMBER.fullmatch(text) else float(price.amount) if price and price.amount is not None else 0.0
    )
    code = text_of(currency).strip().upper() or (price.currency if price else None) or ""
    return amount / _rates().get(code, 1.0) or None


@cache
def _rates() -> Mapping[str, float]:
    """How much of each currency a euro is worth, roughly: enough to tell a price from another."""
    rates: Mapping[str, float] = table("matching")["rates"]
    return rates
