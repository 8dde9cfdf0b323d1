"""Data in scripts: the JSON or JavaScript objects in a script's {...} blocks, and paths through them (paper 1, section 2.8).

No script is ever run: blocks are parsed by orjson, or by chompjs if they are JavaScript rather than JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import chompjs
import orjson
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.parser import JsonPathParser
from lxml.html import HtmlElement

from scout.errors import RuleError
from scout.page import Page

MAX_SCRIPT = 1_000_000  # characters; a larger script is a program, not data
MAX_BLOCKS = 2_000  # per script, so that minified code stays cheap
MIN_WORD = 3  # letters: shorter block names are no reason to skip a script unread
WHOLE_SCRIPT = ""  # the block path of a script that is one JSON value

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|(?<!:)//[^\n]*|[{}]', re.DOTALL)
_OBJECT = re.compile(r"""\{\s*(?:"[^"\n]*"|'[^'\n]*'|[\w$@-]+)\s*:""")
_EMPTY_VALUE = re.compile(r":\s*(?=[,}\]])")  # a template whose variable was empty: {"id": , "sku": "A-1"}
_NAME_BEFORE = re.compile(r"""([A-Za-z_$][\w$.\-]*)["']?\s*(?:=|:|\()\s*\[?\s*$""")
_MAX_NAME_DISTANCE = 80  # characters between a block and its name
_DIRECT_STEP = re.compile(r"\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|\[(\*)\]")

Json = Any
Step = str | int | None  # None is [*]: every item


def _block_spans(text: str) -> list[tuple[str, int, int]]:
    """(block path, start, end) of every block, outer before inner. A path such as "1.0" counts the blocks of each level from 0."""
    spans: list[tuple[str, int, int]] = []
    counters, opened = [0], list[tuple[str, int, int]]()
    for token in _TOKEN.finditer(text):
        if token[0] == "{":
            path = f"{opened[-1][0]}.{counters[-1]}" if opened else str(counters[-1])
            counters[-1] += 1
            counters.append(0)
            opened.append((path, token.start(), len(spans)))
            spans.append((path, token.start(), -1))
            if len(spans) >= MAX_BLOCKS:
                break
        elif token[0] == "}" and opened:
            path, start, position = opened.pop()
            counters.pop()
            spans[position] = (path, start, token.end())
    return [span for span in spans if span[2] > 0]


def parse_literal(text: str) -> Json:
    """The value of a JSON text or a JavaScript literal; None if `text` is neither."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    if not _OBJECT.match(text):
        return None
    for attempt in (text, _EMPTY_VALUE.sub(": null", text)):
        try:
            return chompjs.parse_js_object(attempt)
        except (ValueError, RecursionError, IndexError):
            continue
    return None


def block_name(text: str, start: int) -> str | None:
    """The name of the block that begins at `start`: the variable or key it is assigned to, or the function it is passed to.

    Digits become "#": a product's id is not part of the name.

    >>> block_name('var product24 = {"a": 1}', 16)
    'product#'
    """
    found = _NAME_BEFORE.search(text, max(0, start - _MAX_NAME_DISTANCE), start)
    return re.sub(r"\d+", "#", found[1]) if found else None


def read_blocks(text: str) -> dict[str, Json]:
    """The data of a script's blocks, by block path and by block name if there is one. JSON is one block with an empty path."""
    text = text.strip()
    if len(text) > MAX_SCRIPT:
        return {}
    if text[:1] in ("{", "[") and (whole := parse_literal(text)) is not None:
        return {WHOLE_SCRIPT: whole}
    found: dict[str, Json] = {}
    done = 0  # blocks inside one that was parsed are part of its data
    for path, start, end in _block_spans(text):
        if start >= done and _OBJECT.match(text, start) and (value := parse_literal(text[start:end])) is not None:
            found[path] = value
            found.setdefault(block_name(text, start) or path, value)
            done = end
    return found


def may_contain(script: HtmlElement, block: str, path: str) -> bool:
    """False if the script can be skipped unparsed: the block's name or the last key of the path does not occur in it."""
    text = script.text or ""
    name = block.partition("#")[0]
    last = path.rpartition("['")[2].removesuffix("']")
    is_named = name[:1].isdigit() or len(name) < MIN_WORD or name in text
    return is_named and (not last.isidentifier() or last in text)


def script_blocks(page: Page, script: HtmlElement) -> dict[str, Json]:
    """The blocks of one of the page's scripts, parsed once per page."""
    memo = page.memo.setdefault("blocks", {})
    if script not in memo:
        memo[script] = read_blocks(script.text or "")
    found: dict[str, Json] = memo[script]
    return found


def leaves(
    value: Json, path: tuple[str | int, ...] = (), depth: int = 0
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every string and number in `value` with the path to it."""
    if depth > 40:  # hostile nesting: no real data is that deep
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, str(key)), depth + 1)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from leaves(inner, (*path, position), depth + 1)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield path, str(value)


def jsonpath(path: tuple[Step, ...]) -> str:
    """Steps as a JSONPath; None stands for "every item".

    >>> jsonpath(("offers", None, "price"))
    "$['offers'][*]['price']"
    """
    return "$" + "".join(
        "[*]" if s is None else f"[{s}]" if isinstance(s, int) else f"['{_escape_key(s)}']" for s in path
    )


def _escape_key(key: str) -> str:
    return key.replace("\\", "\\\\").replace("'", "\\'")


@lru_cache(maxsize=4096)
def _direct_steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path of plain keys, positions and [*], which needs no JSONPath engine; None for any other path."""
    steps: list[Step] = []
    position = 1
    while position < len(path):
        found = _DIRECT_STEP.match(path, position)
        if found is None:
            return None
        position = found.end()
        steps.append(None if found[3] else int(found[2]) if found[2] else re.sub(r"\\(.)", r"\1", found[1]))
    return tuple(steps)


@lru_cache(maxsize=1024)
def _compile_jsonpath(path: str) -> Any:
    try:
        return JsonPathParser().parse(path)
    except (JSONPathError, ValueError) as error:
        raise RuleError(f"{path!r} is not a JSONPath: {error}") from error


def check_jsonpath(path: str) -> None:
    """Raise RuleError if `path` is not a JSONPath."""
    if not path.startswith("$") or _direct_steps(path) is None:
        _compile_jsonpath(path)


def _follow(value: Json, steps: tuple[Step, ...]) -> Json:
    """The value at the end of a direct path; for [*], that of the first item that has one."""
    for position, step in enumerate(steps):
        if step is None:
            items = value if isinstance(value, list) else ()
            return next((found for item in items if (found := _follow(item, steps[position + 1 :])) is not None), None)
        try:
            value = value[step] if isinstance(value, list if isinstance(step, int) else dict) else None  # type: ignore[index]
        except (IndexError, KeyError):
            return None
    return value


def value_at(value: Json, path: str) -> str | None:
    """The text or number at `path` in `value`, as text; None if there is none."""
    steps = _direct_steps(path) if path.startswith("$") else None
    if steps is not None:
        found = _follow(value, steps)
    else:
        matches = _compile_jsonpath(path).find(value)
        found = matches[0].value if matches else None
    return None if found is None or isinstance(found, (dict, list, bool)) else str(found)
