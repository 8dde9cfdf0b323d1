"""Shopify's products.json: no currency and no total; it ends with a page that is empty, or at 25,000 and goes on by collection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from scout.shop_catalogues.model import (
    CatalogueAnswer,
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

PAGE_SIZE = 250
MOST_AT_ONCE = 25_000  # page x limit: beyond it the answer is 400
_ONLY = "Default Title"  # the name of the variant of a product that has no variants


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """The products of one page, or the names of the collections in which the others stand; None where it is something else."""
    data = mapping(answer.data)
    if collections := named_entries(data.get("collections"), "handle"):
        return _collections(answer, collections[0])
    named = named_entries(data.get("products"), "handle")
    if named is None:
        return None
    found, number = tuple(_product(answer.url, product) for product in named[0]), page_number(answer.url)
    if number * PAGE_SIZE >= MOST_AT_ONCE and "/collections/" not in answer.url:
        by_collection = CatalogueRequest(urljoin(answer.url, f"/collections.json?limit={PAGE_SIZE}&page=1"))
        flaw = f"it gives {MOST_AT_ONCE:,} products at once, and the others by collection"
        return CataloguePage(found, further=(by_collection,), flaw=flaw)
    following = answer.asked_again(page=number + 1) if found else None
    return CataloguePage(found, following=following, flaw=named[1])


def _collections(answer: CatalogueAnswer, collections: list[Mapping[str, Any]]) -> CataloguePage:
    """The lists of all collections of one page."""
    paths = (f"/collections/{each['handle']}/products.json?limit={PAGE_SIZE}&page=1" for each in collections)
    following = answer.asked_again(page=page_number(answer.url) + 1) if collections else None
    return CataloguePage(
        following=following, further=tuple(CatalogueRequest(urljoin(answer.url, path)) for path in paths)
    )


def _product(url: str, product: Mapping[str, Any]) -> CatalogueProduct:
    address = urljoin(url, f"/products/{product['handle']}")
    names = [text(option.get("name")) for option in mappings(product.get("options"))]
    variants = [(text(entry.get("title")), _variant(entry, names)) for entry in mappings(product.get("variants"))]
    values = with_values(
        title=text(product.get("title")),
        brand=text(product.get("vendor")),
        category=text(product.get("product_type")),
        description=prose(product.get("body_html")),
        images=addresses(mappings(product.get("images"))),
    )
    if len(variants) == 1 and variants[0][0] == _ONLY:
        own = {name: value for name, value in variants[0][1].items() if name != "options"}
        return CatalogueProduct(text(product["handle"]), address, values | own)
    return CatalogueProduct(text(product["handle"]), address, values, tuple(variant for _, variant in variants))


def _variant(variant: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    chosen = {name: text(variant.get(f"option{number}")) for number, name in enumerate(names, 1)}
    return sold_values(
        amount(variant.get("price")),
        amount(variant.get("compare_at_price")),
        sku=text(variant.get("sku")),
        ean=text(variant.get("barcode")),
        availability=stock_state(variant.get("available")),
        options={name: value for name, value in chosen.items() if name and value},
    )
