"""What a database can hold: PostgreSQL refuses NUL, no encoding has lone surrogates, and hostile pages contain both."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Any

MAX_DIGITS = 30  # of an amount: a price of 5,000 digits is an attack, not a price
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The value with everything a database refuses taken out of its texts, also deep inside lists and mappings.

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
        return value if math.isfinite(value) else None  # JSON knows neither NaN nor infinity
    return value if isinstance(value, int) or value is None else storable(str(value))


def amount(value: Any) -> Decimal | None:
    """A price as an exact number, or None where it is none that a shop would ask.

    >>> amount("12.90"), amount("1e9999"), amount("NaN"), amount("12 euros")
    (Decimal('12.90'), None, None, None)
    """
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    reasonable = (
        number.is_finite() and len(number.as_tuple().digits) <= MAX_DIGITS and abs(number.adjusted()) < MAX_DIGITS
    )
    return number if reasonable else None
