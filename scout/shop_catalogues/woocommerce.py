"""WooCommerce's Store API: totals in headers, prices in minor units, variations in a list of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scout.shop_catalogues.model import (
    CatalogueAnswer,
    CataloguePage,
    CatalogueProduct,
    addresses,
    amount,
    list_amount,
    mapping,
    mappings,
    named_entries,
    page_number,
    prose,
    stock_state,
    text,
    with_values,
)
from scout.values.numbers import whole_number

_VARIATIONS = "type=variation"


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """One page of products, or of their variations; None where it is something else."""
    named = named_entries(answer.data, "permalink")
    if named is None:
        return None
    entries, flaw = named
    pages = whole_number(answer.headers.get("x-wp-totalpages", ""))
    page = page_number(answer.url)
    is_last = not entries or (pages is not None and page >= pages)
    following = None if is_last else answer.asked_again(page=page + 1)
    if _VARIATIONS in answer.url:
        return CataloguePage(
            variants=tuple((text(entry.get("parent")), _variant(entry)) for entry in entries), following=following
        )
    has_variants = any(mappings(entry.get("variations")) for entry in entries)
    return CataloguePage(
        tuple(map(_product, entries)),
        total=whole_number(answer.headers.get("x-wp-total", "")),
        following=following,
        flaw=flaw,
        further=(answer.asked_again(type="variation", page=1),) if has_variants else (),
    )


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
    prices = mapping(entry.get("prices"))
    digits = prices.get("currency_minor_unit")
    price = amount(prices.get("price"), digits) if isinstance(digits, int) else None
    listed = amount(prices.get("regular_price"), digits) if isinstance(digits, int) else None
    return with_values(
        sku=text(entry.get("sku")),
        price=price,
        list_price=list_amount(listed, price),
        currency=text(prices.get("currency_code")) if price else None,
        availability=stock_state(entry.get("is_in_stock")),
    )
