"""From a place that somebody points at to the rule that reads it on the other pages."""

from __future__ import annotations

import pytest

from scout import extract
from scout.correction import field_marks, numbered_element, place_readings, suggest_rule, with_locked_rule
from scout.page import Page
from scout.rules import FieldRules, Rule, ShopRules, TextSelector, apply_rules

ROOT = "https://shop.example/p/"


def product(number: int, *, extra: str = "") -> Page:
    return Page(
        f"{ROOT}{number}",
        f"<html><head><title>Chair {number}</title></head><body><h1>Chair {number}</h1>{extra}<p class='price'>€{number}.00</p>"
        f"<table><tr><th>Code</th><td>by Oak (No. CH-{number})</td></tr>"
        f"<tr><th>Total</th><td class='sum'>{number + 5}.50 EUR</td></tr></table>"
        f"<img src='/img/{number}.jpg' data-ean='400638133393{number % 10}'><span class='shop'>The Chair Shop</span></body></html>",
    )


PAGES = [product(number) for number in range(10, 20)]


def point(page: Page, query: str, name: str, *, part: str = "", key: str | None = None):
    element = page.css(query)[0].root
    readings = place_readings(page, element, name)
    chosen = readings[0] if key is None else next(one for one in readings if one.key == key)
    return suggest_rule(page, chosen, name, PAGES, part=part)


def read_all(name: str, rule: Rule) -> list[object]:
    rules = with_locked_rule(None, "shop", name, rule)
    return [apply_rules(page, rules).get(name) for page in PAGES]


def test_the_rule_reads_the_same_place_on_all_pages():
    found = point(PAGES[0], "td.sum", "price")
    assert (found.value, found.found, found.pages, found.distinct) == ("15.50", 10, 10, 10)
    assert found.rule.locked
    assert read_all("price", found.rule) == [f"{number + 5}.50" for number in range(10, 20)]


def test_a_part_of_a_text_is_found_by_what_stands_beside_it():
    found = point(PAGES[0], "td", "han", part="CH-10")
    assert found.value == "CH-10"
    assert read_all("han", found.rule) == [f"CH-{number}" for number in range(10, 20)]


def test_an_attribute_can_be_the_place():
    found = point(PAGES[0], "img", "images", key="attribute:src")
    assert read_all("images", found.rule)[3] == ["https://shop.example/img/13.jpg"]


def test_what_is_the_same_on_all_pages_is_said_to_be():
    assert point(PAGES[0], "span.shop", "brand").is_constant
    assert not point(PAGES[0], "td.sum", "price").is_constant


@pytest.mark.parametrize("part", ["CH-99", "Total"])
def test_a_part_that_is_not_there_gives_no_rule(part):
    assert point(PAGES[0], "td", "han", part=part) is None


def test_a_text_that_cannot_be_read_gives_no_rule():
    assert point(PAGES[0], "h1", "ean") is None


def test_a_text_that_contradicts_the_field_is_read_only_because_a_person_says_so():
    pages = [product(number, extra=f"<p class='rate'>{number}.00 € / month</p>") for number in (1, 2, 3)]
    element = pages[0].css("p.rate")[0].root
    reading = place_readings(pages[0], element, "price")[0]
    assert reading.contradiction == "a rate, a part of the price"
    found = suggest_rule(pages[0], reading, "price", pages)
    assert found is not None and not found.rule.check
    assert apply_rules(pages[1], with_locked_rule(None, "shop", "price", found.rule))["price"] == "2.00"


def test_names_win_over_positions():
    assert point(PAGES[0], "td.sum", "price").rule.place == 'td[class="sum"]'


def test_what_the_catalogue_contradicts_loses():
    before = "<aside><p class='price'>€1.00</p></aside>"
    unlike = [product(number, extra=before if number % 2 else "") for number in range(10, 20)]
    reading = place_readings(unlike[0], unlike[0].css("p.price")[0].root, "price")[0]
    known = {page.url: f"{number}.00" for number, page in enumerate(unlike, 10)}
    found = suggest_rule(unlike[0], reading, "price", unlike, known=known)
    assert found is not None
    rules = with_locked_rule(None, "shop", "price", found.rule)
    assert {page.url: apply_rules(page, rules).get("price") for page in unlike} == known


def test_earlier_locked_rules_are_asked_where_the_new_one_finds_nothing():
    old = Rule(TextSelector("p.old"), locked=True)
    learned = Rule(TextSelector("p.learned"), origin="learned")
    rules = ShopRules(shop="shop", fields={"price": FieldRules((old, learned))})
    new = with_locked_rule(rules, "shop", "price", Rule(TextSelector("p.new"), locked=True))

    def read(html: str) -> object:
        return apply_rules(Page(ROOT, html), new).get("price")

    assert read("<p class=old>1.50</p><p class=new>2.50</p><p class=learned>3.50</p>") == "2.50"
    assert read("<p class=old>1.50</p><p class=learned>3.50</p>") == "1.50"
    assert read("<p class=learned>3.50</p>") == "3.50"
    assert rules.fields["price"].rules == (old, learned), "the rules that were given are not changed"


def test_the_same_place_pointed_at_twice_is_one_rule():
    found = point(PAGES[0], "td.sum", "price")
    once = with_locked_rule(None, "shop", "price", found.rule)
    twice = with_locked_rule(once, "shop", "price", found.rule)
    assert len(twice.fields["price"].rules) == 1


def test_marks_name_the_chosen_places_and_those_of_other_candidates():
    page = PAGES[0]
    marks = field_marks(page, extract(page))
    roles = {(mark.field, mark.role, numbered_element(page, mark.number).tag) for mark in marks}
    assert ("title", "value", "h1") in roles
    assert ("price", "value", "p") in roles
    assert ("price", "rival", "td") in roles


def test_a_value_of_the_pages_data_is_marked_where_it_is_shown_too():
    product = '{"@type":"Product","name":"Chair 5","sku":"X-5","offers":{"price":"7.25","priceCurrency":"EUR"}}'
    data = f'<script type="application/ld+json">{product}</script>'
    page = Page(ROOT, f"<html><head>{data}</head><body><h1>Chair 5</h1><b>7,25 €</b><i>X-5</i></body></html>")
    marks = {(mark.field, numbered_element(page, mark.number).tag) for mark in field_marks(page, extract(page))}
    assert ("price", "b") in marks and ("sku", "i") in marks
