"""An offer as a Product of schema.org, in JSON-LD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scout.fields import category_names

_TEXTS = {"title": "name", "description": "description", "sku": "sku", "han": "mpn", "canonical": "url"}


def as_json_ld(offer: Mapping[str, Any]) -> dict[str, Any]:
    """The Product; what the offer does not have is not there.

    >>> as_json_ld({"url": "https://s.example/1", "title": "Lamp", "price": "12.99", "currency": "EUR"})["offers"]
    {'@type': 'Offer', 'url': 'https://s.example/1', 'price': '12.99', 'priceCurrency': 'EUR'}
    """
    product: dict[str, Any] = {"@context": "https://schema.org", "@type": "Product", "@id": offer.get("url")}
    product |= {theirs: offer[ours] for ours, theirs in _TEXTS.items() if offer.get(ours)}
    product.setdefault("url", offer.get("url"))
    product |= {
        "brand": _typed("Brand", name=offer.get("brand")),
        "gtin": offer.get("ean"),
        "image": list(offer.get("images") or ()),
        "category": " > ".join(category_names(offer.get("category"))),
        "additionalProperty": [
            _typed("PropertyValue", name=name, value=value) for name, value in specification_pairs(offer)
        ],
        "aggregateRating": _rating(offer),
        "offers": _shop_offer(offer),
    }
    return {name: value for name, value in product.items() if value}


def specification_pairs(offer: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The attributes of the offer, name and value, in their order."""
    specs = offer.get("specs") or ()
    return [(str(name), str(value)) for name, value in (specs.items() if isinstance(specs, Mapping) else specs)]


def _shop_offer(offer: Mapping[str, Any]) -> dict[str, Any] | None:
    availability = offer.get("availability")
    price = offer.get("price")
    return _typed(
        "Offer",
        url=offer.get("url"),
        price=price,
        priceCurrency=offer.get("currency") if price else None,
        availability=availability and f"https://schema.org/{availability}",
        seller=_typed("Organization", name=offer.get("shop")),
    )


def _rating(offer: Mapping[str, Any]) -> dict[str, Any] | None:
    return _typed("AggregateRating", ratingValue=offer.get("rating"), reviewCount=offer.get("rating_count"))


def _typed(kind: str, **values: Any) -> dict[str, Any] | None:
    """A node of this type with the values there are; None where there are none."""
    given = {name: value for name, value in values.items() if value}
    return {"@type": kind, **given} if given else None
