"""Where a page says a value that somebody knows, and the rule for data that nobody sees."""

from __future__ import annotations

import pytest

from scout.correction import numbered_element, suggest_data_rule, value_places, with_locked_rule
from scout.page import Page
from scout.rules import apply_rules


def product(number: int) -> Page:
    return Page(
        f"https://shop.example/p/{number}",
        f"<html><head><title>Chair {number}</title><meta name='code' content='CH-{number}'></head>"
        f"<body><h1>Chair {number}</h1>"
        f"<p>Our Chair {number} (article CH-{number}) is made by hand.</p>"
        f"<a href='/cart?add=CH-{number}'>Buy</a>"
        f"<p class='price'>€1,{number}9.00</p>"
        f'<script type=\'application/json\'>{{"maker": {{"id": "M{number}"}}}}</script></body></html>',
    )


PAGES = [product(number) for number in range(10, 16)]


def found(name: str, value: str) -> list[tuple[str, str, bool]]:
    return [(place.label, place.part, place.is_shown) for place in value_places(PAGES[0], name, value)]


def test_texts_and_attributes_that_say_it_are_found_whole_ones_first_and_hidden_ones_as_such():
    assert found("sku", "ch-10") == [("attribute content of meta", "", False), ("text 1 of p", "CH-10", True)]


def test_an_amount_is_found_however_the_page_writes_it():
    assert found("price", "1109.00") == [("text 1 of p", "", True)]


def test_the_place_is_the_element_with_its_number():
    (place,) = value_places(PAGES[0], "price", "1109")
    element = numbered_element(PAGES[0], place.number)
    assert element is not None and element.get("class") == "price"


@pytest.mark.parametrize("value", ["", "CH-99", "<p>"])
def test_what_the_page_does_not_say_is_found_nowhere(value: str):
    assert found("sku", value) == []
    assert suggest_data_rule(PAGES[0], "sku", value, PAGES) is None


def test_a_value_that_only_a_script_has_becomes_a_rule_for_all_pages():
    suggestion = suggest_data_rule(PAGES[0], "han", "M10", PAGES)
    assert suggestion is not None and (suggestion.value, suggestion.found) == ("M10", 6)
    rules = with_locked_rule(None, "shop", "han", suggestion.rule)
    assert [apply_rules(page, rules).get("han") for page in PAGES] == [f"M{number}" for number in range(10, 16)]
