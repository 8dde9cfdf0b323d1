"""Pairs that an identifier proves: address, EAN, brand with manufacturer's number, SKU, in this order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from scout.matching.facts import Facts
from scout.matching.words import colours, quantities, words

MAX_SHARED = 50  # a key that more rows share names a page or a placeholder, not a product
LEAST_COMMON = 0.2  # of the shorter title's words, where the identifier alone may be a coincidence


@dataclass(frozen=True)
class Identifier:
    """Something that names a product: how a row has it, how much it proves, and whether titles without a common word contradict it.

    Where several rows share a value that `is_own`, they are entries of one product and any of them will do; other values may be
    shared by variants, and only the titles can tell which is which.
    """

    keys: Callable[[Facts], Iterable[str]]
    score: float
    needs_title: bool = False
    is_own: bool = False


def brand_and_number(row: Facts) -> list[str]:
    """The manufacturer's number together with its brand."""
    return [f"{row.brand} {row.han}"] if row.brand and row.han else []


IDENTIFIERS: Mapping[str, Identifier] = {
    "same address": Identifier(lambda row: row.urls, 1.0),
    "same EAN": Identifier(lambda row: [row.ean] if row.ean else [], 1.0, is_own=True),
    "same brand and manufacturer number": Identifier(brand_and_number, 0.99),
    "same manufacturer number": Identifier(lambda row: [row.han] if row.han else [], 0.98, needs_title=True),
    "same SKU": Identifier(lambda row: [row.sku] if row.sku else [], 0.97, needs_title=True),
}
SCORES: Mapping[str, float] = {reason: identifier.score for reason, identifier in IDENTIFIERS.items()}


@dataclass(frozen=True)
class Option:
    """A row and an offer that share a key, and how alike their titles are."""

    row: int
    offer: int
    alike: float


def id_pairs(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> list[tuple[int, int, str]]:
    """(catalogue row, offer, reason) for each pair that an identifier proves; one to one, the stronger identifier first."""
    free_rows, free_offers = set(range(len(catalogue))), set(range(len(offers)))
    pairs: list[tuple[int, int, str]] = []
    for reason, identifier in IDENTIFIERS.items():
        offers_by_key = by_key(offers, identifier)
        for key, rows in by_key(catalogue, identifier).items():
            possible = options(catalogue, offers, rows, offers_by_key.get(key, []), identifier)
            free = [option for option in possible if option.row in free_rows and option.offer in free_offers]
            for option in resolved(free, identifier):
                free_rows.discard(option.row)
                free_offers.discard(option.offer)
                pairs.append((option.row, option.offer, reason))
    return pairs


def by_key(rows: Sequence[Facts], identifier: Identifier) -> dict[str, list[int]]:
    """The rows of each key, in order."""
    index: dict[str, list[int]] = defaultdict(list)
    for position, row in enumerate(rows):
        for key in identifier.keys(row):
            index[key].append(position)
    return index


def options(
    catalogue: Sequence[Facts], offers: Sequence[Facts], rows: list[int], found: list[int], identifier: Identifier
) -> list[Option]:
    """The pairs among rows and offers of one key that nothing contradicts, the likest titles first."""
    if not found or max(len(rows), len(found)) > MAX_SHARED:
        return []
    is_shared = len(rows) + len(found) > 2
    made = []
    for row in rows:
        for offer in found:
            one, other = catalogue[row], offers[offer]
            common, alike = likeness(one.title, other.title)
            if other_ean(one, other) or (identifier.needs_title and common < LEAST_COMMON):
                continue
            if not (is_shared and other_variant(one.title, other.title)):
                made.append(Option(row, offer, alike))
    return sorted(made, key=lambda option: (-option.alike, option.row, option.offer))


def resolved(ranked: list[Option], identifier: Identifier) -> list[Option]:
    """The options that are taken, one to one. A tie between variants is left to the rest of the evidence."""
    taken: list[Option] = []
    closed_rows: set[int] = set()
    closed_offers: set[int] = set()
    for option in ranked:
        if option.row in closed_rows or option.offer in closed_offers:
            continue
        rivals = [
            o
            for o in ranked
            if o is not option and o.alike >= option.alike and (o.row == option.row or o.offer == option.offer)
        ]
        is_tied = any(rival.row not in closed_rows and rival.offer not in closed_offers for rival in rivals)
        if not is_tied or identifier.is_own:
            taken.append(option)
            closed_rows.add(option.row)
            closed_offers.add(option.offer)
    return taken


def other_ean(known: Facts, found: Facts) -> bool:
    """Whether both have a valid EAN and these differ: two products, whatever else they share."""
    return bool(known.ean and found.ean and known.ean != found.ean)


def other_variant(one: str, other: str) -> bool:
    """Whether two titles name another colour or another size."""
    pairs = ((colours(one), colours(other)), (quantities(one), quantities(other)))
    return any(a and b and not a & b for a, b in pairs)


def likeness(one: str, other: str) -> tuple[float, float]:
    """The common part of the shorter title's words, and of both titles' words; 1 where a title is missing and cannot contradict."""
    a, b = set(words(one)), set(words(other))
    if not a or not b:
        return 1.0, 1.0
    common = len(a & b)
    return common / min(len(a), len(b)), common / len(a | b)
