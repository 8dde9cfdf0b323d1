"""Text for spreadsheets: a cell that a program would run as a formula is made plain text (OWASP: CSV injection)."""

from __future__ import annotations

import re
from typing import Any

from openpyxl.cell import WriteOnlyCell

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*")
_FORMULA = re.compile(r"[\s\u00a0\ufeff\u200b]*[=+\-@＝＋－＠]|[\t\r\n]")


def safe_cell(text: str) -> str:
    """The text with an apostrophe before it where Excel, LibreOffice or a browser's sheet would take it for a formula.

    >>> safe_cell("=HYPERLINK(1)"), safe_cell("-5.00"), safe_cell("Lamp"), safe_cell("@SUM(A1)")
    ("'=HYPERLINK(1)", '-5.00', 'Lamp', "'@SUM(A1)")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


MAX_CELL = 32_767  # characters Excel can hold
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # what XML 1.0 has no place for


def sheet_cell(sheet: Any, value: Any) -> Any:
    """A value for a row of an openpyxl sheet; text is text, never a formula, without characters that a sheet cannot hold."""
    if not isinstance(value, str):
        return value
    cell = WriteOnlyCell(sheet, _ILLEGAL.sub("", value)[:MAX_CELL])
    cell.data_type = "s"
    return cell
