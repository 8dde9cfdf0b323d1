"""How far a list of answers can be relied on, from the probabilities of its entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

_OUTSIDE = 0.025  # of the probability, on either side of the interval
# errors may be this many times as frequent as the probabilities say, or as rare; bench.matching checks it against truth
_MISCALIBRATION = 1.5
_EXACT = 300  # entries: the distribution of more is as good as normal
_DEVIATIONS = 1.96  # of a normal distribution, for 95 %


@dataclass(frozen=True)
class StatedPrecision:
    """The share of a list that is expected to be right, and the limits it is within with 95 % probability."""

    count: int
    share: float
    low: float
    high: float


def stated_precision(probabilities: Iterable[float]) -> StatedPrecision | None:
    """What can be said of a list whose entries are right with these probabilities; None of an empty one.

    >>> stated_precision([0.99] * 40)
    StatedPrecision(count=40, share=0.99, low=0.95, high=1.0)
    """
    errors = [1 - probability for probability in probabilities]
    if not errors:
        return None
    count = len(errors)
    fewest = _wrong_at_most([error / _MISCALIBRATION for error in errors], _OUTSIDE)
    most = _wrong_at_most([min(1.0, error * _MISCALIBRATION) for error in errors], 1 - _OUTSIDE)
    return StatedPrecision(
        count, round(1 - sum(errors) / count, 4), round(1 - most / count, 4), round(1 - fewest / count, 4)
    )


def _wrong_at_most(errors: list[float], quantile: float) -> int:
    """The number of wrong entries that is not exceeded with this probability."""
    if len(errors) > _EXACT:
        spread = _DEVIATIONS * sqrt(sum(error * (1 - error) for error in errors))
        return max(0, round(sum(errors) + (spread if quantile > 0.5 else -spread)))
    chances = [1.0]  # of 0, 1, 2 ... wrong entries among those seen so far
    for error in errors:
        one_more = [0.0, *(chance * error for chance in chances)]
        chances = [a + b for a, b in zip([*(c * (1 - error) for c in chances), 0.0], one_more, strict=True)]
    total = 0.0
    for wrong, chance in enumerate(chances):
        total += chance
        if total >= quantile:
            return wrong
    return len(errors)
