"""Addresses that scripts keep in the fragment are addresses of pages."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from scout.extraction.product_page import is_home_address
from scout.fetch import RouteFingerprinter
from scout.page import Page
from scout.url_rules import is_forbidden, is_same_page, page_key, url_pattern
from scout.walking.links import links

PAGE = Page(
    "http://shop.example/#/c/lamps",
    "<a href='#/item/7'>Seven</a><a href='#!item/8'>Eight</a><a href='#top'>Top</a><a href='/a#b'>A</a><a href='#/'>Home</a>",
)


def test_routes_are_followed_and_places_on_a_page_are_not() -> None:
    found = [link.url for link in links(PAGE)]
    assert found == [f"http://shop.example/{end}" for end in ("#/item/7", "#!item/8", "a", "#/")]


def test_routes_are_told_apart_and_an_empty_one_is_the_page_itself() -> None:
    item = "http://shop.example/#/item/7"
    assert page_key("http://shop.example/#/") == page_key("http://shop.example/#!") == "http://shop.example/"
    assert page_key(item) == item and not is_same_page(item, "http://shop.example/#/item/8")
    assert url_pattern(item) == url_pattern("http://shop.example/#/item/8") == "/item/*"
    assert is_home_address("http://shop.example/#/") and not is_home_address(item)
    assert is_forbidden("http://shop.example/#/cart")


@pytest.mark.parametrize(("other", "is_same"), [("#/item/8", False), ("#/item/7", True)])
def test_requests_for_two_routes_are_two_requests(other: str, is_same: bool) -> None:
    fingerprinter = RouteFingerprinter.from_crawler(get_crawler())
    one, two = (fingerprinter.fingerprint(Request(f"http://shop.example/{end}")) for end in ("#/item/7", other))
    assert (one == two) is is_same
    plain = (fingerprinter.fingerprint(Request(f"http://shop.example/p{end}")) for end in ("", "#reviews"))
    assert len({*plain}) == 1
