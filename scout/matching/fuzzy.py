"""Pairs without a common identifier: candidates, evidence, a score, and the best one-to-one choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scout.matching.assignment import one_to_one
from scout.matching.candidates import candidate_pairs
from scout.matching.decision import Pairs, combined, decision
from scout.matching.facts import Facts
from scout.matching.features import contradiction, features, sides
from scout.matching.vectors import Floats
from scout.values.tables import table

WEIGHTS: Mapping[str, float] = table("matching")["weights"]
HIGHEST = 0.96  # likeness never proves as much as an identifier


def fuzzy_pairs(
    catalogue: Sequence[Facts], offers: Sequence[Facts], weights: Mapping[str, float] = WEIGHTS
) -> list[tuple[int, int, float, str]]:
    """(catalogue row, offer, certainty, reason) of the pairs that are alike enough and prefer each other."""
    if not catalogue or not offers:
        return []
    left, right = sides(catalogue, offers)
    i, j = candidate_pairs(left, right)
    if not len(i):
        return []
    evidence = features(left, right, i, j)
    pairs = Pairs(i, j, combined(evidence, weights), len(catalogue), len(offers), ~contradiction(left, right, i, j))
    scores = pairs.scores()
    decided = decision(pairs, scores)
    gain = np.where(pairs.alive, scores - np.float32(decided.threshold), 0).astype(np.float32)
    chosen = one_to_one(i, j, gain)
    certain = np.minimum(decided.certainty(scores[chosen]), HIGHEST)
    return [
        (int(i[k]), int(j[k]), round(float(certainty), 3), reason(evidence, k))
        for k, certainty in zip(chosen.tolist(), certain.tolist(), strict=True)
    ]


def reason(evidence: Mapping[str, Floats], k: int) -> str:
    """What spoke for the pair, in words."""
    words = min(evidence["known words found"][k], evidence["found words known"][k])
    said = [f"similar (words {words:.0%}"]
    if evidence["code"][k] > 0:
        said.append("same model number")
    if evidence["brand"][k] > 0:
        said.append("same brand")
    return ", ".join(said) + ")"
