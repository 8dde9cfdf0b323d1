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
from scout.walking.pagination import next_url

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


def test_a_pager_of_routes_leads_to_the_next_route() -> None:
    links_ = (
        "<a href='#/c/lamps?page=1'>1</a> <b>2</b> <a href='#/c/lamps?page=3'>3</a> <a href='#/c/lamps?page=3'>Next</a>"
    )
    page = Page("http://shop.example/#/c/lamps?page=2", f"<div class=pager>{links_}</div>")
    assert next_url(page) == "http://shop.example/#/c/lamps?page=3"
