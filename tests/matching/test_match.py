"""Matching: identifiers first, then likeness; contradictions veto; one to one."""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from scout.errors import UsageError
from scout.matching import Match, match

EANS = ("4006381333931", "4061170005321", "5019436010519")


def pairs(catalogue: list[Mapping[str, Any]], offers: list[Mapping[str, Any]]) -> dict[tuple[int, int], str]:
    return {(found.catalogue, found.offer): found.reason for found in match(catalogue, offers)}


def decided(catalogue: list[dict[str, str]], offers: list[dict[str, str]]) -> list[Match]:
    return [found for found in match(catalogue, offers) if not found.undecided]


@pytest.mark.parametrize(
    ("known", "found", "reason"),
    [
        ({"link": "https://www.shop.example/p/1?utm_source=x"}, {"url": "http://shop.example/p/1/"}, "same address"),
        (
            {"url": "https://shop.example/p/1"},
            {"url": "https://shop.example/q", "urls": ["https://shop.example/p/1"]},
            "same address",
        ),
        ({"gtin": EANS[0]}, {"ean": f"0{EANS[0]}"}, "same EAN"),
        (
            {"manufacturer": "ACME GmbH", "mpn": "X-123/4"},
            {"brand": "acme gmbh", "han": "x1234"},
            "same brand and manufacturer number",
        ),
        ({"name": "Red lamp", "sku": "FH-0012"}, {"title": "Lamp, red", "sku": "fh 0012"}, "same SKU"),
    ],
)
def test_each_identifier_proves_a_pair(known: dict[str, Any], found: dict[str, Any], reason: str) -> None:
    assert pairs([known], [found]) == {(0, 0): reason}


def test_a_stronger_identifier_goes_first() -> None:
    catalogue = [{"name": "Lamp A", "ean": EANS[0], "sku": "1001"}, {"name": "Lamp B", "ean": EANS[1], "sku": "1002"}]
    offers = [{"title": "Lamp A", "ean": EANS[0], "sku": "1002"}, {"title": "Lamp B", "ean": EANS[1], "sku": "1001"}]
    assert pairs(catalogue, offers) == {(0, 0): "same EAN", (1, 1): "same EAN"}


def test_an_sku_of_another_numbering_does_not_pair_strangers() -> None:
    assert pairs([{"name": "Garden hose", "sku": "10010"}], [{"title": "Fountain pen", "sku": "10010"}]) == {}


def test_a_column_called_id_is_never_evidence() -> None:
    catalogue = [{"id": str(n), "name": name} for n, name in enumerate(("Garden hose", "Fountain pen", "Office chair"))]
    offers = [
        {"id": str(n), "name": name} for n, name in enumerate(("Espresso machine", "Camping stove", "Sleeping bag"))
    ]
    assert pairs(catalogue, offers) == {}


def test_a_placeholder_that_many_rows_share_proves_nothing() -> None:
    catalogue = [{"name": f"thing {chr(97 + n % 26)}{n}", "url": "https://shop.example/"} for n in range(60)]
    offers = [{"title": "Espresso machine", "url": "https://shop.example/"}]
    assert pairs(catalogue, offers) == {}


def test_another_ean_vetoes_what_looks_alike() -> None:
    catalogue = [{"name": "Hollins Swift Kettle 1.7", "ean": EANS[0]}]
    offers = [{"title": "Hollins Swift Kettle 1.7", "ean": EANS[1]}]
    assert pairs(catalogue, offers) == {}


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ("Hollins Breakfast Mug white", "Hollins Breakfast Mug black"),
        ("Hollins Becher weiß", "Hollins Becher schwarz"),
        ("Sonavia Stick 64 GB", "Sonavia Stick 128GB"),
        ("Sonavia Disk 1 TB", "Sonavia Disk 500 GB"),
    ],
)
def test_another_colour_or_capacity_vetoes(known: str, found: str) -> None:
    assert pairs([{"name": known}], [{"title": found}]) == {}


