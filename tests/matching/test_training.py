"""The training of the weights."""

from __future__ import annotations

import numpy as np

from bench.matching_train import HOLD, logistic_weights
from scout.matching.similarity import WEIGHTS


def test_training_never_changes_a_sign() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(500) < 0.2
    evidence = {name: rng.random(500).astype(np.float32) for name in WEIGHTS}
    evidence["price"] = np.where(right, 1, 0).astype(np.float32)  # as if right pairs had other prices
    weights, _ = logistic_weights(evidence, right, WEIGHTS, HOLD)
    assert weights["price"] <= 0
    assert all(weight >= 0 for name, weight in weights.items() if WEIGHTS[name] > 0)
