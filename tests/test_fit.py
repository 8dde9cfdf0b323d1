"""Fitting: twins keep what a shopper sees, and the model learns what tells right from wrong."""

from __future__ import annotations

import numpy as np
import pytest

from bench.fit_model import Example, Option, Problem, verdict
from bench.labelled_pages import site_folds
from bench.rewriting import TWINS, plain, renamed, reworded, without_markup
from scout.page import Page

HTML = """<html><head><script type="application/ld+json">{"@type": "Product"}</script><meta property="og:price:amount" content="9"></head>
<body><h1 class="product-title">Lamp A</h1><span class="old-price">$12.00</span><p class="hidden">$1.00</p>
<table><tr><th>SKU:</th><td itemprop="sku">A-1</td></tr></table><button>Add to cart</button></body></html>"""


@pytest.mark.parametrize("kind", TWINS)
def test_a_twin_shows_the_product_and_is_always_the_same(kind):
    twin = TWINS[kind](HTML, "key")
    assert twin == TWINS[kind](HTML, "key") != HTML
    shown = Page("http://shop.example/", twin).root.text_content()
    assert "Lamp A" in shown and "A-1" in shown and "12" in shown


def test_without_markup_nothing_of_it_is_left():
    assert not any(word in without_markup(HTML) for word in ("ld+json", "og:price", "itemprop"))


def test_renamed_elements_are_still_hidden_and_struck_out():
    root = Page("http://shop.example/", renamed(HTML, "key")).root
    assert "line-through" in root.find(".//span").get("style") and "display:none" in root.find(".//p").get("style")
    assert "old-price" not in renamed(HTML, "key") != renamed(HTML, "another key")


def test_words_and_formats_change_to_others_of_the_same_meaning():
    twins = {reworded(HTML, str(number)) for number in range(9)}
    assert any("12,00" in twin for twin in twins) and any("Add to basket" in twin for twin in twins)


def test_a_plain_twin_has_neither_names_nor_headings_nor_tables():
    root = Page("http://shop.example/", plain(HTML, "key")).root
    assert not [*root.iter("h1", "table", "th")] and "product-title" not in plain(HTML, "key")


def test_the_fit_learns_which_feature_tells_right_from_wrong_and_when_to_abstain():
    right = Option("1", True, [("text", {"good": 1.0}), ("text", {"bad": 1.0})])
    wrong = Option("2", False, [("text", {"bad": 1.0})])
    examples = [Example("a", "shown", [right, wrong], True), Example("b", "not shown", [wrong], False)] * 10
    problem = Problem(examples, ["good", "bad"])
    found = problem.fit(np.zeros(3), np.full(3, 0.01), [(None, None)] * 3)
    answers = problem.answers(found)
    assert [verdict(e, a) for e, a in zip(examples, answers, strict=True)] == ["right", "silent"] * 10
    assert found[0] > 0 > found[1]


def test_one_author_votes_once():
    said_twice = Option("1", True, [("text", {"good": 1.0}), ("text", {"good": 1.0})])
    by_two = Option("2", True, [("text", {"good": 1.0}), ("json-ld", {"good": 1.0})])
    problem = Problem([Example("a", "", [said_twice, by_two], True)], ["good"])
    assert problem.option_values(np.ones(1)).tolist() == [[1.0], [2.0]]


def test_every_site_is_left_out_once():
    sites = [f"site {number}" for number in range(17)]
    folds = site_folds(sites, 5)
    assert sorted(site for fold in folds for site in fold) == sorted(sites)
