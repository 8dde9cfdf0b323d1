"""Variants with a number or price of their own are offers of their own, after the offer of their product."""

from __future__ import annotations

from typing import Any

from scout.extraction.variant_offers import variant_offers
from scout.offer import Offer
from scout.store.identity import product_urls

PAGE = "http://s.example/products/shirt"


def shirt(*variants: dict[str, Any], **values: Any) -> Offer:
    """A product with these variants."""
    offer = {"url": PAGE, "urls": [PAGE], "shop": "s", "title": "Shirt", "price": "20.00", "currency": "EUR"}
    return Offer({**offer, "brand": "Loom", "variants": list(variants), **values})


def test_a_variant_has_its_own_values_and_the_product_s_for_the_rest():
    red, blue = variant_offers(
        shirt(
            {"sku": "S-R", "price": "21.00", "url": f"{PAGE}?variant=1", "options": {"Colour": "Red"}},
            {"sku": "S-B", "price": "22.00", "title": "Shirt - Blue", "availability": "OutOfStock"},
        )
    )
    assert red["title"] == "Shirt - Red" and red["price"] == "21.00" and red["brand"] == "Loom"
    assert red["parent"] == PAGE and red["url"] == f"{PAGE}?variant=1"
    assert blue["title"] == "Shirt - Blue" and blue["availability"] == "OutOfStock" and blue["url"] == PAGE
    assert red.why("price").selector and "variants" not in red


def test_each_variant_has_an_address_that_is_no_other_s():
    product = shirt({"sku": "S-R", "url": f"{PAGE}?variant=1"}, {"sku": "S-B"}, {"sku": "S-G"})
    told = [address for offer in (product, *variant_offers(product)) for address in product_urls(offer)]
    assert len(told) == len(set(told)) == 4


def test_variants_of_one_name_are_told_apart_by_what_is_chosen():
    """Also where some share the maker's number, or the shop's."""
    product = shirt(
        {"title": "Red Shirt", "han": "M1", "price": "21", "options": {"Size": "S"}},
        {"title": "Red Shirt", "han": "M1", "price": "22", "options": {"Size": "M"}},
        {"sku": "S-B", "ean": "4006381333931", "options": {"Size": "M"}},
        {"sku": "S-B", "ean": "4006381333948", "options": {"Size": "L"}},
    )
    told = [address for offer in (product, *variant_offers(product)) for address in product_urls(offer)]
    assert len(told) == len(set(told)) == 5


def test_a_price_that_is_only_written_otherwise_is_the_product_s_own():
    assert list(variant_offers(shirt({"options": {"Size": "S"}, "price": "20"}, {"options": {"Size": "M"}}))) == []


def test_what_differs_in_nothing_but_its_options_is_no_offer_of_its_own():
    assert list(variant_offers(shirt({"options": {"Size": "S"}}, {"options": {"Size": "M"}, "price": "20.00"}))) == []


def test_a_price_of_its_own_is_enough():
    (large,) = variant_offers(
        shirt({"options": {"Size": "S"}, "price": "20.00"}, {"options": {"Size": "L"}, "price": "25"})
    )
    assert (large["title"], large["price"]) == ("Shirt - L", "25")


def test_the_variant_that_the_page_shows_is_the_product_itself():
    assert [o["sku"] for o in variant_offers(shirt({"sku": "S-R"}, {"sku": "S-B"}, sku="S-R"))] == ["S-B"]


def test_a_variant_with_a_page_of_its_own_is_left_to_that_page():
    elsewhere = {"sku": "S-B", "url": "http://s.example/products/shirt-blue"}
    assert list(variant_offers(shirt({"sku": "S-R", "url": elsewhere["url"] + "-2"}, elsewhere))) == []


def test_a_variant_whose_price_is_not_said_has_the_product_s_only_where_all_have():
    assert [o.get("price") for o in variant_offers(shirt({"sku": "1"}, {"sku": "2"}))] == ["20.00", "20.00"]
    assert [o.get("price") for o in variant_offers(shirt({"sku": "1"}, {"sku": "2", "price": "9"}))] == [None, "9"]


def test_a_variant_s_own_offer_has_no_variants():
    assert list(variant_offers(shirt({"sku": "1"}, {"sku": "2"}, parent=PAGE))) == []
