"""Availability: what markup, scripts, shown phrases and the button that sells say about a product's stock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from lxml.html import HtmlElement

from scout.extraction.ballot import Claim
from scout.extraction.lexicon import NAMED, data_key
from scout.extraction.view import BEHIND_TITLE, NEAR, NOT_SHOWN_HERE, Region, Text, View
from scout.values import parse_availability
from scout.values.regions import region_words
from scout.values.walk_words import name_words

MAX_STATUS = 80  # characters of a phrase about stock: "This product is currently out of stock and unavailable."
STATUS = 1.6  # what a shown phrase claims; its place says more
BUTTON = 2.0  # enough where nothing is said; a phrase beside it says more
_FLAGS = {"true": True, "false": False, "yes": True, "no": False, "y": True, "n": False}
_COUNT = re.compile(r"\d{1,6}(?:\.0+)?")  # longer numbers are codes
_DENYING = re.compile(r"outof|sold|^un|unavail|not")


def availability_claims(view: View, said: Iterable[Claim]) -> Iterator[Claim]:
    """What the page shows about stock: phrases near the title, and a button that sells. Flags in scripts are put into words."""
    for claim in said:
        state = stock_state(claim.where, claim.raw) if claim.source == "state" else None
        if state and state != parse_availability(claim.raw):
            yield replace(claim, raw=state)
    yield from _status_texts(view)
    if view.cart is not None and not view.region(view.cart) & Region.HIDDEN:
        yield from _button_claims(view, view.cart)


def stock_state(where: str, raw: str) -> str | None:
    """What a flag, a count or a word in data says of stock; `where` ends in its key.

    >>> stock_state("product.countInStock", "0"), stock_state("soldOut", "false"), stock_state("stockLevel", "LOW_STOCK")
    ('OutOfStock', 'InStock', 'InStock')
    """
    if raw.lower() not in _FLAGS and not _COUNT.fullmatch(raw):
        return parse_availability(raw.replace("_", " "))
    is_there = _FLAGS[raw.lower()] if raw.lower() in _FLAGS else float(raw) > 0
    return "InStock" if is_there != bool(_DENYING.search(data_key(where.rpartition(".")[2]))) else "OutOfStock"


def stock_features(view: View, claim: Claim) -> dict[str, float]:
    """What the place of a shown phrase says for its speaking of this product: its names, and how near it stands to title or button."""
    if claim.source != "text" or claim.element is None:
        return {}
    around = [claim.element, *islice(claim.element.iterancestors(), 1)]
    names = " ".join(e.get(a) or "" for e in around for a in ("class", "id"))
    is_named = view.template.word_score("availability", names) >= NAMED
    is_badge = not region_words("badge_words").isdisjoint(name_words(names))
    return {
        "named": float(is_named),
        "badge": float(is_badge),
        "beside": float(not is_named and _is_near(view, claim.element)),
    }


def is_sold(view: View) -> bool:
    """Whether a button that sells is shown and not switched off."""
    cart = view.cart
    return cart is not None and not is_disabled(cart) and not view.region(cart) & Region.HIDDEN


def _button_claims(view: View, button: HtmlElement) -> Iterator[Claim]:
    """What the button that sells says itself ("Sold out", "Pre-order"), or else that it sells; some hold all that they may say."""
    words = " ".join((button.get("value") or button.text_content()).split())
    if parse_availability(words) in ("OutOfStock", "PreOrder") and not view.says_cart(words):
        yield Claim("availability", words, "button", f"the button {words!r}", BUTTON, button)
    elif not is_disabled(button):
        yield Claim("availability", "InStock", "button", "the button that puts it into the cart", BUTTON, button)


def _status_texts(view: View) -> Iterator[Claim]:
    start = view.anchor_order or 0
    behind = (t for t in view.texts if start <= t.order and 2 <= len(t.text) <= MAX_STATUS)
    for text in islice(behind, BEHIND_TITLE):
        if parse_availability(text.text) and not _speaks_of_another(view, text):
            yield Claim("availability", text.text, "text", f"text {text.text!r}", STATUS, text.element)


def _speaks_of_another(view: View, text: Text) -> bool:
    """Whether a text about stock is another product's, or stands in no part of the page that tells of this one."""
    if view.region(text.element) & NOT_SHOWN_HERE or view.block_of_another(text.element) is not None:
        return True
    return view.cart is not None and (view.cart_distance(text.element) == 0 or view.says_cart(text.text))  # a button


def _is_near(view: View, element: HtmlElement) -> bool:
    """Whether a text stands beside the title, or beside the button that sells where it is no nearer to the title than that."""
    cart = view.cart_distance(element)
    if cart is not None and cart <= NEAR:
        return True
    is_nearer = view.cart is None or view.distance(element) < view.distance(view.cart)
    return is_nearer and view.distance(element) <= NEAR


def is_disabled(button: HtmlElement) -> bool:
    """Whether a button is switched off."""
    return "disabled" in button.attrib or "disabled" in (button.get("class") or "").split()
