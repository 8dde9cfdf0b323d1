"""Rows of a provider's database as offers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scout.fields import CATEGORY_STEP, KINDS, TEXT_FIELDS, field
from scout.forms.words import field_named
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.values import NumberLocale, clean_text, page_locale, parse_currency

ID_FIELDS = ("sku", "ean", "han")  # identify a row, the provider's own number first
ORIGIN = "structured"
LIST_FIELDS = frozenset({"images"})


@dataclass(frozen=True)
class RowSource:
    """Where rows come from: the form's URL, the page they are on, and the name of the place for the evidence."""

    form_url: str
    page_url: str
    place: str  # "DB.Result", "SOIF" ...
    lang: str | None = None


def table_rows(page: Page) -> list[dict[str, str]]:
    """The rows of the page's largest table with a row of headings: results that lead nowhere are results, too (figure 4)."""
    found: list[dict[str, str]] = []
    for table in page.root.iter("table"):
        lines = [line for line in table.iter("tr") if next(line.iterancestors("table")) is table]
        names = [clean_text(cell.text_content()) for cell in lines[0].iter("th")] if lines else []
        cells = ([clean_text(cell.text_content()) for cell in line.iter("td")] for line in lines[1:])
        rows = [dict(zip(names, values, strict=True)) for values in cells if names and len(values) == len(names)]
        found = max(found, [{name: value for name, value in row.items() if name and value} for row in rows], key=len)
    return found


def rows_of_offers(tables: Mapping[str, Sequence[Mapping[str, str]]]) -> list[Mapping[str, str]]:
    """The rows of the tables that name things; a table without names ("region") only holds terms for the index (section 2).

    Where no table has a name, all of them are kept: their provider declares them.
    """
    named = [rows for rows in tables.values() if any(_offer_field(name) == "title" for row in rows for name in row)]
    return [row for rows in named or tables.values() for row in rows]


def offers_from_rows(rows: Sequence[Mapping[str, Any]], source: RowSource) -> list[Offer]:
    """The rows as offers, with values parsed by field; the number format is inferred from all prices together."""
    cells = [cell for row in rows for cell in row.items()]
    prices = [_text(value) for name, value in cells if _offer_field(name) in ("price", "list_price")]
    locale = page_locale(prices, source.lang)
    return [_offer(row, source, locale) for row in rows]


def _offer(row: Mapping[str, Any], source: RowSource, locale: NumberLocale) -> Offer:
    """An offer with the values that belong to one of its fields; the others become its specifications."""
    offer = Offer()
    for name, value in row.items():
        known = _offer_field(name)
        texts = [str(text) for text in (value if isinstance(value, list) else [value])]
        if known is None or known in offer:
            offer.setdefault("specs", []).extend((name, cleaned) for text in texts if (cleaned := clean_text(text)))
            continue
        read = [field(known).read(text, locale=locale, base_url=source.page_url) for text in texts]
        if found := [text for text in read if text]:
            offer[known] = found if known in LIST_FIELDS else CATEGORY_STEP.join(found)  # suits several authors, too
            offer.evidence[known] = Evidence(f"{source.place}.{name}", raw=_text(value), origin=ORIGIN)
    _add_currency(offer)
    _add_title(offer)
    if not offer.get("url"):
        offer["url"] = _row_url(source.form_url, offer)
    return offer


def _offer_field(name: str) -> str | None:
    """The field of an offer for a provider's attribute; None if there is no such field."""
    known = field(name).name
    return known if known in KINDS or known in TEXT_FIELDS else field_named(name)


def _add_title(offer: Offer) -> None:
    """Use the first specification as the title of a row that has none, as of a hotel."""
    first = next(iter(offer.get("specs", ())), None)
    if first is not None and "title" not in offer:
        offer["title"] = first[1]
        offer.evidence["title"] = Evidence(first[0], raw=first[1], origin=ORIGIN)


def _add_currency(offer: Offer) -> None:
    price = offer.evidence.get("price")
    currency = parse_currency(price.raw or "") if price and "currency" not in offer else None
    if price and currency:
        offer["currency"] = currency
        offer.evidence["currency"] = price


def _row_url(form_url: str, row: Mapping[str, Any]) -> str:
    """A URL for a row that has none: the form's, with the row's number, or a hash of it, as the fragment.

    >>> _row_url("http://shop.example/search", {"title": "Lamp", "sku": "A 1"})
    'http://shop.example/search#sku=A%201'
    """
    number = next((f"{name}={quote(str(row[name]), safe='')}" for name in ID_FIELDS if row.get(name)), None)
    if number is None:
        values = json.dumps(dict(row), sort_keys=True, default=str).encode("utf-8", "replace")
        number = f"row={hashlib.blake2b(values, digest_size=8).hexdigest()}"
    return f"{form_url.partition('#')[0]}#{number}"


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
