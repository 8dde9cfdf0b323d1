"""Shopify's products.json: no currency and no total; it ends with a page that is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

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

_ONLY = "Default Title"  # the name of the variant of a product that has no variants


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """The products of one page; None where it is something else."""
    products = answer.data.get("products") if isinstance(answer.data, Mapping) else None
    if not isinstance(products, list) or not all(isinstance(p, Mapping) and text(p.get("handle")) for p in products):
        return None
    found = tuple(_product(answer.url, product) for product in products)
    return CataloguePage(found, next_url=following(answer.url) if found else None)


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
    price, is_there = amount(variant.get("price")), variant.get("available")
    chosen = {name: text(variant.get(f"option{number}")) for number, name in enumerate(names, 1)}
    return with_values(
        sku=text(variant.get("sku")),
        ean=text(variant.get("barcode")),
        price=price,
        list_price=list_amount(amount(variant.get("compare_at_price")), price),
        availability=(IN_STOCK if is_there else OUT_OF_STOCK) if isinstance(is_there, bool) else None,
        options={name: value for name, value in chosen.items() if name and value},
    )
