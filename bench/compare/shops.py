"""The shops of the comparison, all made up, with what is true of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from tests.crawl.serving import Answer, Server, Table, serving
from tests.crawl.tiny_shop import PRODUCTS, detail, tiny_shop
from tests.shops import nordic, tricky


@dataclass(frozen=True)
class ComparedShop:
    """A shop: which selectors fit it, its products with their prices (None: on request), and those that may be found as well."""

    name: str
    about: str
    pages: str  # tiny, nordic or tricky: what a user has looked at before writing selectors
    truth: Mapping[str, str | None]
    hidden: frozenset[str] = frozenset()  # only in the sitemap
    is_whole: bool = True  # whether every product's page can be read

    @contextmanager
    def running(self) -> Iterator[Server]:
        """The shop, served on this machine."""
        if self.pages == "tricky":
            shop = tricky.TrickyShop()
            thread = threading.Thread(target=shop.httpd.serve_forever, args=(0.05,), daemon=True)
            thread.start()
            yield shop
            shop.httpd.shutdown()
            shop.httpd.server_close()
            return
        with serving(_pages(self.name)) as shop:
            yield shop


def _pages(name: str) -> Table:
    if name == "swedish":
        return nordic.nordic_shop()
    pages = tiny_shop()
    if name == "broken":
        pages["/product/3"] = Answer("", 500)
    if name == "marked":
        pages |= {f"/product/{number}": _marked(number) for number in PRODUCTS}
    return pages


def _marked(number: int) -> str:
    title, price, _ = PRODUCTS[number]
    offer = {"@type": "Offer", "price": price, "priceCurrency": "EUR"}
    markup = json.dumps({"@context": "https://schema.org", "@type": "Product", "name": title, "offers": offer})
    return detail(number).replace("</head>", f'<script type="application/ld+json">{markup}</script></head>')


_TINY = {title: price for title, price, _ in PRODUCTS.values()}
SHOPS = (
    ComparedShop("marked", "10 products, JSON-LD on each", "tiny", _TINY),
    ComparedShop("plain", "the same without markup", "tiny", _TINY),
    ComparedShop("broken", "the same, one product's page answers 500", "tiny", _TINY, is_whole=False),
    ComparedShop(
        "swedish",
        "42 products, prices in kronor, an overview of lists",
        "nordic",
        {title: price.removesuffix(" kr").replace(",", ".") for title, price, _ in nordic.PRODUCTS.values()},
    ),
    ComparedShop(
        "traps",
        "40 products; facets, calendars and paths without end, two addresses of one product, a pager in data-url, a product without price",
        "tricky",
        {
            tricky.title_of(number): None if number == tricky.ON_REQUEST else tricky.price_of(number)
            for number in tricky.NUMBERS
        },
        frozenset(map(tricky.title_of, tricky.ORPHANS)),
    ),
)