def test_the_same_capacity_in_another_unit_does_not_veto() -> None:
    assert (0, 0) in pairs([{"name": "Sonavia Disk Pro 1 TB"}], [{"title": "Sonavia Disk Pro 1000GB"}])


def test_variants_find_their_own_partners() -> None:
    catalogue = [
        {"name": f"Norrvik Rise Desk {size} {colour}"}
        for size in (120, 140, 160)
        for colour in ("oak", "white", "black")
    ]
    offers = [{"title": row["name"].upper()} for row in catalogue]
    order = random.Random(3).sample(range(len(offers)), len(offers))
    found = {(pair.catalogue, order[pair.offer]) for pair in match(catalogue, [offers[k] for k in order])}
    assert found == {(k, k) for k in range(len(catalogue))}


def test_no_row_is_used_twice_and_the_answer_is_always_the_same() -> None:
    rng = random.Random(1)
    words = ["alu", "pro", "mini", "set", "xl", "duo", "eco", "neo"]
    catalogue = [{"name": f"Brand{n % 7} {' '.join(rng.sample(words, 3))} m{n}x"} for n in range(120)]
    offers = [{"title": f"{row['name']} new", "price": "10"} for row in catalogue[30:]] + [{"title": "Garden hose"}]
    first, second = match(catalogue, offers), match(catalogue, offers)
    assert first == second
    assert len({pair.catalogue for pair in first}) == len({pair.offer for pair in first}) == len(first)
    assert sum(pair.catalogue == pair.offer + 30 for pair in first) >= 88


def test_offers_without_a_partner_stay_unmatched() -> None:
    rng = random.Random(2)
    syllables = ["ba", "ko", "ri", "tu", "ne", "sa", "lo", "mi", "fe", "du"]
    name = lambda: " ".join("".join(rng.choices(syllables, k=3)) for _ in range(4))  # noqa: E731
    catalogue = [{"name": name(), "price": "20"} for _ in range(150)]
    strangers = [{"title": name(), "price": "20"} for _ in range(150)]
    known = [{"title": row["name"], "price": "21"} for row in catalogue[:75]]
    found = decided(catalogue, known + strangers)
    assert {(pair.catalogue, pair.offer) for pair in found if pair.offer < 75} == {(k, k) for k in range(75)}
    assert sum(pair.offer >= 75 for pair in found) <= 2


@pytest.mark.parametrize(
    ("catalogue", "offers"), [([], []), ([{"name": "x"}], []), ([], [{"title": "x"}]), ([{}], [{}])]
)
def test_nothing_matches_nothing(catalogue: list[dict[str, str]], offers: list[dict[str, str]]) -> None:
    assert match(catalogue, offers) == []


def test_odd_values_do_no_harm() -> None:
    odd = [
        {"name": None, "price": "free"},
        {"name": 7, "ean": ["x"], "specs": {"a": 1}},
        {"name": "\ud800 lamp", "url": "http://[bad"},
    ]
    assert all(isinstance(pair, Match) for pair in match(odd, [*odd, {"title": "灯 台灯 红色"}]))


def test_scripts_without_spaces_are_compared_too() -> None:
    catalogue = [{"name": "小米 红色 台灯 一代"}, {"name": "华为 蓝牙 耳机 二代"}]
    offers = [{"title": "华为蓝牙耳机二代"}, {"title": "小米红色台灯一代"}]
    assert set(pairs(catalogue, offers)) == {(0, 1), (1, 0)}


def test_the_score_is_a_probability_and_the_reason_a_sentence() -> None:
    catalogue = [{"name": f"Kessling grill k{n}z pro"} for n in range(60)]
    for pair in match(catalogue, [{"title": row["name"]} for row in catalogue]):
        assert 0.5 <= pair.score <= 1
        assert pair.reason.startswith("similar")


