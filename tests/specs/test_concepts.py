"""Concepts: one name for an attribute that every shop calls something else (the future work of Zhao and Wang, 2017)."""

from __future__ import annotations

import pytest

from scout.page import Page
from scout.specs import concept_of, learned_concepts, specifications
from scout.specs.vocabulary import vocabulary


def test_section_4_names_of_many_languages_are_one_concept() -> None:
    names = ("屏幕尺寸", "Screen size", "Bildschirmdiagonale", "Display size", "Taille de l'écran", "Диагональ экрана")
    assert {concept_of(name, None, vocabulary()) for name in names} == {("screen_size", None)}


@pytest.mark.parametrize(
    ("name", "unit", "concept", "qualifier"),
    [
        ("Shelf width", None, "width", "shelf"),
        ("Lens type", None, "lens", None),
        ("Maximum height", None, "height", "maximum"),
        ("Materiał wykonania deski", None, "material", "deski"),
        ("Объем холодильной камеры, л", "l", "volume", "холодильнои камеры"),
        ("Gesamtgewicht", None, "weight", "gesamt"),
        ("商品重量", None, "weight", "商品"),
        ("Zellpack", "mah", "battery_capacity", "zellpack"),
        ("Zellpack", "mm", None, None),
        ("Free returns", None, None, None),
    ],
)
def test_a_longer_name_has_the_concept_of_its_main_word_and_what_it_says_beyond(
    name: str, unit: str | None, concept: str | None, qualifier: str | None
) -> None:
    assert concept_of(name, unit, vocabulary()) == (concept, qualifier)


def test_a_pair_says_its_concept_beside_value_and_unit() -> None:
    rows = "<tr><td>Shelf width</td><td>141 cm</td></tr><tr><td>Gewicht</td><td>3 kg</td></tr><tr><td>Farbe</td><td>rot</td></tr>"
    pairs = specifications(Page("http://shop.example/", f"<title>Rack</title><h1>Rack</h1><table>{rows}</table>"))
    assert [(pair.concept, pair.qualifier, pair.quantity, pair.unit) for pair in pairs] == [
        ("width", "shelf", "141", "cm"),
        ("weight", None, "3", "kg"),
        ("colour", None, None, None),
    ]


def test_a_name_is_learned_from_products_on_which_it_has_the_value_of_a_known_one() -> None:
    products = [
        [("Weight", f"{number} kg"), ("Masa własna", f"{number} kg"), ("Depth", "40 cm"), ("Box", "40 cm")]
        for number in range(4)
    ]
    products.append([("Depth", "30 cm"), ("Box", "45 cm")])
    assert learned_concepts(products, vocabulary()) == {"masa własna": "weight"}, "Box contradicts depth once in five"
    assert learned_concepts(products[:2], vocabulary()) == {}
