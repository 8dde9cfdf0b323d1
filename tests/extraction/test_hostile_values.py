"""No page is lost to what it says: whatever stands where a number, an address or an object is expected, it is only left out."""

from __future__ import annotations

import html
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scout.extraction.breadcrumbs import breadcrumb
from scout.extraction.extractor import extract, reviews
from scout.page import Page
from scout.walking.categories import menu_paths
from scout.walking.identity import Products
from scout.walking.links import alternates, links
from scout.walking.page_types import page_type
from scout.walking.pagination import declared_next, next_url
from scout.walking.records import records
from scout.walking.review_pages import review_pages
from scout.walking.sitemaps import sitemap
from scout.walking.stated_counts import stated_count
from scout.walking.steps import Step
from scout.walking.walk import Walk
from tests.walking.walking import Defaults

URL = "http://shop.example/p/lamp-1"
BROKEN_ADDRESSES = [
    "http://[x",
    "http://[x/a.jpg",
    "//[",
    "https://a\u2100b.example/",
    "http://x:y/",
    "?page=[",
    "\x01",
    "javascript:",
    "http:///",
    "data:,",
]
BROKEN_NUMBERS = ["9" * 5_000, "²", "٣", "-1", "1e999999", "NaN", "Infinity", "1.2.3", "0x10", "1_0", ""]


def nested(depth: int, opening: str, closing: str) -> str:
    return opening * depth + closing * depth


DEEP = [
    json.loads(nested(300, '{"offers":[', "]}").replace("[]", "[1]")),
    json.loads(nested(600, '{"a":', "}").replace(":}", ":1}")),
]
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**18,
    [],
    {},
    [[]],
    [5],
    [None],
    {"1": [5]},
    {"": {}},
    {"name": {"name": []}},
    {"@id": {}},
    *DEEP,
]

anything = st.one_of(
    st.sampled_from(ODD), st.sampled_from(BROKEN_NUMBERS), st.sampled_from(BROKEN_ADDRESSES), st.text(max_size=8)
)
address = st.one_of(st.sampled_from(BROKEN_ADDRESSES), st.sampled_from(["/p/2", "?page=2", "#top", "/reviews/lamp-1"]))
number = st.one_of(st.sampled_from(BROKEN_NUMBERS), st.sampled_from(["2", "19.90", "$5"]))

PRODUCT: dict[str, Any] = {
    "@type": "Product", "@id": "#1", "name": "Lamp", "sku": "A1", "gtin13": "4006381333931", "brand": {"name": "Lux"}, "image": ["/a.jpg"],
    "url": "/p/lamp-1", "category": "Lamps", "description": "A lamp.", "identifier": {"propertyID": "gtin", "value": "1"},
    "offers": {
        "price": "19.90", "priceCurrency": "EUR", "availability": "InStock", "priceSpecification": {"price": 19, "priceType": "list"},
    },
    "aggregateRating": {"ratingValue": "4", "bestRating": 5, "reviewCount": 3}, "isVariantOf": {"@id": "#1"},
    "review": [{"@type": "Review", "reviewBody": "A fine lamp it is.", "reviewRating": {"ratingValue": 5}, "author": {"name": "Ann"}}],
    "hasVariant": [
        {"sku": "A", "color": "red", "url": "?v=1", "offers": {"price": "19.90"}, "additionalProperty": [{"name": "size", "value": "L"}]},
        {"sku": "B", "color": "blue", "url": "?v=2", "offers": {"price": "20.90"}},
    ],
}  # fmt: skip
CRUMBS: dict[str, Any] = {
    "@type": "BreadcrumbList",
    "itemListElement": [{"position": 1, "name": "Lamps", "item": {"@id": "/lamps"}}, {"position": "2", "name": "Desk"}],
}  # fmt: skip
STATE: dict[str, Any] = {
    "title": "Lamp", "vendor": "Lux", "sku": "A1", "price": 1990, "options": ["Colour"], "id": 7, "prices": {"value": 19.9, "sale": [19]},
    "variants": [
        {"id": 1, "title": "Red", "sku": "A", "option1": "Red", "price": 1990, "available": True, "barcode": "4006381333931", "url": "/p"},
        {"id": 2, "title": "Blue", "sku": "B", "option1": "Blue", "price": 2090, "inventory_quantity": 3, "attributes": {"colour": "blue"}},
    ],
}  # fmt: skip
MATRIX: dict[str, Any] = {
    "attributes": {"93": {"label": "Colour", "options": [{"id": "1", "label": "Red"}, {"id": "2", "label": "Blue"}]}},
    "index": {"10": {"93": "1"}, "11": {"93": "2"}}, "sku": {"10": "A", "11": "B"},
    "optionPrices": {"10": {"finalPrice": {"amount": 19.9}}, "11": {"finalPrice": {"amount": 20.9}, "oldPrice": {"amount": 30}}},
}  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value that may be replaced."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, key: replaced(value[key], rest, new)}
    return [replaced(one, rest, new) if number == key else one for number, one in enumerate(value)]


