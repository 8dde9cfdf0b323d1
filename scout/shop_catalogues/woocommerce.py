"""WooCommerce's Store API: totals in headers, prices in minor units, variations in a list of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scout.shop_catalogues.model import (
    CatalogueAnswer,
    CatalogueCategory,
    CataloguePage,
    CatalogueProduct,
    CatalogueRequest,
    addresses,
    amount,
    mapping,
    mappings,
    named_entries,
    page_number,
    prose,
    sold_values,
    stock_state,
    text,
    with_values,
)
from scout.values.numbers import whole_number

_VARIATIONS = "type=variation"
_CATEGORIES = "/products/categories"


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """One page of products, or of their variations, or the tree of categories; None where it is something else."""
    if answer.url.endswith(_CATEGORIES):
        return CataloguePage(categories={text(each.get("id")): _category(each) for each in mappings(answer.data)})
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
        further=_further_lists(answer, entries, has_variants=has_variants),
    )


def _further_lists(
    answer: CatalogueAnswer, entries: list[Mapping[str, Any]], *, has_variants: bool
) -> tuple[CatalogueRequest, ...]:
    """The lists beside that of products: its tree of categories, and the variations of all products."""
    address = f"{answer.url.partition('?')[0].removesuffix('/products')}{_CATEGORIES}"
    has_tree = any(mappings(entry.get("categories")) for entry in entries)
    tree = (replace(answer.request, url=address),) if has_tree else ()
    return (*tree, answer.asked_again(type="variation", page=1)) if has_variants else tree


def _category(entry: Mapping[str, Any]) -> CatalogueCategory:
    return CatalogueCategory(text(entry.get("name")), text(entry.get("parent")))


def _product(entry: Mapping[str, Any]) -> CatalogueProduct:
    brands = [text(brand.get("name")) for brand in mappings(entry.get("brands"))]
    values = with_values(
        title=text(entry.get("name")),
        brand=brands[0] if len(brands) == 1 else None,
        description=prose(entry.get("short_description")) or prose(entry.get("description")),
        images=addresses(mappings(entry.get("images"))),
        **_sold(entry),
    )
    categories = tuple(text(step.get("id")) for step in mappings(entry.get("categories")))
    return CatalogueProduct(text(entry.get("id")), text(entry["permalink"]), values, categories=categories)


def _variant(entry: Mapping[str, Any]) -> dict[str, Any]:
    pairs = (part.partition(":") for part in text(entry.get("variation")).split(", "))
    sold = _sold(entry)
    sold.pop("currency", None)
    return with_values(**sold, options={name.strip(): value.strip() for name, _, value in pairs if name and value})


def _sold(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The price, number and stock of a product or variation."""
    prices = mapping(entry.get("prices"))
    digits = prices.get("currency_minor_unit")
    price, listed = (
        amount(prices.get(name), digits) if isinstance(digits, int) else None for name in ("price", "regular_price")
    )
    return sold_values(
        price,
        listed,
        text(prices.get("currency_code")),
        sku=text(entry.get("sku")),
        availability=stock_state(entry.get("is_in_stock")),
    )
