"""The weights of the evidence, fitted to the pairs that identifiers have proved already.

Where two lists share identifiers for a part of their rows, these rows show what counts here: whether prices agree, whether titles are
rewritten. The shipped weights are where the fit begins and what few or unclear pairs leave it at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from scout.matching.candidates import candidate_pairs
from scout.matching.decision import combined
from scout.matching.facts import Facts
from scout.matching.features import features, sides
from scout.matching.vectors import Floats, Ints

LEAST_PROOFS = 200  # pairs: fewer say little, and the shipped weights stay
MOST_PROOFS = 3000  # more say nothing new
STEEPNESS = 10.0  # a tenth of a score is about what tells right from wrong: one unit of the logistic curve
STAY = 0.02  # how strongly the fit is held to the shipped weights, for each example
TEXT = ("ngrams", "known words found", "found words known")  # whose weights sum to one, so that scores keep their scale


def fitted_weights(
    catalogue: Sequence[Facts], offers: Sequence[Facts], proved: Sequence[tuple[int, int]], shipped: Mapping[str, float]
) -> Mapping[str, float]:
    """The weights that tell the proved pairs from their rivals best; the shipped ones where they do as well or proofs are few."""
    if len(proved) < LEAST_PROOFS:
        return shipped
    rng = np.random.default_rng(len(proved))
    sample = [proved[k] for k in sorted(rng.permutation(len(proved))[:MOST_PROOFS].tolist())]
    left, right = sides([catalogue[row] for row, _ in sample], [offers[offer] for _, offer in sample])
    i, j = candidate_pairs(left, right)
    evidence = features(left, right, i, j)
    to_learn = i % 2 == 0
    weights = logistic_weights(
        {name: values[to_learn] for name, values in evidence.items()}, (i == j)[to_learn], shipped
    )
    better = first_choices(combined(evidence, weights), i, j, ~to_learn) > first_choices(
        combined(evidence, shipped), i, j, ~to_learn
    )
    return weights if better else shipped


def logistic_weights(
    evidence: Mapping[str, Floats], is_right: NDArray[np.bool_], shipped: Mapping[str, float], stay: float = STAY
) -> dict[str, float]:
    """Logistic regression that begins at the shipped weights, is held to them, and never turns a sign round."""
    names = list(shipped)
    values = np.stack([evidence[name] for name in names], axis=1).astype(np.float64)
    start = STEEPNESS * np.array([shipped[name] for name in names])
    signs = np.where(is_right, 1.0, -1.0)
    counts = np.where(is_right, 0.5 / max(1, int(is_right.sum())), 0.5 / max(1, int((~is_right).sum())))

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = parameters[:-1], parameters[-1]
        margins = signs * (values @ weights + bias)
        away = weights - start
        slopes = -counts * signs / (1 + np.exp(np.clip(margins, -50, 50)))
        gradient = np.append(values.T @ slopes + 2 * stay / STEEPNESS * away, slopes.sum())
        return float(counts @ np.logaddexp(0, -margins) + stay / STEEPNESS * away @ away), gradient

    bounds = [(0, None) if weight >= 0 else (None, 0) for weight in start]
    found = minimize(
        loss, np.append(start, -STEEPNESS / 2), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)]
    ).x
    fitted = dict(zip(names, found[:-1].tolist(), strict=True))
    scale = sum(fitted[name] for name in TEXT) or STEEPNESS
    return {name: value / scale for name, value in fitted.items()}


def first_choices(scores: Floats, i: Ints, j: Ints, asked: NDArray[np.bool_]) -> int:
    """For how many of the rows asked for the right partner has the highest score."""
    order = np.lexsort((-scores, i))
    first = order[np.r_[True, i[order][1:] != i[order][:-1]]]
    return int(np.sum((i == j)[first] & asked[first]))
