"""Fields of the offer that a specification names: candidates beside those from the rest of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from scout.specs.pair import Pair
from scout.specs.vocabulary import vocabulary
from scout.values import normal_gtin
from scout.values.words import is_no_value

# The concepts of the vocabulary that each field may have, the most reliable first.
CONCEPTS_OF_FIELDS: Mapping[str, tuple[str, ...]] = {
    "brand": ("brand", "manufacturer"),
    "ean": ("ean",),
    "han": ("han",),
    "sku": ("article_number",),
    "weight": ("weight",),
    "colour": ("colour",),
}
MAX_VALUE = 100  # a field is a word or a number, not a paragraph


def field_candidates(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The brand, EAN, product numbers, weight and colour among the pairs; an EAN only if its check digit is right.

    >>> field_candidates([("Hersteller", "ACME"), ("EAN", "4006381333931"), ("Farbe", "rot")])
    {'brand': 'ACME', 'ean': '4006381333931', 'colour': 'rot'}
    """
    by_concept: dict[str, str] = {}
    for pair in pairs:
        concept = vocabulary().concept(pair[0])
        if (
            concept is None and isinstance(pair, Pair) and not pair.qualifier
        ):  # "Weight of the box" is not the product's
            concept = pair.concept
        value = _PARSERS.get(concept or "", _short_value)(pair[1])
        if concept and value:
            by_concept.setdefault(concept, value)
    found = {
        field: next((by_concept[concept] for concept in concepts if concept in by_concept), None)
        for field, concepts in CONCEPTS_OF_FIELDS.items()
    }
    return {field: value for field, value in found.items() if value is not None}


@cache
def field_names(fields: frozenset[str]) -> frozenset[str]:
    """The names that specifications use for these fields, in normal form."""
    concepts = {concept for field in fields for concept in CONCEPTS_OF_FIELDS.get(field, ())}
    return frozenset(name for name, concept in vocabulary().concepts.items() if concept in concepts)


def _short_value(value: str) -> str | None:
    return value if len(value) <= MAX_VALUE and not is_no_value(value, is_specified=True) else None


_PARSERS: Mapping[str, Callable[[str], str | None]] = {"ean": normal_gtin}
