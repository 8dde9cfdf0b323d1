"""Which values cannot be right, and what is no offer at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scout.fields import field
from scout.offer import Evidence, Offer
from scout.rules.model import MANUAL
from scout.values.gtin import written_gtin
from scout.values.storable import storable_amount

MAX_TITLE = 1_000  # characters: what is longer is a description, or a whole page
PRODUCT_SIGNS = ("price", "ean", "sku", "han", "availability", "brand", "specs", "images", "category")
AVAILABILITIES = frozenset({"InStock", "OutOfStock", "PreOrder", "BackOrder"})
DROP_REASONS: Mapping[str, str] = {
    "NoAddress": "an offer without an http(s) address cannot be told from another",
    "NoTitle": "the page names no product",
    "NotAProduct": "the page has a title, but nothing else of what a product has: price, number, availability, brand, image, category ...",
}
_ADDRESS = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_CURRENCY = re.compile(r"[A-Z]{3}")


def _is_address(value: Any) -> bool:
    return bool(_ADDRESS.match(str(value)))


def _is_amount(value: Any) -> bool:
    number = storable_amount(value)
    return number is not None and number > 0


# field -> whether the value can be right, and what to say where it cannot
CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "price": (_is_amount, "not an amount above zero"),
    "currency": (lambda value: bool(_CURRENCY.fullmatch(str(value))), "not a code of ISO 4217"),
    "availability": (lambda value: value in AVAILABILITIES, f"none of {', '.join(sorted(AVAILABILITIES))}"),
    "ean": (lambda value: written_gtin(str(value)) is not None, "the check digit is wrong"),
    "canonical": (_is_address, "not an http(s) address"),
    "parent": (_is_address, "not an http(s) address"),
    "title": (lambda value: len(str(value)) <= MAX_TITLE, f"longer than {MAX_TITLE} characters"),
}


def drop_reason(offer: Mapping[str, Any], *, is_declared: bool = False) -> str | None:
    """Why this is no offer, as a name in DROP_REASONS. One that its provider declares need not look like a product."""
    if not _is_address(offer.get("url")):
        return "NoAddress"
    if not offer.get("title"):
        return "NoTitle"
    return None if is_declared or looks_like_product(offer) else "NotAProduct"


def looks_like_product(offer: Mapping[str, Any]) -> bool:
    """Whether the offer has anything besides its title that products have."""
    return any(offer.get(name) for name in PRODUCT_SIGNS)


def remove_wrong_values(offer: Offer) -> list[str]:
    """Remove the values that cannot be right, each with a note in its evidence; the names of their fields."""
    wrong = {name: why for name, (is_right, why) in CHECKS.items() if name in offer and not is_right(offer[name])}
    if why := _own_number(offer):
        wrong.setdefault("ean", why)
    for name, why in wrong.items():
        value = str(offer.pop(name))
        evidence = offer.evidence.get(name) or Evidence(None, raw=value[:200])
        offer.evidence[name] = replace(evidence, note=f"{value[:100]!r} was taken out: {why}")
    return [*wrong, *_remove_wrong_images(offer)]


def _remove_wrong_images(offer: Offer) -> list[str]:
    given = offer.get("images") or []
    right = list(filter(_is_address, given))
    if len(right) == len(given):
        return []
    offer["images"] = right
    return ["images"]


def _own_number(offer: Offer) -> str | None:
    """Why the EAN is none of a product, unless a person's own rule reads it."""
    evidence = offer.evidence.get("ean")
    is_of_person = evidence is not None and evidence.origin == MANUAL
    return None if is_of_person or "ean" not in offer else field("ean").contradiction(str(offer["ean"]))
