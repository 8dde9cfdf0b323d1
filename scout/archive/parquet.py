"""Pages and offers as Parquet, one row each, for Spark, DuckDB or pandas. Needs pyarrow, from the extra `parquet`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from scout.errors import ArchiveError
from scout.kept_page import DefectiveRecord, KeptPage, parse_json, parse_time
from scout.offer import Offer
from scout.store.arrow import load_pyarrow, write_rows

ROW_GROUP = 200  # pages that are read at once; the least that a Spark task gets
OFFER_ROW_GROUP = 5_000
TEXT_COLUMNS = (
    *("url", "shop", "title", "description", "price", "currency", "availability", "brand", "sku", "ean", "han"),
    *("category", "canonical", "parent"),
)
JSON_COLUMNS = ("more", "evidence")  # all other fields, and the evidence of each value
PAGE_COLUMNS = ("url", "html", "shop", "level", "fetched_at", "known")


def page_schema() -> Any:
    """The columns of a file of pages."""
    pa = load_pyarrow()
    times = pa.timestamp("us", tz="UTC")
    return pa.schema([(name, times if name == "fetched_at" else pa.string()) for name in PAGE_COLUMNS])


def offer_schema() -> Any:
    """The columns of a file of offers."""
    pa = load_pyarrow()
    texts = [(name, pa.string()) for name in (*TEXT_COLUMNS, *JSON_COLUMNS)]
    return pa.schema([*texts, ("images", pa.list_(pa.string()))])


def page_row(page: KeptPage) -> dict[str, Any]:
    """The row of a page."""
    texts = {name: _text(getattr(page, name)) for name in ("url", "html", "shop", "level")}
    return {**texts, "fetched_at": page.fetched_at, "known": page.known_as_json}


def page_from_row(row: Mapping[str, Any]) -> KeptPage:
    """The page of a row, of which only `url` and `html` are required."""
    texts: dict[str, Any] = {name: row.get(name) for name in ("url", "html", "shop", "level")}
    try:
        known = parse_json(row["known"], "known", dict) if row.get("known") else {}
    except DefectiveRecord as error:
        return KeptPage(**texts, fetched_at=parse_time(row.get("fetched_at")), defect=str(error))
    return KeptPage(**texts, fetched_at=parse_time(row.get("fetched_at")), known=known)


def offer_row(offer: Offer) -> dict[str, Any]:
    """The row of an offer: the usual fields as columns, the others and the evidence as JSON."""
    more = {name: value for name, value in offer.items() if name not in TEXT_COLUMNS and name != "images"}
    evidence = {name: found.as_dict() for name, found in offer.evidence.items()}
    texts = {name: _text(offer.get(name)) for name in TEXT_COLUMNS}
    images = [_text(url) for url in offer.get("images") or ()]
    return {**texts, "images": images, "more": _json(more), "evidence": _json(evidence)}


def _json(value: Any) -> str:
    return str(_text(json.dumps(value, ensure_ascii=False, sort_keys=True)))


def _text(value: Any) -> str | None:
    """A text that UTF-8 can encode: hostile pages contain lone surrogates."""
    return None if value is None else str(value).encode(errors="replace").decode()


def write_parquet(file: IO[bytes], pages: Iterable[KeptPage]) -> int:
    """Write the pages; returns their number."""
    return write_rows(file, map(page_row, pages), page_schema(), ROW_GROUP)


def write_offers(file: IO[bytes], offers: Iterable[Offer]) -> int:
    """Write the offers; returns their number."""
    return write_rows(file, map(offer_row, offers), offer_schema(), OFFER_ROW_GROUP)


def read_parquet(path: Path) -> Iterator[KeptPage]:
    """The pages of the file, or of all files in the directory, read in groups of rows."""
    pa = load_pyarrow()
    for part in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        try:
            with pa.parquet.ParquetFile(part) as file:
                _check_columns(part, file.schema_arrow.names)
                for batch in file.iter_batches(ROW_GROUP):
                    yield from map(page_from_row, batch.to_pylist())
        except (pa.ArrowException, OSError, ValueError) as error:  # which one depends on what is broken
            raise ArchiveError(f"{part} is not a Parquet file, or a damaged one: {error}") from error


def _check_columns(path: Path, names: Iterable[str]) -> None:
    missing = {"url", "html"} - set(names)
    if missing:
        raise ArchiveError(f"{path} has no column {' and no column '.join(sorted(missing))}: it does not hold pages")
