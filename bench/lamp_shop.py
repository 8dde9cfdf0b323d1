"""A shop to measure with: as large, as linked and as full of scripts as real shops' pages are, and made up.

The sizes are medians of real shops' pages: 60 to 200 KB, of which half are scripts and styles, 300 to 1,100 elements, 30 to 130 links.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from urllib.parse import parse_qs, urlsplit

PER_PAGE = 24
PER_CATEGORY = 240
RELATED = 8  # products that a product's page shows beside its own
MENU_ENTRIES = 60
FOOTER_ENTRIES = 20
SENTENCES = 40
LETTERS = str.maketrans(
    "0123456789", "abcdefghij"
)  # texts that differ in numbers only would look like one page, a wall
SCRIPT = "window.addEventListener('load',function(e){if(e&&e.target){var t=e.target.getAttribute('data-id');track(t,{a:1})}});\n"
STYLE = ".grid__item--large{display:flex;flex:0 0 25%;padding:0 12px;margin:0 auto;border:1px solid #e5e5e5}\n"


@cache
def head() -> str:
    """Styles and scripts, 45 KB of them."""
    metas = "".join(f"<meta name='setting-{i}' content='value {i}'>" for i in range(15))
    icons = "".join(f"<link rel=preload as=font href=/fonts/{i}.woff2>" for i in range(8))
    styles = f"<style>{STYLE * 150}</style>"
    scripts = "".join(f"<script>{SCRIPT * 30}</script>" for _ in range(8))
    return f"{metas}{icons}{styles}{scripts}"


@cache
def header(categories: int) -> str:
    """The menu: the shop's categories, and pages that are none."""
    pages = [f"/category/{i}" for i in range(1, categories + 1)]
    pages += [f"/info/{i}" for i in range(MENU_ENTRIES - len(pages))]
    entries = "".join(
        f"<li class='menu__item'><a class='menu__link' href='{page}'><span>{page.strip('/').title()}</span></a></li>"
        for page in pages
    )
    icon = "<svg viewBox='0 0 20 20'><path d='M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zm0 2a5 5 0 1 0 0 10'></path></svg>"
    return (
        f"<header class='header'><a href=/ class=logo>{icon}</a><nav><ul class=menu>{entries}</ul></nav>"
        f"<a href=/cart>{icon}</a></header>"
    )


@cache
def footer() -> str:
    """The links below."""
    entries = "".join(f"<li><a href='/help/{i}'>Help topic {i}</a></li>" for i in range(FOOTER_ENTRIES))
    return f"<footer><div class=columns><ul>{entries}</ul></div><p>© All prices include VAT.</p></footer>"


def sentences(subject: str) -> str:
    """Some text."""
    return "".join(f"<p>Sentence {n} about {subject}, which is as good as it can be.</p>" for n in range(SENTENCES))


def card(i: int) -> str:
    """A product in a list."""
    return (
        f"<li class='card'><div class='card__media'><a href='/p/{i}'><img src='/img/{i}-300.jpg' alt='Lamp {i}' loading=lazy></a></div>"
        f"<div class='card__info'><h3 class='card__title'><a href='/p/{i}'>Lamp {i}</a></h3>"
        f"<div class='card__price'><span class='price'>€ {i % 90 + 10}.50</span></div>"
        f"<div class='card__rating'><span class=stars>★★★★☆</span> <span class=count>({i % 40})</span></div></div></li>"
    )


