"""Export of offers as CSV, JSON lines, XLSX or Parquet, streamed. A shop's text never becomes a formula."""

from __future__ import annotations

import csv
import io
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any

from itemadapter import ItemAdapter

from scout.exchange.json_ld import as_json_ld
from scout.exchange.schemas import EVIDENCE, FORMAT
from scout.exchange.zyte_product import as_zyte_product
from scout.offer import Offer
from scout.store.arrow import load_pyarrow, write_rows
from scout.store.offers import OfferRecord
from scout.values.spreadsheet import add_sheet, open_workbook, safe_cell
from scout.values.storable import storable_amount

ITEM_COLUMNS = (
    *("shop", "url", "title", "price", "currency", "availability", "brand", "sku", "ean", "han", "category"),
    *("description", "images", "specs", "reviews", "canonical", "parent", "urls"),
)
TIMES = ("first_seen", "last_seen")
EVIDENCE_COLUMN = "evidence"
ON_REQUEST = ("concepts", EVIDENCE_COLUMN)  # columns of an export that asks for them
AGES = ("age_days", "price_age_days")
COLUMNS = (*ITEM_COLUMNS, *TIMES, "state", *AGES)
ROW_GROUP = 5_000  # of a Parquet file
# numbers in a sheet; an EAN stays text, or it would lose its leading zeros
AMOUNTS = frozenset({"price", "list_price", "shipping"})

Write = Callable[[IO[bytes], Iterable[OfferRecord], Sequence[str]], int]


def export_columns(offers: Iterable[OfferRecord]) -> list[str]:
    """The usual columns, then every other field of these offers, by name."""
    names = {name for offer in offers for name in offer}
    return [*COLUMNS, *sorted(names - set(COLUMNS))]


def column_value(offer: OfferRecord, column: str) -> Any:
    """The offer's value in this column; `state` is current, unreached (not read by the newest crawl) or gone."""
    if column in TIMES:
        return getattr(offer, column).isoformat(timespec="seconds")
    if column == EVIDENCE_COLUMN:
        return evidence_json(offer)
    if column == "concepts":
        return _concepts(offer.get("specs"))
    return getattr(offer, column) if column in ("state", *AGES) else offer.get(column)


def evidence_json(offer: Offer) -> dict[str, Any]:
    """Where each value comes from, or why there is none, as plain data of the published schema `evidence`."""
    return {"schema": FORMAT[EVIDENCE], "fields": {name: found.as_dict() for name, found in offer.evidence.items()}}


def _concepts(specs: Any) -> list[dict[str, str]] | None:
    """The attributes whose concept is known, so that shops can be compared: concept, value, quantity and unit."""
    names = ("concept", "qualifier", "name", "value", "quantity", "unit")
    pairs = [pair for pair in getattr(specs, "pairs", ()) if pair.concept]
    return [{name: value for name in names if (value := getattr(pair, name))} for pair in pairs] or None


def cell_text(value: Any) -> str:
    """A value as the text of one cell: lists of texts joined by spaces, other structures as JSON."""
    if isinstance(value, (list, tuple)) and all(isinstance(entry, str) for entry in value):
        return " ".join(value)
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def write_csv(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """Write the offers as CSV (RFC 4180) in UTF-8 with a header; returns their number."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow([safe_cell(field) for field in fields])
    count = 0
    for offer in offers:
        writer.writerow([safe_cell(cell_text(column_value(offer, field))) for field in fields])
        count += 1
    text.detach()
    return count


def write_jsonl(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """Write one JSON object per line, with the fields that the offer has; returns their number."""
    count = 0
    for offer in offers:
        values = {field: value for field in fields if (value := column_value(offer, field)) is not None}
        file.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def write_converted(
    file: IO[bytes], offers: Iterable[OfferRecord], convert: Callable[[OfferRecord], Mapping[str, Any]]
) -> int:
    """Write one JSON object per line, each an offer in the form of another vocabulary; returns their number."""
    count = 0
    for offer in offers:
        file.write(json.dumps(convert(offer), ensure_ascii=False).encode() + b"\n")
        count += 1
    return count


def write_xlsx(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """Write a workbook with one sheet, amounts as numbers, all else as text; returns the number of offers."""
    rows = ([_cell(field, column_value(offer, field)) for field in fields] for offer in offers)
    with (
        tempfile.TemporaryFile() as whole
    ):  # a workbook that cannot be written would complain again when it is destroyed
        with open_workbook(whole) as book:
            count = add_sheet(book, "offers", fields, rows)
        whole.seek(0)
        shutil.copyfileobj(whole, file)
    return count


def _cell(field: str, value: Any) -> Any:
    number = storable_amount(value) if field in AMOUNTS and value is not None else None
    return cell_text(value) if number is None else number


def write_parquet(file: IO[bytes], offers: Iterable[OfferRecord], fields: Sequence[str]) -> int:
    """Write one row per offer: times as timestamps, images and URLs as lists, specs as a map, all else as the text of CSV."""
    pa = load_pyarrow()
    texts = pa.list_(pa.string())
    types = {"images": texts, "urls": texts, "specs": pa.map_(pa.string(), pa.string())}
    types |= dict.fromkeys(TIMES, pa.timestamp("us", tz="UTC")) | dict.fromkeys(AGES, pa.int64())
    schema = pa.schema([(field, types.get(field, pa.string())) for field in fields])
    return write_rows(file, ({field: _typed(offer, field) for field in fields} for offer in offers), schema, ROW_GROUP)


def _typed(offer: OfferRecord, field: str) -> Any:
    value = getattr(offer, field) if field in TIMES else column_value(offer, field)
    if value is None or field in ("images", "urls", *AGES, *TIMES):
        return value
    return list(value.items()) if field == "specs" else cell_text(value)


WRITERS: Mapping[str, Write] = {"csv": write_csv, "jsonl": write_jsonl, "xlsx": write_xlsx, "parquet": write_parquet}
SUFFIXES: Mapping[str, str] = {f".{name}": name for name in WRITERS} | {".jl": "jsonl", ".ndjson": "jsonl"}
VOCABULARIES: Mapping[str, Callable[[OfferRecord], Mapping[str, Any]]] = {
    "json-ld": as_json_ld,
    "zyte": lambda offer: ItemAdapter(as_zyte_product(offer)).asdict(),
}  # forms of other programs, as JSON lines
