"""Selectors find what they name; CSS paths mean the same as in a browser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.errors import RuleError
from scout.page import Page
from scout.rules import AttributeSelector, DataSelector, LabelSelector, TextSelector, TrailSelector, blocks, css
from scout.rules.selectors import as_dict, from_dict
from tests.evidence import first_text

HTML = """<html><body>
<div id="main" class="box wide"><h1 class="t">Oak <b>chair</b></h1><p>EAN: 4006381333931<br>by <a>Ann Lee</a></p>
<table><tr><td>Maker</td><td>Acme</td></tr><tr><td>Colour</td><td></td></tr></table>
<span class="p">1,00</span><span class="p" data-net="0.84">2,00</span></div>
<script>var shop = {"name": "S"}; var product17 = {id: 17, list: [{a: 1}, {sku: 'A-1', price: 1299}], empty: };</script>
<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"@type": "Product", "gtin": "4006381333931"}]}</script>
</body></html>"""
PAGE = Page("http://shop.example/p", HTML)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        (TextSelector("h1.t"), "Oak chair"),
        (TextSelector('h1[class="t"]', 1), "Oak"),
        (TextSelector("span.p", match=2), "2,00"),
        (TextSelector('span[class="p"]', match=3), None),
        (TextSelector("div#main > span:nth-of-type(2)"), "2,00"),
        (TextSelector("div#main:has(h1) b"), "chair"),
        (TextSelector("html > body > div > h1 > b"), "chair"),
        (AttributeSelector("div#main span:nth-of-type(2)", "data-net"), "0.84"),
        (AttributeSelector("div#main", "missing"), None),
        (LabelSelector("Maker", "td", "../following-sibling::td[1]/text()[normalize-space()][1]"), "Acme"),
        (LabelSelector("Colour", "td", "../following-sibling::td[1]/text()[normalize-space()][1]"), None),
        (LabelSelector("EAN:", "p"), "EAN: 4006381333931"),
        (LabelSelector("by", "p", "following-sibling::a[1]/text()", inside=True), "Ann Lee"),
        (TrailSelector("div#main > table"), "Maker > Acme > Colour >"),
        (TrailSelector("table tr", first=1, match=1), "Acme >"),
        (TrailSelector("table tr", match=2), "Colour >"),
        (TrailSelector("table", first=1, last=1), "Acme >"),
        (TrailSelector("table", last=3), None),
        (TrailSelector("table", last=4), None),
        (TrailSelector("table tr", match=7), None),
        (DataSelector("script", "$['sku']", "product#"), None),
        (DataSelector("script", "$['list'][1]['sku']", "product#"), "A-1"),
        (DataSelector("script", "$['list'][*]['sku']", "product#"), "A-1"),
        (DataSelector("script", "$['name']", "0"), "S"),
        (DataSelector('script[type="application/ld+json"]', "$['@graph'][*]['gtin']"), "4006381333931"),
        (DataSelector('script[type="application/ld+json"]', "$..gtin"), "4006381333931"),
    ],
    ids=lambda value: value.describe() if hasattr(value, "describe") else None,
)
def test_a_selector_finds_its_text(selector, found):
    assert selector.find(PAGE) == found
    assert from_dict(as_dict(selector)) == selector
    if isinstance(selector, (TextSelector, AttributeSelector, LabelSelector)):
        assert first_text(PAGE, selector.describe()) == found


@pytest.mark.parametrize(
    ("selector", "place"),
    [
        (TextSelector("span.p"), "span.p"),
        (TextSelector("span.p", 1), "span.p::text"),
        (TextSelector("div#main > p", 2), "//div[@id='main']/p/text()[normalize-space()][2]"),
        (AttributeSelector("a", "href"), "a::attr(href)"),
        (AttributeSelector("svg > a", "xlink:href", match=2), "(//svg/a)[2]/@xlink:href"),
        (TrailSelector("ol.path", first=1), "ol.path ::text"),
        (LabelSelector("EAN:", "p", inside=True), "//p/text()[starts-with(normalize-space(.), 'EAN:')]"),
        (DataSelector("script", "$['sku']", "product#", 2), "jsonpath $['sku'] in block product# of (//script)[2]"),
        (DataSelector("script#data", "$['sku']"), "jsonpath $['sku'] in script#data"),
    ],
)
def test_a_place_is_described_by_css_xpath_or_jsonpath(selector, place):
    assert selector.describe() == place


@pytest.mark.parametrize("space", ["&nbsp;", "&#8239;", " \n "])
def test_a_label_is_found_by_its_query_whatever_the_spaces_in_it(space):
    page = Page("http://shop.example/p", f"<table><tr><th>Prix{space}:</th><td>12</td></tr></table>")
    selector = LabelSelector("Prix :", "th", "../following-sibling::td[1]/text()")
    assert first_text(page, selector.describe()) == selector.find(page) == "12"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"kind": "magic"}, "unknown kind"),
        ({"kind": "text", "css": "div >"}, "not a CSS selector"),
        ({"kind": "text"}, "a text selector has css"),
        ({"kind": "attribute", "css": "a", "attribute": "a b c"}, "not the name of an attribute"),
        ({"kind": "data", "css": "script", "path": "$[[["}, "not a JSONPath"),
        ({"kind": "label", "label": "x", "tag": "td", "to": "///"}, "not an XPath"),
    ],
)
def test_a_selector_that_cannot_be_used_says_why(data, what):
    with pytest.raises(RuleError, match=what):
        from_dict(data)


@settings(deadline=None, derandomize=True, max_examples=80)  # the same every time, however busy the machine
@given(st.text(min_size=1, max_size=20))
def test_any_text_can_be_an_xpath_literal(text: str):
    text = "".join(char for char in text if char.isprintable())
    assert css.compile_xpath(f"string({css.xpath_literal(text)})")(PAGE.root) == text


@pytest.mark.parametrize(
    "path",
    ["h1.t", "div#main > span:nth-of-type(2)", "div.box.wide h1", 'div[class="box wide"] td', "td:nth-of-type(2)"],
)
def test_the_fast_translation_means_the_same_as_cssselect(path):
    slow = css.compile_xpath(css._translator.css_to_xpath(path, prefix="//"))(PAGE.root)
    assert css.find_elements(path, PAGE) == slow != []


def test_blocks_are_counted_depth_first_and_named():
    found = blocks.read_blocks("var a = {x: 1}; function f() { var inner = {y: 2}; } push({z: 3});")
    assert found == {"0": {"x": 1}, "a": {"x": 1}, "1.0": {"y": 2}, "inner": {"y": 2}, "2": {"z": 3}, "push": {"z": 3}}


@pytest.mark.parametrize("text", ["", "{", "}}}}", "{" * 5000, "var x = '{", "/* { */", "{a: function() { return 1 }}"])
def test_scripts_that_are_no_data_are_no_error(text):
    assert isinstance(blocks.read_blocks(text), dict)


def test_a_script_is_read_once():
    page = Page("http://shop.example/", HTML)
    DataSelector("script", "$['name']", "0").find(page)
    first = page.memo["blocks"]
    DataSelector("script", "$['sku']", "0").find(page)
    assert page.memo["blocks"] is first
