"""Variants: the sizes and colours of a product that the page's data lists, each with what is its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scout.induce.markup import all_offers, prices, scalar
from scout.induce.state import StateProduct, variants_of
from scout.induce.structured import Node, Thing, as_list, prop
from scout.induce.template import Template, data_key
from scout.values import normal_gtin, parse_availability
from scout.values.text import clean_text

MAX_VARIANTS = 200
_VARIANT_FIELDS = {
    "title": ("name", "title", "publictitle"),
    "sku": ("sku", "skucode"),
    "ean": ("gtin13", "gtin", "gtin12", "gtin14", "gtin8", "ean", "barcode", "upc"),
    "han": ("mpn",),
    "url": ("url",),
}


def variants(subjects: Iterable[Thing], states: Sequence[StateProduct], words: Template) -> list[dict[str, str]]:
    """The variants that the page's data lists, each with what is its own: sku, ean, price, availability, title, url."""
    for thing in subjects:
        listed = [v for v in as_list(prop(thing.data, "hasvariant")) if isinstance(v, dict)]
        found = [_marked_variant(v) for v in (listed or all_offers(thing.data))[:MAX_VARIANTS]]
        if _are_variants(found):
            return _distinct(found)
    for product in states:
        found = [_state_variant(v, words) for v in variants_of(product.data)[:MAX_VARIANTS]]
        if _are_variants(found):
            return _distinct(found)
    return []


def _are_variants(found: Sequence[Mapping[str, str]]) -> bool:
    """Two or more that differ in a number of their own."""
    codes = {v.get("ean") or v.get("sku") for v in found} - {None}
    return len(codes) > 1


def _distinct(found: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    return list({v.get("ean") or v.get("sku") or str(v): v for v in found if v.get("ean") or v.get("sku")}.values())


def _marked_variant(node: Node) -> dict[str, str]:
    offer = next(iter(all_offers(node)), node)
    variant = _named_fields({**offer, **node} if offer is not node else node)
    amount = next((raw for name, raw, _ in prices(offer) if name == "price"), None)
    return _completed(variant, amount, scalar(offer.get("availability")))


def _state_variant(node: Mapping[str, Any], words: Template) -> dict[str, str]:
    plain = {data_key(k): v for k, v in node.items()}
    amounts = [(w, v) for k, v in plain.items() for f, w in words.by_key.get(k, ()) if f == "price"]
    amount = max(amounts, key=lambda pair: pair[0])[1] if amounts else None
    available = plain.get("available", plain.get("instock"))
    status = {True: "InStock", False: "OutOfStock"}.get(available) if isinstance(available, bool) else scalar(available)
    return _completed(_named_fields(plain), scalar(amount), status)


def _named_fields(node: Mapping[str, Any]) -> dict[str, str]:
    found = {name: scalar(prop(dict(node), *keys)) for name, keys in _VARIANT_FIELDS.items()}
    return {name: value for name, value in found.items() if value}


def _completed(variant: dict[str, str], amount: str | None, status: str | None) -> dict[str, str]:
    gtin = normal_gtin(variant.pop("ean", "") or "")
    if gtin:
        variant["ean"] = gtin
    if amount and any(c.isdigit() for c in amount):
        variant["price"] = clean_text(amount)
    availability = parse_availability(status) if status else None
    return variant | ({"availability": availability} if availability else {})
