"""Words in which look-alikes differ tell products apart; words in which one product's titles differ do not."""

from __future__ import annotations

import numpy as np

from scout.matching import match
from scout.matching.facts import read_facts
from scout.matching.features import offer_matrices, pair_features

TEAMS = ("Cowboys", "Giants", "Jaguars", "Knicks", "Patriots", "Seahawks")


def caps(*teams: str, words: str = "New Era Adjustable League Cap") -> list[dict[str, str]]:
    return [{"title": f"{words} {team}"} for team in teams]


def telling_words(left: list[dict[str, str]], right: list[dict[str, str]]) -> np.ndarray:
    """What the words are worth for each pair of rows, row by row."""
    both = offer_matrices(read_facts(left), read_facts(right))
    i, j = (each.ravel() for each in np.indices((len(left), len(right))))
    return pair_features(*both, i, j)["telling words"].reshape(len(left), len(right))


def test_a_word_in_which_look_alikes_differ_speaks_against_a_title_without_it() -> None:
    values = telling_words(caps(*TEAMS), caps(*TEAMS))
    assert values.diagonal().max() == 0
    assert values[0, 1:].min() > 0.5


def test_a_word_in_which_the_titles_of_one_product_differ_tells_nothing() -> None:
    found = caps(*TEAMS, words="New Era Adjustable League Cap Original")
    assert telling_words(caps(*TEAMS), found).diagonal().max() < 0.2


def test_a_look_alike_does_not_take_the_place_of_an_absent_product() -> None:
    pairs = match(caps(*TEAMS[:4]), caps(*TEAMS[1:], words="Adjustable Cap New Era League"))
    assert [(pair.catalogue, pair.offer) for pair in pairs if not pair.undecided] == [(1, 0), (2, 1), (3, 2)]
