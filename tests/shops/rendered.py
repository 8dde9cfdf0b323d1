"""Shops that differ only in who builds the page: the server, the browser, or both. One assortment, several ways to serve it.

    static     the server; advertising, times and recommendations change with every answer
    spa        the browser: every address answers with the same empty frame, the data comes from a JSON API
    mixed      lists by the browser, details by the server
    hydrated   the browser, but the plain page carries its data in __NEXT_DATA__

Each may be slow or answer a share of the requests with an error.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

MODES = ("static", "spa", "mixed", "hydrated")
CATEGORIES = {"lamps": "Lamps", "chairs": "Chairs", "tables": "Tables"}
A_PAGE = 6  # products a list shows at once: the assortment needs several
PER_CATEGORY = 14
ADVERTS = ("Buy two, pay one", "Summer sale", "Our new catalogue is out", "Free shipping this week")


def products() -> list[dict[str, str]]:
    """The assortment, the same for every mode."""
    return [
        {
            "id": f"{key}-{i}",
            "title": f"{name[:-1]} Model {chr(65 + i)}{i:02d}",
            "price": f"{19 + 7 * i}.{(13 * i) % 100:02d}",
            "sku": f"{key[:2].upper()}{1000 + i}",
            "brand": ("Nordlicht", "Halvard", "Brightwood")[i % 3],
            "category": key,
            "description": f"A sturdy {name[:-1].lower()} for every day, number {i} of the series.",
        }
        for key, name in CATEGORIES.items()
        for i in range(PER_CATEGORY)
    ]


PRODUCTS = {product["id"]: product for product in products()}


@dataclass
class Shop:
    """What the server counts and how it misbehaves."""

    mode: str
    error_rate: float = 0.0
    delay: float = 0.0
    list_style: str = "pages"  # pages | more ("load more" button) | scroll (infinite)
    api: str = "get"  # get | post (a GraphQL of sorts)
    seed: int = 0  # which requests fail
    spins: str = ""  # the path of a page whose script never ends
    states_stock: bool = False  # the data behind lists says of each product that it is there
    robots: str = ""  # robots.txt; none where it is empty
    requests: Counter[str] = field(default_factory=Counter)
    url: str = ""

    def fails(self, path: str) -> bool:
        """The same share of the addresses fails at the same tries in every run with the same seed: deterministic, not random."""
        self.requests[path] += 1
        digest = hashlib.sha256(f"{self.seed} {path} {self.requests[path]}".encode()).digest()
        return digest[0] < 256 * self.error_rate

    def builds(self, level: str) -> str:
        """Who builds pages of this level: server, browser or hydration."""
        if self.mode == "mixed":
            return "server" if level == "detail" else "browser"
        return {"static": "server", "spa": "browser", "hydrated": "hydration"}[self.mode]


def shown(path: str, page: int) -> tuple[str, dict[str, object]]:
    """The level of an address and the data it shows; KeyError where the shop has no such page."""
    if path == "/":
        return "home", {"categories": [{"id": k, "name": n} for k, n in CATEGORIES.items()]}
    kind, _, key = path.strip("/").partition("/")
    if kind == "p":
        return "detail", {"product": PRODUCTS[key]}
    if kind == "c" and key in CATEGORIES:
        of = [p for p in PRODUCTS.values() if p["category"] == key]
        part = of[(page - 1) * A_PAGE : page * A_PAGE]
        return "list", {
            "category": CATEGORIES[key],
            "key": key,
            "total": len(of),
            "products": part,
            "more": page * A_PAGE < len(of),
            "page": page,
        }
    raise KeyError(path)


def head(title: str, extra: str = "") -> str:
    menu = "".join(f'<li><a href="/c/{k}">{n}</a></li>' for k, n in CATEGORIES.items())
    return f'<html lang=en><head><title>{title} - Lampshop</title>{extra}</head><body><nav class=menu><ul><li><a href="/">Home</a></li>{menu}</ul></nav>'


def record(p: dict[str, str]) -> str:
    return (
        f'<li class=product><a href="/p/{p["id"]}"><img src="/i/{p["id"]}.png" alt=""></a><h3><a href="/p/{p["id"]}">{p["title"]}</a></h3>'
        f"<p class=price>€{p['price']}</p></li>"
    )


def built(level: str, data: dict[str, object]) -> str:
    """The main part of a page, as the server writes it and as the browser's script does."""
    if level == "home":
        cards = "".join(
            f'<li class=card><a href="/c/{c["id"]}"><img src=/i/c.png>{c["name"]}</a></li>' for c in data["categories"]
        )
        return f"<main><h1>Welcome</h1><ul class=categories>{cards}</ul></main>"
    if level == "detail":
        p: dict[str, str] = data["product"]
        return (
            f'<main><div class=breadcrumb><a href="/">Home</a> &gt; <a href="/c/{p["category"]}">{CATEGORIES[p["category"]]}</a></div>'
            f'<h1 class=title>{p["title"]}</h1><img src="/i/{p["id"]}.png"><p class=price>€{p["price"]}</p><p>SKU: <span class=sku>{p["sku"]}</span></p>'
            f"<p>Brand: <span class=brand>{p['brand']}</span></p><div class=description>{p['description']}</div><button>Add to cart</button></main>"
        )
    records = "".join(map(record, data["products"]))
    following = (
        f'<a rel=next class=next href="/c/{data["key"]}?page={data["page"] + 1}">Next</a>' if data["more"] else ""
    )
    return f"<main><h1>{data['category']}</h1><p>{data['total']} products</p><ul class=products>{records}</ul>{following}</main>"


