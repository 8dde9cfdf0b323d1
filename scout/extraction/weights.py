"""The fitted weights: how much each feature of a place speaks for what the page may say there (`scout/data/weights.yaml`).

One section per decision (`page`, `title`, `price` …), written by `python -m bench.fit`. A belief is in log-odds: the sum of weight times
value over the features of a place, so that beliefs of independent witnesses add up; the `bias` of a decision is what abstaining has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from scout.values.tables import table

Features = Mapping[str, float]

_replaced: dict[str, Mapping[str, Any]] = {}


def _section(decision: str) -> Mapping[str, Any]:
    section: Mapping[str, Any] = _replaced.get(decision) or table("weights")["decisions"][decision]
    return section


def is_fitted(decision: str) -> bool:
    """Whether the file has weights for this decision."""
    return decision in _replaced or decision in table("weights")["decisions"]


def belief(decision: str, features: Features) -> float:
    """How much the features speak for it: log-odds, without the bias. A feature without a weight counts nothing."""
    known: Mapping[str, float] = _section(decision)["weights"]
    return sum([known[name] * value for name, value in features.items() if name in known])


def bias(decision: str) -> float:
    """What a value begins with, against saying nothing: mostly negative. Belief and bias above 0 make it more likely right than not."""
    return float(_section(decision)["bias"])


def contributions(decision: str, features: Features) -> dict[str, float]:
    """What each feature adds to the belief, the strongest first, without those that add nothing."""
    known: Mapping[str, float] = _section(decision)["weights"]
    added = {name: known[name] * value for name, value in features.items() if value and name in known}
    return dict(sorted(added.items(), key=lambda item: -abs(item[1])))


@contextmanager
def replaced_weights(sections: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Decide by these sections in place of the file's, to measure a fit that has not seen a site."""
    before = dict(_replaced)
    _replaced.update(sections)
    try:
        yield
    finally:
        _replaced.clear()
        _replaced.update(before)
