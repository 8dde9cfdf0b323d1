"""What a sample of pages says of a catalogue."""

from __future__ import annotations

from typing import Any

from scout.shop_catalogues.comparison import CatalogueComparison, compare
from scout.shop_catalogues.model import CatalogueProduct

SAID = {"title": "Lamp", "price": "10.00", "currency": "EUR"}


def compared(**shown: Any) -> CatalogueComparison:
    products = [CatalogueProduct(str(number), f"http://shop.example/{number}", dict(SAID)) for number in range(20)]
    return compare(products, {product.key: {**SAID, **shown} for product in products})


def test_values_that_only_pages_have_are_told():
    made = compared(specs=[("Height", "20 cm")])
    assert (made.from_pages, str(made)) == ([], "20 of 20 products compared with their pages, specs lacking on 20")


def test_a_field_that_only_the_shops_own_rules_read_is_left_to_pages():
    assert compared(guarantee="2 years").from_pages == ["guarantee"]
    assert compared(brand="Holm").from_pages == ["brand"]
