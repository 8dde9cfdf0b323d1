"""Regions: candidate rows that belong together (algorithm 2 of the paper, without its limits).

The paper uses tables and lists that contain a word of the title. Here, rows of any shape that share a container are a region, and
several signs together decide on it (`signs`), because no single one works in every shop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from scout.specs.lines import COLONS, MIN_LINES
from scout.specs.rows import Row, appearance
from scout.specs.tree import Kid, TextElement, elements_of, is_aside, rough_text
from scout.specs.vocabulary import known_points, normal_name, vocabulary

MAX_ROWS = 1_000  # per region: anything longer is a price list
MAX_REGIONS = 2_000  # per page: after these, a long catalogue is not worth the time
MAX_HEADING = 80
VALUE_WORDS = 60  # of a value that are used to judge it
HEADING_LEVELS = 4  # elements between a region and its heading

_OPENER = re.compile(r"accordion|collaps|toggl|expand|tab(?:$|[\s_-])", re.IGNORECASE)
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "caption", "legend", "summary", "strong", "b", "button", "a"})


@dataclass
class SpecRegion:
    """Rows with the same container."""

    container: TextElement
    rows: list[Row] = field(default_factory=list)

    @cached_property
    def names(self) -> list[str]:
        return [normal_name(rough_name(row)) for row in self.rows]

    @cached_property
    def values(self) -> list[str]:
        return [
            row.line[1] if row.line else " ".join(rough_text(kid, VALUE_WORDS) for kid in row.value)
            for row in self.rows
        ]

    @cached_property
    def known_names(self) -> int:
        known = vocabulary()
        return sum(name in known for name in self.names)

    @cached_property
    def name_points(self) -> float:
        """The number of known names; half a point if only the first or last word is known ("Weight of the box", "Assembled weight")."""
        return sum(map(known_points, self.names))

    @cached_property
    def concepts(self) -> list[str | None]:
        known = vocabulary()
        return [known.concept(name) for name in self.names]

    @cached_property
    def heading(self) -> str | None:
        """The heading in or before the region."""
        first = self.container.kids[0]
        is_heading = isinstance(first, TextElement) and first.tag in HEADINGS and first is not self.rows[0].slot
        return (_heading_text(first) if is_heading else None) or heading_of(self.container)

    @cached_property
    def shape(self) -> Shape:
        row = self.rows[0]
        name = row.name[0]
        return Shape(
            _container_path(self.container),
            row.kind,
            _tag_and_class(row.node),
            _tag_and_class(name) if isinstance(name, TextElement) else "text",
        )


class Shape(NamedTuple):
    """What regions of the same template have in common, on one page and on all pages of a shop."""

    container: str
    kind: str
    row: str
    name: str


def _container_path(container: TextElement) -> str:
    """The container's tag and class; if it has no class, below the nearest ancestor that has one."""
    own = _tag_and_class(container)
    named = None if appearance(container)[1] else next((n for n in container.ancestors() if appearance(n)[1]), None)
    return own if named is None else f"{_tag_and_class(named)} {own}"


def _tag_and_class(node: TextElement) -> str:
    tag, first_class = appearance(node)
    return f"{tag}.{first_class}" if first_class else tag


def rough_name(row: Row) -> str:
    """The name of a row, without its colon and the tooltip beside it."""
    if row.line:
        return row.line[0]
    parts = (part for kid in row.name for part in (kid.kids if isinstance(kid, TextElement) else [kid]))
    texts = (rough_text(part) for part in parts if isinstance(part, str) or not is_aside(part))
    return " ".join(texts).rstrip(COLONS + " ")


def group_rows(rows: Iterable[Row]) -> list[SpecRegion]:
    """The candidate rows grouped by container, in document order."""
    found: dict[int, SpecRegion] = {}
    for row in rows:
        container = container_of(row)
        region = found.get(container.position)
        if region is None:
            region = found[container.position] = SpecRegion(container)
        region.rows.append(row)
    regions = [region for region in islice(found.values(), MAX_REGIONS) if len(region.rows) <= MAX_ROWS]
    return [_names_first(region) if _has_names_below(region) else region for region in regions]


def _has_names_below(region: SpecRegion) -> bool:
    """Whether tiles show "80 lux" above "Brightness": most second parts are known names, and few of the first ones."""
    rows = region.rows
    if len(rows) < MIN_LINES or any(row.kind not in ("cells", "alternating") for row in rows):
        return False
    above = region.name_points
    return 2 * above < len(rows) and _names_first(region).name_points >= max(len(rows) / 2, 2 * above)


