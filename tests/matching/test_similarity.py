"""The probability of a pair among its rivals, and the lists that follow from it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from scout.matching import compare, match
from scout.matching.facts import read_facts
from scout.matching.similarity import pair_probabilities, surest
from scout.matching.words import part_numbers


def test_the_probability_of_a_pair_is_its_share_of_all_assignments() -> None:
    i, j = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    odds = np.array([8.0, 2.0, 4.0, 0.5])
    shares, total = np.zeros(4), 0.0
    for count in range(3):
        for chosen in map(list, combinations(range(4), count)):
            if len(set(i[chosen])) == len(set(j[chosen])) == count:
                weight = float(np.prod(odds[chosen]))
                total += weight
                shares[chosen] += weight
    got = pair_probabilities(i, j, np.log(odds).astype(np.float32), 2, 2)
    assert got == pytest.approx(shares / total, abs=0.05)  # exact on trees, close on a cycle


def test_the_list_is_as_long_as_its_expected_precision_allows() -> None:
    sure = surest(np.array([0.99, 0.4, 0.97, 0.9, 0.6], dtype=np.float32), 0.95)
    assert sure.tolist() == [True, False, True, True, False]


def test_many_certain_answers_do_not_carry_a_guess() -> None:
    sure = surest(np.array([1.0] * 50 + [0.75, 0.85], dtype=np.float32), 0.9, 0.8)
    assert np.flatnonzero(~sure).tolist() == [50]


@pytest.mark.parametrize(
    ("title", "codes"),
    [
        ("tudor black bay m79733n-0008", {"m79733n0008"}),
        ("hanowa06-5161.2.04.007 flagship", {"hanowa065161204007", "065161204007"}),
        ("switch 10/100/1000 mbit 2984.79 5-pack 64gb 160mb/s", set()),
        ("zebra 800017-201 ribbon", {"800017201"}),
    ],
)
def test_a_part_number_is_read_whole(title: str, codes: set[str]) -> None:
    assert part_numbers(title) == codes


def test_part_numbers_of_one_family_are_different_products() -> None:
    catalogue = [{"name": f"Tudor Black Bay S&G M79733N-000{n}", "price": "3900"} for n in (1, 2, 3)]
    offers = [
        {"title": "Tudor Black Bay Steel Gold (M79733N-0002)", "price": "4000"},
        {"title": "Tudor Black Bay M79733N-0006"},
    ]
    decided = {(found.catalogue, found.offer) for found in match(catalogue, offers) if not found.undecided}
    assert decided == {(1, 0)}


def test_an_offer_between_two_equal_rows_is_undecided_and_names_both() -> None:
    catalogue = [{"name": "Kaweco Classic Sport Fountain Pen"}, {"name": "Kaweco Classic Sport Fountain Pen"}]
    found = compare(catalogue, [{"title": "Kaweco Classic Sport Fountain Pen"}])
    assert [(pair.catalogue, pair.undecided) for pair in found.matches] == [(0, True), (1, True)]
    assert not found.missing


def test_what_a_person_decided_is_settled() -> None:
    catalogue = [{"name": "Kaweco Classic Sport Fountain Pen"}, {"name": "Kaweco Classic Sport Fountain Pen"}]
    offers = [{"title": "Kaweco Classic Sport Fountain Pen"}]
    accepted = compare(catalogue, offers, accepted=[(1, 0)])
    assert [(pair.catalogue, pair.score, pair.undecided) for pair in accepted.matches] == [(1, 1.0, False)]
    rejected = compare(catalogue, offers, rejected=[(0, 0), (1, 0)])
    assert rejected.matches == []
    assert rejected.missing == {0: 1.0}


def test_prices_in_two_currencies_are_compared_by_their_worth() -> None:
    known, found = read_facts([{"price": "7529", "currency": "CZK"}, {"price": "3.01E2", "currency": "EUR"}])
    assert known.price == pytest.approx(found.price, rel=0.1)


def test_a_code_that_a_longer_one_begins_or_ends_with_speaks_for_a_pair() -> None:
    catalogue = [{"name": "Epson ink yellow T692400"}, {"name": "Epson ink yellow T713900"}]
    pairs = match(catalogue, [{"title": "Epson T6924 ink yellow"}])
    best = max(pairs, key=lambda pair: pair.score)
    assert best.catalogue == 0
    assert "part of a part number" in best.reason


@pytest.mark.parametrize("joined", ["Intel Core i5 105003.1 GHz 6 cores", "Intel Corei5-10500 boxed"])
def test_a_code_that_runs_into_other_letters_is_still_found(joined: str) -> None:
    catalogue = [{"name": "Intel processor i5-10400"}, {"name": "Intel processor i5-10500"}]
    best = max(match(catalogue, [{"title": joined}]), key=lambda pair: pair.score)
    assert best.catalogue == 1


def test_codes_that_are_nowhere_in_each_other_speak_against_a_pair() -> None:
    catalogue = [{"name": "Manfrotto ball head MH490"}]
    (same,) = match(catalogue, [{"title": "Manfrotto ball head"}])
    others = match(catalogue, [{"title": "Manfrotto ball head XB552"}])
    assert max((pair.score for pair in others), default=0.0) < same.score
    assert all("another part number" in pair.reason for pair in others)


def test_a_brand_with_its_legal_form_is_no_other_brand() -> None:
    known = [
        {"name": "Middle School Advantage", "brand": "Encore"},
        {"name": "Typing Tutor", "brand": "Encore Software"},
    ]
    (pair,) = match(known, [{"title": "Middle School Advantage", "brand": "Encore Software"}])
    assert pair.catalogue == 0
    assert "same brand" in pair.reason
    assert "another brand" not in pair.reason


@pytest.mark.parametrize("other", ["Quicken 2007 for Windows", "Quicken 2007 upgrade for Mac"])
def test_another_platform_or_licence_is_another_product(other: str) -> None:
    catalogue = [{"name": other}, {"name": "Quicken 2007 for Mac"}]
    pairs = match(catalogue, [{"title": "Intuit Quicken 2007 Macintosh"}])
    assert max(pairs, key=lambda pair: pair.score).catalogue == 1