@st.composite
def spoilt(draw: st.DrawFn, value: Any) -> Any:
    """The value with something else in one or two of its places."""
    for _ in range(draw(st.integers(0, 2))):
        value = replaced(value, draw(st.sampled_from(places(value))), draw(anything))
    return value


def attribute(value: Any) -> str:
    return html.escape(value if isinstance(value, str) else json.dumps(value))


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """A product with everything that a page may say of it, some of it broken."""
    said, numbers, written = (
        draw(st.lists(address, min_size=9, max_size=9)),
        draw(st.lists(number, min_size=5, max_size=5)),
        json.dumps,
    )
    a, n = [attribute(one) for one in said], [attribute(one) for one in numbers]
    tile = f"<li class=product><a href='{a[0]}'><img src='{a[1]}' alt=Lamp width='{n[0]}'>Lamp</a><b class=price>${n[1]}</b></li>"
    body = f"""<html><head><title>Lamp</title><base href="{a[8] if draw(st.booleans()) else "/"}"><link rel=canonical href="{a[2]}">
    <link rel=next href="{a[3]}"><link rel=alternate hreflang=de href="{a[4]}"><link rel=alternate hreflang=en href="{URL}">
    <meta property="og:image" content="{a[5]}"><meta property="product:price:amount" content="{n[2]}">
    <script type="application/ld+json">{written(draw(spoilt(PRODUCT)))}</script>
    <script type="application/ld+json">{written(draw(spoilt(CRUMBS)))}</script>
    <script>var product = {written(draw(spoilt(STATE)))}; gtag("event", {written(draw(spoilt(STATE)))})</script>
    <script type="text/x-magento-init">{written({"x": draw(spoilt(MATRIX))})}</script></head>
    <body><nav class=menu><ul><li><a href="{a[6]}">Lamps</a></li></ul></nav><div class=breadcrumb><a href="{a[7]}">Lamps</a></div>
    <h1>Lamp</h1><a href="{a[5]}"><img src="{a[6]}" alt=Lamp></a><span class=price>${n[3]}</span>
    <p>{n[4]} in stock, ships in {n[4]} days</p>
    <form data-product_variations="{attribute(draw(spoilt(STATE["variants"])))}"></form>
    <div data-x="{attribute(draw(spoilt(STATE)))}"></div>
    <div itemscope itemtype="http://schema.org/Product"><b itemprop=name>Lamp</b><a itemprop=url href="{a[0]}"></a>
    <b itemprop=price content="{n[0]}"></b></div>
    <select><option data-sku=A data-price="{n[1]}">Red<option data-sku=B data-price="{n[2]}">Blue
    </select><ul>{tile * 4}</ul><a href="{a[1]}">reviews</a><p>{n[3]} products</p>
    <div class=pagination><a href="{a[2]}" data-page="{n[4]}" class=next>Next</a><a data-page="{n[0]}">More</a></div></body></html>"""
    return Page(URL, body)


def walk() -> Walk:
    decide = Defaults()
    decide.walk = Walk(URL, decide)
    return decide.walk


@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(pages())
def test_no_page_is_lost_to_what_stands_in_it(page: Page) -> None:
    offer = extract(page, complete=True)
    Products().find_or_add(offer, alternates(page))
    for record in records(page) or ():
        _ = record.href, record.title, record.price, record.image
    walk().read(page, Step(URL))
    for look in (next_url, declared_next, page_type, breadcrumb, menu_paths, stated_count, reviews, review_pages):
        look(page)
    for link in links(page):
        urlsplit(link.url)


@pytest.mark.parametrize("depth", [600, 1_900])
@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<div>", "</div>"),
        ("<div itemscope itemprop=name itemtype='http://schema.org/Product'>", "</div>"),
        ("<div typeof=Product property='name offers'>", "</div>"),
        ("<ul class=menu><li>", "</li></ul>"),
    ],
)
def test_no_page_is_lost_to_how_deep_it_is(depth: int, opening: str, closing: str) -> None:
    page = Page(URL, f"<h1>Lamp</h1>{opening * depth}<a href='/p/2'>Lamp</a><b>$5</b>{closing * depth}")
    extract(page, complete=True)
    found = [link.url for link in links(page)]
    assert page_type(page) and found == (["http://shop.example/p/2"] if page.root.find(".//a") is not None else [])
    menu_paths(page)
    records(page)


def test_no_page_is_lost_to_products_inside_each_other() -> None:
    """Also where no heading names the product, and only the page's data can."""
    product = '{"name": "Lamp", "price": 5, "sku": "A1", "a": '
    data = product * 600 + "1" + "}" * 600
    extract(Page(URL, f"<script type='application/json'>{data}</script><script>var state = {data};</script>"))


@pytest.mark.parametrize("written", [b"<urlset><url><loc>%b</loc></url></urlset>", b"%b\n"])
@pytest.mark.parametrize("broken", BROKEN_ADDRESSES)
def test_no_sitemap_is_lost_to_an_address(written: bytes, broken: str) -> None:
    listed = sitemap(written % html.escape(broken).encode()).pages
    list(walk().list_pages(listed))
