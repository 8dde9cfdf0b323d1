"""specifications: the pairs of a page, from its text tree to the final list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scout.page import Page, collector_paused
from scout.specs.concepts import concept_of
from scout.specs.embedded import embedded_pairs
from scout.specs.lines import COLONS
from scout.specs.pair import Pair
from scout.specs.regions import Shape, SpecRegion, row_headings
from scout.specs.regions import group_rows as candidate_regions
from scout.specs.rows import Row, candidate_rows
from scout.specs.seed import seed_words
from scout.specs.segment import Segmenter, segmenter
from scout.specs.shop import known_shapes
from scout.specs.signs import accepted_regions, commerce_words, page_context
from scout.specs.tree import shown_text, text_tree
from scout.specs.units import quantity
from scout.specs.vocabulary import SpecVocabulary, normal_name, vocabulary
from scout.values import clean_text

_MEMO = "specification"  # needed for the brand, and again for the whole offer
_LEADER = re.compile(r"[\s:：]*(?:[.…·_]\s*){3,}$")  # the dotted line between a name and its value
_DASH = re.compile("^[-–—=] ")  # behind a bold name
_DASHES = "-–—− "  # how shops write "unknown"


def specifications(
    page: Page,
    regions: Iterable[Mapping[str, Any]] | None = None,
    *,
    names: SpecVocabulary | None = None,
    segment: Segmenter | str | None = None,
) -> list[Pair]:
    """The attributes of the page's product as (name, value), in document order; empty if it has no specification.

    `regions` are those of the shop, from `spec_regions` or its rule file. `names` replaces the built-in vocabulary of concepts,
    `segment` what splits Chinese titles into words: a callable, or the name of one (`scout.specs.segment`).
    """
    known = known_shapes(regions or ())
    is_usual = not known and segment is None
    found = page.memo.get(_MEMO) if is_usual else None
    if found is None:
        with collector_paused():
            found = _shown_pairs(page, known, segment) or embedded_pairs(page)
    if is_usual:
        page.memo[_MEMO] = found
    return [_annotate(pair, names or vocabulary()) for pair in found]


def _shown_pairs(page: Page, known: Mapping[Shape, bool], segment: Segmenter | str | None) -> list[Pair]:
    found: dict[tuple[str, str], Pair] = {}
    split = segmenter(segment) if isinstance(segment, str) else segment
    with text_tree(page.root) as tree:
        candidates = candidate_regions(candidate_rows(tree.candidates))
        context = page_context(seed_words(page, segment=split), tree.root.size, candidates)
        for region in accepted_regions(candidates, context, known):
            for pair in pairs_of(region):
                found.setdefault(pair, pair)
    return list(found.values())


def pairs_of(region: SpecRegion) -> Iterator[Pair]:
    """The pairs of a region as shown, without empty ones and those about price, stock or delivery."""
    for row, section in zip(region.rows, row_headings(region), strict=True):
        name, value = _pair_texts(row)
        if name and value.strip(_DASHES) and name != value and normal_name(name) not in commerce_words():
            yield Pair(name, value, section=section, why=f"{row.kind} in <{region.container.tag}>")


def _pair_texts(row: Row) -> tuple[str, str]:
    """Name and value as shown, without the colon between them."""
    name, value = row.line or (shown_text(row.name), shown_text(row.value))
    value = clean_text(value)
    return _LEADER.sub("", clean_text(name)).rstrip(COLONS + " "), (
        _DASH.sub("", value) if row.kind == "mixed" else value
    ).lstrip(COLONS + " ")


def _annotate(pair: Pair, names: SpecVocabulary) -> Pair:
    """Add the quantity in its value and the concept of its name to a pair."""
    if found := quantity(pair.name, pair.value):
        pair.quantity, pair.unit = str(found.number), found.unit
    pair.concept, pair.qualifier = concept_of(pair.name, pair.unit, names)
    return pair
