"""Rows: every place of a page that has the shape "name, value" (algorithm 3 of the paper, and the shapes of today's pages).

A row is only a candidate. Whether the rows of a region are a specification is decided in `regions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scout.specs.tree import BREAK, INLINE, Kid, Node, is_aside, rough_text

MAX_NAME = 90  # Korean law makes shops print names of 70 characters; what is longer is a sentence
MAX_LINE_NAME = 50  # within a running text only the colon tells a name: it has to be shorter
MAX_VALUE = 1_500  # a value may be a paragraph, not a page
MAX_ROW = MAX_NAME + MAX_VALUE
MIN_ALTERNATING = 2  # name and value as plain siblings: one such pair is any heading with its text

COLONS = ":：﹕∶"
_LINE = re.compile(rf"^\s*([^{COLONS}]{{1,{MAX_LINE_NAME}}}?)\s*[{COLONS}](?!//)\s*(\S.*)$", re.S)
_CLOCK = re.compile(r"\d\s*[:：]\s*\d")  # 12:30, 16:9: no name before a colon


@dataclass(frozen=True)
class Row:
    """A candidate pair: where it is and which kids are its name and its value."""

    node: Node  # what the row fills; for lines of one text, what holds the lines
    name: Sequence[Kid]
    value: Sequence[Kid]
    kind: str
    slot: Kid  # the kid of the region's container that this row is, or is in
    line: tuple[str, str] | None = None  # name and value where one text holds both


def rows(nodes: Sequence[Node]) -> Iterator[Row]:
    """All candidate rows of a page, in its order."""
    for node in nodes:
        if not node.dead and node.kids and (node.size <= MAX_ROW or node.tag in ("dl", "table") or len(node.kids) > 3):
            yield from _READERS.get(node.tag, _generic_rows)(node)


def _cell_rows(node: Node) -> Iterator[Row]:
    """Pairs of a table's row: two cells, or cells that alternate (name, value, name, value)."""
    cells = [kid for kid in node.kids if isinstance(kid, Node)]
    if len(cells) == 2 and _is_name(cells[0]) and not _is_heading_row(node, cells):
        yield Row(node, [cells[0]], [cells[1]], "tr", node)
    elif len(cells) >= 4 and len(cells) % 2 == 0 and _alternates(cells):
        for name, value in zip(cells[::2], cells[1::2], strict=True):
            yield Row(node, [name], [value], "tr", node)


def _is_heading_row(node: Node, cells: Sequence[Node]) -> bool:
    """True for "Property | Value" over the columns: the only row of th cells in its table."""
    return all(cell.tag == "th" for cell in cells) and node.parent is not None and node.parent.tag == "thead"


def _alternates(cells: Sequence[Node]) -> bool:
    """True where every other cell looks like a name: by its tag, its class or its colon."""
    names, values = cells[::2], cells[1::2]
    if all(_ends_with_colon(rough_text(cell)) for cell in names):
        return True
    looks = {look(cell) for cell in names}
    return len(looks) == 1 and looks.isdisjoint(map(look, values)) and all(map(_is_name, names))


def look(node: Node) -> tuple[str, str]:
    """What makes elements look alike: the tag and the first class, numbers aside."""
    classes = (node.element.get("class") or "").split()
    return node.tag, re.sub(r"\d+", "#", classes[0]) if classes else ""


def _definition_rows(node: Node) -> Iterator[Row]:
    """Pairs of a dl; several dd of one dt are one value. A div around each dt and dd is allowed."""
    groups = [kid.kids for kid in node.kids if isinstance(kid, Node) and kid.tag not in ("dt", "dd")]
    for kids in [node.kids, *groups]:
        yield from _dt_dd(node, kids)


def _dt_dd(node: Node, kids: Sequence[Kid]) -> Iterator[Row]:
    name: Node | None = None
    values: list[Kid] = []
    for kid in [*kids, None]:
        tag = kid.tag if isinstance(kid, Node) else None
        if tag == "dd" and kid is not None:
            values.append(kid)
        elif tag == "dt" or kid is None:
            if name is not None and values and _is_name(name):
                yield Row(node, [name], values, "dl", name)
            name, values = (kid if isinstance(kid, Node) else None), []


def _generic_rows(node: Node) -> Iterator[Row]:
    """Pairs in elements that say nothing about pairs: div, li, p, span."""
    kids = node.kids
    if len(kids) == 1:
        if isinstance(kids[0], str):
            yield from _line_row(node, kids[0])
    elif _has_breaks(node):
        yield from _break_rows(node)
    elif node.size <= MAX_ROW and (row := _row_of_kids(node, kids)):
        yield row
    elif len(kids) > 2:
        yield from _alternating_rows(node) or _labelled_rows(node)


def _line_row(node: Node, text: str) -> Iterator[Row]:
    """ "Name: value" in one text."""
    if (line := split_line(text)) is not None:
        yield Row(node, [text], [text], "line", node, line)


