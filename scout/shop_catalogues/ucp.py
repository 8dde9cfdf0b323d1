"""The manifest that a shop gives to agents (Universal Commerce Protocol, https://ucp.dev): its catalogue, and nothing else of it.

Of all capabilities only listing and searching the catalogue are asked for, by REST or by MCP, without an account or a token.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scout.shop_catalogues.model import (
    CatalogueAnswer,
    CataloguePage,
    CatalogueProduct,
    CatalogueRequest,
    addresses,
    amount,
    deepest,
    mapping,
    mappings,
    prose,
    sold_values,
    stock_state,
    text,
    with_values,
)
from scout.values.currency import minor_digits

PAGE_SIZE = 100
_SERVICE = "dev.ucp.shopping"
_CATALOGUE = f"{_SERVICE}.catalog"
_OPERATIONS = ("list", "search")  # the first that the shop has
_EVERYTHING = {"filters": {"price": {"min": 0}}}  # a search needs a filter; each product has a price


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """The manifest, which leads on to the catalogue, or one page of that; None where it is something else."""
    data = mapping(answer.data)
    if not answer.request.body:
        return _first_page(mapping(data.get("ucp")), answer.request)
    data = mapping(mapping(data.get("result")).get("structuredContent")) if "jsonrpc" in data else data
    products = data.get("products")
    if not isinstance(products, list):
        return None
    paging = mapping(data.get("pagination"))
    total = paging.get("total_count")
    return CataloguePage(
        tuple(_product(entry) for entry in mappings(products) if text(entry.get("url"))),
        total=total if isinstance(total, int) else None,
        following=_next_page(answer.request, paging),
    )


def _first_page(manifest: Mapping[str, Any], request: CatalogueRequest) -> CataloguePage | None:
    """The first request to the catalogue that a manifest describes; None where it has no catalogue that can be asked."""
    names = _names(manifest.get("capabilities"))
    operation = next((each for each in _OPERATIONS if f"{_CATALOGUE}.{each}" in names), None)
    operation = operation or ("search" if _CATALOGUE in names else None)
    endpoints = _endpoints(mapping(manifest.get("services")).get(_SERVICE))
    if operation is None or not endpoints:
        return None
    asked = {"pagination": {"limit": PAGE_SIZE}, **({} if operation == "list" else _EVERYTHING)}
    headers = (("Content-Type", "application/json"), ("Accept", "application/json"), *request.headers)
    if "rest" in endpoints:
        url, body = f"{endpoints['rest'].rstrip('/')}/catalog/{operation}", asked
    else:
        arguments = {"meta": {"ucp-agent": {"profile": _profile(request)}}, "catalog": asked}
        params = {"name": f"{operation}_catalog", "arguments": arguments}
        url, body = endpoints["mcp"], {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return CataloguePage(following=CatalogueRequest(url, json.dumps(body), headers))


def _names(capabilities: Any) -> set[str]:
    """The names of the capabilities: the keys of an object, or what the entries of a list call themselves."""
    if isinstance(capabilities, Mapping):
        return {str(name) for name in capabilities}
    return {text(entry.get("name")) for entry in mappings(capabilities)}


def _endpoints(service: Any) -> dict[str, str]:
    """Transport -> address, of REST and MCP, in either form of the manifest."""
    entries = mappings(service) if isinstance(service, list) else [mapping(service)]
    found = {text(entry.get("transport")): text(entry.get("endpoint")) for entry in entries}
    for entry in entries:
        found |= {name: text(mapping(entry.get(name)).get("endpoint")) for name in ("rest", "mcp") if name in entry}
    return {name: url for name, url in found.items() if name in ("rest", "mcp") and url}


def _profile(request: CatalogueRequest) -> str:
    """Who asks, as the header of the request says it."""
    said = dict(request.headers).get("UCP-Agent", "")
    return said.partition('"')[2].rpartition('"')[0]


def _next_page(request: CatalogueRequest, paging: Mapping[str, Any]) -> CatalogueRequest | None:
    cursor = text(paging.get("cursor"))
    if not cursor or paging.get("has_next_page") is not True:
        return None
    body = json.loads(request.body)
    asked = body["params"]["arguments"]["catalog"] if "jsonrpc" in body else body
    asked["pagination"]["cursor"] = cursor
    return CatalogueRequest(request.url, json.dumps(body), request.headers)


def _product(entry: Mapping[str, Any]) -> CatalogueProduct:
    paths = (text(each["value"]).split(">") for each in mappings(entry.get("categories")) if _is_own_category(each))
    pictures = [each for each in mappings(entry.get("media")) if each.get("type") == "image"]
    values = with_values(
        title=text(entry.get("title")),
        brand=text(mapping(entry.get("brand")).get("name")) or text(entry.get("brand")),
        category=deepest(paths),
        description=_description(mapping(entry.get("description"))),
        images=addresses(pictures, "url"),
    )
    variants = [(each, _variant(each)) for each in mappings(entry.get("variants"))]
    if len(variants) == 1 and not _options(variants[0][0]):
        return CatalogueProduct(text(entry.get("id")), text(entry["url"]), values | variants[0][1])
    currencies = {variant.pop("currency") for _, variant in variants if "currency" in variant}
    values |= with_values(currency=currencies.pop() if len(currencies) == 1 else None)
    return CatalogueProduct(
        text(entry.get("id")), text(entry["url"]), values, tuple(variant for _, variant in variants)
    )


def _is_own_category(category: Mapping[str, Any]) -> bool:
    return category.get("taxonomy", "merchant") == "merchant" and bool(text(category.get("value")))


def _description(forms: Mapping[str, Any]) -> str:
    return next((prose(forms[form]) for form in ("plain", "markdown", "html") if prose(forms.get(form))), "")


def _options(variant: Mapping[str, Any]) -> dict[str, str]:
    chosen = mappings(variant.get("options")) or mappings(variant.get("selected_options"))
    return {text(each.get("name")): text(each.get("label")) for each in chosen if text(each.get("label"))}


def _variant(variant: Mapping[str, Any]) -> dict[str, Any]:
    price, currency = _money(variant.get("price"))
    codes = {text(code.get("type")).lower(): text(code.get("value")) for code in mappings(variant.get("barcodes"))}
    return sold_values(
        price,
        _money(variant.get("list_price"))[0],
        currency,
        sku=text(variant.get("sku")),
        ean=next((codes[kind] for kind in ("gtin", "ean", "upc", "isbn") if kind in codes), None),
        availability=stock_state(mapping(variant.get("availability")).get("available")),
        options=_options(variant),
    )


def _money(stated: Any) -> tuple[str | None, str | None]:
    """Amount and currency of a price in minor units of its currency."""
    currency = text(mapping(stated).get("currency"))
    digits = minor_digits(currency)
    price = amount(mapping(stated).get("amount"), digits) if digits is not None else None
    return price, currency if price else None
