"""The schema of an offer: how each field is read, compared and normalised.

A field has a name and a kind, and a kind is two functions. `keys` returns every reading of a raw text as hashable keys: two texts are
equal as this field if they share a key. `read` returns the only normalised value, or None: it never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin

from scout.values import (
    NumberLocale,
    clean_text,
    normal_gtin,
    parse_availability,
    parse_currency,
    parse_price,
    text_key,
)
from scout.values.gtin import gtin_digits, isbn13, written_gtin
from scout.values.images import image_id
from scout.values.numbers import format_amount
from scout.values.price import parse_base_price
from scout.values.storable import repaired_text
from scout.values.tables import table
from scout.values.text import plain_prose
from scout.values.tracking import without_tracking
from scout.values.words import category_path, parse_condition, parse_delivery_days, parse_shipping, parse_vat

Keys = frozenset[Hashable]
_NO_KEYS: Keys = frozenset()


@dataclass(frozen=True)
class ReadContext:
    """What reading a value may need besides its text."""

    locale: NumberLocale | None = None
    base_url: str = ""


@dataclass(frozen=True)
class Kind:
    """How a sort of value is compared and read.

    `is_state`: it has a few meanings, each with many wordings ("auf Lager", "3 left"). `contradicts`: why a text is no such value, by its
    own words.
    """

    keys: Callable[[str, ReadContext], Keys]
    read: Callable[[str, ReadContext], str | None]
    is_state: bool = False
    is_money: bool = False
    contradicts: Callable[[str, ReadContext], str | None] = lambda raw, context: None


@dataclass(frozen=True)
class Field:
    """A field of an offer. `many`: the offer holds a list (images, the steps of a category path)."""

    name: str
    kind: Kind
    many: bool = False

    def keys(self, raw: str, *, locale: NumberLocale | None = None, base_url: str = "") -> Keys:
        """Every reading of a raw text as this field; empty if there is none. A locale leaves one reading of "3.350"."""
        return self.kind.keys(raw, ReadContext(locale, base_url))

    def same(self, a: str, b: str) -> bool:
        """Whether two texts may mean the same value, as learning and matching compare them."""
        return not self.keys(a).isdisjoint(self.keys(b))

    def read(
        self, raw: str, *, locale: NumberLocale | None = None, base_url: str = "", check: bool = True
    ) -> str | None:
        """The normalised value, or None if there is none or more than one, or the text itself contradicts it (unless not checked)."""
        context = ReadContext(locale, base_url)
        return None if check and self.kind.contradicts(raw, context) else self.kind.read(raw, context)

    def contradiction(self, raw: str, *, locale: NumberLocale | None = None) -> str | None:
        """What the text itself says against being a value of this field: "€3.96 / month" is a rate, not a price."""
        return self.kind.contradicts(raw, ReadContext(locale))

    def stored(self, value: str) -> str | list[str]:
        """A normalised value as an offer holds it: a list if the field has many, a path as a list of steps."""
        if self.kind is CATEGORY:
            return value.split(CATEGORY_STEP)
        return [value] if self.many else value


def _single_key(value: Hashable | None) -> Keys:
    return _NO_KEYS if value is None or value == "" else frozenset((value,))


# --- text -------------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=16384)
def _text_keys(raw: str) -> Keys:
    return _single_key(text_key(raw))


def _read_text(raw: str, _: ReadContext) -> str | None:
    return clean_text(raw) or None


# --- money ------------------------------------------------------------------------------------------------------------
_PLAIN_AMOUNT = re.compile(r"\d{1,30}(?:\.\d{1,30})?", re.ASCII)


def amount_key(price: str | None) -> str | None:
    """A price as offers are compared by it: 12, 12.0 and 12.00 are the same. Other texts are returned unchanged.

    >>> amount_key("12"), amount_key("12.5"), amount_key("on request"), amount_key(None)
    ('12.00', '12.50', 'on request', None)
    """
    return format_amount(Decimal(price)) if price and _PLAIN_AMOUNT.fullmatch(price) else price


def _money_keys(raw: str, context: ReadContext) -> Keys:
    price = parse_price(raw, context.locale)
    return frozenset(price.readings) if price else _NO_KEYS


_OTHER_AMOUNTS: Mapping[str, str] = MappingProxyType(
    {
        "old": "a former price",
        "saving": "a saving",
        "shipping": "a cost of shipping",
        "part": "a rate, a part of the price",
        "condition": "a price for some buyers only",
        "dealer": "what the shop pays itself",
        "prior": "the lowest price of the last thirty days",
    }
)


def _other_amount(raw: str, context: ReadContext) -> str | None:
    price = parse_price(raw, context.locale)
    return _OTHER_AMOUNTS.get(price.role) if price else None


def _read_money(raw: str, context: ReadContext) -> str | None:
    price = parse_price(raw, context.locale)
    # a price of 0.00 stands for "no price yet" or "on request"
    return format_amount(price.amount) if price and price.other is None and price.amount > 0 else None


def _read_shipping(raw: str, context: ReadContext) -> str | None:
    amount = parse_shipping(raw, context.locale)
    return None if amount is None else format_amount(amount)


def _read_base_price(raw: str, context: ReadContext) -> str | None:
    base = parse_base_price(raw, context.locale)
    if base is None:
        return None
    return f"{format_amount(base.amount)}{f' {base.currency}' if base.currency else ''} / {base.quantity:f} {base.unit}"


# --- product numbers --------------------------------------------------------------------------------------------------
def _gtin_keys(raw: str, _: ReadContext) -> Keys:
    digits = gtin_digits(raw)
    if digits is None:
        return _NO_KEYS
    number = isbn13(digits) or digits
    return _single_key(number.lstrip("0"))


_CODE_LABEL = re.compile(
    r"^(?:sku|mpn|art(?:ikel)?[.\- ]*(?:nr|nummer|no)|item(?: no| number| #)?|model(?: no| number)?|product code"
    r"|part (?:no|number)|ref(?:erence)?"
    r"|référence|referencia|han|hersteller(?:nummer|-nr)|артикул|型号|货号|商品编号|品番|型番)\s*[.:#＃：]+\s*",
    re.IGNORECASE,
)


_BRACKETS = (("(", ")"), ("[", "]"))


def bare_code(raw: str) -> str:
    """A shop's or manufacturer's product number without a label or sign before it, and without brackets around it or unmatched ones.

    >>> bare_code("SKU: (AB-12)"), bare_code("Kit (16mm)"), bare_code("#185#"), bare_code("(# 185)")
    ('AB-12', 'Kit (16mm)', '185#', '185')
    """
    code = _CODE_LABEL.sub("", clean_text(raw)).strip(" :;,.").lstrip("# ")
    for opening, closing in _BRACKETS:
        is_around = code.startswith(opening) and code.endswith(closing)
        if is_around or code.count(opening) != code.count(closing):
            code = code.strip(f"{opening}{closing} ").lstrip("# ")
    return code


_MAX_CODE = 64  # characters: longer texts are not product numbers


def _read_code(raw: str, _: ReadContext) -> str | None:
    code = bare_code(raw)
    return code if code and len(code) <= _MAX_CODE else None


def _kind_compared_as_read(function: Callable[[str], str | None], *, is_state: bool = False) -> Kind:
    """A kind that compares the normalised values."""
    return Kind(lambda raw, _: _single_key(function(raw)), lambda raw, _: function(raw), is_state)


# --- addresses --------------------------------------------------------------------------------------------------------
def _absolute(raw: str, context: ReadContext) -> str | None:
    link = raw.strip()
    if not link or link.startswith(("data:", "javascript:", "mailto:", "tel:", "#", "blob:", "about:")):
        return None
    try:
        url = urljoin(context.base_url, link)
    except ValueError:  # "http://[" and the like
        return None
    return url.replace(" ", "%20")


_SCHEME = re.compile(r"^(?:https?:)?//(?:www\.)?", re.IGNORECASE)


def _link_keys(raw: str, context: ReadContext) -> Keys:
    url = _absolute(raw, context)
    return _single_key(_SCHEME.sub("//", without_tracking(url)[0]).split("#")[0].rstrip("/")) if url else _NO_KEYS


# --- category ---------------------------------------------------------------------------------------------------------
CATEGORY_STEP = " > "


def category_names(value: Any) -> tuple[str, ...]:
    """The names of a normalised category, given as a list or as "A > B > C".

    >>> category_names("Furniture > Chairs"), category_names(["Furniture", "Chairs"]), category_names(None)
    (('Furniture', 'Chairs'), ('Furniture', 'Chairs'), ())
    """
    names = value.split(CATEGORY_STEP.strip()) if isinstance(value, str) else value or ()
    return tuple(text for name in names if (text := repaired_text(str(name)).strip()))


def _no_product_number(raw: str, _: ReadContext) -> str | None:
    is_own = normal_gtin(raw) is None and written_gtin(raw) is not None
    return "a number for use inside one shop, or a placeholder" if is_own else None


def _category_keys(raw: str, _: ReadContext) -> Keys:
    return _single_key(text_key(" ".join(category_path(raw))))  # so separators do not matter


def value_text(name: str, value: Any) -> str:
    """A value of an offer as one text, the same before and after it was stored.

    >>> value_text("category", ["Lamps", "Desk"]), value_text("category", "Lamps > Desk"), value_text("price", None)
    ('Lamps > Desk', 'Lamps > Desk', '')
    """
    if name == "category":
        return CATEGORY_STEP.join(category_names(value))
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


TEXT = Kind(lambda raw, _: _text_keys(raw), _read_text)
PROSE = Kind(lambda raw, _: _text_keys(plain_prose(raw)), lambda raw, _: plain_prose(raw) or None)
PRICE = Kind(_money_keys, _read_money, is_money=True, contradicts=_other_amount)
_MONEY = Kind(_money_keys, _read_money, is_money=True)
_SHIPPING = Kind(lambda raw, context: _single_key(parse_shipping(raw, context.locale)), _read_shipping)
_BASE_PRICE = Kind(lambda raw, context: _single_key(parse_base_price(raw, context.locale)), _read_base_price)
GTIN = Kind(_gtin_keys, lambda raw, _: written_gtin(raw), contradicts=_no_product_number)
_CODE = Kind(lambda raw, _: _single_key(text_key(bare_code(raw))), _read_code)
LINK = Kind(_link_keys, _absolute)
_IMAGE = Kind(lambda raw, _: _single_key(image_id(raw)), _absolute)
CATEGORY = Kind(_category_keys, lambda raw, _: CATEGORY_STEP.join(category_path(raw)) or None)

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "price": PRICE,
        "list_price": _MONEY,
        "currency": _kind_compared_as_read(parse_currency),
        "shipping": _SHIPPING,
        "base_price": _BASE_PRICE,
        "ean": GTIN,
        "sku": _CODE,
        "han": _CODE,
        "availability": _kind_compared_as_read(parse_availability, is_state=True),
        "condition": _kind_compared_as_read(parse_condition, is_state=True),
        "vat": _kind_compared_as_read(parse_vat),
        "delivery_time": _kind_compared_as_read(parse_delivery_days),
        "images": _IMAGE,
        "url": LINK,
        "canonical": LINK,
        "parent": LINK,
        "category": CATEGORY,
        "description": PROSE,
    }
)
TEXT_FIELDS = frozenset({"title", "brand"})
LIST_FIELDS = frozenset({"images", "category", "urls", "reviews", "specs"})

ALIASES: Mapping[str, str] = MappingProxyType(
    {alias: name for name, aliases in table("fields")["aliases"].items() for alias in aliases}
)


@lru_cache(maxsize=1024)
def field(name: str) -> Field:
    """The field of this name or alias; an unknown one is compared and read as text.

    >>> field("gtin").name, field("price").same("1.299,00 €", "1299"), field("author").same("Ann  LEE", "ann lee")
    ('ean', True, True)
    """
    normal = re.sub(r"[-\s]+", "_", name.strip().lower())
    known = ALIASES.get(normal, normal)
    if known in KINDS or known in TEXT_FIELDS:
        name = known
    return Field(name, KINDS.get(name, TEXT), many=name in LIST_FIELDS)
