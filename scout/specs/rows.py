"""Rows: every place with the shape "name, value" (algorithm 3 of the paper, and the shapes of today's pages).

A row is only a candidate: `signs` decides whether the rows of a region are a specification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from scout.specs.tree import BREAK, INLINE, SINGLE_TEXT, Kid, TextElement, is_aside, rough_text, text_size

MAX_NAME = 90  # Korean law requires names of 70 characters; anything longer is a sentence
MAX_LINE_NAME = 50  # in running text only the colon marks a name, so it has to be shorter
MAX_VALUE = 1_500  # a value may be a paragraph, not a page
MAX_ROW = MAX_NAME + MAX_VALUE
MAX_ASIDES = 2  # tooltips and buttons beside a name and its value
MAX_VALUE_TEXTS = 2  # of a value whose name is a heading: with more, it is a section
MIN_LINES = 3  # in two columns: two lines could be anything
MIN_COLUMNS = 3  # two cells above two others are more likely two pairs
MIN_ALTERNATING = 2  # pairs of plain siblings: a single one could be any heading with its text

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
COLONS = ":："
MAX_COLON = 6  # characters of a cell that holds only the colon, white space included
_COLONS = frozenset(COLONS)  # a set, because "" is in every string
_TRAILING = " \n\t\xa0\u200e\u200f\u200b"  # shops for several scripts put direction marks around the colon
_LINE = re.compile(rf"^\s*([^{COLONS}]{{1,{MAX_LINE_NAME}}}?)\s*[{COLONS}](?!//)\s*(\S.*)$", re.S)
_HAS_COLON = re.compile(f"[{COLONS}]").search
_HAS_LETTER = re.compile(r"[^\W\d_]").search
_CLOCK = re.compile(r"\d\s*[:：]\s*\d")  # 12:30, 16:9: not a name before a colon


class Row(NamedTuple):
    """A candidate pair: its place, and the kids that are its name and its value."""

    node: TextElement  # the row's element; for lines of one text, the element with the lines
    name: Sequence[Kid]
    value: Sequence[Kid]
    kind: str
    slot: Kid  # the kid of the region's container that is or contains this row
    line: tuple[str, str] | None = None  # name and value if one text has both


def candidate_rows(candidates: Iterable[TextElement]) -> Iterator[Row]:
    """All candidate rows of a page; those of one container in document order."""
    for node in candidates:
        if found := _READERS.get(node.tag, _generic_rows)(node):
            yield from found


def _cell_rows(node: TextElement) -> list[Row]:
    """The pairs in a table row: two cells, or alternating cells (name, value, name, value)."""
    cells = [kid for kid in node.kids if isinstance(kid, TextElement) and not _is_only_colon(kid)]
    if len(cells) == 3 and cells[0].tag == "th" and cells[0].element.get("rowspan"):
        cells = cells[1:]  # the first is the heading of several rows
    if len(cells) == 2 and _is_name(cells[0]) and not _is_heading_row(node, cells):
        return [Row(node, [cells[0]], [cells[1]], "tr", node)]
    if len(cells) >= 4 and len(cells) % 2 == 0 and _alternates(cells):
        return [Row(node, [name], [value], "tr", node) for name, value in zip(cells[::2], cells[1::2], strict=True)]
    return []


def _is_only_colon(kid: TextElement) -> bool:
    return kid.leaves == 1 and kid.size < MAX_COLON and rough_text(kid).strip(COLONS) == ""


def _is_heading_row(node: TextElement, cells: Sequence[TextElement]) -> bool:
    """True for a header row such as "Property | Value"."""
    return all(cell.tag == "th" for cell in cells) and node.parent is not None and node.parent.tag == "thead"


def _alternates(cells: Sequence[TextElement]) -> bool:
    """True if every other cell looks like a name, by tag, class or colon."""
    names, values = cells[::2], cells[1::2]
    if all(_ends_with_colon(rough_text(cell)) for cell in names):
        return True
    looks = {appearance(cell) for cell in names}
    return len(looks) == 1 and looks.isdisjoint(map(appearance, values)) and all(map(_is_name, names))


def appearance(node: TextElement) -> tuple[str, str]:
    """The tag and the first class with digits masked: elements that share both look alike."""
    classes = node.element.get("class")
    return node.tag, _first_class(classes) if classes else ""


@lru_cache(maxsize=8192)
def _first_class(classes: str) -> str:
    words = classes.split()
    return re.sub(r"\d+", "#", words[0]) if words else ""


def _column_rows(table: TextElement) -> list[Row]:
    """The pairs in a table with a row of names above one row of values. With more rows it is a chart of several products."""
    groups = [table, *(kid for kid in table.kids if isinstance(kid, TextElement) and kid.tag in ("thead", "tbody"))]
    lines = [kid for group in groups for kid in group.kids if isinstance(kid, TextElement) and kid.tag == "tr"]
    if len(lines) != 2:
        return []
    names, values = ([kid for kid in line.kids if isinstance(kid, TextElement)] for line in lines)
    if len(names) < MIN_COLUMNS or len(names) != len(values) or any(name.tag != "th" for name in names):
        return []
    return [
        Row(table, [name], [value], "columns", name)
        for name, value in zip(names, values, strict=True)
        if _is_name(name)
    ]


def _definition_rows(node: TextElement) -> list[Row]:
    """The pairs in a dl; several dd of one dt are one value. Each pair may be wrapped in a div."""
    groups = [kid.kids for kid in node.kids if isinstance(kid, TextElement) and kid.tag not in ("dt", "dd")]
    found = [row for kids in [node.kids, *groups] for row in _pairs_of_dt_and_dd(node, kids)]
    # one dl per pair: a row like any other
    return found if len(found) > 1 else [row._replace(slot=node) for row in found]


def _pairs_of_dt_and_dd(node: TextElement, kids: Sequence[Kid]) -> Iterator[Row]:
    name: TextElement | None = None
    values: list[Kid] = []
    for kid in [*kids, None]:
        tag = kid.tag if isinstance(kid, TextElement) else None
        if tag == "dd" and kid is not None:
            values.append(kid)
        elif tag == "dt" or kid is None:
            if name is not None and values and _is_name(name):
                yield Row(node, [name], values, "dl", name)
            name, values = (kid if isinstance(kid, TextElement) else None), []


def _generic_rows(node: TextElement) -> Sequence[Row]:
    """The pairs in elements without a meaning for pairs: div, li, p, span."""
    kids = node.kids
    if len(kids) == 1:
        text = rough_text(node)
        return [Row(node, kids, kids, "line", node, line)] if (line := split_line(text)) else ()
    if _has_breaks(node):
        return list(_break_rows(node))
    if len(kids) == 2 and (columns := _two_columns(node)):
        return columns
    labelled = _labelled_rows(node) if len(kids) > 2 else ()
    if len(labelled) < 2 and node.size <= MAX_ROW and (row := _row_of_kids(node, kids)):
        return [row]
    return labelled or _alternating_rows(node)


def _two_columns(node: TextElement) -> list[Row]:
    """The pairs in two lists side by side: names in one, values in the other."""
    left, right = node.kids
    if isinstance(left, str) or isinstance(right, str) or not MIN_LINES <= len(left.kids) == len(right.kids):
        return []
    names, values = (
        [kid for kid in column.kids if isinstance(kid, TextElement) and kid.leaves == 1] for column in (left, right)
    )
    if len(names) != len(left.kids) or len(values) != len(names) or not all(map(_is_name, names)):
        return []
    return [Row(node, [name], [value], "columns", name) for name, value in zip(names, values, strict=True)]


def split_line(text: str) -> tuple[str, str] | None:
    """A text split at its first colon; None if the colon belongs to a time, a URL or a sentence."""
    found = _LINE.match(text) if _HAS_COLON(text) else None
    if found is None or _CLOCK.search(text, found.start(1), found.start(2) + 1):
        return None
    name, value = " ".join(found[1].split()), " ".join(found[2].split())
    if not _may_be_name(name) or len(value) > MAX_VALUE:
        return None
    return name, value


def _may_be_name(name: str) -> bool:
    return _HAS_LETTER(name) is not None and not name.endswith((".", "!", "?", "…"))


def _row_of_kids(node: TextElement, kids: Sequence[Kid]) -> Row | None:
    """A label and what follows it, if the label ends with a colon or both are cells."""
    if text_size(kids[0]) > 2 * MAX_NAME:
        return None
    if len(kids) <= MAX_ASIDES + 2:
        kids = [kid for kid in kids if isinstance(kid, str) or not (is_aside(kid) or _is_only_colon(kid))]
    if len(kids) < 2:
        return None
    first, second = kids[0], kids[1]
    if isinstance(first, str):
        is_label = isinstance(second, TextElement) and _ends_with_colon(first) and len(first.strip()) <= MAX_LINE_NAME
        return Row(node, [first], kids[1:], "label", node) if is_label else None
    if first.tag in ("dt", "dd") or not (text := _name_text(first)):
        return None
    if _ends_with_colon(text) or (isinstance(second, str) and second.lstrip()[:1] in COLONS):
        return Row(node, [first], kids[1:], "label", node)
    if len(kids) == 2 and not _is_section(first, second) and not _are_parallel(first, second):
        return Row(node, [first], [second], "cells" if isinstance(second, TextElement) else "mixed", node)
    return None


def _is_section(first: TextElement, second: Kid) -> bool:
    """True for a heading with its content of several texts."""
    return first.tag in HEADINGS and isinstance(second, TextElement) and second.leaves > MAX_VALUE_TEXTS


def _are_parallel(first: TextElement, second: Kid) -> bool:
    """True for two similar elements with several texts each: two things side by side, not a name and its value."""
    if not isinstance(second, TextElement) or min(first.leaves, second.leaves) <= 1:
        return False
    return appearance(first) == appearance(second)


def _ends_with_colon(text: str) -> bool:
    return text.rstrip(_TRAILING)[-1:] in _COLONS


def _is_name(kid: TextElement) -> bool:
    return bool(_name_text(kid))


def _name_text(kid: TextElement) -> str:
    """The text of a kid if it can be a name; otherwise empty."""
    text = rough_text(kid) if kid.size <= 2 * MAX_NAME else ""
    return text if len(text) <= MAX_NAME and _HAS_LETTER(text) else ""


def _has_breaks(node: TextElement) -> bool:
    return str in map(type, node.kids) and node.element.find("br") is not None


def _break_rows(node: TextElement) -> Iterator[Row]:
    """The pairs in lines separated by <br>; a single line, or a name above its value, is a row like any other."""
    lines = _lines(node)
    if len(lines) == 2 and (row := _two_lines(node, *lines)):
        yield row
        return
    kind = "break" if len(lines) > 1 else "label"
    for line in lines:
        first = line[0]
        slot: Kid = first if kind == "break" else node
        if len(line) == 1:
            if (pair := split_line(rough_text(first))) is not None:
                yield Row(node, line, line, kind, slot, pair)
        elif sum(map(text_size, line)) <= MAX_ROW and (row := _row_of_kids(node, line)) and row.kind == "label":
            yield Row(node, row.name, row.value, kind, slot)


def _two_lines(node: TextElement, first: Sequence[Kid], second: Sequence[Kid]) -> Row | None:
    """<b>Name</b><br>value: the name is an element, and neither line is a pair by itself."""
    name = first[0]
    if len(first) > 1 or not isinstance(name, TextElement) or not _is_name(name):
        return None
    if sum(map(text_size, second)) > MAX_VALUE:
        return None
    is_pair = split_line(rough_text(name)) or (isinstance(second[0], str) and split_line(second[0]))
    return None if is_pair else Row(node, first, second, "cells", node)


def _lines(node: TextElement) -> list[list[Kid]]:
    """The kids of a node, split at <br> and at block elements."""
    lines: list[list[Kid]] = [[]]
    for kid in node.kids:
        if lines[-1] and _starts_line(kid):
            lines.append([])
        lines[-1].append(kid)
    return [line for line in lines if line]


def _starts_line(kid: Kid) -> bool:
    if isinstance(kid, str):
        return kid.startswith(BREAK)
    previous = kid.element.getprevious()
    return kid.tag not in INLINE or (
        previous is not None and previous.tag == "br" and not (previous.tail or "").strip()
    )


def _alternating_rows(node: TextElement) -> list[Row]:
    """The pairs in alternating siblings: <div class=name>, <div class=value>, <div class=name> ..."""
    kids = [kid for kid in node.kids if isinstance(kid, TextElement)]
    if len(kids) < max(len(node.kids), 2 * MIN_ALTERNATING) or len(kids) % 2:
        return []
    names, values = kids[::2], kids[1::2]
    if appearance(names[0]) == appearance(values[0]):  # the usual case, and cheap
        return []
    looks, others = set(map(appearance, names)), set(map(appearance, values))
    if len(looks) > 1 or len(others) > 1 or looks == others or not all(map(_is_name, names)):
        return []
    if any(map(_is_section, names, values)):
        return []
    return [Row(node, [name], [value], "alternating", name) for name, value in zip(names, values, strict=True)]


def _labelled_rows(node: TextElement) -> list[Row]:
    """Labels that end with a colon among other siblings, each with what follows up to the next label or block."""
    kids = node.kids
    labels = [
        at
        for at, kid in enumerate(kids)
        if kid.__class__ is TextElement and kid.size <= MAX_NAME and kid.tag in INLINE and _is_label(kid)
    ]
    found = []
    for at, following in zip(labels, [*labels[1:], len(kids)], strict=False):
        value = _connected_kids(kids[at + 1 : following])
        if value and sum(map(text_size, value)) <= MAX_VALUE:
            found.append(Row(node, [kids[at]], value, "labels", kids[at]))
    return found


def _connected_kids(kids: Sequence[Kid]) -> Sequence[Kid]:
    """The kids up to the next block, or to an element that directly follows another without text between."""
    for at in range(1, len(kids)):
        kid = kids[at]
        if isinstance(kid, TextElement) and (kid.tag not in INLINE or isinstance(kids[at - 1], TextElement)):
            return kids[:at]
    return kids


def _is_label(kid: TextElement) -> bool:
    last: Kid = kid
    while isinstance(last, TextElement):
        last = last.kids[-1]
    return _ends_with_colon(last) and _is_name(kid)


def _no_rows(node: TextElement) -> Sequence[Row]:
    return ()


_READERS: Mapping[str, Callable[[TextElement], Sequence[Row]]] = {
    "tr": _cell_rows,
    "dl": _definition_rows,
    "dt": _no_rows,
    "dd": _generic_rows,
    "table": _column_rows,
    "tbody": _no_rows,
    "thead": _no_rows,
    "html": _no_rows,
    "body": _no_rows,
    **dict.fromkeys(SINGLE_TEXT, _no_rows),
}
