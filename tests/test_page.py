"""Pages answer CSS and XPath queries by parsel, on the tree that Scout has parsed, and evidence names places by such queries."""

from __future__ import annotations

import subprocess
import sys

import pytest

import scout
from scout.page import Page
from tests.evidence import first_text, is_query
from tests.learning.shop import samples


def test_a_page_answers_css_and_xpath():
    page = Page("http://shop.example/a", '<h1>Red <b>chair</b></h1><a class="more" href="/b">B</a>')
    assert page.css("h1::text").get() == "Red "
    assert page.css("a.more::attr(href)").get() == "/b"
    assert page.xpath("//a[@class=$name]/text()", name="more").getall() == ["B"]
    assert page.css("b")[0].root is page.root.find(".//b")


def test_parsel_is_imported_only_when_it_is_asked():
    program = (
        "import sys, scout; p = scout.Page('u', '<h1>A</h1>'); p.root; scout.extract(p); print('parsel' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.fixture(scope="module")
def learned() -> scout.ShopRules:
    return scout.learn(samples(20))


def test_every_learned_place_is_a_query_that_finds_the_raw_text(learned: scout.ShopRules):
    rules = [rule for entry in learned.fields.values() for rule in entry.rules]
    queries = [rule for rule in rules if is_query(rule.place)]
    assert len(queries) > 5
    for page, _ in samples(8):
        for rule in queries:
            assert first_text(page, rule.place) == rule.selector.find(page), rule.place
    assert {rule.place.partition(" ")[0] for rule in rules if rule not in queries} <= {"jsonpath"}


def test_evidence_by_rules_names_a_query_or_a_jsonpath(learned: scout.ShopRules):
    page, _ = samples(1)[0]
    offer = scout.extract(page, learned)
    for name in learned.fields:
        why = offer.why(name)
        assert why is not None and why.selector is not None
        assert why.selector.startswith("jsonpath $") or first_text(page, why.selector) == why.raw
