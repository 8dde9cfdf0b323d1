"""Signs for and against a region being a specification, in points.

The weights were set by reading pages of shops in a dozen languages, not fitted. A region needs two or three independent signs; no single
one (a class, a heading, a word of the title) is enough or required.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

import re2

from scout.specs.regions import Shape, SpecRegion, resolve_overlaps
from scout.specs.rows import Row
from scout.specs.tree import Kid, TextElement, text_size
from scout.specs.units import units
from scout.specs.vocabulary import context_words, normal_name, vocabulary
from scout.values.currency import amount_pattern, symbol_pattern

THRESHOLD = 2.5  # below it, no answer is better
# for a region with short values and the shape of an accepted one: the same template, other attributes
SHAPE_BONUS = 2.0
BOXES_AROUND = 2
COMMON_NAME = 3  # regions with the same name: then it belongs to a comparison or a rating, not to the product
FULL_TABLE = 8  # rows: above this, more rows are no better sign
FEW_ROWS = 3
IDENTITY = frozenset({"article_number", "han", "category", "condition", "quantity"})
LONG_VALUE = 200  # characters of a value that are looked at: a paragraph names units and prices of other things
PLAIN_VALUE = 80  # a word, a number, a short list
MIN_PARTS, SHORT_PART = 4, 5  # of an enumeration: how many, and words of each on average
SOME_WORDS, MANY_WORDS = 8, 16  # of a sentence with a full stop, and of one without
MAX_SAMPLED = 60  # rows of a region that are examined closely
HINT_LEVELS = 5  # ancestors of a region whose classes count
MOST_OF_PAGE = 0.5  # an element with this share of the page's text says nothing about one region in it

_STRONG_CLASS = re.compile(
    r"spec(?!ial)|attrib|propert|charact|caract|karakter|param|techni|data-?sheet|merkmal|eigenschaft|(?:^|[\s_-])props?(?:$|[\s_-])",
    re.I,
)
_WEAK_CLASS = re.compile(r"detail|info|feature|additional|descr|fact|summary|overview|content", re.I)
_BAD_CLASS = re.compile(
    r"cookie|consent|foot(?:er)?(?:$|[\s_-])|(?:^|\s)(?:main|site|top)?-?nav|navbar|navigation|menu|breadcrumb|review|rating|comment|"
    r"shipping|delivery|versand|payment|cart(?:$|[\s_-])|basket|checkout|related|recommend|similar|cross-?sell|up-?sell|login|newsletter|"
    r"faq|size-?(?:chart|guide|table)|seller|social|filter|facet|swatch|carousel|price|store-?locator|contact|opening|financ|compar|"
    r"swiper|variant|variation|option|sku-",
    re.I,
)
_NEVER_CLASS = re.compile(r"cookie|consent|size-?(?:chart|guide|table)", re.I)
_AFTER_NUMBER = re.compile(r"\d\s*([^\W\d_]+[²³]?|[%％\"″×℃]|°c?)", re.I)
_has_digit = re.compile(r"\d").search
_LISTED = re.compile(r"[,;/|、，]")  # what separates the values of one product
_TABULAR = frozenset({"tr", "dl", "label", "labels"})
_SEPARATED = re.compile(r"[\s,;()/]+")
_MARKUP = {
    "tr": 0.7,
    "dl": 0.7,
    "label": 0.5,
    "labels": 0.3,
    "alternating": 0.3,
    "columns": 0.3,
    "cells": 0.0,
    "break": 0.0,
    "line": 0.0,
    "dash": -0.5,
    "mixed": -0.7,
}


@dataclass(frozen=True)
class Context:
    """What the signs need to know about the page."""

    seed: frozenset[str]
    size: int  # characters of text
    common: frozenset[tuple[Shape, str]] = frozenset()  # names that several regions of one shape use


def page_context(seed: frozenset[str], size: int, candidates: Sequence[SpecRegion]) -> Context:
    """The page's seed, its size, and the names that several regions of one shape use; a region shown twice counts once."""
    several = [region for region in candidates if len(region.rows) > 1]
    met = Counter(name for region in several for name in set(region.names))
    repeated = (region for region in several if max(map(met.__getitem__, region.names)) >= COMMON_NAME)
    shown = {(region.shape, tuple(zip(region.names, region.values, strict=True))) for region in repeated}
    uses = Counter((shape, name) for shape, pairs in shown for name in dict(pairs))
    return Context(seed, size, frozenset(use for use, count in uses.items() if count >= COMMON_NAME))


def score(region: SpecRegion, context: Context) -> float:
    """The points of a region: the sum of its signs; 0 for a few rows that nothing speaks for, so that most of a page costs nothing."""
    may_be = len(region.rows) > FEW_ROWS or region.known_names > 0 or _is_announced(region, context)
    return _sum_of_signs(region, context) if may_be else 0.0


