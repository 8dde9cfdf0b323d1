"""Variants are compared at the catalogue's level."""

from __future__ import annotations

from scout.matching import compare, match
from scout.matching.levels import lists_variants, representatives
from scout.matching.reliability import stated_precision

SIZES = ("S", "M", "L")
VARIANTS = [
    {
        "title": f"Fjordline {name} Jacket {size}",
        "url": f"https://shop.example/{name}-{size}",
        "parent": f"https://shop.example/{name}",
    }
    for name in ("Storm", "Breeze", "Gale")
    for size in SIZES
]


def test_a_catalogue_with_a_row_for_each_variant_lists_variants() -> None:
    catalogue = [{"name": row["title"]} for row in VARIANTS]
    assert lists_variants(VARIANTS, match(catalogue, VARIANTS))


def test_a_catalogue_with_a_row_for_each_product_lists_products() -> None:
    catalogue = [{"name": f"Fjordline {name} Jacket"} for name in ("Storm", "Breeze")]
    found = match(catalogue, VARIANTS)
    assert not lists_variants(VARIANTS, found)
    products = [VARIANTS[position] for position in representatives(VARIANTS, found)]
    compared = compare(catalogue, products)
    assert len(products) == 3
    assert {products[m.offer]["parent"][-5:] for m in compared.matches if not m.undecided} == {"Storm", "reeze"}


def test_the_stated_interval_holds_the_expected_share_and_widens_with_doubt() -> None:
    sure, unsure = stated_precision([0.99] * 50), stated_precision([0.9] * 50)
    assert sure and unsure
    assert sure.low <= sure.share <= sure.high
    assert unsure.high - unsure.low > sure.high - sure.low
    assert stated_precision([]) is None


def test_the_interval_of_a_long_list_is_narrow() -> None:
    stated = stated_precision([0.96] * 5000)
    assert stated and stated.high - stated.low < 0.05
