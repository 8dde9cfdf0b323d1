"""Offers that share an address are one product, also when a third one is what connects them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scout.offer import Offer
from scout.store.identity import digest, group_by_product, product_fingerprint, product_urls


def batch(*groups: str) -> list[Offer]:
    return [Offer(url=group[0], urls=list(group), name=group) for group in groups]


def test_a_chain_of_addresses_is_one_product() -> None:
    found = group_by_product(batch("ab", "cd", "bc", "x"))
    assert [set(product.keys.values()) for product in found] == [set("abcd"), {"x"}]


def test_the_first_address_stays_and_later_values_win() -> None:
    (product,) = group_by_product(batch("ab", "ba"))
    assert (product.offer["url"], product.offer["name"]) == ("a", "ba")
    assert product.key == digest("a")


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=3), max_size=12))
def test_no_address_is_ever_in_two_products_and_none_is_lost(groups: list[str]) -> None:
    found = group_by_product(batch(*groups))
    everything = [url for product in found for url in product.keys.values()]
    assert sorted(everything) == sorted(set("".join(groups)))


@pytest.mark.parametrize(
    ("offer", "has_fingerprint"),
    [
        ({"title": "Lamp", "price": "1.00", "sku": "L1"}, True),
        ({"title": "Lamp", "price": "1.00", "canonical": "https://shop.example/p/1"}, True),
        ({"title": "Lamp", "price": "1.00"}, False),
        ({"title": "Lamp", "sku": "L1"}, False),
        ({"title": "Lamp", "price": "1.00", "sku": "L1", "parent": "https://shop.example/p/1"}, False),
    ],
)
def test_only_an_offer_with_enough_values_has_a_fingerprint(offer: dict[str, str], has_fingerprint: bool) -> None:
    assert (product_fingerprint(offer) is not None) == has_fingerprint


def test_a_picture_tells_apart_what_has_a_single_number_only() -> None:
    one, two = {"sku": "L1"}, {"sku": "L1", "ean": "4006381333931"}
    offer = {"title": "Lamp", "price": "1.00"}
    assert product_fingerprint({**offer, **one, "images": ["a.jpg"]}) != product_fingerprint(
        {**offer, **one, "images": ["b.jpg"]}
    )
    assert product_fingerprint({**offer, **two, "images": ["a.jpg"]}) == product_fingerprint(
        {**offer, **two, "images": ["b.jpg"]}
    )


def test_a_price_written_differently_has_the_same_fingerprint() -> None:
    one, other = ({"title": "Lamp", "sku": "L1", "price": price} for price in ("12", "12.00"))
    assert product_fingerprint(one) == product_fingerprint(other)


def test_variants_that_nothing_tells_apart_are_told_by_their_values() -> None:
    one, other = ({"url": "u", "parent": "u", "size": size} for size in ("S", "M"))
    assert product_urls(one) != product_urls(other)
