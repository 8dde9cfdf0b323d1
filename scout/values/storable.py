"""Values that every database and file can hold: PostgreSQL rejects NUL, UTF-8 lone surrogates, XML control characters.

Hostile pages contain all of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from operator import is_
from typing import Any

MAX_DIGITS = 30  # of an amount: a price of 5,000 digits is an attack
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def repaired_text(text: str) -> str:
    """The text without characters that a database, UTF-8 or XML rejects; a pair of surrogates is the character that it stands for.

    >>> repaired_text("a\\x00b \\ud83d\\ude00 \\ud800c")
    'ab 😀 c'
    """
    if not _UNSTORABLE.search(text):
        return text
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return _UNSTORABLE.sub("", text)


def repaired(value: Any) -> Any:
    """The value with repaired texts, also inside lists and mappings; the very same object where nothing is wrong.

    >>> repaired([("Colour", "red\\x00"), 1])
    [('Colour', 'red'), 1]
    """
    if isinstance(value, str):
        return repaired_text(value)
    if isinstance(value, Mapping):
        entries = list(value.items())
        made = [repaired(entry) for entry in entries]
        return value if all(map(is_, made, entries)) else dict(made)
    if isinstance(value, (list, tuple)):
        made = [repaired(entry) for entry in value]
        return value if all(map(is_, made, value)) else made if isinstance(value, list) else tuple(made)
    return value


def storable(value: Any) -> Any:
    """The value as plain data for a JSON column, with repaired texts.

    >>> storable({"a": ["x\\x00y", 1]})
    {'a': ['xy', 1]}
    """
    if isinstance(value, str):
        return str(repaired_text(value))
    if isinstance(value, dict):
        return {storable(str(key)): storable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [storable(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None  # JSON has neither NaN nor infinity
    return value if isinstance(value, int) or value is None else storable(str(value))


def storable_amount(value: Any) -> Decimal | None:
    """A price as an exact number; None if it is not a number, or an unreasonable one.

    >>> [storable_amount(value) for value in ("12.90", "1e9999", "NaN", "12 euros")]
    [Decimal('12.90'), None, None, None]
    """
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    if not number.is_finite() or len(number.as_tuple().digits) > MAX_DIGITS or abs(number.adjusted()) >= MAX_DIGITS:
        return None
    return number
