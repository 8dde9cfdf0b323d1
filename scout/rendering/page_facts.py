"""The facts that a page holds for a crawl: a product's fields, or the pages that a list leads to. What rendering must not add to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from scout.extraction.link_targets import address
from scout.extraction.product_page import is_detail
from scout.extraction.zero_shot import zero_shot
from scout.page import Page
from scout.rendering.content import content_elements
from scout.url_rules import is_forbidden
from scout.walking.pagination import next_url
from scout.walking.walk import same_hosts

# not availability or stock: they tick while the page is open
FACT_FIELDS = tuple("title price brand sku ean han".split())


def actual_level(page: Page, expected: str) -> str:
    """The level that a page turns out to belong to. Only products are told from the rest; whether a page is a list or a category,
    what led to it tells better than its looks."""
    if is_detail(page):
        return "detail"
    return expected if expected != "detail" else "list"


def page_facts(page: Page, level: str) -> Mapping[str, frozenset[str]]:
    """Field values on a detail page; links of the content and the next page on any other. Only what is there."""
    if level == "detail":
        offer = zero_shot(page)
        return {name: frozenset({str(offer[name])}) for name in FACT_FIELDS if offer.get(name)}
    following = next_url(page)
    listed = {"links": frozenset(_links(page)), "next": frozenset([following] if following else [])}
    return {name: values for name, values in listed.items() if values}


def shown_currency(page: Page) -> str | None:
    """The currency of a product's price, where the page says it."""
    found = zero_shot(page).get("currency")
    return str(found) if found else None


def shown_fields(page: Page) -> frozenset[str]:
    """The names of all fields that a product's page gives; not its currency, which may be told from elsewhere."""
    return frozenset(zero_shot(page)) - {"currency"}


def _links(page: Page) -> Iterator[str]:
    """Where the content leads a crawl to; advertising and recommendations change with every visit and are none of it.

    Nor are other sites, carts and logins, which scripts add to many a page that is complete without them.
    """
    hosts = same_hosts(page.url)
    for element in content_elements(page):
        url = address(element, page) if element.tag == "a" else None
        if url and urlsplit(url).netloc.lower() in hosts and not is_forbidden(url):
            yield url
