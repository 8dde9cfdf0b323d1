"""An offer as a Product of zyte-common-items. Needs the extra `poet`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scout.errors import UsageError
from scout.exchange.json_ld import specification_pairs
from scout.fields import category_names

HOW_TO_INSTALL = "zyte-common-items are not installed: pip install 'scout-offers[poet]'"
_TEXTS = {
    "title": "name",
    "description": "description",
    "price": "price",
    "list_price": "regularPrice",
    "currency": "currency",
    "sku": "sku",
    "han": "mpn",
    "canonical": "canonicalUrl",
}
_AVAILABILITY = {"InStock", "OutOfStock"}  # the only states that a Product knows: of others it says nothing


def as_zyte_product(offer: Mapping[str, Any]) -> Any:
    """The `zyte_common_items.Product`; UsageError where the library is not installed.

    A regular price is only given beside the price, as the library wants it, and availability only where it is one of its two states.
    """
    try:
        from zyte_common_items import Product
    except ImportError as error:
        raise UsageError(HOW_TO_INSTALL) from error
    return Product.from_dict(product_values(offer))


def product_values(offer: Mapping[str, Any]) -> dict[str, Any]:
    """The Product as plain data, without the library."""
    values: dict[str, Any] = {"url": offer["url"]}
    values |= {theirs: offer[ours] for ours, theirs in _TEXTS.items() if offer.get(ours)}
    if "price" not in values:
        values.pop("regularPrice", None)
    images = [{"url": url} for url in offer.get("images") or ()]
    more = {
        "availability": found if (found := offer.get("availability")) in _AVAILABILITY else None,
        "brand": {"name": offer["brand"]} if offer.get("brand") else None,
        "gtin": [_gtin(offer["ean"])] if offer.get("ean") else None,
        "breadcrumbs": [{"name": name} for name in category_names(offer.get("category"))],
        "images": images,
        "mainImage": images[0] if images else None,
        "additionalProperties": [{"name": name, "value": value} for name, value in specification_pairs(offer)],
        "aggregateRating": _rating(offer),
    }
    return values | {name: value for name, value in more.items() if value}


def _gtin(digits: str) -> dict[str, str]:
    """The number with its type, which follows from its length, and for books from its prefix.

    >>> _gtin("4006381333931")["type"], _gtin("9783161484100")["type"], _gtin("96385074")["type"]
    ('gtin13', 'isbn13', 'gtin8')
    """
    is_book = len(digits) == 13 and digits.startswith(("978", "979"))
    return {"type": "isbn13" if is_book else f"gtin{len(digits)}", "value": digits}


def _rating(offer: Mapping[str, Any]) -> dict[str, Any] | None:
    if not offer.get("rating"):
        return None
    count = offer.get("rating_count")
    return {"ratingValue": float(offer["rating"]), **({"reviewCount": int(count)} if count else {})}
