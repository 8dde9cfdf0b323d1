"""The fitted weights: beliefs that add up, and say what they are made of."""

from __future__ import annotations

import pytest

from scout.extraction.weights import belief, bias, contributions, replaced_weights

LAMP = {"lamp": {"bias": -1.0, "weights": {"bright": 2.0, "broken": -3.0}}}


def test_a_belief_is_the_sum_of_its_contributions_and_unknown_features_add_nothing():
    features = {"bright": 0.5, "broken": 1.0, "unheard of": 9.0}
    with replaced_weights(LAMP):
        assert belief("lamp", features) == sum(contributions("lamp", features).values()) == -2.0
        assert list(contributions("lamp", features)) == ["broken", "bright"]  # the strongest first


def test_replaced_weights_count_only_as_long_as_they_are_asked_for():
    with replaced_weights(LAMP):
        assert bias("lamp") == -1.0
    with pytest.raises(KeyError):
        bias("lamp")
