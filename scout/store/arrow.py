"""Parquet files, written in groups of rows. Needs pyarrow, from the extra `parquet`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from scout.errors import UsageError
from scout.store.batched import batched

HOW_TO_INSTALL = "Parquet needs pyarrow: pip install 'scout-offers[parquet]'"


def load_pyarrow() -> Any:
    """The library, imported when it is needed; UsageError where it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise UsageError(HOW_TO_INSTALL) from error
    return pyarrow


def write_rows(file: IO[bytes], rows: Iterable[Mapping[str, Any]], schema: Any, group: int) -> int:
    """Write the rows in groups of `group`; returns their number."""
    pa = load_pyarrow()
    count = 0
    with pa.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batched(rows, group):
            writer.write_table(pa.Table.from_pylist(batch, schema))
            count += len(batch)
    return count
