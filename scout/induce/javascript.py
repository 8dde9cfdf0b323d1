"""Data in scripts: JSON that is not quite JSON, and the objects that a page's own code is given."""

from __future__ import annotations

import json
from typing import Any

import chompjs
import orjson

MAX_LENIENT = 2_000_000  # characters handed to the tolerant parser, which is slower and builds more
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def lenient_json(text: str) -> Any:
    """The value that `text` writes: strictly, with control characters and NaN, or as JavaScript; None where it is none of these."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):  # also a number of 5,000 digits
        pass
    return _javascript(text)


def _javascript(text: str) -> Any:
    if len(text) > MAX_LENIENT:
        return None
    try:
        return chompjs.parse_js_object(text)
    except (ValueError, RecursionError, IndexError):
        return None
