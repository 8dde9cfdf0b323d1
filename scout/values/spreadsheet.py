"""Spreadsheets whose cells are never run as formulas (OWASP: CSV injection)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import IO, TYPE_CHECKING, Any

from scout.errors import UsageError
from scout.values.storable import repaired_text

if TYPE_CHECKING:  # a crawl that writes no workbook should not wait for this
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
_FORMULA = re.compile(r"[\s\u00a0\ufeff\u200b]*[=+\-@＝＋－＠]|[\t\r\n]")
MAX_ROWS = 1_048_575  # of a sheet in Excel, less the header
_MAX_CELL = 32_767  # characters Excel can hold


def safe_cell(text: str) -> str:
    """The text, after an apostrophe if Excel, LibreOffice or a web spreadsheet would run it as a formula.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("-5.00"), safe_cell("Lamp"), safe_cell("@SUM(A1)")
    ("'=HYPERLINK(1)", '-5.00', 'Lamp', "'@SUM(A1)")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def open_workbook(file: IO[bytes]) -> Workbook:
    """A workbook that is written to the file when it is closed; rows are kept on disk until then, not in memory."""
    from xlsxwriter import Workbook

    return Workbook(file, {"constant_memory": True})


def add_sheet(book: Workbook, name: str, columns: Sequence[str], rows: Iterable[Iterable[Any]]) -> int:
    """Add a sheet whose header stays in view and return its number of rows; UsageError where there are more than fit.

    Text is text, never a formula, without characters that a sheet cannot hold.
    """
    sheet = book.add_worksheet(name)
    sheet.freeze_panes(1, 0)
    number = 0
    _write_row(sheet, number, columns)
    for number, row in enumerate(rows, 1):
        if number > MAX_ROWS:
            raise UsageError(
                f"An XLSX sheet holds {MAX_ROWS:,} rows and there are more: use CSV, or one shop at a time"
            )
        _write_row(sheet, number, row)
    return number


def _write_row(sheet: Worksheet, number: int, values: Iterable[Any]) -> None:
    for column, value in enumerate(values):
        if _is_number(value):
            sheet.write_number(number, column, value)
        elif value is not None:
            sheet.write_string(number, column, repaired_text(str(value))[:_MAX_CELL])


def _is_number(value: Any) -> bool:
    """Whether a cell can hold the value as a number: neither infinity nor more than a float can."""
    try:
        return isinstance(value, (int, float, Decimal)) and math.isfinite(value)
    except OverflowError:
        return False