def split_line(text: str) -> tuple[str, str] | None:
    """Name and value of a text at its first colon; None where the colon is that of a time, an address or a sentence."""
    found = _LINE.match(text) if any(colon in text for colon in COLONS) else None
    if found is None or _CLOCK.search(text, found.start(1), found.start(2) + 1):
        return None
    name, value = " ".join(found[1].split()), " ".join(found[2].split())
    if not _is_word(name) or len(value) > MAX_VALUE:
        return None
    return name, value


def _is_word(name: str) -> bool:
    return any(map(str.isalpha, name)) and not name.endswith((".", "!", "?", "…"))


def _row_of_kids(node: Node, kids: Sequence[Kid]) -> Row | None:
    """A label and what follows it: the label ends with a colon, or both are cells."""
    kids = [kid for kid in kids if not (isinstance(kid, Node) and is_aside(kid))]
    if len(kids) < 2 or (isinstance(kids[0], Node) and kids[0].tag in ("dt", "dd")):
        return None
    first, second = kids[0], kids[1]
    text = rough_text(first)
    if isinstance(first, Node) and _ends_with_colon(text) and _is_name(first):
        return Row(node, [first], kids[1:], "label", node)
    if isinstance(second, str) and second.lstrip()[:1] in COLONS and isinstance(first, Node) and _is_name(first):
        return Row(node, [first], kids[1:], "label", node)
    if isinstance(first, str) and _ends_with_colon(text) and len(text) <= MAX_LINE_NAME and isinstance(second, Node):
        return Row(node, [first], kids[1:], "label", node)
    if len(kids) == 2 and isinstance(first, Node) and _is_name(first):
        return Row(node, [first], [second], "cells" if isinstance(second, Node) else "mixed", node)
    return None


def _ends_with_colon(text: str) -> bool:
    return text.rstrip()[-1:] in COLONS and len(text) > 1


def _is_name(kid: Node) -> bool:
    return 0 < kid.size <= 2 * MAX_NAME and len(text := rough_text(kid)) <= MAX_NAME and any(map(str.isalpha, text))


def _has_breaks(node: Node) -> bool:
    return node.element.find("br") is not None and any(isinstance(kid, str) for kid in node.kids)


def _break_rows(node: Node) -> Iterator[Row]:
    """Pairs in lines that end with <br>."""
    for line in _lines(node):
        first = line[0]
        if len(line) == 1 and isinstance(first, str):
            if (pair := split_line(first)) is not None:
                yield Row(node, line, line, "break", first, pair)
        elif sum(map(_size, line)) <= MAX_ROW and (row := _row_of_kids(node, line)) and row.kind == "label":
            yield Row(node, row.name, row.value, "break", first)


def _size(kid: Kid) -> int:
    return kid.size if isinstance(kid, Node) else len(kid)


def _lines(node: Node) -> list[list[Kid]]:
    """The kids of a node, split where a <br> or a block stands."""
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


def _alternating_rows(node: Node) -> list[Row]:
    """Pairs of siblings that take turns: <div class=name>, <div class=value>, <div class=name> ..."""
    kids = [kid for kid in node.kids if isinstance(kid, Node)]
    if len(kids) < max(len(node.kids), 2 * MIN_ALTERNATING) or len(kids) % 2:
        return []
    names, values = {look(kid) for kid in kids[::2]}, {look(kid) for kid in kids[1::2]}
    if len(names) > 1 or len(values) > 1 or names == values or not all(map(_is_name, kids[::2])):
        return []
    return [Row(node, [name], [value], "alternating", name) for name, value in zip(kids[::2], kids[1::2], strict=True)]


def _labelled_rows(node: Node) -> list[Row]:
    """Labels that end with a colon among other siblings, each with what follows it up to the next label or block."""
    kids = node.kids
    labels = [at for at, kid in enumerate(kids) if isinstance(kid, Node) and kid.tag in INLINE and _is_label(kid)]
    found = []
    for at, following in zip(labels, [*labels[1:], len(kids)], strict=False):
        value = kids[at + 1 : following]
        block = next(
            (place for place, kid in enumerate(value) if place and isinstance(kid, Node) and kid.tag not in INLINE),
            len(value),
        )
        if value and sum(map(_size, value[:block])) <= MAX_VALUE:
            found.append(Row(node, [kids[at]], value[:block], "labels", kids[at]))
    return found


def _is_label(kid: Node) -> bool:
    return kid.size <= MAX_NAME and _is_name(kid) and _ends_with_colon(rough_text(kid))


def _no_rows(node: Node) -> Iterator[Row]:
    return iter(())


_READERS: Mapping[str, Callable[[Node], Iterator[Row]]] = {
    "tr": _cell_rows,
    "dl": _definition_rows,
    "dt": _no_rows,
    "dd": _generic_rows,
    "table": _no_rows,
    "tbody": _no_rows,
    "thead": _no_rows,
    "html": _no_rows,
    "body": _no_rows,
    "h1": _no_rows,
    "form": _no_rows,
}
