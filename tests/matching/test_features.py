"""Columns that both lists have count as far as they prove themselves."""

from __future__ import annotations

import random

import numpy as np
import pytest

from scout.matching import match
from scout.matching.candidates import candidate_pairs
from scout.matching.facts import read_facts
from scout.matching.features import (
    MAX_COLUMNS,
    column_agreement,
    column_rows,
    common_columns,
    offer_matrices,
    pair_features,
)

NAMES = [
    f"{a}{b}{c}"
    for a in ("bel", "cor", "dan", "fir", "gol", "har")
    for b in ("mo", "ri", "ta", "lu")
    for c in ("na", "st", "ck", "vi", "zo")
]
STREETS = ("Harbour Road", "Mill Lane", "Station Street", "Church Walk", "Park Avenue", "Bridge Street")


def branches(count: int) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Cafes, half of them branches: one name on three rows, which only the address tells apart."""
    rng = random.Random(3)
    known = [
        {
            "id": str(n),
            "name": f"Cafe {NAMES[n if n % 2 else n // 6]}",
            "address": f"{n} {rng.choice(STREETS)}",
            "round": str(rng.random()),
        }
        for n in range(count)
    ]
    found = [
        {**row, "id": f"x{row['id']}", "address": row["address"].upper(), "round": str(rng.random())} for row in known
    ]
    rng.shuffle(found)
    return known, found


def test_a_column_of_any_name_tells_rows_of_one_name_apart() -> None:
    known, found = branches(120)
    pairs = match(known, found)
    assert sum(known[pair.catalogue]["id"] == found[pair.offer]["id"][1:] for pair in pairs) >= 0.95 * len(known)


def test_a_column_of_noise_counts_for_nothing() -> None:
    rng = random.Random(5)
    known = [{"name": f"Lamp {n} oak", "noise": str(rng.randint(1000, 9999))} for n in range(100)]
    found = [{"name": f"Lamp {n} oak", "noise": str(rng.randint(1000, 9999))} for n in range(100)]
    left, right = column_rows(read_facts(known), read_facts(found))
    i, j = np.arange(100), np.arange(100)
    others = (j + 1) % 100
    likeness = np.r_[np.ones(100), np.full(100, 0.5)].astype(np.float32)
    total = column_agreement(left, right, np.r_[i, i], np.r_[j, others], likeness)
    assert abs(float(total.mean())) < 0.05


def test_an_empty_column_is_silent() -> None:
    known, found = (
        [{"name": "Lamp", "author": "A. Bell"}] * 3,
        [{"name": "Lamp", "author": "A. Bell"}, {"name": "Lamp"}, {"name": "Lamp"}],
    )
    left, right = column_rows(read_facts(known), read_facts(found))
    total = column_agreement(left, right, np.array([0, 0]), np.array([0, 1]), np.array([1, 0.9], dtype=np.float32))
    assert total[0] > 0
    assert total[1] == 0


def test_only_columns_that_both_lists_fill_are_compared() -> None:
    known = [
        {"name": "Lamp", "author": "A", "year": "1999", "price": "1", "description": "d", "url": "https://a.example/1"}
    ]
    found = [
        {"name": "Lamp", "author": "B", "shelf": "9", "price": "1", "description": "d", "url": "https://b.example/1"}
    ]
    assert common_columns(read_facts(known), read_facts(found)) == ["author"]


def evidence(known: list[dict[str, str]], found: list[dict[str, str]], name: str) -> float:
    """One feature of the first rows of two lists."""
    left, right = offer_matrices(read_facts(known), read_facts(found))
    i, j = candidate_pairs(left, right)
    return float(pair_features(left, right, i, j)[name][(i == 0) & (j == 0)][0])


FOUND = [{"name": "Sony turntable PS-LX350H black"}, {"name": "Pioneer turntable PL-990 red"}]


@pytest.mark.parametrize("column", ["MPN", "Artikelnummer"])
def test_a_part_number_in_a_column_of_its_own_counts_as_in_a_title(column: str) -> None:
    assert evidence([{"name": "Sony turntable", column: "PSLX 350H"}], FOUND, "code") > 0
    assert (
        evidence([{"name": "Sony turntable", "Artikelnummer": "A-20001"}], FOUND, "other code") == 0
    )  # the shop's own


def test_a_colour_in_a_column_of_its_own_counts_as_in_a_title() -> None:
    known = [{"name": "Sony turntable", "Farbe": "red", "Lager": "C 7"}]
    assert evidence(known, FOUND, "other colour") == 1
    assert offer_matrices(read_facts(known), read_facts(FOUND))[0].letters == [
        "sonyturntablered"
    ]  # nothing of the store


def test_a_column_of_numbers_is_no_part_of_a_title() -> None:
    found = [*FOUND, {"name": "Lamp 7"}]
    assert offer_matrices(read_facts([{"name": "Sony turntable", "Lager": "7"}]), read_facts(found))[0].letters == [
        "sonyturntable"
    ]


@pytest.mark.parametrize(("rows", "distance"), [(50, 0.0), (15, 1.0)])
def test_prices_in_a_currency_that_nobody_names_are_compared_where_clear_pairs_show_it(
    rows: int, distance: float
) -> None:
    known = [{"name": f"Lamp {name}", "price": str(10 + n)} for n, name in enumerate(NAMES[:rows])]
    found = [{**row, "price": str(86 * float(row["price"]))} for row in known]
    assert evidence(known, found, "price") == pytest.approx(distance, abs=0.01)


def test_a_table_with_many_columns_costs_no_more_than_a_few() -> None:
    row = {f"column {n}": "x" for n in range(50)}
    assert len(common_columns(read_facts([row]), read_facts([row]))) == MAX_COLUMNS


def test_the_same_picture_file_speaks_for_a_pair() -> None:
    known = [{"name": "Chair", "image_link": f"https://cdn.example/a/CH-{n}.jpg"} for n in range(60)]
    found = [{"title": "Chair", "images": [f"https://shop.example/media/CH-{n}.jpg?w=300"]} for n in range(60)]
    assert sum(pair.catalogue == pair.offer for pair in match(known, found)) == 60
