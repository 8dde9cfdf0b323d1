"""What marked-up items say about the product: schema.org's names for an offer's fields, and which item the page is about."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from lxml.html import HtmlElement
from rapidfuzz import fuzz

from scout.extraction.ballot import Claim
from scout.extraction.structured_data import MarkupItem, Node, as_list, prop
from scout.values import parse_availability
from scout.values.numbers import program_number
from scout.values.tables import table
from scout.values.text import clean_text, text_key

MAX_OFFERS = 200  # offers of one product that are looked at
MAX_IMAGES = 50
MAX_NESTED = 20  # items inside each other that a value is looked for in
MAX_PRODUCTS = 500  # marked-up products of one page that are compared with its headings
LIKE_HEADING = 0.5  # a product that is named less like the page's headings is another one: its own are at least 0.79, others at most 0.43
SAME_NAME = 88  # token_set_ratio from which two names mean one product

_NAMES = table("page_data")["markup"]
_PRODUCT_TYPES, _STRONG_TYPES = (frozenset(_NAMES[kind]) for kind in ("product_types", "strong_product_types"))
_GTIN_NAMES, _OWN_NUMBERS = (frozenset(_NAMES[kind]) for kind in ("gtin_names", "own_numbers"))
MIN_GTIN = 12
CUT_UPC = 11  # digits that are left of a UPC where a program took it for a number and lost its zero
IDENTIFIED = 5.0
SYNTAX_WEIGHT = {"json-ld": 1.0, "microdata": 0.95, "rdfa": 0.8}
_LIST_PRICE_TYPES = re.compile(r"list|strikethrough|msrp|srp|regular|invoice", re.IGNORECASE)
_VAGUE = re.compile(r"limited_?availability$", re.IGNORECASE)  # some shops' word for what has run out
VAGUE_STATUS = 2.2  # enough where nothing else is said
_IDENTIFIER_PREFIX = re.compile(r"^(?:sku|mpn|isbn|ean|upc|gtin\d*|asin|id|productid)\s*[:#]\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Markup:
    """The items about the page's product, and everything that is marked up."""

    subjects: tuple[MarkupItem, ...] = ()
    everything: tuple[MarkupItem, ...] = field(default=(), repr=False)


def scalar(value: Any, depth: int = 0) -> str | None:
    """A property's value as text: of several the first, of an item its name or value; None where items hold items without end."""
    for one in as_list(value):
        if isinstance(one, dict):
            inner = prop(one, "name", "@value", "value", "@id", "url", "contenturl")
            text = scalar(inner, depth + 1) if depth < MAX_NESTED else None
        else:
            is_text = not isinstance(one, bool) and one is not None
            text = clean_text(_written(one).encode("utf-8", "replace").decode()) if is_text else None
        if text:
            return text
    return None


def _written(value: Any) -> str:
    return program_number(value) if isinstance(value, float) else str(value)


def subjects(found: Sequence[MarkupItem], headings: Sequence[str]) -> Markup:
    """Which marked-up products the page is about: those that are named as its headings are, and stand by themselves."""
    products = [t for t in found if t.types & _PRODUCT_TYPES or _is_bare_offer(t)][:MAX_PRODUCTS]
    best = max(products, key=lambda t: _aboutness(t, headings), default=None)
    if best is None or name_similarity(best, headings) < LIKE_HEADING or _aboutness(best, headings) <= 0:
        return Markup(everything=tuple(found))
    about = (t for t in products if t is best or (not t.inner and _same_subject(t, best)))
    return Markup(tuple(about), tuple(found))


def _is_bare_offer(thing: MarkupItem) -> bool:
    has_both = prop(thing.data, "price") is not None and prop(thing.data, "name") is not None
    return "offer" in thing.types and not thing.inner and has_both


def _aboutness(thing: MarkupItem, headings: Sequence[str]) -> float:
    named = name_similarity(thing, headings)
    strong = 2.0 if thing.types & _STRONG_TYPES else 0.0
    offers = 1.0 if prop(thing.data, "offers", "hasvariant", "price") is not None else 0.0
    top = -3.0 if thing.inner else 1.5
    unnamed = -1.0 if prop(thing.data, "name") is None else 0.0
    return strong + offers + top + unnamed + 6 * (named - 0.5)


def name_similarity(thing: MarkupItem, headings: Sequence[str]) -> float:
    """How much the item's name resembles the best of the headings: 0 to 1; 0.5 where it cannot be told."""
    name = scalar(prop(thing.data, "name"))
    if not name or not headings:
        return 0.5
    return max(fuzz.token_set_ratio(text_key(name), text_key(heading)) for heading in headings) / 100


def _same_subject(thing: MarkupItem, best: MarkupItem) -> bool:
    name, other = scalar(prop(thing.data, "name")), scalar(prop(best.data, "name"))
    if name is None or other is None:
        return thing.syntax != best.syntax or "offer" not in best.types
    return fuzz.token_set_ratio(text_key(name), text_key(other)) >= SAME_NAME


# --- the fields of one item ---


def claims(thing: MarkupItem) -> Iterator[Claim]:
    """What an item about the product says of each field, its offers included."""
    weight = SYNTAX_WEIGHT[thing.syntax]
    yield from _property_claims(thing.data, _NAMES["product"], thing.syntax, thing.path, weight)
    yield from _identified(thing.data, thing.syntax, thing.path, weight)
    for text in _texts(prop(thing.data, "category")):
        yield Claim("category", text, thing.syntax, f"{thing.path}.category", 2 * weight)
    for image in images(prop(thing.data, "image", "images", "photo")):
        yield Claim("images", image, thing.syntax, f"{thing.path}.image", 4 * weight)
    offers = all_offers(thing.data)
    yield from _offer_claims(offers, thing, weight)