def _names_first(region: SpecRegion) -> SpecRegion:
    return SpecRegion(region.container, [row._replace(name=row.value, value=row.name) for row in region.rows])


def container_of(row: Row) -> TextElement:
    """The element that contains this row and others like it; wrappers around a single row do not count."""
    if row.kind in ("dl", "alternating", "break", "labels", "columns") and row.slot is not row.node:
        return row.node
    node = row.node
    if row.kind == "tr":
        return next((above for above in node.ancestors() if above.tag == "table"), node)
    while node.parent is not None and len(node.parent.kids) == 1:
        node = node.parent
    return node.parent or node


def heading_of(container: TextElement) -> str | None:
    """The heading before a region, in its own parent or in one further out."""
    node = container
    for _ in range(HEADING_LEVELS):
        if node.parent is None:
            return None
        if node.rank and (text := _heading_text(node.parent.kids[node.rank - 1])):
            return text
        node = node.parent
    return None


def row_headings(region: SpecRegion) -> list[str | None]:
    """The heading of each row: the last one before it inside the region, or else the region's own."""
    slots = [row.slot if isinstance(row.slot, TextElement) else None for row in region.rows]
    values = (kid for row in region.rows for kid in row.value if isinstance(kid, TextElement))
    no_headings = {node.position for node in (*slots, *values) if node is not None}
    boxes = {slot.parent.position: slot.parent for slot in slots if slot is not None and slot.parent is not None}
    headings: dict[int, str | None] = {}
    for box in boxes.values():
        headings |= _headings_in(box, no_headings, region.heading)
    return [headings.get(slot.position) if slot is not None else region.heading for slot in slots]


def _headings_in(box: TextElement, no_headings: Set[int], outer: str | None) -> dict[int, str | None]:
    """The last heading before each element of a box, by its position."""
    before = box.parent.kids[box.rank - 1] if box.parent and box.rank else ""
    current = _heading_text(before) or outer
    found = {}
    for kid in elements_of(box):
        if kid.position not in no_headings:
            current = _heading_text(kid) or current
        found[kid.position] = current
    return found


def _heading_text(kid: Kid) -> str | None:
    """The text of a kid that can be a heading: short, one text or a heading element, and not a sentence."""
    if isinstance(kid, str) or kid.size > 3 * MAX_HEADING:
        return None
    heading = _heading_element(kid)
    if heading is None and kid.leaves > 1:
        return None
    if heading is not None and heading.tag == "button" and not _opens_something(heading):
        return None
    text = rough_text(kid)
    is_sentence = heading is None and text.endswith((".", "!", "?", ","))
    return text if 0 < len(text) <= MAX_HEADING and not is_sentence else None


def _heading_element(kid: TextElement) -> TextElement | None:
    """The heading that a kid is, or holds and nothing else."""
    innermost: Kid = kid
    while isinstance(innermost, TextElement):
        if innermost.tag in HEADINGS:
            return innermost
        if len(innermost.kids) > 1:
            return None
        innermost = innermost.kids[0]
    return None


def _opens_something(button: TextElement) -> bool:
    """Whether a button is the heading of a panel, and not one that buys."""
    attributes = button.element.attrib
    return (
        "aria-expanded" in attributes
        or "aria-controls" in attributes
        or _OPENER.search(attributes.get("class", "")) is not None
    )


def resolve_overlaps(ranked: Sequence[SpecRegion]) -> list[SpecRegion]:
    """The regions in document order, without overlaps: of two that claim the same text, the first in `ranked` keeps it."""
    rows: set[int] = set()
    around: set[int] = set()
    kept: list[SpecRegion] = []
    for region in ranked:
        above = {node.position for node in (region.container, *region.container.ancestors())}
        free = [] if rows & above else [row for row in region.rows if not _contains_region(row, around)]
        if free:
            kept.append(SpecRegion(region.container, free))
            rows.update(row.node.position for row in free if row.node is not region.container)
            around |= above
    return sorted(kept, key=lambda region: region.rows[0].node.position)


def _contains_region(row: Row, around: set[int]) -> bool:
    """True if a row contains a region that was kept: then it is a heading with its content, not a pair."""
    return any(isinstance(kid, TextElement) and kid.position in around for kid in (row.slot, *row.value))
