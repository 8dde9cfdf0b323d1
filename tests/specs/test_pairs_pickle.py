"""Pairs travel between processes."""

import pickle

from scout.specs import Pair
from scout.specs.pair import Specs


def test_a_pair_and_all_of_an_offers_pairs_survive_pickling() -> None:
    pair = Pair("Weight", "2 kg", section="Dimensions", quantity="2", unit="kg")
    specs = pickle.loads(pickle.dumps(Specs([pair])))
    assert specs == {"Weight": "2 kg"} and specs.pairs[0] == pair
    assert (specs.pairs[0].section, specs.pairs[0].unit) == ("Dimensions", "kg")
