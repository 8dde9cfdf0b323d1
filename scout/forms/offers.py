"""A row of somebody's database as an offer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scout.fields import CATEGORY_STEP, KINDS, TEXT_FIELDS, field
from scout.forms.words import attribute
from scout.offer import Evidence, Offer
from scout.values import NumberLocale, clean_text, page_locale, parse_currency

KEYS = ("sku", "ean", "han")  # numbers that tell rows apart, the provider's own first
ORIGIN = "structured"
LISTS = frozenset({"images"})


@dataclass(frozen=True)
class Source:
    """Where rows come from: the form's address, the page they stand on, and what to call the place in the evidence."""

    form_url: str
    page_url: str
    place: str  # "DB.Result", "SOIF" ...
    lang: str | None = None


def offers(rows: Sequence[Mapping[str, Any]], source: Source) -> list[Offer]:
    """The rows as offers, every value read by its field; the number format is that of all their prices together."""
    prices = [
        _text(value) for row in rows for name, value in row.items() if offer_field(name) in ("price", "list_price")
    ]
    locale = page_locale(prices, source.lang)
    return [_offer(row, source, locale) for row in rows]


def _offer(row: Mapping[str, Any], source: Source, locale: NumberLocale) -> Offer:
    """The values that an offer has a field for, and all others as its specifications."""
    offer = Offer()
    for name, value in row.items():
        known = offer_field(name)
        texts = [str(text) for text in (value if isinstance(value, list) else [value])]
        if known is None or known in offer:
            offer.setdefault("specs", []).extend((name, cleaned) for text in texts if (cleaned := clean_text(text)))
            continue
        read = [field(known).read(text, locale=locale, base_url=source.page_url) for text in texts]
        if found := [text for text in read if text]:
            offer[known] = found if known in LISTS else CATEGORY_STEP.join(found)  # two authors read well with it too
            offer.evidence[known] = Evidence(f"{source.place}.{name}", raw=_text(value), origin=ORIGIN)
    _add_currency(offer)
    _add_title(offer)
    if not offer.get("url"):
        offer["url"] = row_address(source.form_url, offer)
    return offer


def offer_field(name: str) -> str | None:
    """The field of an offer that a provider's attribute is; None where it is one of the provider's own."""
    known = field(name).name
    return known if known in KINDS or known in TEXT_FIELDS else attribute(name)


def _add_title(offer: Offer) -> None:
    """A row that is no product has no title: it is called by the first thing that its provider says of it."""
    said = next(iter(offer.get("specs", ())), None)
    if said is not None and "title" not in offer:
        offer["title"] = said[1]
        offer.evidence["title"] = Evidence(said[0], raw=said[1], origin=ORIGIN)


def _add_currency(offer: Offer) -> None:
    price = offer.evidence.get("price")
    currency = parse_currency(price.raw or "") if price and "currency" not in offer else None
    if price and currency:
        offer["currency"] = currency
        offer.evidence["currency"] = price


def row_address(form_url: str, row: Mapping[str, Any]) -> str:
    """An address for a row that has none: the form's, with what tells the row from others behind a #.

    >>> row_address("http://shop.example/search", {"title": "Lamp", "sku": "A 1"})
    'http://shop.example/search#sku=A%201'
    """
    number = next((f"{name}={quote(str(row[name]), safe='')}" for name in KEYS if row.get(name)), None)
    if number is None:
        values = json.dumps(dict(row), sort_keys=True, default=str).encode("utf-8", "replace")
        number = f"row={hashlib.blake2b(values, digest_size=8).hexdigest()}"
    return f"{form_url.partition('#')[0]}#{number}"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
