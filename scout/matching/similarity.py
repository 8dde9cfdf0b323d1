"""Pairs without a common identifier: candidates, evidence, a score, and the best one-to-one choice.

Which score is enough is learned from the two lists, without labels: a match must score unlike rows that have no partner. Their scores
are found by trial: of some pairs one end is removed, of others the other end, and the rows that lost their partner are matched again,
with each other and with the rows that had none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from scout.matching.assignment import one_to_one
from scout.matching.candidates import candidate_pairs
from scout.matching.facts import OfferFacts
from scout.matching.features import best_rivals, contradictions, offer_matrices, pair_features
from scout.matching.vectors import Flags, Floats, Ints
from scout.values.tables import table

WEIGHTS: Mapping[str, float] = table("matching")["weights"]
_MAX_CERTAINTY = 0.96  # likeness never proves as much as an identifier
_MARGIN = 0.5  # weight of the lead over the next best partner
_FLOOR = -0.2  # the lowest score that is considered
_MIN_SCORE = -0.05  # of a match: below it, more speaks against a pair than for it
# before anything is learned from the lists: the score that is as likely right as wrong, and how sharply that changes around it
_EXPECTED, _SPREAD = 0.35, 0.1
_PRIOR_PAIRS = 50  # that many pairs count as much as what is expected
_MIN_CERTAINTY = 0.65
_BANDWIDTH = 0.06  # of the _density distributions, in units of the score
_STEP = 0.01
_GRID = np.arange(_FLOOR, 2.0, _STEP)
# the certainty of each score of the grid before anything is learned
_PRIOR = 1 / (1 + np.exp((_EXPECTED - _GRID) / _SPREAD))
_SEED = 5
_MIDDLE = (0.4, 0.9)  # of the chance scores: where their distribution is well known
_RARE = 0.01  # about this share of the right pairs scores no better than chance
_PARTS = 16  # one at a time is removed from either list: few, so that the rest stays as it is
_MANY_PAIRS = 20_000  # of which two parts are enough


def similar_pairs(catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts]) -> list[tuple[int, int, float, str]]:
    """(catalogue row, offer, certainty, reason) of the pairs that are similar enough and best for each other."""
    if not catalogue or not offers:
        return []
    left, right = offer_matrices(catalogue, offers)
    i, j = candidate_pairs(left, right)
    if not len(i):
        return []
    evidence = pair_features(left, right, i, j)
    total, allowed = weighted_sum(evidence, WEIGHTS), ~contradictions(left, right, i, j)
    pairs = CandidatePairs(i, j, total, len(catalogue), len(offers), allowed)
    scores = pairs.scores()
    learned = _learn_threshold(pairs, scores)
    gain = np.where(pairs.allowed, scores - np.float32(learned.min_score), 0).astype(np.float32)
    chosen = one_to_one(i, j, gain)
    certain = np.minimum(learned.certainty(scores[chosen]), _MAX_CERTAINTY)
    return [
        (int(i[k]), int(j[k]), round(float(certainty), 3), _reason(evidence, k))
        for k, certainty in zip(chosen.tolist(), certain.tolist(), strict=True)
    ]


def _reason(evidence: Mapping[str, Floats], k: int) -> str:
    """What speaks for the pair, in words."""
    words = min(evidence["known words found"][k], evidence["found words known"][k])
    parts = [f"similar (words {words:.0%}"]
    if evidence["code"][k] > 0:
        parts.append("same model number")
    if evidence["brand"][k] > 0:
        parts.append("same brand")
    return ", ".join(parts) + ")"


@dataclass(frozen=True)
class CandidatePairs:
    """Candidates (i[k], j[k]) with the weight of the evidence for each; `allowed` says which of them may be chosen."""

    i: Ints
    j: Ints
    evidence: Floats
    rows: int
    offers: int
    allowed: Flags

    def scores(self) -> Floats:
        """The evidence for each pair, and how far it is ahead of the next best pair of either end."""
        own = np.where(self.allowed, self.evidence, 0).astype(np.float32)
        ahead = (own - best_rivals(self.i, own, self.rows)) + (own - best_rivals(self.j, own, self.offers))
        total: Floats = np.where(self.allowed, own + np.float32(_MARGIN / 2) * ahead, _FLOOR).astype(np.float32)
        return total

    def without(self, removed: Flags) -> CandidatePairs:
        """The same pairs, some of which may no longer be chosen."""
        return CandidatePairs(self.i, self.j, self.evidence, self.rows, self.offers, self.allowed & ~removed)


@dataclass(frozen=True)
class LearnedThreshold:
    """The lowest score of a match, and how certain each score of the grid is."""

    min_score: float
    certainties: Floats

    def certainty(self, scores: Floats) -> Floats:
        """The probability that pairs with these scores are right."""
        limit = 0.5 + scores / 2  # a low score is never nearly certain, however few rows have no partner
        learned = np.interp(scores, _GRID, self.certainties)
        return np.clip(np.minimum(learned, limit), 0, 1).astype(np.float32)


def weighted_sum(evidence: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """The weighted sum of the evidence."""
    total = sum((np.float32(weight) * evidence[name] for name, weight in weights.items()), np.float32(0))
    return np.asarray(total, dtype=np.float32)


def _learn_threshold(pairs: CandidatePairs, scores: Floats) -> LearnedThreshold:
    """The threshold for these lists: where a match is clearly likelier than chance."""
    chosen = one_to_one(pairs.i, pairs.j, scores - np.float32(_FLOOR))
    alone = np.full(min(pairs.rows, pairs.offers) - len(chosen), _FLOOR, dtype=np.float32)
    learned_certainty = _certainty_by_score(np.concatenate([scores[chosen], alone]), _chance_scores(pairs, chosen))
    certainties = (len(chosen) * learned_certainty + _PRIOR_PAIRS * _PRIOR) / (len(chosen) + _PRIOR_PAIRS)
    enough = np.flatnonzero(certainties >= _MIN_CERTAINTY)
    threshold = float(_GRID[enough[0]]) if len(enough) else float(_GRID[-1])
    return LearnedThreshold(max(threshold, _MIN_SCORE), certainties.astype(np.float32))


def _chance_scores(pairs: CandidatePairs, chosen: Ints) -> Floats:
    """The scores that rows of the shorter list get when their partner is removed; the floor where they get none."""
    short, long = (pairs.i, pairs.j) if pairs.rows <= pairs.offers else (pairs.j, pairs.i)
    parts = np.array_split(np.random.default_rng(_SEED).permutation(chosen), _PARTS)
    turns = [*pairwise(parts), (parts[-1], parts[0])][: _PARTS if len(chosen) < _MANY_PAIRS else 2]
    found = []
    for removed, bereft in turns:
        left = pairs.without(np.isin(short, short[removed]) | np.isin(long, long[bereft]))
        scores = left.scores()
        again = one_to_one(left.i, left.j, np.where(left.allowed, scores - np.float32(_FLOOR), 0).astype(np.float32))
        got = np.full(min(pairs.rows, pairs.offers), _FLOOR, dtype=np.float32)
        got[short[again]] = scores[again]
        found.append(got[short[bereft]])
    return np.concatenate(found)


def _certainty_by_score(scores: Floats, chances: Floats) -> Floats:
    """For each score of the grid, the probability that a pair with it is right: one minus the share that chance explains."""
    density = np.maximum(_density(scores), 1e-9)
    certain = 1 - _share_without_partner(scores, chances) * _density(chances) / density
    rising = isotonic_regression(np.clip(certain, 0, 1), weights=density).x  # a higher score is never less certain
    return np.asarray(rising, dtype=np.float32)


def _share_without_partner(scores: Floats, chances: Floats) -> float:
    """The largest share of rows that can be without a partner: no score may be rarer than chance alone makes it (Storey's estimate)."""
    if not len(chances):
        return 0.0
    by_chance, observed = _cumulative(chances), _cumulative(scores)
    middle = (by_chance >= _MIDDLE[0]) & (by_chance <= _MIDDLE[1])
    middle[np.argmax(by_chance >= _MIDDLE[0])] = True  # where all have the same score, the middle is one point
    return float(np.clip(np.min(observed[middle] / by_chance[middle]) - _RARE, 0, 1))


def _cumulative(scores: Floats) -> NDArray[np.float64]:
    """For each score of the grid, the share of the scores that are not above it."""
    return np.searchsorted(np.sort(scores), _GRID, side="right") / len(scores)


def _density(scores: Floats) -> Floats:
    """The density of the scores on the grid."""
    counts, _ = np.histogram(np.clip(scores, _GRID[0], _GRID[-1]), bins=len(_GRID), range=(_GRID[0], _GRID[-1]))
    reach = np.arange(-4 * _BANDWIDTH, 4 * _BANDWIDTH + _STEP, _STEP)
    kernel = np.exp(-0.5 * (reach / _BANDWIDTH) ** 2)
    return np.convolve(counts / max(1, len(scores)), kernel, mode="same").astype(np.float32)