# The browser's half of the shop.
SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


class Handler(BaseHTTPRequestHandler):
    server: Server
    ticks = itertools.count()

    def do_POST(self) -> None:
        """What the script asks of /graphql, which is what it otherwise asks of /api/..."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["variables"]
        self.path = f"/api{asked['path']}?page={asked['page']}"
        self.do_GET()

    def do_GET(self) -> None:
        shop, parts = self.server.shop, urlsplit(self.path)
        page = int(parse_qs(parts.query).get("page", ["1"])[0])
        if parts.path == "/robots.txt" and shop.robots:
            return self.answer(200, "text/plain", shop.robots)
        if parts.path.startswith("/i/") or parts.path in ("/robots.txt", "/favicon.ico", "/sitemap.xml"):
            return self.answer(404, "text/plain", "")
        if parts.path == "/app.js":
            return self.answer(
                200, "text/javascript", SCRIPT.replace("STYLE", shop.list_style).replace("API", shop.api)
            )
        if shop.fails(self.path):
            return self.answer(503, "text/html", "<title>Try again</title>")
        time.sleep(shop.delay)
        is_api = parts.path.startswith("/api/")
        try:
            level, data = shown(parts.path.removeprefix("/api") if is_api else parts.path, page)
        except KeyError:
            return self.answer(404, "text/html", "<title>Not found</title>")
        if level == "detail" and isinstance(product := data["product"], dict):
            data = {"product": {**product, "category_name": CATEGORIES[product["category"]]}}
        if shop.states_stock and isinstance(listed := data.get("products"), list):
            data = {**data, "products": [{**product, "inStock": True} for product in listed]}
        if is_api:
            return self.answer(200, "application/json", json.dumps({"level": level, "data": data}))
        return self.answer(200, "text/html; charset=utf-8", self.document(shop, level, data))

    def document(self, shop: Shop, level: str, data: dict[str, object]) -> str:
        title = data["product"]["title"] if level == "detail" else str(data.get("category", "Welcome"))
        builder = shop.builds(level)
        if builder == "server":
            return head(title) + self.noise() + built(level, data) + "<footer>Imprint</footer>"
        state = json.dumps({"props": {"pageProps": {"level": level, "data": data}}}).replace("<", "\\u003c")
        carried = f'<script id=__NEXT_DATA__ type="application/json">{state}</script>' if builder == "hydration" else ""
        carried += "<script>for (;;) {}</script>" if shop.spins == urlsplit(self.path).path else ""
        return head("Lampshop") + f'<div id=app></div><footer>Imprint</footer>{carried}<script src="/app.js"></script>'

    def noise(self) -> str:
        """Differs in every answer: an advertisement, the time, recommendations."""
        tick = next(self.ticks)
        liked = list(PRODUCTS.values())[tick % 30 : tick % 30 + 2 + tick % 3]
        cards = "".join(f'<div class=card><a href="/p/{p["id"]}">{p["title"]}</a></div>' for p in liked)
        advert = f"<div class=ad-banner>{'<b>!</b>' * (tick % 4)}{ADVERTS[tick % 4]}</div><div class=clock>{tick}</div>"
        return f"{advert}<aside class=recommendations>{cards}</aside>"

    def answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = (
        128  # a browser opens many at once: one that finds the queue full is tried again after 1, 2, 4 … seconds
    )
    shop: Shop


@contextmanager
def rendered_shop(mode: str, **how: float | str) -> Iterator[Shop]:
    """A running shop; its address is `.url`, what was asked of it `.requests`."""
    shop = Shop(mode, **how)
    server = Server(("127.0.0.1", 0), Handler)
    server.shop = shop
    shop.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield shop
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def product_paths(requests: Counter[str]) -> set[str]:
    """The product pages among the requests."""
    return {path for path in requests if re.match(r"/p/", path)}
