"""The facts that a page holds for a crawl: a product's fields, or the pages that a list leads to. What rendering must not add to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from scout.extraction.link_targets import address
from scout.extraction.zero_shot import zero_shot
from scout.offer import Offer
from scout.page import Page
from scout.rendering.addresses import Exchange, page_parts
from scout.rendering.content import content_elements, tab_panels
from scout.rendering.data_pages import with_listed_data
from scout.rendering.endpoints import Endpoint
from scout.rendering.levels import Facts
from scout.rendering.record_values import comparable
from scout.rendering.samples import Sample
from scout.url_rules import is_forbidden
from scout.values.text import single_spaced, text_key
from scout.walking.cards import Card, cards
from scout.walking.pagination import next_url
from scout.walking.records import Record, records
from scout.walking.walk import is_same_name, same_hosts, shows_products

TABS = "tabs"  # the fact of what they show
FACT_FIELDS = tuple("title price brand sku ean han availability".split())
BY_ADDRESS = "url "  # what the evidence of a value from the page's address begins with
NO_STOCK = "InStock"  # what Scout itself writes for a button; pages say it in other words, or in markup


def actual_level(page: Page, expected: str, *, is_product: bool) -> str:
    """The level that a page turns out to belong to. Whether it is a list or a category, what led to it tells better than its looks."""
    if is_product:
        return "detail"
    is_list = expected == "detail" and shows_products(records(page))
    return "list" if is_list else expected


def page_facts(page: Page, level: str) -> Mapping[str, frozenset[str]]:
    """Field values on a detail page; links of the content and the next page on any other. Only what is there."""
    if level == "detail":
        offer = zero_shot(page)
        shown = {name: str(offer[name]) for name in FACT_FIELDS if offer.get(name) and not _is_guessed(offer, name)}
        panels = frozenset(text for panel in tab_panels(page) if (text := single_spaced(" ".join(panel.itertext()))))
        return {name: frozenset({value}) for name, value in shown.items()} | ({TABS: panels} if panels else {})
    following = next_url(page)
    listed = {"links": frozenset(_links(page)), "next": frozenset([following] if following else [])}
    return {name: values for name, values in listed.items() if values}


def _is_guessed(offer: Offer, name: str) -> bool:
    """Whether a value is not shown: a number out of the address, or stock by a button, which many a sold-out page has as well."""
    why = offer.why(name)
    if why is None:
        return False
    is_by_button = name == "availability" and why.origin == "induced" and why.raw == NO_STOCK
    return is_by_button or (why.selector or "").startswith(BY_ADDRESS)


def shows_product(page: Page, name: str) -> bool:
    """Whether a page has the name and a price of the product that a list promised."""
    offer = zero_shot(page)
    is_named = bool(offer.get("title")) and is_same_name(text_key(name), text_key(str(offer.get("title"))))
    return is_named and bool(offer.get("price"))


def shown_currency(page: Page) -> str | None:
    """The currency of a product's price, where the page says it."""
    found = zero_shot(page).get("currency")
    return str(found) if found else None


def sample_of(
    plain: Page, shown: Page, level: str, facts: Facts, plain_facts: Facts, data: Sequence[Exchange]
) -> Sample:
    """What a rendered page teaches about the data behind it."""
    asked = " ".join(exchange.address for exchange in data)
    parts = page_parts(plain.url, plain.html)
    kept = {name: value for name, value in parts.items() if not name.startswith("d:") or value in asked}
    if level == "detail":
        loaded = facts.get(TABS, frozenset()) - plain_facts.get(TABS, frozenset())
        told = {name: values for name, values in facts.items() if name != TABS}
        told |= {"description": frozenset({max(loaded, key=len)})} if loaded else {}
        return Sample(plain.url, kept, told, data, [name for name in told if name not in plain_facts])
    gained = [name for name in facts if name not in plain_facts]
    listed = records(shown)
    products = listed if listed is not None and shows_products(listed) else ()
    named = {record.href: dict(_record_facts(record)) for record in products if record.href}
    listed_facts = {**facts, "plain links": plain_facts.get("links", frozenset())}
    return Sample(plain.url, kept, listed_facts, data, gained, named)


def _record_facts(record: Record) -> Iterator[tuple[str, frozenset[str]]]:
    for name, value in (("title", record.title), ("price", record.price)):
        if value:
            yield name, frozenset({value})


def with_card_data(page: Page, data: Sequence[Exchange]) -> Page:
    """A page of products that have no pages of their own, with what the data behind it says of them; any other as it is."""
    found = {card.name: dict(_card_facts(card)) for card in cards(page)}
    return with_listed_data(page, found, data) if found else page


def _card_facts(card: Card) -> Iterator[tuple[str, frozenset[str]]]:
    yield "title", frozenset({card.name})
    if price := Record((card.element,), card.page).price:
        yield "price", frozenset({price})


def proves(endpoint: Endpoint, told: Page, sample: Sample, level: str) -> bool:
    """Whether the endpoint's page has what the rendered one shows; it may say more, and it may not say otherwise."""
    found = page_facts(told, level)
    if level != "detail":
        wanted = frozenset(sample.records) or sample.facts.get("links", frozenset())
        leads_on = (
            "next" not in sample.facts or "next" in found or (endpoint.items is not None and endpoint.items.pager)
        )
        return bool(wanted) and bool(leads_on) and wanted <= found.get("links", frozenset())
    named = {name for source in endpoint.sources for name in source.values} & sample.facts.keys()
    if "description" in named:
        found = {**found, "description": frozenset({str(zero_shot(told).get("description"))})}
    return bool(named) and all(
        set(map(comparable, found.get(name, ()))) == set(map(comparable, sample.facts[name])) for name in named
    )


def _links(page: Page) -> Iterator[str]:
    """Where the content leads a crawl to; advertising and recommendations change with every visit and are none of it.

    Nor are other sites, carts and logins, which scripts add to many a page that is complete without them.
    """
    hosts = same_hosts(page.url)
    for element in content_elements(page):
        url = address(element, page) if element.tag == "a" else None
        if url and urlsplit(url).netloc.lower() in hosts and not is_forbidden(url):
            yield url
