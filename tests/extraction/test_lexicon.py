"""The preset matching template: built in, scored as the paper does, extended by the user without Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.errors import RuleSyntaxError
from scout.extraction.extractor import extract
from scout.extraction.induction import induce
from scout.extraction.lexicon import attribute_words, data_key, label_key, lexicon
from scout.extraction.zero_shot import zero_shot
from scout.page import Page


def written(tmp_path: Path, text: str) -> Path:
    (tmp_path / "template.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def test_names_are_split_at_cases_and_signs_and_neighbours_are_joined():
    assert attribute_words("prodName") == ["prod", "name", "prodname"]


def test_the_papers_example_is_decided_as_in_the_paper():
    """prodName matches product partly and name wholly; product-item matches product only."""
    words = lexicon()
    assert words.word_score("title", "prodName") > words.word_score("title", "product-item")


def test_labels_and_keys_are_compared_without_case_and_punctuation():
    assert label_key("Art.-Nr.:") == label_key("art nr")
    assert data_key("sale_price") == data_key("salePrice")


@pytest.mark.parametrize(
    ("label", "field"),
    [
        ("Marke", "brand"),
        ("Артикул", "sku"),
        ("货号", "sku"),
        ("Référence fabricant", "han"),
        ("código de barras", "ean"),
        ("品牌", "brand"),
    ],
)
def test_labels_of_many_languages_are_known(label: str, field: str):
    assert field in dict(lexicon().by_label[label_key(label)])


def test_a_user_adds_a_field_and_a_word_in_yaml(tmp_path: Path):
    rules = written(
        tmp_path, "fields:\n  warranty:\n    labels:\n      5: [Garantie]\n  brand:\n    labels:\n      5: [Werk]\n"
    )
    page = Page(
        "https://shop.example/p/1", "<title>Stuhl</title><h1>Stuhl</h1><p>Werk: Sitwell</p><p>Garantie: 3 Jahre</p>"
    )
    offer = zero_shot(page, lexicon(rules))
    assert (offer["brand"], offer["warranty"]) == ("Sitwell", "3 Jahre")


def test_the_weight_zero_takes_a_word_out(tmp_path: Path):
    rules = written(tmp_path, "fields:\n  brand:\n    labels:\n      0: [Marke]\n")
    assert "brand" not in dict(lexicon(rules).by_label.get(label_key("Marke"), ()))


def test_without_an_overlay_the_built_in_template_is_used(tmp_path: Path):
    assert lexicon(tmp_path) is lexicon(), "what is read of a page is kept by the lexicon: two would read it twice"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("fields: [", "line"),
        ("colours: {}", "unknown section"),
        ("fields: {price: {colour: {1: [a]}}}", "only words, labels, meta, keys"),
        ("fields: {price: {words: [a]}}", "a weight and its words"),
        ("a: &a [1]\nfields: *a", "aliases"),
    ],
)
def test_a_wrong_overlay_is_an_error_that_names_file_and_fault(tmp_path: Path, text: str, told: str):
    with pytest.raises(RuleSyntaxError, match=told) as raised:
        lexicon(written(tmp_path, text))
    assert "template.yaml" in str(raised.value)


ENERGY = """
fields:
  energy_label:
    labels: {5: [Energy label, Energieeffizienzklasse]}
    words: {6: [energyclass]}
    keys: {5: [energyLabel]}
"""


def fridge(number: int, body: str) -> Page:
    page = f"<title>Fridge {number}00</title><h1>Fridge {number}00</h1><p class='price'>{number}99.00 €</p>{body}"
    return Page(f"https://shop.example/fridge-{number}", page)


@pytest.mark.parametrize(
    "body",
    [
        "<dl><dt>Energy label</dt><dd>A++</dd></dl>",
        "<p>Energieeffizienzklasse: A++</p>",
        "<span class='energy-class'>A++</span>",
        '<script>var product = {"name": "Fridge 100", "id": 1, "price": 199, "energyLabel": "A++"};</script>',
    ],
)
def test_a_field_of_the_users_own_is_read_by_its_labels_names_and_keys(tmp_path: Path, body: str):
    assert zero_shot(fridge(1, body), lexicon(written(tmp_path, ENERGY)))["energy_label"] == "A++"


def test_induced_rules_read_a_field_of_the_users_own(tmp_path: Path):
    words = lexicon(written(tmp_path, ENERGY))
    pages = [fridge(n, f"<dl><dt>Energy label</dt><dd>{'ABCDEFG'[n]}</dd></dl>") for n in range(1, 7)]
    rules = induce(pages[:5], words)
    assert rules.fields["energy_label"].rules
    assert extract(pages[5], rules, words)["energy_label"] == "G"
