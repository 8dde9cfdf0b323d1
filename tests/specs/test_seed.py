"""The seed: words of the title that are values of the product."""

import pytest

from scout.errors import UsageError
from scout.page import Page
from scout.specs.seed import product_part, seed_words, title_boilerplate, title_words
from scout.specs.segment import kept_words, segmenter


def page(title: str, heading: str = "") -> Page:
    return Page("http://shop.example/", f"<title>{title}</title><h1>{heading}</h1>")


def test_the_heading_tells_the_product_from_the_name_of_the_site() -> None:
    assert product_part("Buy Lamp Luna white | Example Lights", ["Lamp Luna white"]) == "Lamp Luna white"


def test_without_a_heading_the_longest_part_of_the_title_is_the_product() -> None:
    assert product_part("Lights | Lamp Luna white | Shop", []) == "Lamp Luna white"


def test_a_heading_that_shares_next_to_nothing_is_another_one() -> None:
    assert (
        product_part("Lamp Luna white with a long cable | Shop", ["Our lamps: white"])
        == "Lamp Luna white with a long cable"
    )


def test_a_number_and_its_unit_are_one_word() -> None:
    assert title_words("Lamp 40 cm 7,5 W A390L") == ["40cm", "7,5w", "lamp", "a390l"]


def test_chinese_titles_are_segmented_and_only_what_can_be_a_value_is_kept() -> None:
    found = title_words("飞利浦的55英寸液晶电视机")
    assert {"55英寸", "飞利浦", "液晶", "电视机"} <= set(found)
    assert "的" not in found


def test_a_japanese_title_is_no_chinese_one() -> None:
    assert title_words("液晶テレビ 55インチ") == ["55インチ", "液晶テレビ"]


def test_any_callable_is_a_segmenter() -> None:
    assert kept_words("a b", lambda text: [("red", "a"), ("of", "p"), ("lamp", "n")]) == ["red", "lamp"]


def test_an_unknown_segmenter_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="rjieba, jiojio"):
        segmenter("nope")


def test_the_optional_segmenter_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jiojio", None)
    with pytest.raises(UsageError, match="pip install jiojio"):
        segmenter("jiojio")


def test_what_all_titles_of_a_shop_share_is_no_seed() -> None:
    pages = [page(f"Lamp {name} from Example") for name in ("Luna", "Sol", "Nox")]
    boilerplate = title_boilerplate(pages)
    assert boilerplate == {"lamp", "from", "example"}
    assert seed_words(pages[0], boilerplate) == {"luna"}
    assert title_boilerplate(pages[:2]) == frozenset()


def test_a_page_without_a_title_has_no_seed() -> None:
    assert seed_words(Page("http://shop.example/", "<p>x</p>")) == frozenset()
