"""The facts that a page holds for a crawl: a product's fields, or the pages that a list leads to. What rendering must not add to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from scout.extraction.link_targets import address
from scout.extraction.zero_shot import zero_shot
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rendering.addresses import Exchange, Facts, page_parts
from scout.rendering.content import content_elements, tab_panels
from scout.rendering.data_pages import with_listed_data
from scout.rendering.endpoints import Endpoint
from scout.rendering.record_values import comparable
from scout.rendering.samples import Sample
from scout.url_rules import is_forbidden, same_hosts
from scout.values.text import single_spaced, text_key
from scout.walking.cards import Card, cards
from scout.walking.page_types import shows_products
from scout.walking.pagination import next_url
from scout.walking.records import Record, records
from scout.walking.shown_titles import is_same_name

TABS = "tabs"  # the fact of what they show
FACT_FIELDS = tuple("title price list_price brand sku ean han availability".split())
BY_ADDRESS = "url "  # what the evidence of a value from the page's address begins with
NO_STOCK = "InStock"  # what Scout itself writes for a button; pages say it in other words, or in markup


def actual_level(page: Page, expected: str, *, is_product: bool) -> str:
    """The level that a page turns out to belong to. Whether it is a list or a category, what led to it tells better than its looks."""
    is_list = shows_products(records(page))
    if is_product and not (
        is_list and not _product_facts(page)
    ):  # a list is taken for a product where what led to it says so
        return "detail"
    return "list" if expected == "detail" and is_list else expected


def page_facts(page: Page, level: str) -> Facts:
    """Field values on a detail page; links of the content and the next page on any other. Only what is there."""
    if level == "detail":
        return _product_facts(page)
    following = next_url(page)
    return _held({"links": frozenset(_links(page)), "next": frozenset([following] if following else [])})


def _product_facts(page: Page) -> Facts:
    offer = zero_shot(page)
    shown = {name: str(offer[name]) for name in FACT_FIELDS if offer.get(name) and not _is_guessed(offer, name)}
    if _is_denied(offer):
        shown["availability"] = "OutOfStock"
    panels = (single_spaced(" ".join(panel.itertext())) for panel in tab_panels(page))
    return _held({**{name: frozenset({value}) for name, value in shown.items()}, TABS: frozenset(panels) - {""}})


def _held(facts: Facts) -> Facts:
    return {name: values for name, values in facts.items() if values}


def _is_guessed(offer: Offer, name: str) -> bool:
    """Whether a value is not shown: a number out of the address, or stock by a button, which many a sold-out page has as well."""
    why = offer.why(name)
    if why is None:
        return False
    is_by_button = name == "availability" and _has_button(why) and sum(v.startswith(NO_STOCK) for v in why.votes) < 2
    return is_by_button or (why.selector or "").startswith(BY_ADDRESS)


def _has_button(why: Evidence) -> bool:
    return why.origin == "induced" and why.raw == NO_STOCK


def _is_denied(offer: Offer) -> bool:
    """Whether a text says that the product is sold out, though there is a button."""
    why = offer.why("availability")
    return why is not None and _has_button(why) and (why.runner_up or "").startswith("OutOfStock")


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
    told = _without_tabs(facts, plain_facts) if level == "detail" else facts
    gained = [name for name in told if name not in plain_facts]
    if level == "detail":
        return Sample(plain.url, kept, told, data, gained)
    listed = {**told, "plain links": plain_facts.get("links", frozenset())}
    return Sample(plain.url, kept, listed, data, gained, _listed_products(shown))


def _without_tabs(facts: Facts, plain_facts: Facts) -> Facts:
    """The facts of a product, with the longest text that a tab loaded as its description."""
    loaded = facts.get(TABS, frozenset()) - plain_facts.get(TABS, frozenset())
    described = {"description": frozenset({max(loaded, key=len)})} if loaded else {}
    return {name: values for name, values in facts.items() if name != TABS} | described


def _listed_products(page: Page) -> Mapping[str, Facts]:
    """What a list shows of its products, by their addresses."""
    listed = records(page)
    products = listed if listed is not None and shows_products(listed) else ()
    return {record.href: dict(_record_facts(record)) for record in products if record.href}


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
        return _proves_list(endpoint, found, sample)
    named = {name for source in endpoint.sources for name in source.values} & sample.facts.keys()
    found = {**found, "description": frozenset({str(zero_shot(told).get("description"))})}
    return bool(named) and all(_comparable(found.get(name, ())) == _comparable(sample.facts[name]) for name in named)


def _comparable(values: Iterable[str]) -> set[str]:
    return set(map(comparable, values))


def _proves_list(endpoint: Endpoint, found: Facts, sample: Sample) -> bool:
    wanted = frozenset(sample.records) or sample.facts.get("links", frozenset())
    is_paged = endpoint.items is not None and endpoint.items.pager is not None
    leads_on = is_paged or "next" in found or "next" not in sample.facts
    return leads_on and bool(wanted) and wanted <= found.get("links", frozenset())


def _links(page: Page) -> Iterator[str]:
    """Where the content leads a crawl to; advertising and recommendations change with every visit and are none of it.

    Nor are other sites, carts and logins, which scripts add to many a page that is complete without them.
    """
    hosts = same_hosts(page.url)
    for element in content_elements(page):
        url = address(element, page) if element.tag == "a" else None
        if url and urlsplit(url).netloc.lower() in hosts and not is_forbidden(url):
            yield url