def _sum_of_signs(region: SpecRegion, context: Context) -> float:
    return sum(sign(region, context) for sign in SIGNS)


def _is_announced(region: SpecRegion, context: Context) -> bool:
    """True if its heading or classes call the region a specification."""
    return _heading_points(region, context) > 0 or _class_points(region, context) >= 1


def accepted_regions(
    candidates: Sequence[SpecRegion], context: Context, known: Mapping[Shape, bool] | None = None
) -> list[SpecRegion]:
    """The regions that are a specification, in the order of the page.

    `known` are the shapes in the shop's rules: those to use need only a positive score, the others are skipped. A page without any of
    them is judged by its signs alone.
    """
    known = known or {}
    used = [region for region in candidates if known and known.get(region.shape)]
    points = [(number, region) for region in used if (number := score(region, context)) > 0]
    if not points:
        allowed = [region for region in candidates if not known or region.shape not in known]
        points = list(_accepted_by_signs(allowed, context))
    best = [region for _, region in sorted(points, key=lambda item: -item[0])]
    return resolve_overlaps(best + _small_neighbours(best, candidates))


def _accepted_by_signs(regions: Sequence[SpecRegion], context: Context) -> Iterator[tuple[float, SpecRegion]]:
    """The regions with enough points; one with short values and the shape of another accepted one needs fewer."""
    points = [(score(region, context), region) for region in regions]
    shapes = {region.shape for number, region in points if number >= THRESHOLD}
    for number, region in points:
        if number >= THRESHOLD:
            yield number, region
        elif shapes and all(map(_is_plain, region.rows)) and region.shape in shapes:
            alike = _sum_of_signs(region, context) + SHAPE_BONUS
            if alike >= THRESHOLD:
                yield alike, region


def _small_neighbours(best: Sequence[SpecRegion], candidates: Sequence[SpecRegion]) -> list[SpecRegion]:
    """Regions right around an accepted one with only known names and short values: a number or two beside the table."""
    boxes = {node.position for region in best for node in islice(region.container.ancestors(), BOXES_AROUND)}
    return [region for region in candidates if region.container.position in boxes and _is_all_known(region)]


def _is_all_known(region: SpecRegion) -> bool:
    return region.known_names == len(region.rows) and all(map(_is_plain, region.rows))


def _share_of(marks: Iterable[bool], count: int) -> float:
    return sum(marks) / count


def _row_points(region: SpecRegion, context: Context) -> float:
    single = 0.0 if len(region.rows) > 1 else 0.5 if region.rows[0].kind in ("tr", "dl") else 1.0
    return min(len(region.rows), FULL_TABLE) / FULL_TABLE - single


def _name_points(region: SpecRegion, context: Context) -> float:
    return 2.5 * region.name_points / len(region.names)


def _commerce_points(region: SpecRegion, context: Context) -> float:
    words = commerce_words()
    found = sum(name in words for name in region.names)
    return -0.5 * min(found, 2) - 2.5 * found / len(region.names)


def commerce_words() -> frozenset[str]:
    """Names of prices, stock and delivery: about the offer, not the product."""
    return _words_of("commerce")


def _identity_points(region: SpecRegion, context: Context) -> float:
    """Nothing but a few article numbers, category and condition: the box beside the price, not the specification."""
    if len(region.rows) > FEW_ROWS:
        return 0.0
    return -2.5 * _share_of((concept in IDENTITY for concept in region.concepts), len(region.concepts))


def _unit_points(region: SpecRegion, context: Context) -> float:
    values = region.values[:MAX_SAMPLED]
    return _share_of((_is_measured(value[:LONG_VALUE]) for value in values), len(values))


def _is_measured(value: str) -> bool:
    """True for a number with its unit, and for a yes or no."""
    words = (word.casefold() for word in _AFTER_NUMBER.findall(value))
    return any(word in units() for word in words) or normal_name(value) in _words_of("answer")


@cache
def _words_of(kind: str) -> frozenset[str]:
    return frozenset(context_words()[kind])


def _seed_points(region: SpecRegion, context: Context) -> float:
    return 0.5 * min(
        2, sum(_has_seed(value[:LONG_VALUE].casefold(), context.seed) for value in region.values[:MAX_SAMPLED])
    )


def _has_seed(value: str, seed: frozenset[str]) -> bool:
    if not seed.isdisjoint(_SEPARATED.split(value)):
        return True
    if value.isascii():
        return "".join(value.split()) in seed
    return any(word in value for word in seed)  # scripts without spaces between words


def _has_amount(value: str) -> bool:
    return _has_digit(value) is not None and bool(symbol_pattern().search(value) or amount_pattern().search(value))


