"""A product page becomes its offers: what the page says, what only the walk knows, and its variants."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scout.extraction.process_page import PageOffers, ProductKnowledge, process_offer, process_page
from scout.offer import Offer
from scout.page import Page

HTML = """<html><head><title>Lamp</title><script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product",
"name": "Lamp", "sku": "L-1", "offers": {"@type": "Offer", "price": "12.90", "priceCurrency": "EUR"}}</script></head>
<body><h1>Lamp</h1></body></html>"""
URL = "https://shop.example/p/1"


def processed(html: str = HTML, *, may_name_reviewers: bool = True, **known: Any) -> PageOffers:
    product = ProductKnowledge("lamps", **known)
    return process_page(Page(URL, html), None, product, may_name_reviewers=may_name_reviewers)


def test_the_offer_has_the_pages_values_and_the_shop() -> None:
    found = processed().offer
    assert (found["title"], found["price"], found["currency"], found["shop"]) == ("Lamp", "12.90", "EUR", "lamps")
    assert (found["url"], found["urls"]) == (URL, [URL])


def test_further_addresses_of_the_product_are_kept() -> None:
    assert processed(urls=("https://shop.example/sale/1", URL)).offer["urls"] == [URL, "https://shop.example/sale/1"]


def test_the_walked_category_fills_in_where_the_page_names_none() -> None:
    found = processed(category=("Home", "Lamps")).offer
    assert found["category"] == "Home > Lamps"
    why = found.why("category")
    assert why is not None and why.origin == "crawl"


@pytest.mark.parametrize(
    ("shown", "category"),
    [
        (["Home", "Lamps", "L-1"], "Lamps"),
        (["Home", "Acme", "L-1"], "Rooms > Hall"),
        (["Home", "Makers", "Acme"], "Rooms > Hall"),
        (["Home", "Acme", "Desk lamps"], "Acme > Desk lamps"),
    ],
)
def test_a_category_ends_above_the_product_and_is_more_than_its_brand(shown: list[str], category: str) -> None:
    crumbs = "".join(f"<li><a href='/{number}'>{name}</a></li>" for number, name in enumerate(shown))
    page = HTML.replace("<body>", f"<body><ol class='breadcrumb'>{crumbs}</ol>").replace(
        '"sku"', '"brand": "Acme", "sku"'
    )
    assert processed(page, category=("Rooms", "Hall")).offer["category"] == category


def test_what_the_spider_knows_wins_in_normal_form_and_says_so() -> None:
    found = processed(values={"title": "Lamp, blue", "price": "1.299,00 €"}).offer
    assert (found["title"], found["price"]) == ("Lamp, blue", "1299.00")
    why = found.why("title")
    assert why is not None and (why.selector, why.raw) == ("the spider", "Lamp, blue")


def test_a_page_without_an_offer_has_a_reason_and_no_offers() -> None:
    found = processed("<html><body><p>Nothing here.</p></body></html>")
    assert (found.reason, found.offers) == ("NoTitle", ())


def test_the_fields_whose_values_had_to_go_are_named() -> None:
    found = processed(values={"price": "on request", "ean": "4006381333932", "availability": "maybe"})
    assert "price" in found.unreadable and not {"price", "ean", "availability"} & set(found.offer)


def test_variants_follow_their_product_in_normal_form() -> None:
    variants = [
        {"sku": sku, "price": price, "name": f"Lamp {sku}", "@type": "Product"}
        | {"offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR"}}
        for sku, price in (("S", "12.00"), ("L", "15.00"))
    ]
    group = {"@context": "https://schema.org", "@type": "ProductGroup", "name": "Lamp", "hasVariant": variants}
    page = f'<h1>Lamp</h1><p>from €12.00</p><script type="application/ld+json">{json.dumps(group)}</script>'
    product, *others = processed(page).offers
    assert others and {other["parent"] for other in others} == {product["url"]}


def test_an_impossible_variant_is_left_out() -> None:
    listed = [{"sku": "1", "url": "javascript:void(0)//p"}, {"sku": "2", "price": "-3"}]
    product = Offer(url=URL, title="Lamp", price="12.90", variants=listed)
    (variant,) = process_offer(product).variants
    assert variant["sku"] == "2" and "price" not in variant


def test_no_reviewer_is_named_where_none_may_be() -> None:
    reviews = [{"author": "Ann", "text": "Bright."}]
    assert processed(values={"reviews": reviews}).offer["reviews"] == reviews
    assert processed(values={"reviews": reviews}, may_name_reviewers=False).offer["reviews"] == [{"text": "Bright."}]
