"""The rows of an Excel workbook (XLSX), as the text that its cells show."""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import Any
from xml.etree.ElementTree import ParseError

from lxml import etree
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from scout.errors import CatalogueError

MAX_UNPACKED = 1024**3  # a workbook that unpacks to more is a bomb, or no catalogue
WORKBOOK = "xl/workbook.xml"
LEAST_COLUMNS = 2  # of a header: a single filled cell above the table is its title
DIGITS = 15  # that Excel itself keeps of a number: 12.989999999999998 is how it stores 12.99
# what openpyxl lets through from a workbook that is damaged
DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, InvalidFileException, ParseError, etree.XMLSyntaxError),
    *(OSError, EOFError, KeyError, IndexError, ValueError, TypeError, AttributeError, NotImplementedError),
)

Row = tuple[int, dict[str, str]]


def sheet_rows(data: bytes, name: str) -> Iterator[Row]:
    """The rows of the workbook's longest sheet with their numbers, by the names in its first row of several cells.

    CatalogueError where the file is no workbook that can be read.
    """
    try:
        check_size(data, name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and the like, of which nothing is read
            workbook = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = [list(filled_rows(sheet.iter_rows(values_only=True))) for sheet in workbook.worksheets]
    except DAMAGED as error:
        raise CatalogueError(
            f"{name}: is no spreadsheet that can be read ({error}): save it as CSV and import that"
        ) from error
    yield from named(max(sheets, key=len, default=[]))


def check_size(data: bytes, name: str) -> None:
    """CatalogueError for an archive that is no workbook, or unpacks to more than anybody's catalogue."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
    if WORKBOOK not in {entry.filename for entry in entries}:
        raise CatalogueError(f"{name}: is a ZIP archive, but no XLSX workbook: save it as CSV and import that")
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
        raise CatalogueError(f"{name}: unpacks to more than {MAX_UNPACKED} bytes")


def filled_rows(rows: Iterator[Sequence[Any]]) -> Iterator[tuple[int, list[str]]]:
    """The rows in which anything stands, numbered as Excel does."""
    for number, cells in enumerate(rows, 1):
        texts = [cell_text(cell) for cell in cells]
        if any(texts):
            yield number, texts


def named(rows: Sequence[tuple[int, list[str]]]) -> Iterator[Row]:
    """The rows below the header, by its names."""
    start = next((i for i, (_, cells) in enumerate(rows) if sum(map(bool, cells)) >= LEAST_COLUMNS), len(rows))
    header = rows[start][1] if start < len(rows) else []
    for number, cells in rows[start + 1 :]:
        yield number, {column: cell for column, cell in zip(header, cells, strict=False) if column}


def cell_text(value: Any) -> str:
    """What a cell holds, as text; a number without what only its storage adds.

    >>> cell_text(4012345678901.0), cell_text(12.989999999999998), cell_text(None)
    ('4012345678901', '12.99', '')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    return value.isoformat() if isinstance(value, (datetime, date, time)) else str(value).strip()