def test_variants_that_share_a_number_are_told_by_their_titles() -> None:
    catalogue = [
        {"name": f"Sonavia Stick {size}", "brand": "Sonavia", "mpn": "STICK"} for size in ("64 GB", "128 GB", "256 GB")
    ]
    offers = [
        {"title": f"Stick {size} by Sonavia", "brand": "Sonavia", "mpn": "STICK"} for size in ("256GB", "64GB", "512GB")
    ]
    assert set(pairs(catalogue, offers)) == {(0, 1), (2, 0)}


def test_two_entries_of_one_ean_take_one_row() -> None:
    found = pairs(
        [{"name": "Lamp", "ean": EANS[0]}], [{"title": "Leuchte", "ean": EANS[0]}, {"title": "Leuchte", "ean": EANS[0]}]
    )
    assert found == {(0, 0): "same EAN"}


def test_pairs_by_identifiers_are_right_where_some_identifiers_lie() -> None:
    rng = random.Random(9)
    catalogue = [
        {"name": f"Kessling {n} grill w{n * 17}", "sku": f"K-{n:04}", "mpn": f"MP{n:05}", "brand": "Kessling"}
        for n in range(300)
    ]
    offers = [{"title": row["name"], "sku": row["sku"], "mpn": row["mpn"], "brand": row["brand"]} for row in catalogue]
    for n in rng.sample(range(300), 30):  # another shop's numbering
        offers[n]["sku"] = catalogue[(n + 7) % 300]["sku"]
    found = [pair for pair in match(catalogue, offers) if pair.reason.startswith("same")]
    assert len(found) >= 295
    assert sum(pair.catalogue == pair.offer for pair in found) / len(found) >= 0.99


def test_columns_that_nobody_knows_are_read_as_well() -> None:
    catalogue = [{"Article_Name": f"Lumen lamp {wood}"} for wood in ("oak", "beech")]
    offers = [{"Item Title": "Lumen lamp", "Wood": wood} for wood in ("Beech", "Oak")]
    assert {(pair.catalogue, pair.offer) for pair in match(catalogue, offers)} == {(0, 1), (1, 0)}


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ("Brightsoft Office Suite 11 Professional", "Brightsoft Office Suite 11 Standard"),
        ("The Long Road (Hardcover)", "The Long Road, Taschenbuch"),
    ],
)
def test_another_edition_vetoes(known: str, found: str) -> None:
    assert pairs([{"name": known}], [{"title": found}]) == {}


def test_what_a_shop_calls_an_edition_does_not_veto_the_same_model() -> None:
    known = {"name": "Sonavia Lite TX4711B9 Notebook Business"}
    found = {"title": "Sonavia Lite TX4711B9 Laptop Home Office"}
    assert (0, 0) in pairs([known], [found])


def test_leftovers_of_both_lists_are_not_paired_with_each_other() -> None:
    """A third of each list has no partner in the other: what is left over must be called missing, not matched."""
    rng = random.Random(8)
    letters = "bcdfghklmnprstvz"
    words = ["".join(rng.choice(letters) + rng.choice("aeiou") for _ in range(3)) for _ in range(400)]
    titles = [" ".join(rng.sample(words, 5)) for _ in range(300)]
    catalogue = [{"name": title} for title in titles[:200]]
    offers = [{"title": " ".join(title.split()[::-1][:4])} for title in titles[100:]]
    found = decided(catalogue, offers)
    right = sum(pair.catalogue == pair.offer + 100 for pair in found)
    assert right >= 95
    assert len(found) - right <= 5


def test_without_scipy_identifiers_still_match_and_the_rest_is_an_error_that_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("similarity", "candidates", "features", "vectors"):
        monkeypatch.delitem(sys.modules, f"scout.matching.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    assert pairs([{"gtin": EANS[0]}], [{"ean": EANS[0]}]) == {(0, 0): "same EAN"}
    with pytest.raises(UsageError, match=r"pip install 'scout-offers\[matching\]'"):
        match([{"name": "Red lamp"}], [{"title": "Lamp, red"}])
