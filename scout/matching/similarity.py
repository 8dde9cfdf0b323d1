"""Pairs without a common identifier: candidates, evidence for each, and the probability that it is right.

The evidence for a pair is one thing, its rivals are another: a family of look-alikes in both lists is an assignment problem. The
probability of a pair is its share of all one-to-one assignments, each weighed by the evidence for its pairs (a monomer-dimer model),
computed by belief propagation, which converges on every graph (Bayati et al. 2007, "Simple deterministic approximation algorithms for
counting matchings").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scout.matching.candidates import candidate_pairs
from scout.matching.facts import OfferFacts
from scout.matching.features import contradictions, offer_matrices, pair_features
from scout.matching.vectors import Flags, Floats, Ints
from scout.values.tables import table

WEIGHTS: Mapping[str, float] = table("matching")["weights"]
BIAS: float = table("matching")["bias"]  # of a pair about which nothing is known
_ROUNDS = 30  # of belief propagation: later ones change no probability by 0.001
_MAX_LOGIT = 30.0
# what a reason names, where the feature is set
_NAMED = {
    "code": "same part number",
    "other code": "another part number",
    "code inside": "part of a part number",
    "sibling code": "part number of the same family",
    "quantity": "same amount",
    "brand": "same brand",
    "other brand": "another brand",
}
_NAMED |= {"other quantity": "another amount", "other context": "another number"}
_NAMED |= {"other platform": "another platform", "other licence": "another licence"}


@dataclass(frozen=True)
class LikelyPairs:
    """Candidates (i[k], j[k]) with the probability of each, and the evidence for it."""

    i: Ints
    j: Ints
    probability: Floats
    evidence: Mapping[str, Floats]

    def reason(self, k: int) -> str:
        """What speaks for a pair and against it, in words."""
        words = f"similar (words {self.evidence['words of the longer'][k]:.0%}"
        return ", ".join([words, *(name for key, name in _NAMED.items() if self.evidence[key][k] > 0)]) + ")"


def likely_pairs(
    catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts], rejected: Collection[tuple[int, int]] = ()
) -> LikelyPairs:
    """The candidates of two lists with the probability that each is right; a rejected pair is none."""
    left, right = offer_matrices(catalogue, offers)
    i, j = candidate_pairs(left, right)
    allowed = ~contradictions(left, right, i, j)
    if rejected:
        allowed &= ~np.fromiter((pair in rejected for pair in zip(i.tolist(), j.tolist(), strict=True)), bool, len(i))
    i, j = i[allowed], j[allowed]
    evidence = pair_features(left, right, i, j) if len(i) else {name: np.zeros(0, np.float32) for name in WEIGHTS}
    logits = weighted_sum(evidence, WEIGHTS) + np.float32(BIAS)
    return LikelyPairs(i, j, pair_probabilities(i, j, logits, len(catalogue), len(offers)), evidence)


def weighted_sum(evidence: Mapping[str, Floats], weights: Mapping[str, float]) -> Floats:
    """The weighted sum of the evidence."""
    total = sum((np.float32(weight) * evidence[name] for name, weight in weights.items()), np.float32(0))
    return np.asarray(total, dtype=np.float32)


def pair_probabilities(i: Ints, j: Ints, logits: Floats, rows: int, offers: int) -> Floats:
    """The probability of each pair among its rivals; those of one row or one offer sum to at most one."""
    odds = np.exp(np.clip(logits, -_MAX_LOGIT, _MAX_LOGIT).astype(np.float64))
    offsets = rival_offsets(i, j, odds, rows, offers)
    certain: Floats = (odds * offsets / (1 + odds * offsets)).astype(np.float32)
    return certain


def rival_offsets(i: Ints, j: Ints, odds: NDArray[np.float64], rows: int, offers: int) -> NDArray[np.float64]:
    """What the rivals of each pair leave of its odds: the chance that both its ends are free for it."""
    row_free = offer_free = np.ones(len(i))
    for _ in range(_ROUNDS):
        taken_rows, taken_offers = odds * offer_free, odds * row_free
        by_row, by_offer = np.bincount(i, taken_rows, rows)[i], np.bincount(j, taken_offers, offers)[j]
        # damped by half, or two equal rivals would take turns
        row_free = np.sqrt(row_free / (1 + np.maximum(by_row - taken_rows, 0)))
        offer_free = np.sqrt(offer_free / (1 + np.maximum(by_offer - taken_offers, 0)))
    return row_free * offer_free


def missing_probabilities(pairs: LikelyPairs, offers: int) -> Floats:
    """The probability that each offer has no partner."""
    matched = np.bincount(pairs.j, pairs.probability, offers)
    absent: Floats = np.clip(1 - matched, 0, 1).astype(np.float32)
    return absent


def surest(probabilities: Floats, precision: float, least: float = 0.5) -> Flags:
    """The longest list of answers, the surest first, that is expected to be right in this share; each is likelier than `least` by
    itself, however sure the others are."""
    order = np.argsort(-probabilities, kind="stable")
    ranked = probabilities[order].astype(np.float64)
    expected = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    enough = np.flatnonzero((expected >= precision) & (ranked > least))
    chosen = np.zeros(len(ranked), dtype=bool)
    chosen[order[: int(enough[-1]) + 1 if len(enough) else 0]] = True
    return chosen