def _price_points(region: SpecRegion, context: Context) -> float:
    values = region.values[:MAX_SAMPLED]
    return -2.5 * _share_of((_has_amount(value[:LONG_VALUE]) for value in values), len(values))


def _common_name_points(region: SpecRegion, context: Context) -> float:
    """Names of several regions are those of ratings and comparisons; where they are most of the names, of other products."""
    common = [name for name in region.names if (region.shape, name) in context.common]
    if 2 * len(common) >= len(region.names):
        return -4.0
    known = vocabulary()
    return -2.5 * sum(name not in known for name in common) / len(region.names)


def _plain_value_points(region: SpecRegion, context: Context) -> float:
    """Short values of one text. Without markup for pairs, this is all that tells a row from a heading with its content."""
    weight = 1.0 if region.rows[0].kind in _TABULAR else 1.75
    return weight * (_share_of(map(_is_plain, region.rows), len(region.rows)) - 0.75) + 0.25


def _is_plain(row: Row) -> bool:
    return _leaves(row.value) <= 2 and sum(map(text_size, row.value)) <= PLAIN_VALUE


def _leaves(kids: Sequence[Kid]) -> int:
    return sum(kid.leaves if isinstance(kid, TextElement) else 1 for kid in kids)


def _sentence_points(region: SpecRegion, context: Context) -> float:
    """Values that are sentences: praise in a list of features, answers to questions."""
    return -3.0 * _share_of(map(_is_sentence, region.values), len(region.values))


def _is_sentence(value: str) -> bool:
    words = value.count(" ") + 1
    return not _is_enumeration(value) and (
        words >= MANY_WORDS
        or (value.endswith((".", "!", "。", "！")) and (words >= SOME_WORDS or len(value) > SOME_WORDS * 5))
    )


@lru_cache(maxsize=1024)
def _is_enumeration(value: str) -> bool:
    """All sizes of a product, all devices that it fits: many short parts, however long they are together."""
    parts = _LISTED.split(value)
    return len(parts) >= MIN_PARTS and value.count(" ") < SHORT_PART * len(parts)


def _markup_points(region: SpecRegion, context: Context) -> float:
    """Markup made for pairs; more if the classes name a specification."""
    kind = region.rows[0].kind
    return _MARKUP[kind] + (0.7 if kind in ("tr", "dl") and _class_points(region, context) >= 1 else 0.0)


def _coverage_points(region: SpecRegion, context: Context) -> float:
    """Text of the container outside the rows."""
    nodes = {row.node.position: row.node for row in region.rows if row.node is not region.container}
    inside = sum(node.size for node in nodes.values()) or sum(
        text_size(kid) for row in region.rows for kid in (row.name if row.line else [*row.name, *row.value])
    )
    return -1.25 * (1 - min(1.0, inside / max(1, region.container.size)))


def _heading_points(region: SpecRegion, context: Context) -> float:
    return _heading_word_points(region.heading) if region.heading else 0.0


@lru_cache(maxsize=1024)
def _heading_word_points(heading: str) -> float:
    text = normal_name(heading)
    if _names_in("other").search(text):
        return -2.5
    return 1.5 if _names_in("specification").search(text) else 0.0


@cache
def _names_in(kind: str) -> re2._Regexp[str]:
    """Any of the words of a kind, anywhere in a text: one search instead of hundreds, at one speed however many there are."""
    return re2.compile("|".join(map(re2.escape, context_words()[kind])))


def _class_points(region: SpecRegion, context: Context) -> float:
    """Classes and ids of the region and its ancestors: the nearest clear word counts, or else the best vague one."""
    vague = 0.0
    node: TextElement | None = region.container
    for _ in range(HINT_LEVELS):
        if node is None or node.size > MOST_OF_PAGE * context.size:
            break
        hint = _class_word_points(f"{node.element.get('class') or ''} {node.element.get('id') or ''}")
        if abs(hint) >= 1:
            return hint if hint > 0 else vague + hint
        vague = max(vague, hint)
        node = node.parent
    return vague


@lru_cache(maxsize=8192)
def _class_word_points(classes: str) -> float:
    if _BAD_CLASS.search(classes):
        return -4.0 if _NEVER_CLASS.search(classes) else -1.5
    return 1.0 if _STRONG_CLASS.search(classes) else 0.5 if _WEAK_CLASS.search(classes) else 0.0


SIGNS: Sequence[Callable[[SpecRegion, Context], float]] = (
    _row_points,
    _name_points,
    _commerce_points,
    _identity_points,
    _common_name_points,
    _plain_value_points,
    _sentence_points,
    _unit_points,
    _price_points,
    _seed_points,
    _markup_points,
    _coverage_points,
    _heading_points,
    _class_points,
)
