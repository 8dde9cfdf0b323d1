"""Pages, and offers, as Parquet: one row each, in columns that Spark, DuckDB or pandas read. pyarrow is needed for it, and an extra."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from scout.errors import ArchiveError, UsageError
from scout.kept_page import Flaw, KeptPage, moment, read_json
from scout.offer import Offer

ROW_GROUP = 200  # pages: what is read at once, and what a task of Spark gets at least
OFFER_ROW_GROUP = 5_000
HOW_TO_INSTALL = "Parquet needs pyarrow: pip install 'scout-offers[parquet]'"
TEXTS = (
    *("url", "shop", "title", "description", "price", "currency", "availability", "brand", "sku", "ean", "han"),
    *("category", "canonical", "parent"),
)
JSONS = ("more", "evidence")  # every other field, and where each value comes from
PAGE_COLUMNS = ("url", "html", "shop", "level", "fetched_at", "known")


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(HOW_TO_INSTALL) from error
    return pyarrow


def page_schema() -> Any:
    """The columns of a file of pages."""
    pa = _pyarrow()
    times = pa.timestamp("us", tz="UTC")
    return pa.schema([(name, times if name == "fetched_at" else pa.string()) for name in PAGE_COLUMNS])


def offer_schema() -> Any:
    """The columns of a file of offers."""
    pa = _pyarrow()
    texts = [(name, pa.string()) for name in (*TEXTS, *JSONS)]
    return pa.schema([*texts, ("images", pa.list_(pa.string()))])


def page_row(page: KeptPage) -> dict[str, Any]:
    """The page as a row."""
    texts = {name: _text(getattr(page, name)) for name in ("url", "html", "shop", "level")}
    return {**texts, "fetched_at": page.fetched_at, "known": page.known_as_json}


def page_of(row: Mapping[str, Any]) -> KeptPage:
    """The page of a row; only `url` and `html` have to be there."""
    texts: dict[str, Any] = {name: row.get(name) for name in ("url", "html", "shop", "level")}
    try:
        known = read_json(row["known"], "known", dict) if row.get("known") else {}
    except Flaw as flaw:
        return KeptPage(**texts, fetched_at=moment(row.get("fetched_at")), flaw=str(flaw))
    return KeptPage(**texts, fetched_at=moment(row.get("fetched_at")), known=known)


def offer_row(offer: Offer) -> dict[str, Any]:
    """The offer as a row: the usual fields as columns, the others and the evidence as JSON."""
    more = {name: value for name, value in offer.items() if name not in TEXTS and name != "images"}
    evidence = {name: found.as_dict() for name, found in offer.evidence.items()}
    texts = {name: _text(offer.get(name)) for name in TEXTS}
    images = [_text(url) for url in offer.get("images") or ()]
    return {**texts, "images": images, "more": _json(more), "evidence": _json(evidence)}


def _json(value: Any) -> str:
    return str(_text(json.dumps(value, ensure_ascii=False, sort_keys=True)))


def _text(value: Any) -> str | None:
    """A text as UTF-8 can hold it: hostile pages contain halves of characters."""
    return None if value is None else str(value).encode(errors="replace").decode()


def write_rows(file: IO[bytes], rows: Iterable[dict[str, Any]], schema: Any, group: int) -> int:
    """Write the rows in groups of `group`; how many."""
    pa = _pyarrow()
    count, left = 0, iter(rows)
    with pa.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := list(islice(left, group)):
            writer.write_table(pa.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


def write_parquet(file: IO[bytes], pages: Iterable[KeptPage]) -> int:
    """Write the pages; how many."""
    return write_rows(file, map(page_row, pages), page_schema(), ROW_GROUP)


def write_offers(file: IO[bytes], offers: Iterable[Offer]) -> int:
    """Write the offers; how many."""
    return write_rows(file, map(offer_row, offers), offer_schema(), OFFER_ROW_GROUP)


def read_parquet(path: Path) -> Iterator[KeptPage]:
    """The pages of the file, or of all files in the directory, a group of rows at a time."""
    pa = _pyarrow()
    for part in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        try:
            with pa.parquet.ParquetFile(part) as file:
                _check_columns(part, file.schema_arrow.names)
                for batch in file.iter_batches(ROW_GROUP):
                    yield from map(page_of, batch.to_pylist())
        except (pa.ArrowException, OSError, ValueError) as error:  # which of them, depends on what is broken
            raise ArchiveError(f"{part} is no Parquet file, or a broken one: {error}") from error


def _check_columns(path: Path, names: Iterable[str]) -> None:
    missing = {"url", "html"} - set(names)
    if missing:
        raise ArchiveError(f"{path} has no column {' and no column '.join(sorted(missing))}: it is no file of pages")