def _property_claims(
    node: Node, names: Mapping[str, Mapping[str, float]], source: str, path: str, weight: float
) -> Iterator[Claim]:
    worths = ((name, key, worth) for name, properties in names.items() for key, worth in properties.items())
    for name, key, worth in worths:
        text = scalar(node.get(key))
        if text and not (name == "ean" and key in _OWN_NUMBERS and len(text) < MIN_GTIN):
            raw = _number_said(name, key, text)
            yield Claim(name, raw, source, f"{path}.{key}", worth * weight, _element_of(node, key))


def _number_said(name: str, key: str, text: str) -> str:
    """A code without what says its kind, and a UPC with the zero that programs lose."""
    number = _IDENTIFIER_PREFIX.sub("", text)
    is_cut = name == "ean" and key in _GTIN_NAMES and len(number) == CUT_UPC and number.isdigit()
    return f"0{number}" if is_cut else number


def _element_of(node: Node, key: str) -> HtmlElement | None:
    """The element that a property of a microdata or RDFa item stands in."""
    marked = node.get("@elements")
    elements = marked.get(key) if isinstance(marked, dict) else None
    return elements[0] if elements and isinstance(elements[0], HtmlElement) else None


def _identified(node: Node, source: str, path: str, weight: float) -> Iterator[Claim]:
    """GTINs among an item's identifiers: {"propertyID": "gtin13", "value": ...}."""
    for one in as_list(prop(node, "identifier")):
        kind = scalar(prop(one, "propertyid", "name")) if isinstance(one, dict) else None
        value = scalar(prop(one, "value")) if kind and kind.lower().replace("-", "") in _GTIN_NAMES else None
        if value:
            element = _element_of(node, "identifier")
            yield Claim("ean", value, source, f"{path}.identifier", IDENTIFIED * weight, element)


def _texts(value: Any) -> Iterator[str]:
    for one in as_list(value):
        text = scalar(one)
        if text and not text.startswith(("http://", "https://")):
            yield text


def images(value: Any) -> Iterator[str]:
    """The addresses of images, written as text or as ImageObject."""
    for one in as_list(value)[:MAX_IMAGES]:
        inner = prop(one, "contenturl", "url", "@id", "thumbnailurl", "image") if isinstance(one, dict) else one
        for address in as_list(inner)[:MAX_IMAGES]:
            if isinstance(address, str) and address.strip():
                yield address.strip()


def all_offers(node: Node) -> list[Node]:
    """The offers of a product, also those inside an AggregateOffer, outermost first; the product itself where it has a price."""
    return list(islice(each_offer(node), MAX_OFFERS))


def each_offer(node: Node) -> Iterator[Node]:
    """The same one by one, without an end to them."""
    if prop(node, "price", "lowprice") is not None:
        yield node
    waiting = deque(o for o in as_list(prop(node, "offers", "offer", "offerdetails")) if isinstance(o, dict))
    while waiting:
        offer = waiting.popleft()
        yield offer
        waiting.extend(o for o in as_list(offer.get("offers")) if isinstance(o, dict))


def _offer_claims(offers: Sequence[Node], thing: MarkupItem, weight: float) -> Iterator[Claim]:
    status = _status(offers)
    if status:
        worth = VAGUE_STATUS if _VAGUE.search(status) else 6 * weight
        element = next(
            (_element_of(offer, "availability") for offer in offers if scalar(offer.get("availability")) == status),
            None,
        )
        yield Claim("availability", status, thing.syntax, f"{thing.path}.offers.availability", worth, element)
    for number, offer in enumerate(offers[:2]):  # the first variant's speaks for the product, the aggregate before it
        share = weight if number == 0 else weight * 0.5
        path = f"{thing.path}.offers"
        yield from _property_claims(offer, _NAMES["offer"], thing.syntax, path, share)
        for name, raw, key in prices(offer):
            yield Claim(name, raw, thing.syntax, f"{path}.{key}", 6 * share, _element_of(offer, key.partition(".")[0]))


def _status(offers: Sequence[Node]) -> str | None:
    """What the offers say about stock: a product can be had while one of its variants can."""
    said = [text for offer in offers if (text := scalar(offer.get("availability")))]
    return next((text for text in said if parse_availability(text) == "InStock"), said[0] if said else None)


def prices(offer: Node) -> Iterator[tuple[str, str, str]]:
    """(field, raw, property) of the amounts that an offer names: what is to be paid, and the list price."""
    for key in ("price", "lowprice", "minprice"):
        text = _amount(offer.get(key))
        if text:
            yield "price", text, key
            break
    for specification in as_list(offer.get("pricespecification")):
        if isinstance(specification, dict):
            yield from _specified(specification)


def _specified(specification: Node) -> Iterator[tuple[str, str, str]]:
    text = _amount(prop(specification, "price", "minprice"))
    if not text or prop(specification, "referencequantity") is not None:  # a price per kilogram is not the price
        return
    kind = scalar(prop(specification, "pricetype", "@type", "name")) or ""
    struck = bool(_LIST_PRICE_TYPES.search(kind))
    yield "list_price" if struck else "price", text, "pricespecification.price"
    currency = scalar(prop(specification, "pricecurrency"))
    if currency:
        yield "currency", currency, "pricespecification.pricecurrency"


def _amount(value: Any) -> str | None:
    text = scalar(value)
    return text if text and any(c.isdigit() for c in text) else None
