"""Values as a database can store them: PostgreSQL rejects NUL, UTF-8 lone surrogates, and hostile pages contain both."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Any

MAX_DIGITS = 30  # of an amount: a price of 5,000 digits is an attack
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The value without the characters that a database rejects, also inside lists and mappings.

    >>> storable({"a": ["x\\x00y", 1]})
    {'a': ['xy', 1]}
    """
    if isinstance(value, str):
        return _UNSTORABLE.sub("", value) if _UNSTORABLE.search(value) else str(value)
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
