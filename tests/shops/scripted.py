"""Shops whose pages or values are made by script, each in the manner of another kind of software. One assortment, one server.

rest      all pages by the browser from a REST API; one <title>, amounts in minor units, `countInStock`
graphql   the same by GraphQL queries with POST; stock as an enum; lists with pages
hash      addresses such as /#/item/7
cards     products that have no pages of their own
price     pages by the server, in Chinese; the price alone by JSONP, asked for by an id in the page
stock     pages by the server; the stock alone by XHR, and a button on every page; a tab that loads the description
jd        pages by the server, in Chinese, with JSON in a script; the price by XHR
more      lists that grow by a button; scroll: as they are scrolled
plain     pages by the server, with a script and a link to the cart
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

KINDS = ("rest", "graphql", "hash", "cards", "price", "stock", "jd", "more", "scroll", "plain")
CHINESE = ("price", "jd")
CATEGORIES = {"kettles": "Kettles", "toasters": "Toasters", "mixers": "Mixers"}
CHINESE_NAMES = {"kettles": "电热水壶", "toasters": "烤面包机", "mixers": "搅拌机"}
A_PAGE = 6
_MAKERS = ("Halden", "Orsa", "Vika")
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Product:
    number: int
    category: str
    name: str

    @property
    def slug(self) -> str:
        return f"{self.category[:-1]}-{self.number * 7 % 1000}x{self.number}"

    @property
    def cents(self) -> int:
        return 1999 + self.number * 350 + self.number % 7

    @property
    def price(self) -> str:
        return f"{self.cents / 100:.2f}"

    @property
    def is_sold_out(self) -> bool:
        return self.number % 5 == 2

    @property
    def key(self) -> str:
        return f"{self.number * 7919 + 100003:x}"

    def data(self, **more: Any) -> dict[str, Any]:
        image, text = (
            f"/i/{self.key}.png",
            f"{self.name}, made to last, with a warranty of {self.number % 4 + 2} years.",
        )
        brand = _MAKERS[self.number % 3]
        return {"name": self.name, "image": image, "price": self.cents, "description": text, "brand": brand} | more


@dataclass
class ScriptedShop:
    """An assortment and what was asked of its server; `writes` counts all that is more than a question."""

    kind: str
    per_category: int = 10
    requests: Counter[str] = field(default_factory=Counter)
    writes: int = 0
    url: str = ""

    def __post_init__(self) -> None:
        names = CHINESE_NAMES if self.kind in CHINESE else {key: name[:-1] for key, name in CATEGORIES.items()}
        numbered = enumerate((key, i) for key in CATEGORIES for i in range(self.per_category))
        self.products = [
            Product(n, key, f"{_MAKERS[n % 3]} {names[key]} {chr(65 + i % 26)}{n + 100}") for n, (key, i) in numbered
        ]

    def of(self, category: str) -> list[Product]:
        return [p for p in self.products if p.category == category]

    def find(self, key: str) -> Product:
        return next(p for p in self.products if key in (p.key, p.slug, str(p.number)))

    # --- answers ------------------------------------------------------------------------------------------------------

    def answer(self, path: str, query: dict[str, str], body: bytes) -> Any:
        """HTML as text, anything else as JSON; KeyError or StopIteration where there is no such address."""
        if path == "/app.js":
            return _SCRIPT.replace("__KIND__", self.kind)
        if self.kind in ("rest", "graphql", "hash", "cards"):
            data = getattr(self, f"_{self.kind}")(path, query, body)
            frame = "<!DOCTYPE html><html lang=en><head><title>Corner Store</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript>"
            return (
                frame + '<div id="root"></div><script src="/app.js"></script></body></html>' if data is None else data
            )
        return self._script_data(path, query) or self._server_page(path)

    def _rest(self, path: str, query: dict[str, str], body: bytes) -> Any:
        if path == "/api/categories":
            return [{"slug": key, "name": name} for key, name in CATEGORIES.items()]
        if path == "/api/products":
            shown = [
                {k: v for k, v in p.data(_id=p.key).items() if k != "description"} for p in self.of(query["category"])
            ]
            return {"title": CATEGORIES[query["category"]], "products": shown}
        if path.startswith("/api/products/"):
            p = self.find(path.rpartition("/")[2])
            return p.data(_id=p.key, countInStock=0 if p.is_sold_out else p.number + 1, rating=4.5, numReviews=p.number)
        return None

    def _graphql(self, path: str, query: dict[str, str], body: bytes) -> Any:
        if path != "/shop-api":
            return None
        asked = json.loads(body)
        variables = asked["variables"]
        if "collections" in asked["query"]:
            items = [{"id": str(i), "name": name, "slug": key} for i, (key, name) in enumerate(CATEGORIES.items())]
            return {"data": {"collections": {"items": items}}}
        if "slug" in variables:
            p = self.find(variables["slug"])
            stock = "OUT_OF_STOCK" if p.is_sold_out else "LOW_STOCK" if p.number % 3 else "IN_STOCK"
            variant = {"id": str(p.number + 1), "sku": f"V{p.key}", "priceWithTax": p.cents, "currencyCode": "USD"}
            data, variants = p.data(), [variant | {"stockLevel": stock}]
            product = {"id": str(p.number), "name": p.name, "slug": p.slug, "description": data["description"]}
            return {"data": {"product": product | {"featuredAsset": {"preview": data["image"]}, "variants": variants}}}
        wanted = variables["input"]
        of = self.of(wanted["collectionSlug"])
        items = [
            {
                "productName": p.name,
                "slug": p.slug,
                "priceWithTax": {"value": p.cents},
                "productAsset": {"preview": p.data()["image"]},
            }
            for p in of[wanted["skip"] : wanted["skip"] + wanted["take"]]
        ]
        return {"data": {"search": {"totalItems": len(of), "items": items}}}

    def _hash(self, path: str, query: dict[str, str], body: bytes) -> Any:
        key = path.rpartition("/")[2].removesuffix(".json")
        if path == "/data/categories.json":
            return [{"slug": key, "name": name} for key, name in CATEGORIES.items()]
        if path.startswith("/data/lists/"):
            return {"title": CATEGORIES[key], "items": [p.data(id=p.number) for p in self.of(key)]}
        if path.startswith("/data/items/"):
            return self.find(key).data(id=int(key), soldOut=self.find(key).is_sold_out)
        return None

    def _cards(self, path: str, query: dict[str, str], body: bytes) -> Any:
        shown = [p.data(id=p.number, available=not p.is_sold_out) for p in self.products]
        return shown if path == "/api/products" else None

    def _script_data(self, path: str, query: dict[str, str]) -> Any:
        if path == "/gateway/price":
            p = self.find(query["goodsId"])
            told = {"success": True, "result": {"salePrice": p.price, "priceType": 1, "areaCode": "11010200"}}
            return f"{query['callback']}({json.dumps(told)})"
        if path.startswith("/ajax/text/"):
            return {"html": f"<p>{self.find(path.rpartition('/')[2]).data()['description']}</p><p>Made in Orsa.</p>"}
        if path.startswith("/ajax/stock/"):
            p = self.find(path.rpartition("/")[2])
            return {"sku": p.key, "quantity": 0 if p.is_sold_out else p.number + 1}
        if path == "/prices/mgets":
            p = self.find(query["skuIds"].removeprefix("J_"))
            return [{"id": query["skuIds"], "p": p.price, "m": f"{float(p.price) + 100:.2f}", "op": p.price}]
        if path == "/more":
            of, page = self.of(query["list"]), int(query["p"])
            shown = [p.data(slug=p.slug) for p in of[(page - 1) * A_PAGE : page * A_PAGE]]
            return {"items": shown, "hasMore": page * A_PAGE < len(of)}
        return None

    # --- pages by the server ------------------------------------------------------------------------------------------

    def _server_page(self, path: str) -> str:
        kind, _, key = path.strip("/").partition("/")
        names = CHINESE_NAMES if self.kind in CHINESE else CATEGORIES
        menu = "".join(f'<li><a href="/c/{k}">{name}</a></li>' for k, name in names.items())
        cart = "购物车" if self.kind in CHINESE else "Cart (0)"
        if not kind:
            title = "家电商城" if self.kind in CHINESE else "Corner Store"
            main = f"<h1>{title}</h1>" + "".join(
                f'<div class="tile"><a href="/c/{k}"><img src="/i/c.png">{name}</a></div>' for k, name in names.items()
            )
        elif kind == "c":
            title, main = names[key], self._server_list(key, names[key])
        elif kind == "p":
            product = self.find(key.removesuffix(".html"))
            title, main = product.name, self._server_detail(product)
        else:
            raise KeyError(path)
        language = "zh" if self.kind in CHINESE else "en"
        head = f"<!DOCTYPE html><html lang={language}><head><meta charset=utf-8><title>{title} | Store</title></head>"
        top = f'<body><nav class="menu"><ul>{menu}</ul></nav><a href="/cart">{cart}</a><main>{main}</main>'
        return f'{head}{top}<footer>© Store</footer><script src="/app.js"></script></body></html>'

    def _server_list(self, key: str, name: str) -> str:
        grows = self.kind in ("more", "scroll")
        shown = self.of(key)[: A_PAGE if grows else None]
        price = _comments if self.kind in CHINESE else (lambda p: f"<h4>${p.price}</h4>")
        cards = "".join(
            f'<div class="card my-3"><a href="/p/{p.slug}"><img src="/i/{p.key}.png" alt=""></a><div class="card-body">'
            f'<a href="/p/{p.slug}"><h3>{p.name}</h3></a>{price(p)}</div></div>'
            for p in shown
        )
        more = '<button id="more" type="button">Load more</button>' if self.kind == "more" else ""
        return f'<h1>{name}</h1><div class="cards" data-list="{key}">{cards}</div>{more}'

    def _server_detail(self, p: Product) -> str:
        d = p.data()
        if self.kind == "price":
            return (
                f'<div class="prdInfo" data-goods-id="{p.key}"><img src="{d["image"]}"><h1>{p.name}</h1><div>商城价：<span id="jsPrice"></span></div>'
                f'<dl><dt>品牌</dt><dd>{d["brand"]}</dd></dl><a class="btn-buy" href="javascript:;">加入购物车</a></div>'
            )
        if self.kind == "jd":
            state = f'var pageConfig = {{compatible: true, product: {{skuid: "{p.key}", name: "{p.name}", brand: 12, src: "{d["image"]}"}}}};'
            return (
                f'<script>{state}</script><div class="itemInfo"><img src="{d["image"]}"><div class="sku-name">{p.name}</div>'
                f'<div class="p-price">京东价 <span>￥</span><span class="price"></span></div><ul class="parameter"><li>品牌：{d["brand"]}</li></ul>'
                f'<a class="btn-lg" href="#none">加入购物车</a></div>'
            )
        stock, text = "", f"<p>{d['description']}</p>"
        if self.kind == "stock":
            tabs = "".join(f'<a role="tab" href="#{name}">{name}</a>' for name in ("delivery", "text"))
            stock = f'<p id="stock" data-sku="{p.key}"></p>'
            text = f'<div>{tabs}<div id="delivery">Sent within three days.</div><div id="text" hidden></div></div>'
        if self.kind not in ("stock", "plain"):
            stock = f"<p class=stock>{'Sold out' if p.is_sold_out else 'In stock'}</p>"
        return (
            f'<div class="product"><img src="{d["image"]}"><h1>{p.name}</h1><p class="price">${p.price}</p>{stock}'
            f'<button class="buy">Add to cart</button>{text}</div>'
        )


def _comments(p: Product) -> str:
    """What stands in place of a price: with two links to each product, a list is not told from a menu."""
    return f'<p>已有<a href="/p/{p.slug}#comment">{p.number * 3}</a>人评价</p>'


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_query = self.path == "/shop-api" and body.startswith(b'{"query":"query')
        self.server.shop.writes += not is_query
        self._respond(body)

    def do_GET(self) -> None:
        self._respond(b"")

    def _refuse(self) -> None:
        self.server.shop.writes += 1
        self._respond(b"")

    do_PUT = do_DELETE = do_PATCH = _refuse

    def _respond(self, body: bytes) -> None:
        shop, parts = self.server.shop, urlsplit(self.path)
        shop.requests[parts.path] += 1
        if parts.path == "/cart":
            shop.writes += 1
        try:
            if parts.path.startswith("/i/") or parts.path in ("/robots.txt", "/favicon.ico", "/sitemap.xml"):
                raise KeyError(parts.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            answer = shop.answer(parts.path, query, body)
        except (KeyError, StopIteration):
            return self._send(404, "text/plain", "")
        if not isinstance(answer, str):
            return self._send(200, "application/json", json.dumps(answer))
        return self._send(
            200, "text/javascript" if parts.path.endswith((".js", "/price")) else "text/html; charset=utf-8", answer
        )

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    shop: ScriptedShop


@contextmanager
def scripted_shop(kind: str, per_category: int = 10) -> Iterator[ScriptedShop]:
    """A running shop of a kind in KINDS."""
    shop = ScriptedShop(kind, per_category)
    with serving_shop(shop):
        yield shop


@contextmanager
def serving_shop(shop: ScriptedShop) -> Iterator[None]:
    """A server for the shop, for as long as the block runs."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.shop = shop
    shop.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
