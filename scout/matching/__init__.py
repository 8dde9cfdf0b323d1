"""Which offer is which known offer: by identifiers where there are any, else by their texts and prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scout.errors import UsageError
from scout.matching.facts import read_facts
from scout.matching.ids import SCORES, id_pairs

__all__ = ["Match", "match"]


@dataclass(frozen=True)
class Match:
    """A known offer and a found one that are the same, by their positions in the two lists, and why."""

    catalogue: int
    offer: int
    score: float
    reason: str


def match(catalogue: Sequence[Mapping[str, Any]], offers: Sequence[Mapping[str, Any]]) -> list[Match]:
    """The pairs of known and found offers that are the same product, one to one, in the catalogue's order.

    The usual column names are understood (name, manufacturer, gtin ...); a column called id is never evidence.
    UsageError where offers without a common identifier are left and scipy, which compares them, is not installed.
    """
    known, found = read_facts(catalogue), read_facts(offers)
    pairs = [Match(row, offer, SCORES[reason], reason) for row, offer, reason in id_pairs(known, found)]
    rows_left = _remaining(len(known), {pair.catalogue for pair in pairs})
    offers_left = _remaining(len(found), {pair.offer for pair in pairs})
    if rows_left and offers_left:
        try:
            from scout.matching.similarity import (
                similar_pairs,  # brings numpy and scipy, which a crawl need not wait for
            )
        except ImportError as error:
            raise UsageError(
                f"Matching offers without a common identifier needs scipy: pip install 'scout-offers[matching]' ({error})"
            ) from error
        similar = similar_pairs([known[row] for row in rows_left], [found[offer] for offer in offers_left])
        pairs += [Match(rows_left[row], offers_left[offer], score, reason) for row, offer, score, reason in similar]
    return sorted(pairs, key=lambda pair: pair.catalogue)


def _remaining(count: int, matched: set[int]) -> list[int]:
    """The positions up to `count` that are not matched yet."""
    return [position for position in range(count) if position not in matched]
