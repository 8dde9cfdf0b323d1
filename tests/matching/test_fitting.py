"""Weights fitted to the user's own certain pairs."""

from __future__ import annotations

import random

import numpy as np

from scout.matching.facts import facts
from scout.matching.fitting import LEAST_PROOFS, fitted_weights, logistic_weights
from scout.matching.fuzzy import WEIGHTS


def lists(count: int) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Products in variants whose titles say little and whose prices say everything."""
    rng = random.Random(4)
    catalogue, offers = [], []
    for number in range(count):
        family = f"Family{number // 6} lamp"
        price = f"{10 * 1.6 ** (number % 6):.2f}"
        extra = rng.choice(["classic", "modern", "simple", "special"])
        other = rng.choice(["classic", "modern", "simple", "special"])
        catalogue.append({"name": f"{family} {extra}", "price": price})
        offers.append({"title": f"{family} {other}", "price": price})
    return catalogue, offers


def test_proofs_show_that_the_price_counts() -> None:
    catalogue, offers = lists(600)
    proved = [(n, n) for n in range(600)]
    weights = fitted_weights(facts(catalogue), facts(offers), proved, WEIGHTS)
    assert weights["price"] < 2 * WEIGHTS["price"]


def test_few_proofs_leave_the_shipped_weights() -> None:
    catalogue, offers = lists(LEAST_PROOFS - 1)
    proved = [(n, n) for n in range(LEAST_PROOFS - 1)]
    assert fitted_weights(facts(catalogue), facts(offers), proved, WEIGHTS) is WEIGHTS


def test_no_sign_is_ever_turned_round() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(500) < 0.2
    evidence = {name: rng.random(500).astype(np.float32) for name in WEIGHTS}
    evidence["price"] = np.where(right, 1, 0).astype(np.float32)  # as if right pairs had other prices
    weights = logistic_weights(evidence, right, WEIGHTS)
    assert weights["price"] <= 0
    assert all(weight >= 0 for name, weight in weights.items() if WEIGHTS[name] > 0)
