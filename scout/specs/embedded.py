"""Pairs that a page has only as data: `additionalProperty` in JSON-LD, lists of attributes in its application state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scout.page import Page
from scout.specs.pair import Pair
from scout.specs.rows import MAX_NAME, MAX_VALUE

MIN_PAIRS = 2  # a single pair under such a key is usually a setting of the page
MAX_BLOCK = 2_000_000  # characters: anything larger is a catalogue
MAX_NESTING = 100

_LIST_KEY = re.compile(
    r"(?:additional|product)?_?propert(?:y|ies)|spec(?:s|ifications?)?|attributes?|characteristics?|technical_?(?:data|details)",
    re.I,
)
_MAY_HOLD_LIST = re.compile(
    r'"(?:[a-z]+_?)?(?:propert(?:y|ies)|specs?|specifications?|attributes?|characteristics?|data|details)"\s*:\s*[\[{]',
    re.I,
)
_NAME_KEYS = ("name", "label", "title", "key")
_VALUE_KEYS = ("value", "values", "displayValue", "text")


def embedded_pairs(page: Page) -> list[Pair]:
    """The first clear list of attributes in the page's data; empty if there is none."""
    for script in page.root.iter("script"):
        text = script.text or ""
        if "json" in (script.get("type") or "") and len(text) <= MAX_BLOCK and _MAY_HOLD_LIST.search(text):
            for pairs in _attribute_lists(_parse_json(text)):
                return pairs
    return []


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):  # a shop's broken block is no error of ours: it holds nothing that can be read
        return None


def _attribute_lists(data: Any) -> Iterator[list[Pair]]:
    """All lists of attributes in the data, outermost first."""
    waiting: list[tuple[Any, str, int]] = [(data, "", 0)]
    while waiting:
        value, key, depth = waiting.pop(0)
        if isinstance(value, Sequence) and not isinstance(value, str):
            pairs = [pair for item in value if (pair := _build_pair(item))] if _LIST_KEY.fullmatch(key) else []
            if len(pairs) >= max(MIN_PAIRS, len(value) // 2):
                yield pairs
        if depth < MAX_NESTING:
            waiting += [(child, name or key, depth + 1) for name, child in _children(value)]


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list):
        yield from (("", child) for child in value)


def _build_pair(item: Any) -> Pair | None:
    if not isinstance(item, Mapping):
        return None
    name = next((item[key] for key in _NAME_KEYS if isinstance(item.get(key), str)), "")
    value = next((_value_text(item[key]) for key in _VALUE_KEYS if item.get(key) not in (None, "")), "")
    if unit := item.get("unitText") or item.get("unit"):
        value = f"{value} {unit}" if value and isinstance(unit, str) else value
    name, value = " ".join(name.split()), " ".join(value.split())
    is_pair = name and value and len(name) <= MAX_NAME and len(value) <= MAX_VALUE and "_" not in name
    return Pair(name, value, why="embedded data") if is_pair else None


def _value_text(value: Any) -> str:
    if isinstance(value, (bool, Mapping)):
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, map(_value_text, value)))
    return str(value)
