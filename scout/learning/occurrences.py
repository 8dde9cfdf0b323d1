"""Where known values occur on a page: in texts, parts of texts, attributes, links and scripts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from lxml.html import HtmlElement

from scout.fields import TEXT, Field
from scout.learning.candidates import MAX_LABEL, Stability
from scout.learning.index import PageIndex, Place
from scout.rules import blocks, css
from scout.rules.cuts import Cut
from scout.rules.selectors import DataSelector
from scout.values.text import alphanumeric

MAX_LOOKED_AT = 60  # places with a value's letters; a brand may be in every second link
MAX_ALONE = 5  # places per page that contain only the value and become selectors
MAX_PARTS = 3  # the same for places that contain more than the value
MAX_STATE = 60  # characters: a longer text is about more than this offer's state
MAX_LEAF = 1_000  # characters: longer texts in a script's data are skipped
MIN_PART = 3  # letters: a shorter value inside another text is a coincidence
_DIGITS = re.compile(r"\d+")


class Occurrence(NamedTuple):
    """A place that contains a value, alone or among other text."""

    place: Place
    is_alone: bool

    def signature(self, index: PageIndex, stability: Stability) -> Hashable:
        """What places of one kind have in common on all pages of a shop; cheap, and only used for counting."""
        place, parent = self.place, self.place.element.getparent()
        before = index.texts[place.order - 1].raw if place.order else ""
        return (
            (place.kind, place.detail, place.element.tag, place.element.get("class"), place.element.get("id")),
            None if parent is None else (parent.tag, parent.get("class"), parent.get("id")),
            before if len(before) <= MAX_LABEL and stability.is_stable_label(before) else "",
        )


def search_keys(value: str) -> tuple[str, ...]:
    """What to search for in squeezed text: the value and, for an amount, its whole part.

    >>> search_keys("1,299.00")
    ('129900', '1299')
    """
    found = [alphanumeric(value)]
    if re.fullmatch(r"[^\w]*\d[\d.,' ]*[.,]\d{1,2}\D*", value):
        found.append("".join(_DIGITS.findall(value)[:-1]))
    return tuple(dict.fromkeys(probe for probe in found if probe))


def find_occurrences(index: PageIndex, kind: Field, values: Sequence[str]) -> list[Occurrence]:
    """The places on the page that contain one of the accepted `values`."""
    found: dict[tuple[HtmlElement, object], Occurrence] = {}
    if kind.kind.is_state:
        return [Occurrence(place, True) for place in _places_by_meaning(index, kind, values)]
    for value in values:
        keys = kind.keys(value)
        for place, is_all in _look_up(index, value):
            key = place.element, place.detail
            if key not in found or not found[key].is_alone:
                is_same = is_all or (kind.kind is not TEXT and not keys.isdisjoint(kind.keys(place.raw)))
                found[key] = Occurrence(place, is_same)
    return list(found.values())


def _places_by_meaning(index: PageIndex, kind: Field, values: Sequence[str]) -> list[Place]:
    """The places that mean the same as one of `values`, in any words."""
    keys = frozenset[object]().union(*(kind.keys(value) for value in values))
    short = (place for place in index.places if len(place.raw) <= MAX_STATE)
    return list(islice((place for place in short if not keys.isdisjoint(kind.keys(place.raw))), MAX_LOOKED_AT))


def usual_places(
    occurrences: Sequence[Sequence[Occurrence]], indexes: Sequence[PageIndex], stability: Stability
) -> list[list[Place]]:
    """For each page, the places where the shop most likely shows the value: of a kind that contains it on many pages.

    A brand may be in every second link of a page, but only one kind of place has the product's own brand on page after page. Of places
    that contain more than the value, the shortest come first.
    """
    signatures = [
        [found.signature(index, stability) for found in page] for page, index in zip(occurrences, indexes, strict=True)
    ]
    pages = Counter(signature for page in signatures for signature in set(page))
    kept = []
    for page, names in zip(occurrences, signatures, strict=True):
        ranked = sorted(zip(page, names, strict=True), key=lambda pair: (-pages[pair[1]], len(pair[0].place.raw)))
        alone = [found.place for found, _ in ranked if found.is_alone][:MAX_ALONE]
        kept.append(alone + [found.place for found, _ in ranked if not found.is_alone][:MAX_PARTS])
    return kept


def _look_up(index: PageIndex, value: str) -> Iterator[tuple[Place, bool]]:
    if value.startswith(("http:", "https:", "/")):
        name = value.rstrip("/").rpartition("/")[2]
        yield from ((place, place.raw == value) for place in index.link_places() if name and name in place.raw)
        return
    found = search_keys(value)
    if not found:
        yield from ((place, True) for place in index.places_equal_to(value.strip(), MAX_LOOKED_AT))
    for probe in found:
        for place, is_all in index.places_containing(probe, MAX_LOOKED_AT):
            if is_all or len(probe) >= MIN_PART:
                yield place, is_all


def data_selectors(index: PageIndex, kind: Field, values: Sequence[str]) -> Iterator[DataSelector]:
    """Selectors for the value as data in scripts."""
    keys = frozenset[object]().union(*(kind.keys(value) for value in values))
    needles = {needle for value in values for needle in _script_spellings(value)}
    for script in index.scripts:
        text = script.text
        if not text or "{" not in text or not (kind.kind.is_state or any(needle in text for needle in needles)):
            continue
        for block, data in blocks.script_blocks(index.page, script).items():
            for path, leaf in blocks.leaves(data):
                if len(leaf) <= MAX_LEAF and any(
                    not keys.isdisjoint(kind.keys(reading)) for reading in leaf_readings(leaf, kind)
                ):
                    yield from _selectors_of_leaf(index, script, block, path)


def leaf_readings(leaf: str, kind: Field) -> tuple[str, ...]:
    """A leaf as it is and, if it may be an amount in cents, as that amount."""
    cents = Cut(cents=True).apply(leaf) if kind.kind.is_money else None
    return (leaf,) if cents is None or cents == leaf else (leaf, cents)


def _script_spellings(value: str) -> tuple[str, ...]:
    """The ways to write a value in a script: as it is, escaped, or an amount by its digits."""
    if value[:1].isdigit() or value[-1:].isdigit():
        return (value, *search_keys(value))
    return value, json.dumps(value)[1:-1], value.replace("/", "\\/")


def _selectors_of_leaf(
    index: PageIndex, script: HtmlElement, block: str, path: tuple[str | int, ...]
) -> Iterator[DataSelector]:
    """Selectors for a leaf: its script by id, type or number, and the block; a named block may be in any script."""
    paths = [blocks.jsonpath(path)]
    if any(isinstance(step, int) for step in path):
        paths.append(blocks.jsonpath(tuple(None if isinstance(step, int) else step for step in path)))
    is_numbered = block[:1].isdigit() or block == blocks.WHOLE_SCRIPT
    places = _script_paths(index, script) if is_numbered else [("script", 1)]
    for place, match in places:
        yield from (DataSelector(place, path, block, match) for path in paths)


def _script_paths(index: PageIndex, script: HtmlElement) -> Iterator[tuple[str, int]]:
    """CSS paths for a script: by its id, by its type if that says JSON, and by its number."""
    if step := css.step("script", attribute=("id", script.get("id"))) if script.get("id") else None:
        yield step, 1
    kind = script.get("type") or ""
    if "json" in kind and (step := css.step("script", attribute=("type", kind))):
        yield step, 1
    yield "script", 1 + index.scripts.index(script)
