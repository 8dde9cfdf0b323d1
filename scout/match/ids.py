"""Pairs that an identifier proves: address, EAN, brand with manufacturer's number, SKU, in this order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from scout.match.facts import Facts
from scout.match.words import words

Key = Callable[[Facts], Iterable[str]]
MAX_SHARED = 50  # a key that more rows share names a page or a placeholder, not a product
LEAST_LIKENESS = 0.2  # of titles, where the identifier alone may be a coincidence


def brand_and_number(row: Facts) -> list[str]:
    """The manufacturer's number together with its brand."""
    return [f"{row.brand} {row.han}"] if row.brand and row.han else []


# reason -> (how to get the keys, whether the titles must at least be alike)
KEYS: Mapping[str, tuple[Key, bool]] = {
    "same address": (lambda row: row.urls, False),
    "same EAN": (lambda row: [row.ean] if row.ean else [], False),
    "same brand and manufacturer number": (brand_and_number, False),
    "same manufacturer number": (lambda row: [row.han] if row.han else [], True),
    "same SKU": (lambda row: [row.sku] if row.sku else [], True),
}
SCORES: Mapping[str, float] = {
    "same address": 1.0,
    "same EAN": 1.0,
    "same brand and manufacturer number": 0.99,
    "same manufacturer number": 0.98,
    "same SKU": 0.97,
}


def id_pairs(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> list[tuple[int, int, str]]:
    """(catalogue row, offer, reason) for each pair that an identifier proves; one to one, the stronger identifier first."""
    free_rows, free_offers = set(range(len(catalogue))), set(range(len(offers)))
    pairs: list[tuple[int, int, str]] = []
    for reason, (keys, needs_title) in KEYS.items():
        rows_by_key = by_key(catalogue, free_rows, keys)
        offers_by_key = by_key(offers, free_offers, keys)
        for key, sharing in rows_by_key.items():
            for row, offer in resolved(catalogue, offers, sharing, offers_by_key.get(key, []), needs_title):
                if row in free_rows and offer in free_offers:
                    free_rows.discard(row)
                    free_offers.discard(offer)
                    pairs.append((row, offer, reason))
    return pairs


def by_key(rows: Sequence[Facts], free: set[int], keys: Key) -> dict[str, list[int]]:
    """The free rows of each key, in order."""
    index: dict[str, list[int]] = defaultdict(list)
    for position in sorted(free):
        for key in keys(rows[position]):
            index[key].append(position)
    return index


def resolved(
    catalogue: Sequence[Facts], offers: Sequence[Facts], rows: list[int], found: list[int], needs_title: bool
) -> list[tuple[int, int]]:
    """The pairs among rows and offers that share a key: the likest titles first, none that other evidence contradicts."""
    if not found or max(len(rows), len(found)) > MAX_SHARED:
        return []
    options = []
    for row in rows:
        for offer in found:
            alike = likeness(catalogue[row].title, offers[offer].title)
            if not contradicts(catalogue[row], offers[offer]) and (alike >= LEAST_LIKENESS or not needs_title):
                options.append((-alike, row, offer))
    taken_rows: set[int] = set()
    taken_offers: set[int] = set()
    pairs = []
    for _, row, offer in sorted(options):
        if row not in taken_rows and offer not in taken_offers:
            taken_rows.add(row)
            taken_offers.add(offer)
            pairs.append((row, offer))
    return pairs


def contradicts(known: Facts, found: Facts) -> bool:
    """Whether the two rows name different products although they share an identifier: two valid EANs that differ."""
    return bool(known.ean and found.ean and known.ean != found.ean)


def likeness(one: str, other: str) -> float:
    """The share of the shorter title's words that the other has too; 1 where a title is missing and cannot contradict."""
    a, b = set(words(one)), set(words(other))
    return len(a & b) / min(len(a), len(b)) if a and b else 1.0
