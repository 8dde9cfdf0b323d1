"""Pairs that a page has only as data: `additionalProperty` in JSON-LD, lists of attributes in its application state or in attributes."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import islice
from typing import Any

from scout.page import Page
from scout.specs.lines import MAX_VALUE
from scout.specs.pair import Pair
from scout.specs.rows import MAX_NAME
from scout.values import clean_text

MIN_PAIRS = 2  # a single pair under such a key is usually a setting of the page
MIN_NAMED = 3  # of an object whose keys are the names
MAX_BLOCK = 2_000_000  # characters: anything larger is a catalogue
MAX_LIST = 100_000
MAX_NESTING = 100

_LIST_KEY = re.compile(
    r"(?:(?:additional|product|custom|extra|item|technical)?_?(?:propert(?:y|ies)|specs?|specifications?|attributes?|characteristics?))"
    r"|technical_?(?:data|details)",
    re.I,
)
_MAY_HOLD_LIST = re.compile(
    r'"(?:[a-z]+_?)?(?:propert(?:y|ies)|specs?|specifications?|attributes?|characteristics?|data|details)"\s*:\s*[\[{]',
    re.I,
)
_IN_CODE = re.compile(r'": ?(?=[\[{])')  # behind a key
_IN_ATTRIBUTE = re.compile(r"""=(["'])(?P<value>[\[{].*?)\1""", re.S)
_NO_KEY = re.compile(r"[^a-z_]", re.I)
_KEY_ENDS = frozenset("acensyACENSY")
MAX_KEY = 24
MAX_TRIES = 200  # lists of one script
_IS_IDENTIFIER = re.compile(
    r"[a-z][\w.-]*|.*[a-z][A-Z]\S*", re.ASCII
)  # a key for programs: one small word, or glued ones
_DECODER = json.JSONDecoder(strict=False)
_CHOICES = frozenset({"options", "values", "variants", "choices"})  # what a buyer may choose, of one attribute
_NAME_KEYS = ("name", "label", "title", "attribute_name", "attributename", "attribute_label", "attributelabel", "key")
_VALUE_KEYS = ("value", "values", "displayvalue", "attribute_value", "attributevalue", "text")


def embedded_pairs(page: Page) -> list[Pair]:
    """The first clear list of attributes in the page's data; empty if there is none."""
    return next((pairs for data in _page_data(page) for pairs in _attribute_lists(data)), [])


def _page_data(page: Page) -> Iterator[Any]:
    """What may hold a list of attributes: blocks of JSON, then values in other scripts and in attributes of elements."""
    scripts = [(script.get("type") or "", script.text or "") for script in page.root.iter("script")]
    blocks = [text for kind, text in scripts if "json" in kind and len(text) <= MAX_BLOCK]
    yield from (_parse_json(text.strip()) for text in blocks if _MAY_HOLD_LIST.search(text))
    for kind, text in scripts:
        if "json" not in kind and len(text) <= MAX_BLOCK:
            for key, start, is_escaped in _listed_at(text, _IN_CODE):
                yield {key: _parse_json(text, start, is_escaped=is_escaped)}
    yield from _attribute_data(page.html)


def _attribute_data(html: str) -> Iterator[Any]:
    for place in islice(_IN_ATTRIBUTE.finditer(html), MAX_TRIES):
        key, text = _key_before(html, place.start()), unescape(place["value"])
        if _LIST_KEY.fullmatch(key) or _MAY_HOLD_LIST.search(text):
            yield {key: _parse_json(text.strip())}


def _listed_at(text: str, mark: re.Pattern[str]) -> Iterator[tuple[str, int, bool]]:
    """Key and place of what may be lists of attributes, and whether the quotes there are escaped."""
    found = 0
    for place in mark.finditer(text):
        start = place.start()
        is_escaped = text[start - 1] == "\\"  # JSON in a string
        key = _key_before(text, start - is_escaped)
        if _LIST_KEY.fullmatch(key) and found < MAX_TRIES:
            found += 1
            yield key, place.end(), is_escaped


def _key_before(text: str, end: int) -> str:
    before = text[max(0, end - MAX_KEY) : end]
    return _NO_KEY.split(before)[-1] if before[-1:] in _KEY_ENDS else ""


def _parse_json(text: str, start: int = 0, *, is_escaped: bool = False) -> Any:
    """The JSON that begins there; None where a shop's data is broken, which is no error of ours."""
    if is_escaped:
        text, start = text[start : start + MAX_LIST].replace('\\"', '"'), 0
    try:
        return _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _attribute_lists(data: Any) -> Iterator[list[Pair]]:
    """All lists of attributes in the data, outermost first."""
    waiting: deque[tuple[Any, str, int]] = deque([(data, "", 0)])
    while waiting:
        value, key, depth = waiting.popleft()
        if _LIST_KEY.fullmatch(key) and (pairs := _listed_pairs(value)):
            yield pairs
        if depth < MAX_NESTING:
            waiting += [(child, name or key, depth + 1) for name, child in _children(value)]


def _listed_pairs(value: Any) -> list[Pair]:
    """The pairs of a list of attributes, or of an object whose keys are their names; empty if it is neither."""
    if isinstance(value, Mapping):
        return _named_values(value)
    items = _without_groups(value) if isinstance(value, list) else ()
    pairs = [pair for item in items if (pair := _build_pair(item))]
    return pairs if len(pairs) >= max(MIN_PAIRS, len(items) // 2) else []


def _without_groups(items: Sequence[Any]) -> Sequence[Any]:
    """The attributes themselves where a list has groups of them: {"group": "Size", "items": [...]}."""
    held = (child for item in items if isinstance(item, Mapping) for child in item.items())
    inner = [child for key, child in held if key not in _CHOICES and _holds_objects(child)]
    return [item for group in inner for item in group] if inner else items


def _holds_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list):
        yield from (("", child) for child in value)


def _named_values(values: Mapping[str, Any]) -> list[Pair]:
    """The pairs of an object whose keys are names as a shopper reads them: {"Net weight": "8 kg"}."""
    pairs = [
        _build_pair({"name": name, "value": value})
        for name, value in values.items()
        if not _IS_IDENTIFIER.fullmatch(name)
    ]
    found = [pair for pair in pairs if pair]
    return found if len(found) >= max(MIN_NAMED, len(values) // 2) else []


def _build_pair(item: Any) -> Pair | None:
    if not isinstance(item, Mapping):
        return None
    item = {str(key).casefold(): value for key, value in item.items()}
    name = next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str)), "")
    value = next((_value_text(item[key]) for key in _VALUE_KEYS if item.get(key) not in (None, "")), "")
    unit = item.get("unittext") or item.get("unit")
    if value and isinstance(unit, str):
        value = f"{value} {unit}"
    name, value = clean_text(unescape(name)), clean_text(unescape(value))
    is_pair = name and value and len(name) <= MAX_NAME and len(value) <= MAX_VALUE and "_" not in name
    return Pair(name, value, why="embedded data") if is_pair else None


def _value_text(value: Any) -> str:
    if isinstance(value, (bool, Mapping)):
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_value_text, value)))
    return str(value)
