"""bench.conditions: which conditions in code decide nothing."""

from __future__ import annotations

import ast

import pytest

from bench import conditions
from bench.conditions import WATCH, Condition, _Watcher, decides_nothing, report

SOURCE = """
def price_of(text, currency=None):
    if text.startswith("$") and len(text) > 0:
        currency = "USD"
    if text == "no page says this":
        return None
    return text.strip("$") or "0", currency
"""
PAGES = ("$5", "5", "$", "7")


@pytest.fixture
def asked(monkeypatch):
    """The questions about each page, answered by the watched source."""
    monkeypatch.setattr(conditions, "conditions", [])
    tree = _Watcher("made_up.py").visit(ast.parse(SOURCE))
    names = {WATCH: conditions.watched}
    exec(compile(ast.fix_missing_locations(tree), "made_up.py", "exec"), names)
    return [lambda page=page: names["price_of"](page) for page in PAGES]


def found(asked) -> dict[str, str]:
    before = conditions.asked_answers(asked)
    return {condition.text: kind for kind, condition in report(asked, before, tried=10)}


def test_a_condition_that_always_comes_out_the_same_is_listed_and_one_that_decides_is_not(asked):
    kinds = found(asked)
    assert kinds["len(text) > 0"] == "always true"
    assert kinds["text == 'no page says this'"] == "always false"
    assert "text.startswith('$')" not in kinds


def test_leaving_a_condition_out_is_tried_only_on_pages_where_it_comes_out_otherwise(asked):
    before = conditions.asked_answers(asked)
    number = next(n for n, c in enumerate(conditions.conditions) if "strip" in c.text)
    assert conditions.conditions[number].pages[True] == {0, 1, 3}
    assert not decides_nothing(number, asked, before, tried=10)


def test_a_condition_says_where_it_stands():
    assert str(Condition("scout/a.py", 3, "x > 1", False)) == "scout/a.py:3  x > 1"