class Shop:
    """The pages of a shop with `products` products; `page(path)` is None where there is none."""

    def __init__(self, products: int) -> None:
        self.products = products

    @property
    def categories(self) -> int:
        return -(-self.products // PER_CATEGORY)

    @property
    def pages(self) -> int:
        """How many pages a spider reads that knows where to look: home, lists and products."""
        full, rest = divmod(self.products, PER_CATEGORY)
        return 1 + self.products + full * -(-PER_CATEGORY // PER_PAGE) + -(-rest // PER_PAGE)

    @property
    def all_pages(self) -> int:
        """How many there are: also those that are not about products."""
        return self.pages + MENU_ENTRIES - self.categories + FOOTER_ENTRIES

    def page(self, path: str) -> str | None:
        parts = urlsplit(path)
        kind, _, number = parts.path.strip("/").partition("/")
        if not kind:
            return self._page("Lamps and more", "<h1>Welcome</h1><p>All the lamps there are.</p>")
        if not number.isdecimal():
            return None
        if kind in ("info", "help"):
            about = f"{kind} {number.translate(LETTERS)}"
            return self._page(about, f"<h1>{about}</h1>{sentences(about)}")
        if kind == "p" and int(number) < self.products:
            return self._detail(int(number))
        if kind == "category" and 0 < int(number) <= self.categories:
            return self._listing(int(number), int(parse_qs(parts.query).get("page", ["1"])[0]))
        return None

    def _page(self, title: str, content: str, more: str = "") -> str:
        return (
            f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title}</title>{head()}{more}</head><body>"
            f"{header(self.categories)}<main>{content}</main>{footer()}</body></html>"
        )

    def _listing(self, category: int, number: int) -> str:
        end = min(category * PER_CATEGORY, self.products)
        first = (category - 1) * PER_CATEGORY + (number - 1) * PER_PAGE
        last = min(end, first + PER_PAGE)
        cards = "".join(map(card, range(first, last)))
        more = f"<a class=next rel=next href='/category/{category}?page={number + 1}'>Next</a>" if last < end else ""
        title = f"Lamps {category}"
        crumbs = f"<div class=breadcrumb><a href=/>Home</a> <span>{title}</span></div>"
        return self._page(
            title,
            f"{crumbs}<h1>{title}</h1><ul class=items>{cards}</ul><div class=pagination>{more}</div>",
        )

    def _detail(self, i: int) -> str:
        category = i // PER_CATEGORY + 1
        related = "".join(card((i + n) % self.products) for n in range(1, RELATED + 1))
        return self._page(
            f"Lamp {i}",
            f"<div class=breadcrumb><a href=/>Home</a> <a href='/category/{category}'>Lamps {category}</a></div>"
            f"<div class=product><div class=gallery><img src='/img/{i}.jpg'><img src='/img/{i}-b.jpg'></div>"
            f"<h1 class=product__title>Lamp {i}</h1><p class='product__price price'>€ {i % 90 + 10}.50</p>"
            f"<form class=buy><input name=quantity value=1><button>Add to cart</button></form>"
            f"<table class=data><tr><th>Brand</th><td>Maker {i % 7}</td></tr>"
            f"<tr><th>Article number</th><td>LA-{i:05d}</td></tr><tr><th>Colour</th><td>White</td></tr></table>"
            f"<div class=text>{sentences(f'lamp {i}')}</div></div>"
            f"<section class=related><h2>You may also like</h2><ul class=items>{related}</ul></section>",
            f"<script type='application/ld+json'>{json.dumps(markup(i))}</script>",
        )


def markup(i: int) -> dict[str, object]:
    """What shops tell search engines."""
    return {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": f"Lamp {i}",
        "image": f"/img/{i}.jpg",
        "sku": f"LA-{i:05d}",
        "brand": {"@type": "Brand", "name": f"Maker {i % 7}"},
        "offers": {
            "@type": "Offer",
            "price": f"{i % 90 + 10}.50",
            "priceCurrency": "EUR",
            "availability": "https://schema.org/InStock",
        },
    }


def _serve(connection: Connection, products: int) -> None:
    shop = Shop(products)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            found = shop.page(self.path)
            body = (found or "no such page").encode()
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    connection.send(server.server_port)
    server.serve_forever()


@contextlib.contextmanager
def serving(products: int) -> Iterator[str]:
    """The shop's address while a process of its own serves it."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(theirs, products), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}/"
    finally:
        process.terminate()
        process.join()
