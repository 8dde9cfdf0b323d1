"""Shopware 6's Store API, with the key that the shop's pages carry for their own scripts; variants are entries with a parent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urljoin

from scout.page import Page
from scout.shop_catalogues.model import (
    CatalogueAnswer,
    CataloguePage,
    CatalogueProduct,
    CatalogueRequest,
    amount,
    deepest,
    mapping,
    mappings,
    page_number,
    prose,
    sold_values,
    stock_state,
    text,
    with_values,
)

PAGE_SIZE = 100
_KEY = re.compile(r"SWSC[A-Z0-9]{16,40}")  # of a sales channel: what any visitor's browser sends
_PARTS = ("seoUrls", "manufacturer", "options.group", "categories", "cover.media")


def begin(page: Page, path: str) -> CatalogueRequest | None:
    """The first page of all products; None where the page carries no key."""
    key = _KEY.search(page.html)
    if key is None:
        return None
    parameters: dict[str, object] = {"p": 1, "limit": PAGE_SIZE, "total-count-mode": 1, "order": "id"}
    for part in _PARTS:
        parameters["associations" + "[associations]".join(f"[{step}]" for step in part.split(".")) + "[limit]"] = 25
    return CatalogueRequest(
        urljoin(page.url, f"/{path}?{urlencode(parameters)}"), headers=(("sw-access-key", key.group()),)
    )


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """The products and variants of one page; None where it is something else."""
    data = mapping(answer.data)
    entries, total, number = data.get("elements"), data.get("total"), page_number(answer.url, "p")
    if not isinstance(entries, list) or not all(text(entry.get("id")) for entry in mappings(entries)):
        return None
    own = [entry for entry in mappings(entries) if not text(entry.get("parentId"))]
    variants = [entry for entry in mappings(entries) if text(entry.get("parentId"))]
    is_last = not entries or (isinstance(total, int) and number * PAGE_SIZE >= total)
    return CataloguePage(
        tuple(_product(answer.url, entry) for entry in own),
        tuple((text(entry["parentId"]), _variant(entry)) for entry in variants),
        following=None if is_last else answer.asked_again(p=number + 1),
    )


def _product(url: str, entry: Mapping[str, Any]) -> CatalogueProduct:
    paths = [text(each.get("seoPathInfo")) for each in mappings(entry.get("seoUrls")) if each.get("isCanonical", True)]
    address = urljoin(url, f"/{next(filter(None, paths), 'detail/' + text(entry['id']))}")
    picture = text(mapping(mapping(entry.get("cover")).get("media")).get("url"))
    values = with_values(
        title=_name(entry),
        brand=_name(mapping(entry.get("manufacturer"))),
        category=deepest(map(_path, mappings(entry.get("categories")))),
        description=prose(mapping(entry.get("translated")).get("description") or entry.get("description")),
        images=[picture] if picture else None,
        **_sold(entry),
    )
    return CatalogueProduct(text(entry["id"]), address, values)


def _path(category: Mapping[str, Any]) -> list[str]:
    """The names above a category and its own, without that of the whole shop, which stands first."""
    steps = mapping(category.get("translated")).get("breadcrumb") or category.get("breadcrumb")
    return [text(step) for step in steps[1:]] if isinstance(steps, list) and len(steps) > 1 else [_name(category)]


def _name(entry: Mapping[str, Any]) -> str:
    return text(mapping(entry.get("translated")).get("name")) or text(entry.get("name"))


def _variant(entry: Mapping[str, Any]) -> dict[str, Any]:
    options = mappings(entry.get("options"))
    chosen = {_name(mapping(option.get("group"))): _name(option) for option in options}
    return with_values(**_sold(entry), options={name: value for name, value in chosen.items() if name and value})


def _sold(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers, price and stock of a product or variant; the currency is that of the pages."""
    calculated = mapping(entry.get("calculatedPrice"))
    return sold_values(
        amount(calculated.get("unitPrice")),
        amount(mapping(calculated.get("listPrice")).get("price")),
        sku=text(entry.get("productNumber")),
        ean=text(entry.get("ean")),
        han=text(entry.get("manufacturerNumber")),
        availability=stock_state(entry.get("available")),
    )
