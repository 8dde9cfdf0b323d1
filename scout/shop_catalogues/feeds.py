"""Product feeds that a shop's pages link to: RSS and Atom with Google's attributes, schema.org's DataFeed, and tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from scout.extraction.url_codes import is_address
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
    prose,
    sold_values,
    text,
    with_values,
)
from scout.values import NumberLocale, parse_availability, parse_price
from scout.values.tables import table
from scout.values.xml_rows import xml_rows

_DECIMAL_POINT = NumberLocale(decimal=".")  # as the specification of the attributes has it
_OPTIONS = ("color", "size", "material", "pattern")


def begin(page: Page, path: str) -> CatalogueRequest | None:
    """The feed that the page links to by a name for products; None where there is none. A blog's feed is another matter."""
    known = table("shop_catalogues")["feed"]
    for link in page.root.iter("link"):
        kind = (link.get("type") or "").partition(";")[0].strip().lower()
        names = f"{link.get('href') or ''} {link.get('title') or ''}".lower()
        is_alternate = "alternate" in (link.get("rel") or "").lower().split()
        if is_alternate and kind in known["types"] and any(word in names for word in known["names"]):
            return CatalogueRequest(page.absolute(link.get("href") or ""))
    return None


def read(answer: CatalogueAnswer) -> CataloguePage | None:
    """All products of the feed; None where it is none of products."""
    rows = [row for row in _rows(answer) if is_address(_first(row, "link", "url")) and _first(row, "price")]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(_first(row, "item_group_id") or _first(row, "id", "link", "url"), []).append(row)
    products = tuple(_product(key, entries) for key, entries in groups.items())
    return CataloguePage(products, total=len(products)) if products else None


def _rows(answer: CatalogueAnswer) -> Iterator[Mapping[str, Any]]:
    """The records, by the names of Google's attributes."""
    head = answer.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if head == b"<":
        yield from (row for _, row in xml_rows(answer.body, lambda line, what: None))
    elif head in (b"{", b"["):
        yield from _data_feed(answer.data)
    else:
        lines = answer.body.decode("utf-8-sig", "replace")
        delimiter = max("\t;,|", key=lines.partition("\n")[0].count)
        rows = csv.DictReader(io.StringIO(lines), delimiter=delimiter)
        yield from ({str(name).strip().lower(): value for name, value in row.items()} for row in rows)


def _data_feed(data: Any) -> Iterator[Mapping[str, Any]]:
    """https://schema.org/DataFeed: products, or items that hold one."""
    for entry in mappings(mapping(data).get("dataFeedElement")):
        thing = mapping(entry.get("item")) or entry
        stated = thing.get("offers")
        offers = (mappings(stated) or [{}])[0] if isinstance(stated, list) else mapping(stated)
        brand, picture = thing.get("brand"), thing.get("image")
        yield {
            "id": text(thing.get("productID")) or text(thing.get("sku")),
            "title": text(thing.get("name")),
            "link": text(thing.get("url")) or text(offers.get("url")),
            "price": f"{offers.get('price', '')} {offers.get('priceCurrency', '')}".strip(),
            "availability": text(offers.get("availability")),
            "brand": text(mapping(brand).get("name")) or text(brand),
            "gtin": next((text(thing[name]) for name in thing if name.startswith("gtin")), ""),
            "mpn": text(thing.get("mpn")),
            "sku": text(thing.get("sku")),
            "description": thing.get("description"),
            "image_link": picture if isinstance(picture, str) else "",
            "product_type": text(thing.get("category")),
            "item_group_id": text(thing.get("inProductGroupWithID")),
            **{name: text(thing.get(name)) for name in _OPTIONS},
        }


def _first(row: Mapping[str, Any], *names: str) -> str:
    """The first text under any of these names; a repeated element is a list."""
    found = (row.get(name) for name in names)
    return next((text(value[0] if isinstance(value, list) else value) for value in found if value), "")


def _product(key: str, rows: list[Mapping[str, Any]]) -> CatalogueProduct:
    own = [_values(row) for row in rows]
    address = _first(rows[0], "link", "url")
    if len(rows) == 1:
        return CatalogueProduct(key, address, own[0])
    shared = {name: value for name, value in own[0].items() if all(each.get(name) == value for each in own)}
    variants = (
        with_values(
            **{name: value for name, value in each.items() if name not in shared and name != "title"},
            options={name: _first(row, name) for name in _OPTIONS if _first(row, name)},
        )
        for each, row in zip(own, rows, strict=True)
    )
    return CatalogueProduct(key, address, {"title": own[0].get("title", ""), **shared}, tuple(variants))


def _values(row: Mapping[str, Any]) -> dict[str, Any]:
    regular, sale = _money(_first(row, "price")), _money(_first(row, "sale_price"))
    price, currency = sale if sale[0] else regular
    paths = row.get("product_type") or []
    return sold_values(
        price,
        regular[0],
        currency,
        title=_first(row, "title", "name"),
        brand=_first(row, "brand"),
        sku=_first(row, "sku", "id"),  # "use the product's SKU where possible"
        ean=_first(row, "gtin", "ean"),
        han=_first(row, "mpn"),
        availability=parse_availability(_first(row, "availability").replace("_", " ")),
        category=deepest(str(path).split(">") for path in (paths if isinstance(paths, list) else [paths])),
        description=prose(_first(row, "description", "summary")),
        images=[picture] if (picture := _first(row, "image_link")) else None,
    )


def _money(said: str) -> tuple[str | None, str | None]:
    price = parse_price(said, _DECIMAL_POINT)
    found = amount(str(price.amount)) if price and price.amount is not None else None
    return found, price.currency if price and found else None
