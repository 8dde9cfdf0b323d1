"""Which offer is which known offer: by identifiers where there are any, else by everything that the texts and prices say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scout.matching.facts import facts
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

    The usual names of columns are understood (name, manufacturer, gtin ...); a column called id is never evidence.
    """
    from scout.matching.fitting import fitted_weights  # bring numpy and scipy, which a crawl need not wait for
    from scout.matching.fuzzy import WEIGHTS, fuzzy_pairs

    known, found = facts(catalogue), facts(offers)
    pairs = [Match(row, offer, SCORES[reason], reason) for row, offer, reason in id_pairs(known, found)]
    rows_left = without(len(known), {pair.catalogue for pair in pairs})
    offers_left = without(len(found), {pair.offer for pair in pairs})
    if rows_left and offers_left:
        weights = fitted_weights(known, found, [(pair.catalogue, pair.offer) for pair in pairs], WEIGHTS)
        pairs += [
            Match(rows_left[row], offers_left[offer], score, reason)
            for row, offer, score, reason in fuzzy_pairs(
                [known[k] for k in rows_left], [found[k] for k in offers_left], weights
            )
        ]
    return sorted(pairs, key=lambda pair: pair.catalogue)


def without(count: int, taken: set[int]) -> list[int]:
    """The positions up to `count` that are not taken."""
    return [position for position in range(count) if position not in taken]
