"""The one door to an offer."""

from __future__ import annotations

import json

from scout.extraction.extractor import extract
from scout.learning.learner import learn
from scout.page import Page
from scout.rules import FieldRules, Rule, ShopRules, TextSelector


def page(number: int) -> Page:
    return Page(
        f"https://shop.example/p/{number}?utm_source=mail",
        f"<html><head><title>Chair {number}</title><link rel='canonical' href='/p/{number}'></head><body><h1>Chair {number}</h1>"
        f"<p class='price'>${number}9.50</p><p>Brand: Sitwell</p>"
        f"<dl><dt>Width</dt><dd>{number}0 cm</dd><dt>Height</dt><dd>90 cm</dd></dl></body></html>",
    )


def test_without_rules_the_page_alone_is_read():
    offer = extract(page(4))
    assert (offer["title"], offer["price"], offer["brand"]) == ("Chair 4", "49.50", "Sitwell")


def test_learned_rules_give_only_their_own_fields_and_the_addresses():
    rules = learn([(page(i), {"price": f"{i}9.50"}) for i in range(1, 7)])
    assert set(extract(page(8), rules)) == {"price", "url", "canonical"}


def test_the_address_is_cleaned_and_the_pages_own_claim_is_kept_apart():
    offer = extract(page(4))
    assert (offer["url"], offer["canonical"]) == ("https://shop.example/p/4", "https://shop.example/p/4")
    assert offer.why("url").origin == "crawl"


def test_complete_adds_the_specification():
    assert "specs" not in extract(page(4))
    assert extract(page(4), complete=True)["specs"]["Width"] == "40 cm"


def test_a_specification_is_a_plain_mapping_in_feeds_and_keeps_every_pair_with_its_quantity():
    twice = Page("https://shop.example/p/4", page(4).html.replace("</dl>", "<dt>Width</dt><dd>7 cm</dd></dl>"))
    specs = extract(twice, complete=True)["specs"]
    assert json.loads(json.dumps(specs)) == {"Brand": "Sitwell", "Width": "40 cm", "Height": "90 cm"}
    assert [(*pair, pair.quantity, pair.unit) for pair in specs.pairs if pair.name != "Brand"] == [
        ("Width", "40 cm", "40", "cm"),
        ("Height", "90 cm", "90", "cm"),
        ("Width", "7 cm", "7", "cm"),
    ]


def test_a_complete_offer_fills_in_what_no_rule_reads_and_respects_abstentions() -> None:
    html = "<title>Lamp A - Shop</title><h1>Lamp A</h1><p class=price>12,99 €</p><p>SKU: L-77</p>"
    page = Page("http://shop.example/p/1", html)
    silent = FieldRules((Rule(TextSelector("div.nowhere")),))
    rules = ShopRules("shop", fields={"title": FieldRules((Rule(TextSelector("h1")),)), "price": silent})
    assert set(extract(page, rules)) == {"title", "url"}
    whole = extract(page, rules, complete=True)
    assert whole["title"] == "Lamp A" and "price" not in whole and whole["sku"] == "L-77"
    assert whole.why("sku") is not None
