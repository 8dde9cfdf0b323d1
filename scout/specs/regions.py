"""Regions: which of the candidate rows are a specification (algorithm 2 of the paper, without its limits).

The paper takes tables and lists that hold a word of the title. Here rows of any shape that share a container are one region, and
a region is judged by several signs together: its names, its values, its heading, its classes, the words of the title, and how much
of it is rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from scout.specs.rows import COLONS, Row, look
from scout.specs.tree import Kid, Leaf, Node, rough_text
from scout.specs.vocabulary import context_words, normal_name, vocabulary

THRESHOLD = 2.0  # below it an empty answer is better
MAX_HEADING = 80
HEADING_LEVELS = 4  # boxes between a region and its heading

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "summary", "strong", "b", "button", "a"})

_GOOD_CLASS = re.compile(
    r"spec(?!ial)|attrib|propert|charact|caract|karakter|feature|param|techni|detail|info|additional|data-?sheet|merkmal|eigenschaft|fact|prop(?:s|erty)?\b",
    re.I,
)
_BAD_CLASS = re.compile(
    r"cookie|consent|gdpr|foot(?:er)?(?:$|[\s_-])|(?:^|[\s_-])nav|menu|breadcrumb|review|rating|comment|shipping|delivery|versand|payment|cart|basket|"
    r"checkout|related|recommend|similar|cross-?sell|up-?sell|login|newsletter|faq|size-?(?:chart|guide|table)|seller|social|filter|facet|swatch|"
    r"carousel|price|store-?locator|contact|opening|finance|compar",
    re.I,
)
_PRICE = re.compile(r"[$€£¥₹₽₩₺₴฿]|\b(?:EUR|USD|GBP|CHF|PLN|Kč|zł|руб|lei|kr)\b")
_HAS_UNIT = re.compile(
    r"\d\s*(?:mm|cm|m|km|in|inch(?:es)?|ft|\"|''|kg|g|mg|lbs?|oz|l|ml|cl|dl|w|kw|v|a|ma|mah|wh|hz|khz|mhz|ghz|db|gb|mb|tb|mp|px|pixels?|dpi|°c?|%|x|years?|jahre?|"
    r"months?|мм|см|м|кг|г|мл|л|вт|в|гц|гб|мб|дб|шт|мпикс)\b",
    re.I,
)


@dataclass
class Region:
    """Rows with the same container."""

    container: Node
    rows: list[Row] = field(default_factory=list)

    @cached_property
    def names(self) -> list[str]:
        return [_name(row) for row in self.rows]

    @cached_property
    def values(self) -> list[str]:
        return [row.line[1] if row.line else " ".join(map(rough_text, row.value)) for row in self.rows]

    @cached_property
    def heading(self) -> str | None:
        return heading_of(self.container)

    @cached_property
    def shape(self) -> tuple[object, ...]:
        """What regions of the same template have in common."""
        row = self.rows[0]
        name = row.name[0]
        return look(self.container), row.kind, look(row.node), look(name) if isinstance(name, Node) else None


def _name(row: Row) -> str:
    return row.line[0] if row.line else " ".join(map(rough_text, row.name)).rstrip(COLONS + " ")


def regions(rows: Iterable[Row]) -> list[Region]:
    """The candidate rows, by container, in the order of the page."""
    found: dict[int, Region] = {}
    for row in rows:
        container = container_of(row)
        found.setdefault(container.position, Region(container)).rows.append(row)
    return list(found.values())


def container_of(row: Row) -> Node:
    """The element that holds this row and its like: boxes around a single row do not count."""
    if row.kind in ("dl", "alternating", "break"):
        return row.node
    if row.kind == "tr":
        return next((node for node in row.node.ancestors() if node.tag == "table"), row.node)
    node = row.node
    while node.parent is not None and len(node.parent.kids) == 1:
        node = node.parent
    return node.parent or node


def heading_of(container: Node) -> str | None:
    """The heading that stands before a region, in its own box or in one of those around it."""
    node = container
    for _ in range(HEADING_LEVELS):
        if node.parent is None:
            return None
        if node.rank and (text := _as_heading(node.parent.kids[node.rank - 1])):
            return text
        node = node.parent
    return None


def _as_heading(kid: Kid) -> str | None:
    if isinstance(kid, Leaf) or kid.size > 3 * MAX_HEADING:
        return None
    text = rough_text(kid)
    innermost: Kid = kid
    while isinstance(innermost, Node) and len(innermost.kids) == 1:
        if innermost.tag in HEADINGS:
            break
        innermost = innermost.kids[0]
    is_heading = kid.leaves == 1 or (isinstance(innermost, Node) and innermost.tag in HEADINGS)
    return text if is_heading and 0 < len(text) <= MAX_HEADING else None


def accepted(candidates: Sequence[Region], seed: frozenset[str]) -> list[Region]:
    """The regions that are a specification, in the order of the page; nested ones resolved in favour of the better."""
    scored = sorted(((score(region, seed), region) for region in candidates), key=lambda item: -item[0])
    taken: set[int] = set()
    kept: list[Region] = []
    for points, region in scored:
        if points < THRESHOLD:
            break
        if not _is_nested(region, taken):
            kept.append(region)
            taken.update(row.node.position for row in region.rows)
    return sorted(kept, key=lambda region: region.rows[0].node.position)


def _is_nested(region: Region, taken: set[int]) -> bool:
    return any(node.position in taken for node in (region.container, *region.container.ancestors()))


def score(region: Region, seed: frozenset[str]) -> float:
    """How much speaks for a region, in points."""
    return sum(signs(region, seed).values())


def signs(region: Region, seed: frozenset[str]) -> Mapping[str, float]:
    """What speaks for a region and against it, in points each: the reasons that `why` gives."""
    names, values = region.names, region.values
    count = len(names)
    known = vocabulary()
    commerce = set(context_words()["commerce"])
    plain = [normal_name(name) for name in names]
    return {
        "rows": min(count, 8) / 8,
        "names": 2.5 * sum(name in known for name in names) / count,
        "commerce": -2.5 * sum(name in commerce for name in plain) / count,
        "units": sum(bool(_HAS_UNIT.search(value)) for value in values) / count,
        "seed": 0.5 * min(2, sum(any(word in seed for word in value.casefold().split()) for value in values)),
        "prices": -2.0 * sum(bool(_PRICE.search(value)) for value in values) / count,
        "repeated names": -3.0 * (1 - len(set(plain)) / count),
        "markup": {"tr": 0.7, "dl": 0.7, "label": 0.5, "break": 0.0, "line": 0.0, "cells": 0.0, "mixed": -0.5}.get(
            region.rows[0].kind, 0.0
        ),
        "coverage": -2.0 * (1 - _coverage(region)),
        "heading": _heading_points(region.heading),
        "classes": _class_points(region.container),
        "long values": -1.0 * sum(len(value) > 200 for value in values) / count,
        "single": -1.0 if count == 1 else 0.0,
    }


def _coverage(region: Region) -> float:
    nodes = {row.node.position: row.node.size for row in region.rows if row.node is not region.container}
    if nodes:
        return min(1.0, sum(nodes.values()) / max(1, region.container.size))
    inside = sum(_size(kid) for row in region.rows for kid in (row.name if row.line else [*row.name, *row.value]))
    return min(1.0, inside / max(1, region.container.size))


def _size(kid: Kid) -> int:
    return kid.size if isinstance(kid, Node) else len(kid.text)


def _heading_points(heading: str | None) -> float:
    if heading is None:
        return 0.0
    text, words = normal_name(heading), context_words()
    if any(word in text for word in words["other"]):
        return -2.5
    return 1.5 if any(word in text for word in words["specification"]) else 0.0


def _class_points(container: Node) -> float:
    """Classes and ids of the region and of the boxes around it: a bad word counts wherever it is, a good one only nearby."""
    points = 0.0
    for level, node in enumerate((container, *container.ancestors())):
        if node.tag in ("body", "html"):
            break
        names = f"{node.element.get('class') or ''} {node.element.get('id') or ''}"
        if names == " ":
            continue
        if level < 8 and _BAD_CLASS.search(names):
            points = min(points, -1.5) if points <= 0 else points - 1.5
        elif level < 5 and points <= 0 and _GOOD_CLASS.search(names):
            points += 1.0
    return points
