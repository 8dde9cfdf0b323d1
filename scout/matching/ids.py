"""Pairs that an identifier proves: address, EAN, brand with manufacturer's number, SKU, in this order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scout.matching.facts import OfferFacts
from scout.matching.words import named, quantities, words

_MAX_SHARED = 50  # a key that more rows share is a placeholder, not a product
_MIN_COMMON = 0.2  # of the shorter title's words, where the identifier alone may be a coincidence


@dataclass(frozen=True)
class Identifier:
    """An identifier of products: its keys in a row, how much it proves, and whether titles without a common word contradict it.

    Rows that share a value with `is_own` are entries of one product, and any of them will do; other values may be shared by variants,
    and only the titles tell which is which.
    """

    keys: Callable[[OfferFacts], Iterable[str]]
    score: float
    needs_title: bool = False
    is_own: bool = False


def _brand_and_number(row: OfferFacts) -> list[str]:
    """The manufacturer's number together with its brand."""
    return [f"{row.brand} {row.han}"] if row.brand and row.han else []


_IDENTIFIERS: Mapping[str, Identifier] = {
    "same address": Identifier(lambda row: row.urls, 1.0),
    "same EAN": Identifier(lambda row: [row.ean] if row.ean else [], 1.0, is_own=True),
    "same brand and manufacturer number": Identifier(_brand_and_number, 0.99),
    "same manufacturer number": Identifier(lambda row: [row.han] if row.han else [], 0.98, needs_title=True),
    "same SKU": Identifier(lambda row: [row.sku] if row.sku else [], 0.97, needs_title=True),
}
SCORES: Mapping[str, float] = {reason: identifier.score for reason, identifier in _IDENTIFIERS.items()}


@dataclass(frozen=True)
class _PossiblePair:
    """A row and an offer that share a key, and how similar their titles are."""

    row: int
    offer: int
    alike: float


def id_pairs(catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts]) -> list[tuple[int, int, str]]:
    """(catalogue row, offer, reason) of each pair that an identifier proves; one to one, stronger identifiers first."""
    free_rows, free_offers = set(range(len(catalogue))), set(range(len(offers)))
    pairs: list[tuple[int, int, str]] = []
    for reason, identifier in _IDENTIFIERS.items():
        offers_by_key = _rows_by_key(offers, identifier)
        for key, rows in _rows_by_key(catalogue, identifier).items():
            possible = _possible_pairs(catalogue, offers, rows, offers_by_key.get(key, []), identifier)
            free = [option for option in possible if option.row in free_rows and option.offer in free_offers]
            for option in _chosen_pairs(free, identifier):
                free_rows.discard(option.row)
                free_offers.discard(option.offer)
                pairs.append((option.row, option.offer, reason))
    return pairs


def _rows_by_key(rows: Sequence[OfferFacts], identifier: Identifier) -> dict[str, list[int]]:
    """The rows of each key, in order."""
    index: dict[str, list[int]] = defaultdict(list)
    for position, row in enumerate(rows):
        for key in identifier.keys(row):
            index[key].append(position)
    return index


def _possible_pairs(
    catalogue: Sequence[OfferFacts],
    offers: Sequence[OfferFacts],
    rows: list[int],
    found: list[int],
    identifier: Identifier,
) -> list[_PossiblePair]:
    """The pairs of one key that nothing contradicts, the most similar titles first."""
    if not found or max(len(rows), len(found)) > _MAX_SHARED:
        return []
    is_shared = len(rows) + len(found) > 2
    made = []
    for row in rows:
        for offer in found:
            one, other = catalogue[row], offers[offer]
            common, alike = _title_likeness(one.title, other.title)
            if _has_other_ean(one, other) or (identifier.needs_title and common < _MIN_COMMON):
                continue
            if not (is_shared and _is_other_variant(one.title, other.title)):
                made.append(_PossiblePair(row, offer, alike))
    return sorted(made, key=lambda option: (-option.alike, option.row, option.offer))


def _chosen_pairs(ranked: list[_PossiblePair], identifier: Identifier) -> list[_PossiblePair]:
    """The chosen pairs, one to one. A tie between variants is left to the rest of the evidence."""
    chosen: list[_PossiblePair] = []
    used_rows: set[int] = set()
    used_offers: set[int] = set()
    for option in ranked:
        if option.row in used_rows or option.offer in used_offers:
            continue
        free = [o for o in ranked if o is not option and o.row not in used_rows and o.offer not in used_offers]
        rivals = [o for o in free if o.row == option.row or o.offer == option.offer]
        is_tied = any(rival.alike >= option.alike for rival in rivals)
        if not is_tied or identifier.is_own:
            chosen.append(option)
            used_rows.add(option.row)
            used_offers.add(option.offer)
    return chosen


def _has_other_ean(known: OfferFacts, found: OfferFacts) -> bool:
    """Whether both have a valid EAN and they differ: two products, whatever else they share."""
    return bool(known.ean and found.ean and known.ean != found.ean)


def _is_other_variant(one: str, other: str) -> bool:
    """Whether two titles state different colours or amounts."""
    pairs = ((named("colours", one), named("colours", other)), (quantities(one), quantities(other)))
    return any(a and b and not a & b for a, b in pairs)


def _title_likeness(one: str, other: str) -> tuple[float, float]:
    """The share of common words in the shorter title, and in both; 1 where a title is missing and cannot contradict."""
    a, b = set(words(one)), set(words(other))
    if not a or not b:
        return 1.0, 1.0
    common = len(a & b)
    return common / min(len(a), len(b)), common / len(a | b)
