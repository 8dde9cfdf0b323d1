"""The words of an offer's text as matching sees them: without case and accents, codes whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from scout.match.columns import without_accents

WORD = re.compile(r"[^\W_]+(?:[-./+][^\W_]+)*")
JOINT = re.compile(r"[-./+]")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{3,}|\d{4,}")  # a model number: letters and digits, or a long number
MAX_TEXT = 2000  # characters of a description: what tells products apart stands at its beginning


def plain(text: str) -> str:
    """The text in small letters without accents."""
    return text.casefold() if text.isascii() else without_accents(text.casefold())


def words(text: str) -> list[str]:
    """The words of a plain text; a compound gives its parts and, written as one, itself.

    >>> words("sony ps-lx350h, 33.5 cm")
    ['sony', 'ps', 'lx350h', 'pslx350h', '33', '5', '335', 'cm']
    """
    found: list[str] = []
    for word in WORD.findall(text):
        parts = JOINT.split(word)
        found += parts
        if len(parts) > 1:
            found.append("".join(parts))
    return found


def codes(text: str) -> set[str]:
    """The words of a plain text that look like model numbers.

    >>> sorted(codes("sony ps-lx350h 12 cm 2007"))
    ['2007', 'lx350h', 'pslx350h']
    """
    return {word for word in words(text) if CODE.fullmatch(word)}


def numbers(text: str) -> set[str]:
    """The free-standing and attached numbers of a plain text, with a point for the decimals.

    >>> sorted(numbers("40gb 5,5 inch"))
    ['40', '5.5']
    """
    return {number.replace(",", ".") for number in NUMBER.findall(text)}


def text_of(value: Any) -> str:
    """A value of a row as one line of text: lists joined, absence empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(f"{key} {text_of(inner)}" for key, inner in value.items())
    return " ".join(map(text_of, value)) if isinstance(value, Iterable) else str(value)
