"""Magento 2: GraphQL by GET, with totals; variants stand in their configurable product."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urljoin

from scout.page import Page
from scout.shop_catalogues.model import (
    IN_STOCK,
    OUT_OF_STOCK,
    CatalogueAnswer,
    CataloguePage,
    CatalogueProduct,
    CatalogueRequest,
    addresses,
    amount,
    deepest,
    mapping,
    mappings,
    page_number,
    prose,
    sold_values,
    text,
    with_values,
)

PAGE_SIZE = 100
_PRICE = "price_range{minimum_price{final_price{value currency}regular_price{value}}}"
_BRAND = "custom_attributesV2{items{code ...on AttributeValue{value}...on AttributeSelectedOptions{selected_options{label}}}}"
_QUERY = (
    'query Products($page:Int){products(filter:{price:{from:"0"}},pageSize:%d,currentPage:$page){'
    "total_count page_info{total_pages}items{sku name url_key url_suffix stock_status %s "
    "description{html}short_description{html}media_gallery{url}categories{name breadcrumbs{category_name category_level}}"
    "%s ...on ConfigurableProduct{variants{attributes{code label}product{sku stock_status %s}}}}}}"
)
_QUERIES = tuple(_QUERY % (PAGE_SIZE, _PRICE, brand, _PRICE) for brand in (_BRAND, ""))  # older shops lack the brand
_STATES = {"IN_STOCK": IN_STOCK, "OUT_OF_STOCK": OUT_OF_STOCK}
_BRAND_CODES = ("manufacturer", "brand")


def begin(page: Page, path: str) -> CatalogueRequest:
    """The first page of all products."""
    return _request(urljoin(page.url, f"/{path}"), _QUERIES[0], 1)


def _request(url: str, query: str, number: int) -> CatalogueRequest:
    parameters = {"query": query, "variables": f'{{"page":{number}}}', "page": number}
    return CatalogueRequest(f"{url.partition('?')[0]}?{urlencode(parameters)}", headers=(("Store", "default"),))


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """The products of one page; None where it is something else."""
    found = mapping(mapping(mapping(answer.data).get("data")).get("products"))
    items, number = found.get("items"), page_number(answer.url)
    if not isinstance(items, list):
        is_first_form = "custom_attributesV2" in answer.url
        return CataloguePage(following=_request(answer.url, _QUERIES[1], number)) if is_first_form else None
    pages, total = mapping(found.get("page_info")).get("total_pages"), found.get("total_count")
    is_last = not items or not isinstance(pages, int) or number >= pages
    query = _QUERIES["custom_attributesV2" not in answer.url]
    return CataloguePage(
        tuple(_product(answer.url, item) for item in mappings(items) if text(item.get("url_key"))),
        total=total if isinstance(total, int) else None,
        following=None if is_last else _request(answer.url, query, number + 1),
    )


def _product(url: str, item: Mapping[str, Any]) -> CatalogueProduct:
    address = urljoin(url, f"/{text(item['url_key'])}{text(item.get('url_suffix'))}")
    values = with_values(
        title=text(item.get("name")),
        brand=_brand(item),
        category=deepest(map(_path, mappings(item.get("categories")))),
        description=prose(mapping(item.get("short_description")).get("html"))
        or prose(mapping(item.get("description")).get("html")),
        images=addresses(mappings(item.get("media_gallery")), "url"),
        **_sold(item),
    )
    return CatalogueProduct(text(item.get("sku")), address, values, tuple(_variants(item)))


def _path(category: Mapping[str, Any]) -> list[str]:
    above = sorted(mappings(category.get("breadcrumbs")), key=lambda step: str(step.get("category_level")))
    return [*(text(step.get("category_name")) for step in above), text(category.get("name"))]


def _variants(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for variant in mappings(item.get("variants")):
        chosen = {text(a.get("code")): text(a.get("label")) for a in mappings(variant.get("attributes"))}
        sold = _sold(mapping(variant.get("product")))
        sold.pop("currency", None)
        found.append(with_values(**sold, options={name: value for name, value in chosen.items() if name and value}))
    return found


def _sold(item: Mapping[str, Any]) -> dict[str, Any]:
    """The number, price and stock of a product or variant."""
    lowest = mapping(mapping(item.get("price_range")).get("minimum_price"))
    price = amount(mapping(lowest.get("final_price")).get("value"))
    return sold_values(
        price,
        amount(mapping(lowest.get("regular_price")).get("value")),
        text(mapping(lowest.get("final_price")).get("currency")),
        sku=text(item.get("sku")),
        availability=_STATES.get(text(item.get("stock_status"))),
    )


def _brand(item: Mapping[str, Any]) -> str | None:
    named = {
        text(entry.get("code")): entry for entry in mappings(mapping(item.get("custom_attributesV2")).get("items"))
    }
    for entry in (named[code] for code in _BRAND_CODES if code in named):
        labels = [text(option.get("label")) for option in mappings(entry.get("selected_options"))]
        return labels[0] if len(labels) == 1 else text(entry.get("value")) or None
    return None
