"""Answers as pages: what was said of a product or a list, written so that extraction and walking read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from itertools import chain
from typing import Any

from scout.extraction.structured_data import ENDPOINT_MARKUP, LISTED_DATA, RENDERED_MARKUP
from scout.page import Page
from scout.rendering.addresses import Exchange, Facts
from scout.rendering.data_lists import ListedItems
from scout.rendering.record_values import (
    comparable,
    further_values,
    leaf_values,
    object_lists,
    read_record,
    value_places,
)

_HOME = '<header><a href="/">home</a></header>'  # a page of the shop leads on
_SCHEMA = "https://schema.org"
_PROPERTIES = {"title": "name", "ean": "gtin", "han": "mpn", "images": "image"}
_PROPERTIES |= {name: name for name in ("sku", "brand", "description")}


def product_page(url: str, values: Mapping[str, str], plain: Page | None) -> Page:
    """What was said of a product as markup: on its plain page, or on one of its own."""
    # markup alone is not believed
    struck = f'<p class="price"><del>{escape(values["list_price"])}</del></p>' if "list_price" in values else ""
    script = struck + _markup(_product_markup(values), ENDPOINT_MARKUP)
    if plain is not None:
        return Page(url, _inserted(plain.html, script, "</body>"))
    title = escape(values.get("title", ""))
    # without <title>: a rule that is learned from it would read the shop's name on rendered pages, which have one for all
    main = f"{_HOME}<main><h1>{title}</h1>{script}</main>"
    return Page(url, f'<html><body class="product">{main}</body></html>')


def _product_markup(values: Mapping[str, str]) -> dict[str, Any]:
    named = (("price", "price"), ("currency", "priceCurrency"))
    offer: dict[str, Any] = {key: values[name] for name, key in named if name in values}
    if "list_price" in values:
        before = {"@type": "UnitPriceSpecification", "priceType": f"{_SCHEMA}/ListPrice", "price": values["list_price"]}
        offer["priceSpecification"] = {**before, **{k: v for k, v in offer.items() if k == "priceCurrency"}}
    if "availability" in values:
        offer["availability"] = f"{_SCHEMA}/{values['availability']}"
    marked = {_PROPERTIES[name]: value for name, value in values.items() if name in _PROPERTIES}
    return {"@context": _SCHEMA, "@type": "Product", **marked, "offers": {"@type": "Offer", **offer}}


def _markup(data: Any, name: str) -> str:
    return _script(data, "application/ld+json", name)


def _script(data: Any, kind: str, name: str) -> str:
    state = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="{kind}" id="{name}">{state}</script>'


def _inserted(html: str, added: str, before: str) -> str:
    head, end, tail = html.rpartition(before)
    return f"{head}{added}{end}{tail}" if end else f"{html}{added}"


def with_own_facts(page: Page, facts: Facts, exchanges: Iterable[Exchange]) -> Page:
    """A rendered product page with what was read from it, and what the data behind it says beyond that, as markup.

    Rules find it there on pages of an endpoint, too.
    """
    shown = {name: next(iter(values)) for name, values in facts.items()}
    said = next((values for exchange in exchanges if (values := _own_values(exchange.data, facts))), {})
    return Page(page.url, _inserted(page.html, _markup(_product_markup({**said, **shown}), RENDERED_MARKUP), "</body>"))


def _own_values(data: Any, facts: Facts) -> Mapping[str, str]:
    """What an answer says of the product with this name and price, if it shows one; nothing where the two do not stand together."""
    places = value_places([data], [facts])
    shown = {"title", "price"} & facts.keys()
    if not {"title"} <= shown <= places.keys():
        return {}
    holder = places["title"].way[:-1]
    stand_together = all(places[name].way[: len(holder)] == holder for name in shown)
    return read_record(data, places) if stand_together else {}


def with_listed_data(page: Page, shown: Mapping[str, Facts], exchanges: Iterable[Exchange]) -> Page:
    """A list with what the data behind it says of its products, which it shows by these names; the page itself where nothing does."""
    by_name = {comparable(name): facts for name, facts in shown.items()}
    for _, members in chain.from_iterable(object_lists(exchange.data, ()) for exchange in exchanges):
        held = [(member, name) for member in members for name in by_name.keys() & _texts(member)]
        if {name for _, name in held} == by_name.keys():
            places = value_places([member for member, _ in held], [by_name[name] for _, name in held])
            marked = [_product_markup(read_record(member, places)) for member, _ in held]
            return Page(page.url, _inserted(page.html, _markup(marked, ENDPOINT_MARKUP), "</body>"))
    return page


def _texts(record: Any) -> set[str]:
    return {comparable(str(value)) for _, value in leaf_values(record)}


def list_page(url: str, members: Mapping[str, Any], items: ListedItems, plain: Page | None) -> Page:
    """The listed products as a list, behind that of the plain page, with what the data says of each."""
    if not members:
        return Page(url, f"<html><body>{_HOME}<main><p>No more products at {escape(url)}</p></main></body></html>")
    rows = []
    told = {link: _listed_values(member, items) for link, member in members.items()}
    for link, said in told.items():
        title = escape(said.get("title") or link.rpartition("/")[2])
        named = f'<a href="{escape(link)}"><img src="#" alt=""><h3>{title}</h3></a>'
        rows.append(f'<li class="product">{named}<p class="price">{escape(said.get("price", ""))}</p></li>')
    following = items.next_page(url, len(members))
    more = f'<a rel="next" href="{escape(following)}">next</a>' if following else ""
    data = _script([{"url": link, "values": said} for link, said in told.items()], "text/plain", LISTED_DATA)
    listed = f'<ul class="products">{"".join(rows)}</ul>{more}{data}'
    if plain is not None:
        return Page(url, _inserted(plain.html, listed, "</main>" if "</main>" in plain.html else "</body>"))
    return Page(url, f"<html><body>{_HOME}<main>{listed}</main></body></html>")


def _listed_values(member: Any, items: ListedItems) -> dict[str, str]:
    """What the data says of a product of a list: what lists show of it, and what its keys name beyond that."""
    found = {name: value for name, place in items.values.items() if (value := place.read(name, member))}
    return {**further_values(member, items.values), **found}
