"""Availability: what markup, scripts, shown phrases and the button that sells say about a product's stock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from lxml.html import HtmlElement

from scout.extraction.ballot import Claim
from scout.extraction.lexicon import NAMED, data_key
from scout.extraction.view import NEAR, Region, View
from scout.values import parse_availability

STATUS_TEXTS = 80  # texts behind the title in which the page may speak of the product's stock
MAX_STATUS = 50  # characters of such a text
NAMED_STATUS, NEAR_STATUS, PLAIN_STATUS = 3.0, 2.4, 1.6
BUTTON = 2.0  # enough where nothing is said; a phrase beside it says more
DENIAL = 20.0  # more than all markup together, which many a theme writes the same for every product
_FLAGS = {"true": True, "false": False}
_COUNT = re.compile(r"\d{1,6}(?:\.0+)?")  # longer numbers are codes
_NOT_ITS_OWN = Region.ELSEWHERE | Region.REVIEW | Region.HIDDEN | Region.SKIP
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


def denials(view: View, said: Iterable[Claim]) -> Iterator[Claim]:
    """What the page shows against markup that says a product can be had: no button sells it, and a phrase near the title says why.

    Where the button is switched off and the element of the phrase is named for it, nothing is: a style sheet shows and hides it, and the
    button waits for a script.
    """
    if view.cart is not None and not _is_disabled(view.cart):
        return
    labelled = [c for c in said if c.source == "label" and not _is_aside(view, c) and parse_availability(c.raw)]
    shown = [*labelled, *_status_texts(view)]
    states = [parse_availability(claim.raw) for claim in shown]
    if "InStock" not in states:
        for claim, state in zip(shown, states, strict=True):
            is_named = claim.source == "label" or claim.weight == NAMED_STATUS
            if (view.cart is None and is_named) or (state == "OutOfStock" and claim.weight == NEAR_STATUS):
                yield replace(claim, weight=DENIAL)


def _button_claims(view: View, button: HtmlElement) -> Iterator[Claim]:
    """What the button that sells says itself ("Sold out", "Pre-order"), or else that it sells; some hold all that they may say."""
    words = " ".join((button.get("value") or button.text_content()).split())
    if parse_availability(words) in ("OutOfStock", "PreOrder") and not view.says_cart(words):
        yield Claim("availability", words, "button", f"the button {words!r}", NAMED_STATUS, button)
    elif not _is_disabled(button):
        yield Claim("availability", "InStock", "button", "the button that puts it into the cart", BUTTON, button)


def _status_texts(view: View) -> Iterator[Claim]:
    start = view.anchor_order or 0
    behind = (t for t in view.texts if start <= t.order and 2 <= len(t.text) <= MAX_STATUS)
    for text in islice(behind, STATUS_TEXTS):
        if not parse_availability(text.text) or view.region(text.element) & _NOT_ITS_OWN:
            continue
        if view.cart is not None and (view.cart_distance(text.element) == 0 or view.says_cart(text.text)):
            continue  # the button's own words, or those of another product's
        if view.block_of_another(text.element) is not None:
            continue
        around = [text.element, *islice(text.element.iterancestors(), 1)]
        names = " ".join(e.get(a) or "" for e in around for a in ("class", "id"))
        named = view.template.word_score("availability", names) >= NAMED
        weight = NAMED_STATUS if named else NEAR_STATUS if _is_near(view, text.element) else PLAIN_STATUS
        yield Claim("availability", text.text, "text", f"text {text.text!r}", weight, text.element)


def _is_near(view: View, element: HtmlElement) -> bool:
    """Whether a text stands beside the title, or beside the button that sells where it is no nearer to the title than that."""
    cart = view.cart_distance(element)
    if cart is not None and cart <= NEAR:
        return True
    is_nearer = view.cart is None or view.distance(element) < view.distance(view.cart)
    return is_nearer and view.distance(element) <= NEAR


def _is_aside(view: View, claim: Claim) -> bool:
    return claim.element is not None and bool(view.region(claim.element) & (_NOT_ITS_OWN | Region.LINK))


def _is_disabled(button: HtmlElement) -> bool:
    return "disabled" in button.attrib or "disabled" in (button.get("class") or "").split()
