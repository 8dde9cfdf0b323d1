"""Data in scripts: a script's blocks ({ ... }) as a tree, the JSON or JavaScript object in a block, and paths through it (paper 1, 2.8).

Nothing is ever evaluated: a block is read by orjson, or by chompjs where it is JavaScript rather than JSON.
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
MAX_BLOCKS = 2_000  # blocks looked at in one script, so that minified code stays cheap
MIN_WORD = 3  # letters of a block's name that are looked for in a script before it is read
WHOLE_SCRIPT = ""  # the block path of a script that is JSON as a whole

_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|/\*.*?\*/|(?<!:)//[^\n]*|[{}]', re.DOTALL)
_OBJECT = re.compile(r"""\{\s*(?:"[^"\n]*"|'[^'\n]*'|[\w$@-]+)\s*:""")
_EMPTY_VALUE = re.compile(r":\s*(?=[,}\]])")  # a template whose variable was empty: {"id": , "sku": "A-1"}
_NAME_BEFORE = re.compile(r"""([A-Za-z_$][\w$.\-]*)["']?\s*(?:=|:|\()\s*\[?\s*$""")
_MAX_NAME_DISTANCE = 80  # characters before a block in which its name is looked for
_DIRECT_STEP = re.compile(r"\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|\[(\*)\]")

Json = Any
Step = str | int | None  # None is [*]: every item


def _block_spans(text: str) -> list[tuple[str, int, int]]:
    """Every block as (block path, start, end), outer before inner; the path counts the blocks of each level from 0."""
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
    """The value `text` writes, as JSON or as a JavaScript literal; None if it is neither."""
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
    """What the block that begins at `start` is called: the variable or key it is assigned to, or the function it is given to.

    Numbers in it are dropped: a product's id is no name.

    >>> block_name('var product24 = {"a": 1}', 16)
    'product#'
    """
    found = _NAME_BEFORE.search(text, max(0, start - _MAX_NAME_DISTANCE), start)
    return re.sub(r"\d+", "#", found[1]) if found else None


def read_blocks(text: str) -> dict[str, Json]:
    """Block path, and block name where there is one -> data, of a script's text. JSON as a whole is one block with an empty path."""
    text = text.strip()
    if len(text) > MAX_SCRIPT:
        return {}
    if text[:1] in ("{", "[") and (whole := parse_literal(text)) is not None:
        return {WHOLE_SCRIPT: whole}
    found: dict[str, Json] = {}
    done = 0  # inside a block that was read there is nothing more to find
    for path, start, end in _block_spans(text):
        if start >= done and _OBJECT.match(text, start) and (value := parse_literal(text[start:end])) is not None:
            found[path] = value
            found.setdefault(block_name(text, start) or path, value)
            done = end
    return found


def may_contain(script: HtmlElement, block: str, path: str) -> bool:
    """False if a script can be passed over unread: it does not even hold the words of the block's name or of the path's end."""
    text = script.text or ""
    name = block.partition("#")[0]
    last = path.rpartition("['")[2].removesuffix("']")
    is_named = name[:1].isdigit() or len(name) < MIN_WORD or name in text
    return is_named and (not last.isidentifier() or last in text)


def script_blocks(page: Page, script: HtmlElement) -> dict[str, Json]:
    """The blocks of one of the page's scripts, read once."""
    memo = page.memo.setdefault("blocks", {})
    if script not in memo:
        memo[script] = read_blocks(script.text or "")
    found: dict[str, Json] = memo[script]
    return found


def leaves(
    value: Json, path: tuple[str | int, ...] = (), depth: int = 0
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Every string and number in `value` with the path to it."""
    if depth > 40:  # hostile nesting; no shop's data is that deep
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
    """A direct path as JSONPath.

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
    """The steps of a direct path, which needs no JSONPath engine; None for any other."""
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
    """Raise RuleError if `path` is no JSONPath."""
    if not path.startswith("$") or _direct_steps(path) is None:
        _compile_jsonpath(path)


def _follow(value: Json, steps: tuple[Step, ...]) -> Json:
    """What a direct path leads to; for [*] the first item where the rest of the path leads somewhere."""
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
    """The text or number that `path` leads to in `value`, as text."""
    steps = _direct_steps(path) if path.startswith("$") else None
    if steps is not None:
        found = _follow(value, steps)
    else:
        matches = _compile_jsonpath(path).find(value)
        found = matches[0].value if matches else None
    return None if found is None or isinstance(found, (dict, list, bool)) else str(found)
