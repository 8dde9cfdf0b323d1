"""The variants that a page lists, wherever it does: markup, scripts, attributes, choices, tables."""

from __future__ import annotations

import html
import json
from typing import Any

from scout.extraction.zero_shot import zero_shot
from scout.page import Page

EAN, OTHER_EAN = "4006381333931", "0036000291452"
URL = "https://shop.example/products/red-chair"


def variants(body: str, head: str = "", url: str = URL) -> list[dict[str, Any]]:
    page = Page(url, f"<title>Red chair</title>{head}<body><h1>Red chair</h1>{body}</body>")
    found: list[dict[str, Any]] = zero_shot(page).get("variants", [])
    return found


def ld(**product: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Product", "name": "Red chair", **product})}</script>'


def test_the_variants_of_a_group_are_listed_with_what_is_their_own():
    group = ld(
        hasVariant=[
            {
                "@type": "Product", "name": "Red chair, oak", "sku": "A", "gtin13": EAN, "color": "oak",
                "offers": {"price": "9.50", "availability": "https://schema.org/OutOfStock", "url": "/products/red-chair?v=1"},
            },
            {"@type": "Product", "sku": "B", "offers": {"price": "10"}},
        ]
    )  # fmt: skip
    assert variants("", group) == [
        {
            "title": "Red chair, oak", "sku": "A", "ean": EAN, "price": "9.50", "availability": "OutOfStock",
            "options": {"color": "oak"}, "url": "https://shop.example/products/red-chair?v=1",
        },
        {"sku": "B", "price": "10.00"},
    ]  # fmt: skip


def test_offers_with_numbers_of_their_own_are_variants():
    offers = [{"@type": "Offer", "sku": code, "price": price} for code, price in (("A", "9"), ("B", "10"))]
    assert variants("", ld(offers=offers)) == [{"sku": "A", "price": "9.00"}, {"sku": "B", "price": "10.00"}]


def test_a_maker_s_number_that_all_share_is_no_number_of_theirs():
    offers = [
        {"@type": "Offer", "mpn": "M1", "price": price, "itemOffered": {"@type": "Product", "color": colour}}
        for colour, price in (("red", "9"), ("blue", "10"))
    ]
    assert variants("", ld(offers=offers)) == [
        {"price": "9.00", "options": {"color": "red"}},
        {"price": "10.00", "options": {"color": "blue"}},
    ]


def test_one_offer_is_no_variant():
    assert variants("", ld(offers={"sku": "A", "price": 1})) == []


def test_several_sellers_of_one_product_are_no_variants():
    offers = [{"@type": "Offer", "price": price, "seller": {"name": name}} for name, price in (("X", "9"), ("Y", "10"))]
    assert variants("", ld(sku="A", offers=offers)) == []


def test_the_variants_of_a_product_in_a_script_have_options_addresses_and_prices_out_of_cents():
    product = {
        "id": 6, "title": "Red chair", "vendor": "Sitwell", "options": ["Colour"],
        "variants": [
            {
                "id": 401, "title": "Oak", "option1": "Oak", "sku": "A", "available": True, "price": 8900, "compare_at_price": 10900,
                "barcode": EAN,
            },
            {"id": 402, "title": "Ash", "option1": "Ash", "sku": "B", "available": False, "price": 9900, "barcode": OTHER_EAN},
        ],
    }  # fmt: skip
    assert variants(f"<p>$89.00</p><script type='application/json'>{json.dumps(product)}</script>") == [
        {
            "title": "Red chair - Oak", "sku": "A", "ean": EAN, "availability": "InStock", "options": {"Colour": "Oak"},
            "price": "89.00", "list_price": "109.00", "url": f"{URL}?variant=401",
        },
        {
            "title": "Red chair - Ash", "sku": "B", "ean": OTHER_EAN, "availability": "OutOfStock", "options": {"Colour": "Ash"},
            "price": "99.00", "url": f"{URL}?variant=402",
        },
    ]  # fmt: skip


def test_what_several_lists_say_of_the_same_numbers_is_put_together():
    offers = [{"@type": "Offer", "sku": code, "availability": "InStock", "price": "9"} for code in ("A", "B")]
    state = {
        "name": "Red chair",
        "id": 1,
        "price": 9,
        "skus": [{"sku": "A", "ean": EAN}, {"sku": "B", "ean": OTHER_EAN}],
    }
    found = variants(f"<script>var product = {json.dumps(state)};</script>", ld(offers=offers))
    assert [(v["sku"], v["ean"], v["availability"]) for v in found] == [
        ("A", EAN, "InStock"),
        ("B", OTHER_EAN, "InStock"),
    ]


def test_variations_in_an_attribute_are_read_also_where_only_price_and_stock_are_their_own():
    listed = [
        {"attributes": {"attribute_pa_colour": "oak"}, "display_price": 19.9, "is_in_stock": True, "sku": "RC"},
        {
            "attributes": {"attribute_pa_colour": "ash"},
            "display_price": 21.9,
            "availability_html": "<p>Out of stock</p>",
            "sku": "RC",
        },
    ]
    form = f'<form data-product_variations="{html.escape(json.dumps(listed))}"></form>'
    assert variants(form) == [
        {"availability": "InStock", "options": {"colour": "oak"}, "price": "19.90"},
        {"availability": "OutOfStock", "options": {"colour": "ash"}, "price": "21.90"},
    ]


def test_a_matrix_of_options_is_unfolded():
    matrix = {
        "attributes": {
            "93": {"label": "Colour", "options": [{"id": "1", "label": "Oak"}, {"id": "2", "label": "Ash"}]}
        },
        "optionPrices": {
            "52": {"finalPrice": {"amount": 52}},
            "53": {"finalPrice": {"amount": 54}, "oldPrice": {"amount": 60}},
        },
        "index": {"52": {"93": "1"}, "53": {"93": "2"}},
        "sku": {"52": "RC-1", "53": "RC-2"},
    }
    script = json.dumps({"#form": {"configurable": {"spConfig": matrix}}})
    assert variants(f'<script type="text/x-magento-init">{script}</script>') == [
        {"sku": "RC-1", "options": {"Colour": "Oak"}, "price": "52.00"},
        {"sku": "RC-2", "options": {"Colour": "Ash"}, "price": "54.00", "list_price": "60.00"},
    ]


def test_choices_with_numbers_in_their_attributes_are_variants():
    choices = "<select><option data-sku='A' data-price='9.90'>Oak</option><option data-sku='B' data-price='10.90'>Ash</option></select>"
    assert variants(choices) == [
        {"title": "Red chair - Oak", "sku": "A", "price": "9.90"},
        {"title": "Red chair - Ash", "sku": "B", "price": "10.90"},
    ]


TABLE = (
    "<table><tr><th>Article number</th><th>Width</th><th>Price</th><th>Availability</th></tr>"
    "<tr><td>{0}RC-40{1}</td><td>40 cm</td><td>$89.00</td><td>In stock</td></tr>"
    "<tr><td>{0}RC-60{1}</td><td>60 cm</td><td>$99.00</td><td>Sold out</td></tr></table>"
)


def test_the_rows_of_a_table_with_numbers_and_prices_are_variants():
    assert variants(TABLE.format("", "")) == [
        {"sku": "RC-40", "availability": "InStock", "options": {"Width": "40 cm"}, "price": "89.00"},
        {"sku": "RC-60", "availability": "OutOfStock", "options": {"Width": "60 cm"}, "price": "99.00"},
    ]


def test_rows_that_lead_to_other_pages_are_other_products():
    assert variants(TABLE.format("<a href='/products/stool'>", "</a>")) == []
