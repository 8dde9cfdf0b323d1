"""The concept of an attribute: one name for 屏幕尺寸, "Screen size" and "Bildschirmdiagonale" (the paper's future work, section 4).

Three witnesses, the surest first: the table of names, the main word of a longer name ("Assembled weight": weight, of what is
assembled), and a unit that only one kind of attribute has (mAh). `learned_concepts` adds what products have in common.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from scout.specs.vocabulary import SpecVocabulary, bare_name, built_in_entries, context_words, normal_name

MAX_WORDS = 6  # a longer name is a sentence
MIN_ENDING = 5  # letters of a word that another one ends with: Gesamtgewicht
MIN_CHINESE_ENDING = 2
MIN_SHARED = 3  # products on which two names have the same value
MIN_AGREEMENT = 0.9  # of the products that have both
_CHINESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fa5\uf900-\ufa2d]+").fullmatch
_HEAD_FIRST = re.compile(r"[\u0400-\u04ff]|\b(?:of|de|del|della|di|da|do|des|du|na|dla|für|pour|per|para|van|voor)\b")
_WORDS = re.compile(r"[^\s/()|]+")


class NamedConcept(NamedTuple):
    """A concept, and what the name says beyond it ("shelf" of "Shelf width"); both None if nothing is known."""

    concept: str | None = None
    qualifier: str | None = None


def concept_of(name: str, unit: str | None, names: SpecVocabulary) -> NamedConcept:
    """The concept of a name as printed, with the unit of its value if that is a quantity."""
    if concept := names.concept(name):
        return NamedConcept(concept)
    found = _concept_of_main_words(bare_name(name), names)
    if found.concept or unit is None:
        return found
    return NamedConcept(_unit_concepts().get(unit), normal_name(name)) if unit in _unit_concepts() else found


def _concept_of_main_words(name: str, names: SpecVocabulary) -> NamedConcept:
    words = _WORDS.findall(name)
    if len(words) > MAX_WORDS:
        return NamedConcept()
    for part in _main_parts(words, is_head_first=_HEAD_FIRST.search(name) is not None):
        if concept := names.concept(" ".join(part)):
            return NamedConcept(concept, " ".join(word for word in words if word not in part))
    return _concept_of_ending(words[-1], names) if len(words) == 1 else NamedConcept()


def _main_parts(words: list[str], *, is_head_first: bool) -> Iterator[list[str]]:
    """Parts of a name that may carry its meaning, the likelier first: without words such as "type" or "max.", then its ends."""
    core = [word for word in words if word not in _aspects()]
    if core and core != words:
        yield core
    for size in range(len(core) - 1, 0, -1):
        ends = (core[:size], core[-size:]) if is_head_first else (core[-size:], core[:size])
        yield from ends


def _concept_of_ending(word: str, names: SpecVocabulary) -> NamedConcept:
    """The concept that a compound ends with: Gesamtgewicht, 商品重量."""
    shortest = MIN_CHINESE_ENDING if _CHINESE(word) else MIN_ENDING
    for start in range(1, len(word) - shortest + 1):
        if concept := names.concept(word[start:]):
            return NamedConcept(concept, word[:start])
    return NamedConcept()


@cache
def _aspects() -> frozenset[str]:
    return frozenset(context_words()["aspect"])


@cache
def _unit_concepts() -> Mapping[str, str]:
    """Units that belong to one concept, whatever the name is."""
    return {unit: concept for concept, units in built_in_entries("unit_concepts.txt") for unit in units}


@lru_cache(maxsize=8192)
def _plain_value(value: str) -> str:
    return "".join(value.casefold().split())


def learned_concepts(products: Iterable[Iterable[tuple[str, str]]], names: SpecVocabulary) -> dict[str, str]:
    """Concepts of unknown names that have the values of a known one on the same products, several shops' pairs of each together.

    A name is learned if it shares its value with one concept on enough products and hardly ever contradicts it.
    """
    agreed: defaultdict[str, Counter[str]] = defaultdict(Counter)
    met: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pairs in products:
        known: dict[str, set[str]] = {}
        unknown: dict[str, str] = {}
        for name, value in pairs:
            if concept := names.concept(name):
                known.setdefault(concept, set()).add(_plain_value(value))
            else:
                unknown[normal_name(name)] = _plain_value(value)
        for name, value in unknown.items():
            met[name].update(list(known))
            agreed[name].update(concept for concept, values in known.items() if value in values)
    found = {name: counts.most_common(2) for name, counts in agreed.items() if counts}
    return {name: best[0][0] for name, best in found.items() if _is_sure(best, met[name])}


def _is_sure(best: list[tuple[str, int]], met: Counter[str]) -> bool:
    """True if the best concept is met often enough, agrees nearly always, and no other one agrees as often."""
    concept, shared = best[0]
    is_alone = len(best) == 1 or best[1][1] < shared
    return shared >= MIN_SHARED and is_alone and shared >= MIN_AGREEMENT * met[concept]
