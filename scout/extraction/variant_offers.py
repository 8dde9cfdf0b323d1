"""Variants with a number or a price of their own as offers of their own: a price comparison lists by EAN, not by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from scout.fields import amount_key
from scout.offer import Evidence, Offer

_NUMBERS = ("ean", "sku")  # that tell one variant from another
_OWN = ("title", *_NUMBERS, "han", "price", "list_price", "availability")  # never taken over from the product
_SHARED = ("shop", "brand", "category", "currency", "description", "images")  # what a product says for all its variants
_LISTED = "the variants in the page's data"  # where the evidence of a variant's own values stands


def variant_offers(offer: Offer) -> Iterator[Offer]:
    """The offers of a product's variants that have a number or a price of their own; each names the product's URL as its `parent`.

    Not the one that the product's own offer shows already, and none that has a page of its own: that page tells more.
    """
    listed = offer.get("variants") or ()
    if offer.get("parent") or not isinstance(listed, (list, tuple)):
        return
    has_prices = any(variant.get("price") for variant in listed)
    for variant in listed:
        if _is_own(variant, offer) and _is_on_page(variant, offer):
            yield _variant_offer(variant, offer, has_prices=has_prices)


def _is_own(variant: Mapping[str, Any], offer: Offer) -> bool:
    numbers = [name for name in _NUMBERS if variant.get(name)]
    if any(str(variant[name]) == str(offer.get(name)) for name in numbers):
        return False
    return bool(numbers) or bool(
        variant.get("price") and amount_key(str(variant["price"])) != amount_key(offer.get("price"))
    )


def _is_on_page(variant: Mapping[str, Any], offer: Offer) -> bool:
    url = variant.get("url")
    return not url or urlsplit(url).path.rstrip("/") == urlsplit(offer["url"]).path.rstrip("/")


def _variant_offer(variant: Mapping[str, Any], offer: Offer, *, has_prices: bool) -> Offer:
    own = {name: variant[name] for name in (*_OWN, "options") if variant.get(name)}
    own.setdefault("title", _title(variant, offer))
    shared = {name: offer[name] for name in (_SHARED if has_prices else (*_SHARED, "price")) if offer.get(name)}
    url = variant.get("url") or offer["url"]
    made = Offer(
        {**shared, **own, "parent": offer["url"], "url": url, "urls": list(dict.fromkeys([url, offer["url"]]))}
    )
    listed = offer.evidence.get("variants") or Evidence(_LISTED, origin="structured")
    place, origin = (listed.selector, "catalogue") if listed.origin == "catalogue" else (_LISTED, "structured")
    made.evidence = {name: offer.evidence[name] for name in shared if name in offer.evidence}
    made.evidence |= {name: Evidence(place, raw=str(value), origin=origin) for name, value in own.items()}
    return made


def _title(variant: Mapping[str, Any], offer: Offer) -> str:
    """The product's name with what is chosen: "Shirt - Red, XL"."""
    chosen = ", ".join(str(value) for value in (variant.get("options") or {}).values())
    return f"{offer['title']} - {chosen}" if chosen else str(offer["title"])
