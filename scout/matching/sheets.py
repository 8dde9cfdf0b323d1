"""The rows of an Excel workbook (XLSX), as the text that its cells show."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum

from scout.errors import CatalogueError

MAX_UNPACKED = 1024**3  # a workbook that unpacks to more is a bomb, or no catalogue
MAX_CELLS = 16_000_000  # between the first cell and the last: calamine makes room for all of them, 32 bytes each
MAX_COLUMNS = 1_024  # LibreOffice pads rows with empty cells as far as this; no catalogue has as many fields
_WORKBOOK = "xl/workbook.xml"
_MIN_COLUMNS = 2  # of a header: a single filled cell above the table is its title
_DIGITS = 15  # that Excel itself keeps of a number: 12.989999999999998 is how it stores 12.99
_POSITION = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]*)(\d+)["']""")  # of a cell (B12) or of a row (12)
_CHUNK = 1 << 20
_LONGEST_POSITION = 64  # bytes that a position may be spread over, where one chunk ends and the next begins

Row = tuple[int, dict[str, str]]
_FilledRow = tuple[int, dict[int, str]]


def sheet_rows(data: bytes, name: str) -> Iterator[Row]:
    """The rows of the workbook's longest sheet with their numbers, by the names in its first row of several cells.

    CatalogueError where the file is not a workbook that can be read.
    """
    try:
        _check_size(data, name)
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
        names = [sheet.name for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
        sheets = [list(_filled_rows(workbook.get_sheet_by_name(sheet).iter_rows())) for sheet in names]
    except (CalamineError, zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
        raise CatalogueError(
            f"{name}: the spreadsheet cannot be read ({type(error).__name__}: {error}): save it as CSV and import that"
        ) from error
    yield from _rows_by_header(max(sheets, key=len, default=[]))


def _check_size(data: bytes, name: str) -> None:
    """CatalogueError for an archive that is not a workbook, or that would take more memory than any catalogue needs."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if _WORKBOOK not in {entry.filename for entry in entries}:
            raise CatalogueError(f"{name}: is a ZIP archive, but not an XLSX workbook: save it as CSV and import that")
        if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
            raise CatalogueError(f"{name}: unpacks to more than {MAX_UNPACKED} bytes")
        for entry in entries:
            with archive.open(entry) as part:
                columns, rows = _extent(part)
            if columns > MAX_COLUMNS or columns * rows > MAX_CELLS:
                raise CatalogueError(
                    f"{name}: the table is too large, or a cell stands far outside the table ({rows:,} rows, {columns:,} columns; at most "
                    f"{MAX_COLUMNS:,} columns and {MAX_CELLS:,} cells): delete what is not needed, or save it as CSV and import that"
                )


def _extent(part: Any) -> tuple[int, int]:
    """The last column and the last row that a part of a workbook names."""
    columns: set[bytes] = {b"A"}
    rows: set[bytes] = {b"1"}
    end = b""
    while chunk := part.read(_CHUNK):
        positions = _POSITION.findall(end + chunk)
        columns.update({column for column, _ in positions})
        rows.update({row for _, row in positions})
        end = chunk[-_LONGEST_POSITION:]
    return max(map(_column_number, columns)), max(map(int, rows))


def _column_number(letters: bytes) -> int:
    """The number of a column by its letters: 1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _filled_rows(rows: Iterable[Sequence[Any]]) -> Iterator[_FilledRow]:
    """The filled cells by their column, of rows that have any, numbered as Excel does."""
    for number, cells in enumerate(rows, 1):
        texts = {column: text for column, cell in enumerate(cells) if (text := cell_text(cell))}
        if texts:
            yield number, texts


def _rows_by_header(rows: Sequence[_FilledRow]) -> Iterator[Row]:
    """The rows below the header, by its names."""
    start = next((i for i, (_, cells) in enumerate(rows) if len(cells) >= _MIN_COLUMNS), len(rows))
    header = rows[start][1] if start < len(rows) else {}
    for number, cells in rows[start + 1 :]:
        yield number, {name: cells.get(column, "") for column, name in header.items()}


def cell_text(value: Any) -> str:
    """The text of a cell; a number without the digits that only its storage adds.

    >>> cell_text(4012345678901.0), cell_text(12.989999999999998), cell_text("")
    ('4012345678901', '12.99', '')
    """
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.{_DIGITS}g}"
    return value.isoformat() if isinstance(value, (datetime, date, time)) else str(value).strip()
