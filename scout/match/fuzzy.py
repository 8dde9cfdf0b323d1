"""Pairs without a common identifier: candidates, features, a score, and the best one-to-one choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from scout.match.assignment import one_to_one
from scout.match.candidates import candidate_pairs
from scout.match.facts import Facts
from scout.match.features import features, sides
from scout.match.ids import contradicts
from scout.match.vectors import Floats, Ints

WEIGHTS: Mapping[str, float] = {
    "ngrams": 0.4,
    "known words found": 0.3,
    "found words known": 0.3,
    "code": 0.08,
    "other code": -0.05,
    "other number": -0.08,
    "brand": 0.03,
    "price": -0.15,
}
MARGIN = 0.5  # what it counts to be ahead of the next best partner
THRESHOLD = 0.15


def fuzzy_pairs(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> list[tuple[int, int, float, str]]:
    """(catalogue row, offer, score, reason) of the pairs that are alike enough and prefer each other."""
    if not catalogue or not offers:
        return []
    left, right = sides(catalogue, offers)
    i, j = candidate_pairs(
        sparse.hstack([left.ngrams, left.title], format="csr"), sparse.hstack([right.ngrams, right.title], format="csr")
    )
    evidence = features(left, right, i, j)
    scores = score(evidence, i, j, len(catalogue), len(offers))
    vetoed = np.array(
        [contradicts(catalogue[a], offers[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)], dtype=bool
    )
    gain = np.where(vetoed, 0, scores - THRESHOLD).astype(np.float32)
    return [
        (
            int(i[k]),
            int(j[k]),
            round(float(np.clip(scores[k], 0, 0.96)), 3),
            f"similar title ({evidence['ngrams'][k]:.2f})",
        )
        for k in one_to_one(i, j, gain).tolist()
    ]


def score(evidence: Mapping[str, Floats], i: Ints, j: Ints, rows: int, offers: int) -> Floats:
    """How much speaks for each pair, and how much more than for the next best pair of either end."""
    own = np.zeros(len(i), dtype=np.float32)
    for name, weight in WEIGHTS.items():
        own += np.float32(weight) * evidence[name]
    ahead = (own - rivals(i, own, rows)) + (own - rivals(j, own, offers))
    total: Floats = own + np.float32(MARGIN / 2) * ahead
    return total


def rivals(ends: Ints, scores: Floats, count: int) -> Floats:
    """For each pair the best score that its end has with another partner; 0 where there is no other."""
    order = np.lexsort((-scores, ends))
    sorted_ends = ends[order]
    first = np.r_[True, sorted_ends[1:] != sorted_ends[:-1]]
    second = np.r_[False, first[:-1]] & ~first
    best = np.zeros(count, dtype=np.float32)
    next_best = np.zeros(count, dtype=np.float32)
    winner = np.full(count, -1, dtype=np.int64)
    best[sorted_ends[first]] = scores[order[first]]
    winner[sorted_ends[first]] = order[first]
    next_best[sorted_ends[second]] = scores[order[second]]
    return np.where(winner[ends] == np.arange(len(ends)), next_best[ends], best[ends]).astype(np.float32)
