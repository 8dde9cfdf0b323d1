"""WooCommerce's Store API: totals in headers, prices in minor units, variations in a list of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from scout.shop_catalogues.model import (
    IN_STOCK,
    OUT_OF_STOCK,
    CatalogueAnswer,
    CataloguePage,
    CatalogueProduct,
    addresses,
    amount,
    following,
    list_amount,
    mappings,
    prose,
    text,
    with_values,
)
from scout.values.numbers import whole_number

_VARIATIONS = "type=variation"
_STATES = {True: IN_STOCK, False: OUT_OF_STOCK}


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """One page of products, or of their variations; None where it is something else."""
    entries = answer.data
    if not isinstance(entries, list) or not all(isinstance(p, Mapping) and text(p.get("permalink")) for p in entries):
        return None
    pages = whole_number(answer.headers.get("x-wp-totalpages", ""))
    page = whole_number(
        dict(pair.partition("=")[::2] for pair in urlsplit(answer.url).query.split("&")).get("page", "1")
    )
    is_last = not entries or (pages is not None and (page or 1) >= pages)
    next_url = None if is_last else following(answer.url)
    if _VARIATIONS in answer.url:
        return CataloguePage(
            variants=tuple((text(entry.get("parent")), _variant(entry)) for entry in entries), next_url=next_url
        )
    has_variants = any(mappings(entry.get("variations")) for entry in entries)
    return CataloguePage(
        tuple(map(_product, entries)),
        total=whole_number(answer.headers.get("x-wp-total", "")),
        next_url=next_url,
        further=(_list_of_variations(answer.url),) if has_variants else (),
    )


def _list_of_variations(url: str) -> str:
    base, _, query = url.partition("?")
    size = next((pair for pair in query.split("&") if pair.startswith("per_page=")), "per_page=100")
    return f"{base}?{size}&{_VARIATIONS}&page=1"


def _product(entry: Mapping[str, Any]) -> CatalogueProduct:
    brands = [text(brand.get("name")) for brand in mappings(entry.get("brands"))]
    path = [text(step.get("name")) for step in mappings(entry.get("categories"))]
    values = with_values(
        title=text(entry.get("name")),
        brand=brands[0] if len(brands) == 1 else None,
        category=path[0] if len(path) == 1 else None,  # several are not said to be a path
        description=prose(entry.get("short_description")) or prose(entry.get("description")),
        images=addresses(mappings(entry.get("images"))),
        **_sold(entry),
    )
    return CatalogueProduct(text(entry.get("id")), text(entry["permalink"]), values)


def _variant(entry: Mapping[str, Any]) -> dict[str, Any]:
    pairs = (part.partition(":") for part in text(entry.get("variation")).split(", "))
    sold = _sold(entry)
    sold.pop("currency", None)
    return with_values(**sold, options={name.strip(): value.strip() for name, _, value in pairs if name and value})


def _sold(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The price, number and stock of a product or variation."""
    stated = entry.get("prices")
    prices: Mapping[str, Any] = stated if isinstance(stated, Mapping) else {}
    digits = prices.get("currency_minor_unit")
    price = amount(prices.get("price"), digits) if isinstance(digits, int) else None
    listed = amount(prices.get("regular_price"), digits) if isinstance(digits, int) else None
    is_there = entry.get("is_in_stock")
    return with_values(
        sku=text(entry.get("sku")),
        price=price,
        list_price=list_amount(listed, price),
        currency=text(prices.get("currency_code")) if price else None,
        availability=_STATES.get(is_there) if isinstance(is_there, bool) else None,
    )
