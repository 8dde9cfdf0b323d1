"""Pages answer CSS and XPath queries by parsel, on the tree that Scout has parsed, and evidence names places by such queries."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import scout
from bench.differ_own import sample_pages
from scout.page import Page
from scout.rules.element_query import element_query
from tests.evidence import first_text, is_query, squeezed
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
    assert {rule.place.partition(" ")[0] for rule in rules if rule not in queries} <= {"jsonpath", "the"}


def test_evidence_by_rules_names_a_query_or_a_jsonpath(learned: scout.ShopRules):
    page, _ = samples(1)[0]
    offer = scout.extract(page, learned)
    for name in learned.fields:
        why = offer.why(name)
        assert why is not None and why.selector is not None
        assert why.selector.startswith("jsonpath $") or first_text(page, why.selector) == why.raw


CASES = Path(__file__).parents[1] / "bench" / "sample_cases" / "product_pages.yaml"


def own_pages() -> list[Page]:
    cases = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    rows = [*list(sample_pages())[::5], *cases["products"], *cases["others"]]
    return [Page(row["url"], row["html"]) for row in rows]


def test_evidence_without_rules_names_queries_that_find_the_raw_text():
    """A button that sells says so by being there; all others are found with the text that was read."""
    asked = 0
    for page in own_pages():
        for name, why in scout.extract(page, complete=True).evidence.items():
            if why.selector and is_query(why.selector):
                asked += 1
                found = first_text(page, why.selector)
                is_button = name == "availability" and any("the button" in vote for vote in why.votes)
                assert found and (why.raw is None or squeezed(why.raw) in squeezed(found) or is_button), (page, why)
    assert asked > 250


def test_a_place_deep_in_a_page_without_names_is_counted():
    page = Page("http://shop.example/a", "<div>" * 60 + "<div>9,99 €</div>" + "</div>" * 60)
    query = element_query(page.root.xpath("//div[not(*)]")[0], "9,99 €")
    assert len(query) < 20 and first_text(page, query) == "9,99 €"


def test_an_attribute_that_says_the_value_is_named():
    page = Page("http://shop.example/a", "<div><a class=brand href=/b><img src=x alt=Sitwell></a></div>")
    query = element_query(page.root.find(".//a"), "Sitwell")
    assert (query, first_text(page, query)) == ("img::attr(alt)", "Sitwell")
