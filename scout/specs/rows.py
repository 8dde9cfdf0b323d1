"""Rows: every place with the shape "name, value" (algorithm 3 of the paper, and the shapes of today's pages).

A row is only a candidate: `signs` decides whether the rows of a region are a specification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, repeat
from typing import NamedTuple, TypeAlias

from scout.specs.lines import (
    COLONS,
    MAX_LINE_NAME,
    MAX_VALUE,
    MIN_LINES,
    MOST_LINES,
    bullet_of,
    ends_with_colon,
    has_letter,
    has_word,
    is_short,
    may_be_name,
    pair_lines,
    split_line,
    split_weak_line,
    without_bullet,
)
from scout.specs.tree import BREAK, INLINE, SINGLE_TEXT, Kid, TextElement, elements_of, is_aside, rough_text, text_size
from scout.specs.units import known_unit
from scout.specs.vocabulary import known_points, normal_name, vocabulary

MAX_NAME = 90  # Korean law requires names of 70 characters; anything longer is a sentence
MAX_ROW = MAX_NAME + MAX_VALUE
MAX_ASIDES = 2  # tooltips and buttons beside a name and its value
MAX_VALUE_TEXTS = 2  # of a value whose name is a heading: with more, it is a section
MIN_ALTERNATING = 2  # pairs of plain siblings: a single one could be any heading with its text
MAX_GRID = 12  # rows of a table that are looked at to tell its columns of names
MIN_KNOWN = 0.3  # of the names in a column that only they tell from the values beside it

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
MAX_LEADER = 120  # characters of a colon or a dotted line between a name and its value
_LEADING = frozenset(".…·_:：")
_LEADER = re.compile(r"[\s.…·_:：]*")
_ROW_NUMBER = re.compile(r"\d{1,3}[.)]?")
_has_digit = re.compile(r"\d").search


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


def _paired(node: TextElement, names: Sequence[Kid], values: Sequence[Kid], kind: str) -> list[Row]:
    """A row for each name and the value at the same place."""
    return [Row(node, [name], [value], kind, name) for name, value in zip(names, values, strict=True)]


def _cell_rows(node: TextElement) -> list[Row]:
    """The pairs in a table row: two cells, or cells that take turns (name, value, name, value: step 5 of the algorithm)."""
    cells = [cell for cell in elements_of(node) if not _is_leader(cell)]
    if len(cells) == 3:
        cells = cells[1:] if _heads_row(cells[0]) else _without_last_column(node, cells)
    if _is_cell_row(node, cells):
        return [Row(node, [cells[0]], cells[1:], "tr", node)]
    if len(cells) >= 4 and len(cells) % 2 == 0 and _take_turns(cells, _grid_of(node, len(cells))):
        return [row._replace(slot=node) for row in _paired(node, cells[::2], cells[1::2], "tr")]
    return []


def _is_cell_row(node: TextElement, cells: Sequence[TextElement]) -> bool:
    """True for a name and its value, with or without its unit."""
    if len(cells) not in (2, 3) or not _is_name(cells[0]) or _is_heading_row(node, cells):
        return False
    return len(cells) == 2 or known_unit(rough_text(cells[2])) is not None


def _without_last_column(node: TextElement, cells: list[TextElement]) -> list[TextElement]:
    """The cells of a row without a last one that says the same in every row, such as a link to an explanation."""
    column = [rough_text(row[2]) for row in _grid_of(node, 3)]
    return cells[:2] if len(column) >= MIN_LINES and len(set(column)) == 1 else cells


def _is_leader(kid: TextElement) -> bool:
    """True for a colon or a dotted line between a name and its value."""
    first = kid.kids[0]
    if kid.leaves != 1 or kid.size > MAX_LEADER or (isinstance(first, str) and first.lstrip()[:1] not in _LEADING):
        return False
    return _LEADER.fullmatch(rough_text(kid)) is not None


def _heads_row(cell: TextElement) -> bool:
    """True for the heading of several rows, and for the number of a row."""
    is_heading = cell.tag == "th" and cell.element.get("rowspan") is not None
    return is_heading or _ROW_NUMBER.fullmatch(rough_text(cell, 2)) is not None


def _is_heading_row(node: TextElement, cells: Sequence[TextElement]) -> bool:
    """True for a header row such as "Property | Value": both cells look alike, and unlike the values below."""
    if node.parent is None or node.rank:
        return False
    if node.parent.tag == "thead":
        return all(cell.tag == "th" for cell in cells)
    below = _grid_of(node, len(cells))[1:]
    looks = set(map(_full_look, cells))
    return len(below) > 1 and len(looks) == 1 and looks.isdisjoint(_full_look(row[1]) for row in below)


Grid: TypeAlias = Sequence[Sequence[TextElement]]


def _grid_of(node: TextElement, width: int) -> Grid:
    """The cells of a row and of the first rows like it."""
    rows = elements_of(node.parent, node.tag) if node.parent is not None else [node]
    return list(islice((elements_of(row) for row in rows if len(row.kids) == width), MAX_GRID))


def _take_turns(kids: Sequence[TextElement], grid: Grid) -> bool:
    """True if every other kid is a name: by its colon, by its look, or because names are known there and values are not."""
    names, values = kids[::2], kids[1::2]
    if not all(map(_is_name, names)):
        return False
    if all(ends_with_colon(rough_text(kid)) for kid in names):
        return True
    return any(_look_apart(names, values, look) for look in (appearance, _full_look)) or _are_columns_of_names(grid)


def _look_apart(
    names: Iterable[TextElement], values: Iterable[TextElement], look: Callable[[TextElement], tuple[str, str]]
) -> bool:
    looks = {look(kid) for kid in names}
    return len(looks) == 1 and looks.isdisjoint(map(look, values))


def _are_columns_of_names(grid: Grid) -> bool:
    """True if every other column holds names that shops use, and those between them hold none.

    Each column for itself: in a chart of several products only the first one has names.
    """
    columns = [[_name_text(cell) for cell in column] for column in zip(*grid, strict=False)]
    names, values = columns[::2], columns[1::2]
    known = _known_share([text for column in names for text in column])
    return known >= MIN_KNOWN and all(map(_is_column_of_names, names, values))


def _is_column_of_names(names: Sequence[str], values: Sequence[str]) -> bool:
    """True if more names are known than values."""
    return _known_share(names) > 2 * _known_share(values)


def _known_share(texts: Sequence[str]) -> float:
    return sum(map(_known_points, texts)) / max(1, len(texts))


def _known_points(text: str) -> float:
    return 0.0 if not text or _has_digit(text) else known_points(normal_name(text))


def appearance(node: TextElement) -> tuple[str, str]:
    """The tag and the first class with digits masked: elements that share both look alike."""
    classes = node.element.get("class")
    return node.tag, _first_class(classes) if classes else ""


def _full_look(node: TextElement) -> tuple[str, str]:
    """All classes, and the element that is all of its content, such as <b>."""
    inner = node.kids[0] if len(node.kids) == 1 else node.element.text
    return (inner.tag if isinstance(inner, TextElement) else _only_child(node)), node.element.get("class") or ""


def _only_child(node: TextElement) -> str:
    """The tag of the only child, if it holds all the text: kids of links and headings are not grown."""
    return str(node.element[0].tag) if len(node.element) == 1 and not (node.element.text or "").strip() else ""


@lru_cache(maxsize=8192)
def _first_class(classes: str) -> str:
    words = classes.split()
    return re.sub(r"\d+", "#", words[0]) if words else ""


def _column_rows(table: TextElement) -> list[Row]:
    """The pairs in a table with a row of names above one row of values. With more rows it is a chart of several products."""
    lines = [line for group in (table, *elements_of(table, "thead", "tbody")) for line in elements_of(group, "tr")]
    if len(lines) != 2:
        return []
    names, values = map(elements_of, lines)
    if len(names) != len(values):
        return []
    grid = list(zip(names, values, strict=True))
    turns = [kid for pair in grid for kid in pair]
    return _paired(table, names, values, "columns") if _take_turns(turns, grid) else []


def _definition_rows(node: TextElement) -> list[Row]:
    """The pairs in a dl; several dd of one dt are one value. Each pair may be wrapped in a div."""
    groups = [node.kids, *(kid.kids for kid in elements_of(node) if kid.tag not in ("dt", "dd"))]
    found = [row for kids in groups for row in reversed(list(_pairs_of_dt_and_dd(node, kids)))]
    # one dl per pair: a row like any other
    return found if len(found) > 1 else [row._replace(slot=node) for row in found]


def _pairs_of_dt_and_dd(node: TextElement, kids: Sequence[Kid]) -> Iterator[Row]:
    values: list[Kid] = []
    for kid in reversed(kids):
        if isinstance(kid, TextElement) and kid.tag == "dd":
            values.insert(0, kid)
        elif isinstance(kid, TextElement) and kid.tag == "dt":
            if values and _is_name(kid):
                yield Row(node, [kid], values, "dl", kid)
            values = []


def _generic_rows(node: TextElement) -> Sequence[Row]:
    """The pairs in elements without a meaning for pairs: div, li, p, span."""
    kids = node.kids
    if len(kids) == 1:
        return _text_rows(node)
    if _has_breaks(node):
        return _break_rows(node)
    if len(kids) == 2 and (columns := _two_columns(node)):
        return columns
    labelled = _labelled_rows(node) if len(kids) > 2 else ()
    is_row = len(labelled) < 2 and node.size <= MAX_ROW and not _are_several_pairs(kids)
    if is_row and (row := _row_of_kids(node, kids)):
        return [row]
    return labelled or _alternating_rows(node)


def _are_several_pairs(kids: Sequence[Kid]) -> bool:
    """True if every other kid is a name with a colon: a row of two pairs, made of plain blocks."""
    names = kids[::2]
    return len(kids) >= 2 * MIN_ALTERNATING and all(
        isinstance(kid, TextElement) and kid.tag not in INLINE and ends_with_colon(rough_text(kid)) for kid in names
    )


def _text_rows(node: TextElement) -> Sequence[Row]:
    """The pairs in one text: a line with a colon or a dash, or several lines."""
    kids, raw = node.kids, node.kids[0]
    if isinstance(raw, str) and (lines := pair_lines(raw)):
        return [Row(node, [line], [line], "break", line, split_line(line)) for line in lines]
    text = rough_text(node)
    if pair := split_line(text):
        return [Row(node, kids, kids, "line", node, pair)]
    pair = split_weak_line(text)
    return [Row(node, kids, kids, "dash", node, pair)] if pair and is_short(pair[1]) else ()


def _two_columns(node: TextElement) -> list[Row]:
    """The pairs in two lists, or two blocks of lines, side by side: names in one, values in the other."""
    left, right = node.kids
    if isinstance(left, str) or isinstance(right, str) or not MIN_LINES <= len(left.kids) == len(right.kids):
        return []
    names, values = _column_cells(left), _column_cells(right)
    if len(names) != len(values) or not all(map(_is_name, names)) or _are_several_pairs(names):
        return []
    return _paired(node, names, values, "columns")


def _column_cells(column: TextElement) -> list[Kid]:
    """The lines of a block if each is one text, else none."""
    lines = _lines(column)
    is_plain = all(len(line) == 1 and (isinstance(line[0], str) or line[0].leaves == 1) for line in lines)
    return [line[0] for line in lines] if is_plain else []


def _row_of_kids(node: TextElement, kids: Sequence[Kid]) -> Row | None:
    """A label and what follows it, if the label ends with a colon or both are cells."""
    if text_size(kids[0]) > 2 * MAX_NAME:
        return None
    if len(kids) <= MAX_ASIDES + 2:
        kids = [kid for kid in kids if not _is_beside(kid)]
    if len(kids) < 2:
        return None
    return _row_after_text(node, kids) if isinstance(kids[0], str) else _row_after_element(node, kids[0], kids[1:])


def _row_after_element(node: TextElement, name: TextElement, values: Sequence[Kid]) -> Row | None:
    """An element as a name: with a colon, or with one cell or text behind it."""
    value, text = values[0], _name_text(name)
    if name.tag in ("dt", "dd") or not text:
        return None
    if ends_with_colon(text) or (isinstance(value, str) and value.lstrip()[:1] in COLONS):
        return Row(node, [name], values, "label", node)
    if len(values) > 1 or _is_section(name, value):
        return None
    return Row(node, [name], values, "mixed" if isinstance(value, str) else "cells", node)


def _is_beside(kid: Kid) -> bool:
    """True for what is neither name nor value: a tick, a dotted line, a tooltip."""
    return not has_word(kid) if isinstance(kid, str) else is_aside(kid) or _is_leader(kid)


def _row_after_text(node: TextElement, kids: Sequence[Kid]) -> Row | None:
    """A plain text as a name: with a colon, or with nothing but one inline element behind it."""
    first, second = kids[0], kids[1]
    name = rough_text(first)
    if isinstance(second, str) or len(name) > MAX_LINE_NAME:
        return None
    if ends_with_colon(name):
        return Row(node, [first], kids[1:], "label", node)
    is_link = second.tag == "a" and normal_name(name) not in vocabulary()  # "see all products of …"
    is_pair = len(kids) == 2 and second.tag in INLINE and not is_link and may_be_name(name)
    return Row(node, [first], [second], "mixed", node) if is_pair else None


def _is_section(first: TextElement, second: Kid) -> bool:
    """True for a heading with its content of several texts."""
    return first.tag in HEADINGS and isinstance(second, TextElement) and second.leaves > MAX_VALUE_TEXTS


def _is_name(kid: Kid) -> bool:
    return bool(_name_text(kid))


def _name_text(kid: Kid) -> str:
    """The text of a kid if it can be a name; otherwise empty."""
    text = rough_text(kid) if text_size(kid) <= 2 * MAX_NAME else ""
    return text if len(text) <= MAX_NAME and has_letter(text) else ""


def _has_breaks(node: TextElement) -> bool:
    return str in map(type, node.kids) and node.element.find("br") is not None


def _break_rows(node: TextElement) -> Sequence[Row]:
    """The pairs in lines separated by <br>; a single line, or a name above its value, is a row like any other."""
    lines = _lines(node)
    if len(lines) == 2 and isinstance(lines[0][0], TextElement) and (row := _two_lines(node, *lines)):
        return [row]
    return _names_above_values(node, lines) or list(_rows_of_lines(node, lines))


def _rows_of_lines(node: TextElement, lines: Sequence[Sequence[Kid]]) -> Iterator[Row]:
    rows = [row for line in lines if (row := _line_row(node, line))]
    are_all_pairs = len(rows) >= max(MIN_LINES, MOST_LINES * len(lines))
    for row in rows:
        is_pair = are_all_pairs and is_short(" ".join(map(rough_text, row.value)))
        if row.kind == "label" and len(lines) == 1:
            yield row
        elif row.kind == "label" or is_pair:
            yield row._replace(kind="break", slot=row.name[0])


def _line_row(node: TextElement, line: Sequence[Kid]) -> Row | None:
    """The pair in one line of several."""
    if len(line) > 1:
        return _row_of_kids(node, line) if sum(map(text_size, line)) <= MAX_ROW else None
    text = rough_text(line[0])
    if pair := split_line(text):
        return Row(node, line, line, "label", node, pair)
    pair = split_weak_line(text)
    return Row(node, line, line, "dash", node, pair) if pair else None


def _two_lines(node: TextElement, first: Sequence[Kid], second: Sequence[Kid]) -> Row | None:
    """<b>Name</b><br>value, or 【name】<br>value: the name stands out, and neither line is a pair by itself."""
    name = first[0]
    if len(first) > 1 or not _is_name(name) or sum(map(text_size, second)) > MAX_VALUE:
        return None
    if split_line(rough_text(name)) or (isinstance(second[0], str) and split_line(second[0])):
        return None
    pair = (without_bullet(name), " ".join(map(rough_text, second))) if isinstance(name, str) else None
    return Row(node, first, second, "cells", node, pair)


def _names_above_values(node: TextElement, lines: Sequence[Sequence[Kid]]) -> list[Row]:
    """<b>Name</b><br>value<br><b>Name</b><br>value: every other line is a name, and looks like no other line."""
    names, values = lines[::2], lines[1::2]
    if len(names) != len(values) or len(names) < MIN_ALTERNATING:
        return []
    looks = {_line_look(line[0]) for line in names}
    if len(looks) > 1 or "" in looks or not looks.isdisjoint(_line_look(kid) for line in values for kid in line):
        return []
    found = [
        row._replace(kind="break", slot=row.name[0]) for row in map(_two_lines, repeat(node), names, values) if row
    ]
    return found if len(found) == len(names) else []


def _line_look(kid: Kid) -> tuple[str, str] | str:
    return appearance(kid) if isinstance(kid, TextElement) else bullet_of(kid)


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
    kids = elements_of(node)
    if len(kids) < max(len(node.kids), 2 * MIN_ALTERNATING):
        return []
    if len(kids) % 2 and kids[0].tag in HEADINGS:
        kids = kids[1:]
    names, values = kids[::2], kids[1::2]
    if len(kids) % 2 or not _do_siblings_take_turns(node, names, values) or any(map(_is_section, names, values)):
        return []
    are_pairs = sum(map(_is_pair_itself, kids)) > len(names)
    return [] if are_pairs else _paired(node, names, values, "alternating")


def _is_pair_itself(kid: TextElement) -> bool:
    text = rough_text(kid)
    return (split_line(text) or split_weak_line(text)) is not None


def _do_siblings_take_turns(node: TextElement, names: Sequence[TextElement], values: Sequence[TextElement]) -> bool:
    """True if names and values differ in one look each, or if plain names are known and their values are short, too."""
    if not all(map(_is_name, names)):
        return False
    if _are_several_pairs(node.kids):
        return True
    for look in (appearance, _full_look):
        if look(names[0]) != look(values[0]):
            return len(set(map(look, names))) == len(set(map(look, values))) == 1
    if any(kid.leaves > 1 for kid in (*names, *values)):
        return False
    return len(names) > MIN_ALTERNATING and _are_columns_of_names(list(zip(names, values, strict=True)))


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
    return ends_with_colon(last) and _is_name(kid)


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
