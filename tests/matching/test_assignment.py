"""One to one: the best sum, and nothing twice."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from scout.matching import assignment
from scout.matching.assignment import one_to_one


def chosen(gains: np.ndarray) -> set[tuple[int, int]]:
    i, j = (axis.ravel() for axis in np.indices(gains.shape))
    kept = one_to_one(i.astype(np.int64), j.astype(np.int64), gains.ravel().astype(np.float32))
    return {(int(i[k]), int(j[k])) for k in kept}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4)])
def test_the_sum_is_the_highest_there_is(shape: tuple[int, int], seed: int) -> None:
    gains = np.random.default_rng(seed).uniform(-0.5, 1, shape)
    short, long = sorted(shape)
    tall = gains if shape[0] == short else gains.T
    best = max(
        sum(max(0, tall[row, column]) for row, column in enumerate(order)) for order in permutations(range(long), short)
    )
    found = chosen(gains)
    assert sum(gains[pair] for pair in found) == pytest.approx(best, abs=1e-5)
    assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)


def test_what_gains_nothing_is_not_chosen() -> None:
    assert chosen(np.array([[-1.0, 0.0], [0.0, -0.1]])) == set()


def test_a_group_too_large_is_solved_greedily_and_still_one_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "MAX_EXACT_PAIRS", 3)
    assert chosen(np.array([[0.9, 0.8], [0.85, 0.1]])) == {(0, 0), (1, 1)}
