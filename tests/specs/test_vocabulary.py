"""The vocabulary: one word for what shops call differently, extended by a file of the user's own."""

from pathlib import Path

import pytest

from scout.errors import UsageError
from scout.specs.vocabulary import SpecVocabulary, context_words, normal_name, vocabulary


@pytest.mark.parametrize(
    ("name", "concept"),
    [
        ("Brand", "brand"),
        ("MARKE:", "brand"),
        ("Poids (g)", "weight"),
        ("Вес, кг", "weight"),
        ("2. 색상", "colour"),
        ("Número de páginas", "pages"),
        ("numero de paginas", "pages"),
        ("EAN-Nummer", "ean"),
        ("Herkunftsland", "country_of_origin"),
        ("颜色", "colour"),
    ],
)
def test_maps_names_in_other_spellings_and_languages_to_one_concept(name: str, concept: str) -> None:
    assert vocabulary().concept(name) == concept


def test_some_names_are_known_without_a_concept() -> None:
    assert "Design" in vocabulary()
    assert vocabulary().concept("Design") is None
    assert "Something else" not in vocabulary()


def test_a_file_of_the_users_own_extends_and_overrides_it(tmp_path: Path) -> None:
    own = tmp_path / "names.txt"
    own.write_text("# ours\nlight_source = bulb kind; Leuchtquelle\narticle_number = brand\n", encoding="utf-8")
    extended = vocabulary(own)
    assert extended.concept("LEUCHTQUELLE:") == "light_source"
    assert extended.concept("Brand") == "article_number"
    assert vocabulary().concept("Brand") == "brand"


def test_a_line_that_cannot_be_read_is_named() -> None:
    with pytest.raises(UsageError, match="mine, line 2"):
        SpecVocabulary({}).extended(["a = b", "no equals sign"], "mine")


def test_names_are_compared_without_case_accents_numbering_and_colon() -> None:
    assert normal_name(" 3) GRÖSSE :") == normal_name("größe")


def test_no_word_says_both_that_a_heading_is_of_a_specification_and_that_it_is_not() -> None:
    words = context_words()
    assert not set(words["specification"]) & set(words["other"])
