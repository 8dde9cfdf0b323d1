"""Data in scripts: JSON that is not quite JSON, and the objects that a page's own code is given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import chompjs
import orjson

MAX_LENIENT = 2_000_000  # characters handed to the tolerant parser, which is slower and builds more
MAX_TRIES = 60  # places of one script at which a value is looked for
MAX_LITERAL = 100_000  # characters handed to the tolerant parser for one literal in code
MAX_BEGINNING = 4_000  # characters in which a literal must mention something of an offer to be worth reading

_START = re.compile(r"""[=(]\s*(?=[{\[]\s*["'{\[\w]|"[{\[])""")
# what is told to the shop's statistics: gtag("event", "view_item", {
_CALLED = re.compile(r"""(?:gtag|fbq)\([^{]{0,80}(?=\{)""")
_TRAILING = re.compile(r",\s*(?=[}\]])")
_MISSING = re.compile(r":\s*(?=[,}\]])")
_NAME = re.compile(r"([\w$]+)[\"'\]\s]*$")
_WORTH = ("rice", "sku", "Sku", "SKU", "brand", "vendor", "gtin", "roduct")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


def lenient_json(text: str) -> Any:
    """The value that `text` writes: strictly, with control characters and NaN, or as JavaScript; None where it is none of these."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    for attempt in (text, _TRAILING.sub("", text)):
        try:
            return _DECODER.decode(attempt)
        except (ValueError, RecursionError):  # also a number of 5,000 digits
            continue
    return _javascript(text)


def _javascript(text: str) -> Any:
    """A JavaScript literal; where it does not parse, once more with `null` in the places of values that are missing."""
    if len(text) > MAX_LENIENT:
        return None
    for attempt in (text, _MISSING.sub(":null", text)):
        try:
            return chompjs.parse_js_object(attempt)
        except (ValueError, RecursionError, IndexError):
            continue
    return None


def embedded_values(script: str) -> Iterator[tuple[str, Any]]:
    """(name, value) of the objects and lists that a script assigns or passes on; code around them is skipped."""
    for called in islice(_CALLED.finditer(script), MAX_TRIES) if "gtag(" in script or "fbq(" in script else ():
        value, _ = _value_at(script, called.end())
        if isinstance(value, dict):
            yield "", value
    position, tries = 0, 0
    while tries < MAX_TRIES:
        found = _START.search(script, position)
        if found is None:
            return
        tries += 1
        value, end = _value_at(script, found.end())
        position = max(end, found.end())
        if isinstance(value, (dict, list)):
            name = _NAME.search(script, max(0, found.start() - 60), found.start())
            yield name[1] if name else "", value


def _value_at(script: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start`, and where it ends; (None, start) where there is none."""
    try:
        value, end = _DECODER.raw_decode(script, start)
    except (ValueError, RecursionError):
        return _literal_at(script, start)
    if isinstance(value, str):  # JSON.parse("...")
        return lenient_json(value) if value[:1] in "{[" else None, end
    return value, end


def _literal_at(script: str, start: int) -> tuple[Any, int]:
    """A JavaScript literal that is not JSON: single quotes, bare keys, trailing commas."""
    if script[start] not in "{[":
        return None, start
    piece = script[start : start + MAX_LITERAL]
    beginning = piece[:MAX_BEGINNING]
    if not any(word in beginning for word in _WORTH):
        return None, start
    return _javascript(piece), start
