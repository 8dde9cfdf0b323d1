"""The paper's own examples (Hübscher 2018): its listings with the selectors that it expects, and its open problem, broken HTML."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import scout
from scout.page import Page
from scout.rules.selectors import AttributeSelector, DataSelector, TextSelector


def _ean(number: int) -> str:
    """A GTIN-13 with its check digit; the first is the paper's own."""
    digits = f"933272100{number + 10:03}"
    return digits + str(-sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits)) % 10)


def _rules(html: Callable[[str], str]) -> scout.ShopRules:
    eans = [_ean(number) for number in range(12)]
    return scout.learn([(Page(f"http://shop.example/{ean}", html(ean)), {"ean": ean}) for ean in eans])


def _listing_1(ean: str) -> str:
    details = f"<div id='product-details'><span>{ean}</span></div><meta itemprop='gtin13' content='{ean}'>"
    return f"<html><head></head><body>{details}</body></html>"


def _listing_2(ean: str) -> str:
    script = f"""var gtmGuaranteeProduct1 = {{ "name": "Versicherung für 2 Jahre", }};
    var product2400462 = {{ "name": "Product", "ean": "{ean}" }};"""
    return f"<html><head><script>{script}</script></head><body><h1>Product</h1></body></html>"


def test_listing_1_gives_a_selector_of_the_text_and_one_of_the_attribute() -> None:
    selectors = [rule.selector for rule in _rules(_listing_1).fields["ean"].rules]
    assert selectors[:2] == [
        AttributeSelector('meta[itemprop="gtin13"]', "content"),
        TextSelector("div#product-details span"),
    ]
    new = Page("http://shop.example/new", _listing_1(_ean(77)))
    assert scout.extract(new, _rules(_listing_1))["ean"] == _ean(77)


def test_listing_2_gives_the_data_selector_of_table_3() -> None:
    """A script, a block in it, and a JSONPath; the block is told by its name, not by its number, which moves."""
    (rule,) = _rules(_listing_2).fields["ean"].rules
    assert rule.selector == DataSelector("script", "$['ean']", "product#")
    new = Page("http://shop.example/new", _listing_2(_ean(78)))
    assert scout.extract(new, _rules(_listing_2))["ean"] == _ean(78)


def _product(number: int) -> str:
    return f"""<!DOCTYPE html><html><head><title>Lamp {number} | Lights</title></head><body><div class="menu"><p>Lamps</p></div>
<div class="product"><h1 class="name">Lamp Luna {number}</h1><p class="price">{number + 20},90 €</p>
<table class="data"><tr><td class="k">SKU</td><td class="v">L-{number:04}</td></tr>
<tr><td class="k">EAN</td><td class="e">{_ean(number)}</td></tr></table><form><button>In den Warenkorb</button></form></div>
<div class="more"><p>Lampe Sol <b>12,00 €</b></p></div></body></html>"""


def _known(number: int) -> dict[str, str]:
    return {"title": f"Lamp Luna {number}", "price": f"{number + 20}.90", "sku": f"L-{number:04}", "ean": _ean(number)}


BROKEN: dict[str, Callable[[str], str]] = {
    "paragraphs unclosed": lambda html: html.replace("</p>", ""),
    "cells and rows unclosed": lambda html: re.sub("</t[dr]>", "", html),
    "divs unclosed": lambda html: html.replace("</div>", ""),
    "divs closed twice": lambda html: html.replace("</div>", "</div></div>"),
    "tags crossed": lambda html: html.replace("Lamp Luna", "<b><i>Lamp Luna</b></i>"),
    "html doubled": lambda html: html.replace("<body>", "<html><body>"),
    "body doubled": lambda html: html.replace('<div class="product">', '</body><body><div class="product">'),
    "no html, head and body": lambda html: re.sub("</?(?:html|head|body)>", "", html),
    "a table in a paragraph": lambda html: html.replace("<table", "<p><table").replace("</table>", "</table></p>"),
    "attributes without quotes": lambda html: html.replace('"', ""),
    "attributes with one quote": lambda html: html.replace('class="k"', 'class="k'),
    "attributes doubled": lambda html: html.replace('class="price"', 'class="price" class="x"'),
    "upper case": lambda html: re.sub("<(/?)(\\w+)", lambda tag: f"<{tag[1]}{tag[2].upper()}", html),
    "cut in the middle": lambda html: html[: html.index("EAN")],
    "cut inside a tag": lambda html: html[: html.index('class="v"') + 4],
    "a comment unclosed behind it": lambda html: html.replace('<div class="more">', '<!-- <div class="more">'),
    "stray less-than signs": lambda html: html.replace("Lamps", "Lamps < 20 < 30 <"),
    "bare ampersands": lambda html: html.replace("Lamps", "Lamps & more &nosuch; &#xZZ;"),
    "null bytes": lambda html: html.replace("Lamps", "Lam\x00ps"),
    "text in the table": lambda html: html.replace('<tr><td class="k">EAN', 'stray <b>text</b><tr><td class="k">EAN'),
    "a form around rows": lambda html: html.replace("<tr>", "<form><tr>").replace("</tr>", "</tr></form>"),
}


@pytest.fixture(scope="module")
def rules() -> scout.ShopRules:
    return scout.learn([(Page(f"http://shop.example/{n}", _product(n)), _known(n)) for n in range(12)])


@pytest.mark.parametrize("way", BROKEN)
def test_section_4_on_a_broken_page_rules_give_their_values_or_abstain(way: str, rules: scout.ShopRules) -> None:
    known = _known(55)
    page = Page("http://shop.example/55", BROKEN[way](_product(55)))
    offer = scout.extract(page, rules)
    given = {name: offer.get(name) for name in known}
    assert all(value in (None, known[name]) for name, value in given.items()), given
    lost = sum(value is None for value in given.values())
    assert lost == 0 or (
        way.startswith(("cut", "divs", "attributes with one", "tags crossed")) and lost < len(known)
    ), given


def test_section_4_a_text_behind_a_formatted_one_is_read_where_it_stood_there_when_it_was_learned() -> None:
    def page(number: int) -> Page:
        return Page(f"http://shop.example/{number}", _product(number).replace("Lamp Luna", "<b>New!</b> Lamp Luna"))

    rules = scout.learn([(page(number), _known(number)) for number in range(12)])
    assert scout.extract(page(55), rules)["title"] == "Lamp Luna 55"
