"""Offers as CSV, JSON lines or XLSX: one row or line each, written as they are read. No text of a shop becomes a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any

from scout.store.offers import OfferRecord
from scout.store.texts import amount
from scout.values.spreadsheet import add_sheet, open_workbook, safe_cell

ITEM_COLUMNS = (
    *(
        "shop",
        "url",
        "title",
        "price",
        "currency",
        "availability",
        "brand",
        "sku",
        "ean",
        "han",
        "category",
        "description",
    ),
    *("images", "specs", "reviews", "canonical", "parent", "urls"),
)
COLUMNS = (*ITEM_COLUMNS, "first_seen", "last_seen")
AMOUNTS = frozenset({"price", "list_price", "shipping"})  # numbers in a sheet; an EAN is a text, or it loses its zeros

Write = Callable[[IO[bytes], Iterable[OfferRecord], Sequence[str]], int]


def columns(offers: Iterable[OfferRecord]) -> list[str]:
    """The usual columns, then every learned field that any of the offers has."""
    found = {name for offer in offers for name in offer}
    return [*COLUMNS, *sorted(found - set(COLUMNS))]


def value(offer: OfferRecord, column: str) -> Any:
    """What the offer says in this column."""
    return (
        getattr(offer, column).isoformat(timespec="seconds")
        if column in ("first_seen", "last_seen")
        else offer.get(column)
    )


def flat(value: Any) -> str:
    """A value as the text of one cell: addresses side by side, everything deeper as JSON."""
    if isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value):
        return " ".join(value)
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def write_csv(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """RFC 4180 in UTF-8 with a header."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([safe_cell(field) for field in fields])
    count = 0
    for offer in offers:
        writer.writerow([safe_cell(flat(value(offer, field))) for field in fields])
        count += 1
    text.detach()
    return count


def write_jsonl(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """One JSON object per line, with the fields that the offer has."""
    count = 0
    for offer in offers:
        known = {field: found for field in fields if (found := value(offer, field)) is not None}
        file.write(json.dumps(known, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def write_xlsx(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """A workbook with one sheet, amounts as numbers, everything else as text."""
    rows = ([_cell(field, value(offer, field)) for field in fields] for offer in offers)
    with open_workbook(file) as book:
        return add_sheet(book, "offers", fields, rows)


def _cell(field: str, found: Any) -> Any:
    number = amount(found) if field in AMOUNTS and found is not None else None
    return flat(found) if number is None else number


WRITERS: Mapping[str, Write] = {"csv": write_csv, "jsonl": write_jsonl, "xlsx": write_xlsx}
SUFFIXES: Mapping[str, str] = {".csv": "csv", ".jsonl": "jsonl", ".jl": "jsonl", ".ndjson": "jsonl", ".xlsx": "xlsx"}
