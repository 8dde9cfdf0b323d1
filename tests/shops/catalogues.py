"""Shops that give their catalogue as data, as the documentation of their software says: pages, lists, and the catalogue behind them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.crawl.serving import Answer, Server, serving

PER_LIST = 24
CATEGORIES = ("Chairs", "Lamps", "Tables", "Shelves")
COLOURS = ("Red", "Blue")
BRANDS = ("Norden", "Holm", "Askja")
WORDS = ("Oak", "Elm", "Ash", "Birch", "Walnut", "Pine", "Teak", "Maple", "Cedar", "Beech")


@dataclass(frozen=True)
class Product:
    """A product of the shop; every third one comes in two colours."""

    number: int

    @property
    def title(self) -> str:
        return f"{WORDS[self.number % 10]} {self.category[:-1]} No. {self.number}"

    @property
    def handle(self) -> str:
        return f"{self.title.lower().replace(' ', '-').replace('.', '')}"

    @property
    def category(self) -> str:
        return CATEGORIES[self.number % len(CATEGORIES)]

    @property
    def brand(self) -> str:
        return BRANDS[self.number % len(BRANDS)]

    @property
    def sku(self) -> str:
        return f"SKU-{self.number:05}"

    @property
    def cents(self) -> int:
        return 1095 + 137 * self.number

    @property
    def is_in_stock(self) -> bool:
        return self.number % 7 != 0

    @property
    def colours(self) -> tuple[str, ...]:
        return COLOURS if self.number % 3 == 0 else ()

    def variants(self) -> list[tuple[str, str, int]]:
        """Colour, number and price of each."""
        return [(c, f"{self.sku}-{c.upper()}", self.cents + 500 * i) for i, c in enumerate(self.colours)]


def euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"


Change = Callable[[Product, dict[str, Any]], None]  # what a catalogue says of a product, made wrong


class CatalogueShop(Mapping[str, "Answer"]):
    """The table of a server: its pages, made as they are asked for. `change` makes the catalogue lie, `answers` replaces some of them."""

    sign = ""
    product_path = "/products/"

    def __init__(self, count: int, change: Change | None = None, answers: Mapping[str, Any] | None = None) -> None:
        self.products = [Product(number) for number in range(1, count + 1)]
        self.by_path = {self.product_path + product.handle: product for product in self.products}
        self.change, self.answers = change or (lambda product, said: None), dict(answers or {})
        self.unlisted: set[int] = set()  # numbers that only pages know
        self.hidden: set[int] = set()  # numbers that only the catalogue knows
        self.server: Server | None = None

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """A server with this shop for as long as the block runs."""
        with serving(self) as self.server:
            yield self.server

    @property
    def host(self) -> str:
        return self.server.url if self.server else "http://shop.example/"

    def heard(self) -> str:
        """The headers of the request that is answered."""
        return self.server.answering.headers if self.server else ""

    def address_of(self, product: Product) -> str:
        return f"{self.host}{self.product_path.lstrip('/')}{product.handle}"

    def __getitem__(self, path: str) -> Answer:
        parts = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path in self.answers:
            return self.answers[parts.path](query) if callable(self.answers[parts.path]) else self.answers[parts.path]
        if parts.path in self.by_path and self.by_path[parts.path].number not in self.hidden:
            return Answer(self.detail(self.by_path[parts.path]))
        if parts.path == "/":
            return Answer(self.page("The Shop", "<p>Welcome.</p>"))
        if parts.path[1:].title() in CATEGORIES:
            return Answer(self.listing(parts.path[1:].title(), int(query.get("page", 1))))
        return self.catalogue(parts.path, query) or Answer("no such page", 404)

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        """The answer of the catalogue; None where this is none of its addresses."""
        return None

    def told(self) -> list[Product]:
        """The products of the catalogue."""
        return [product for product in self.products if product.number not in self.unlisted]

    def page(self, title: str, content: str) -> str:
        menu = "".join(f'<li><a href="/{name.lower()}">{name}</a></li>' for name in CATEGORIES)
        return (
            f"<!DOCTYPE html><html lang='en'><head><title>{title}</title>{self.sign}</head><body>"
            f"<header><nav><ul class='menu'>{menu}</ul></nav></header><main>{content}</main><footer>The Shop</footer></body></html>"
        )

    def listing(self, category: str, number: int) -> str:
        shown = (product for product in self.products if product.number not in self.hidden)
        mine = [product for product in shown if product.category == category]
        shown = mine[(number - 1) * PER_LIST : number * PER_LIST]
        cards = "".join(
            f'<li class="card"><a href="{self.product_path}{p.handle}"><img src="/img/{p.number}.jpg" alt="">{p.title}</a>'
            f'<span class="price">€{euros(p.cents)}</span></li>'
            for p in shown
        )
        more = number * PER_LIST < len(mine)
        pager = f'<a rel="next" href="/{category.lower()}?page={number + 1}">Next</a>' if more else ""
        return self.page(category, f"<h1>{category}</h1><ul class='products'>{cards}</ul>{pager}")

    def detail(self, product: Product) -> str:
        state = "InStock" if product.is_in_stock else "OutOfStock"
        offers: Any = {"@type": "Offer", "price": euros(product.cents), "priceCurrency": "EUR"}
        offers["availability"] = f"https://schema.org/{state}"
        data: dict[str, Any] = {"@context": "https://schema.org", "@type": "Product", "name": product.title}
        data |= {"sku": product.sku, "brand": {"@type": "Brand", "name": product.brand}, "offers": offers}
        stock = "In stock" if product.is_in_stock else "Sold out"
        select = "".join(f"<option>{colour}</option>" for colour in product.colours)
        return self.page(
            product.title,
            f'<script type="application/ld+json">{json.dumps(data)}</script><h1>{product.title}</h1>'
            f'<img src="/img/{product.number}.jpg" alt="{product.title}"><p class="brand">{product.brand}</p>'
            f'<p class="price">€{euros(product.cents)}</p><p class="stock">{stock}</p>'
            + (f"<select name='Colour'>{select}</select>" if select else "")
            + f'<p class="description">The {product.title} is made by hand in {product.brand}.</p><button>Add to cart</button>',
        )


class ShopifyShop(CatalogueShop):
    """https://shopify.dev/docs/api/ajax/reference/product: no total, at most 250 at once, 400 beyond 25,000."""

    sign = '<script src="https://cdn.shopify.com/s/theme.js"></script>'

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path != "/products.json":
            return None
        size, number = min(int(query.get("limit", 30)), 250), int(query.get("page", 1))
        if size * number > 25_000:
            return as_json({"errors": "Bad Request"}, 400)
        return as_json({"products": [self.said(p) for p in self.told()[(number - 1) * size : number * size]]})

    def said(self, product: Product) -> dict[str, Any]:
        rows = product.variants() or [("Default Title", product.sku, product.cents)]
        said: dict[str, Any] = {
            "id": product.number,
            "title": product.title,
            "handle": product.handle,
            "body_html": f"<p>The {product.title} is made by hand in {product.brand}.</p>",
            "vendor": product.brand,
            "product_type": product.category,
            "options": [{"name": "Colour" if product.colours else "Title", "position": 1}],
            "images": [],
            "variants": [
                {
                    "id": product.number * 10 + i,
                    "title": name,
                    "option1": name,
                    "sku": product.sku if i == 0 else sku,
                    "available": product.is_in_stock,
                    "price": euros(cents),
                    "compare_at_price": None,
                }
                for i, (name, sku, cents) in enumerate(rows)
            ],
        }
        self.change(product, said)
        return said


class WooShop(CatalogueShop):
    """https://developer.woocommerce.com/docs/apis/store-api/: at most 100 at once, minor units, totals in headers, variations apart."""

    sign = '<link rel="stylesheet" href="/wp-content/plugins/woocommerce/assets/css/woocommerce.css">'
    product_path = "/product/"

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path == "/wp-json/wc/store/v1/products/categories":
            below = [{"id": 2 + at, "name": name, "parent": 1} for at, name in enumerate(CATEGORIES)]
            return as_json([{"id": 1, "name": "Furniture", "parent": 0}, *below])
        if path != "/wp-json/wc/store/v1/products":
            return None
        size, number = int(query.get("per_page", 10)), int(query.get("page", 1))
        if size > 100:
            return as_json({"code": "rest_invalid_param", "message": "Invalid parameter(s): per_page"}, 400)
        entries = list(self.variations() if query.get("type") == "variation" else map(self.said, self.told()))
        headers = {"X-WP-Total": str(len(entries)), "X-WP-TotalPages": str(-(-len(entries) // size))}
        return as_json(entries[(number - 1) * size : number * size], headers=headers)

    def said(self, product: Product) -> dict[str, Any]:
        said = {
            **self.sold(product, product.number, product.sku, product.cents),
            "type": "variable" if product.colours else "simple",
            "name": product.title,
            "short_description": f"<p>The {product.title} is made by hand in {product.brand}.</p>",
            "brands": [{"name": product.brand}],
            "categories": [
                {"id": 1, "name": "Furniture"},
                {"id": 2 + CATEGORIES.index(product.category), "name": product.category},
            ],
            "images": [],
            "variations": [{"id": product.number * 10_000 + i} for i, _ in enumerate(product.variants())],
        }
        self.change(product, said)
        return said

    def variations(self) -> Iterator[dict[str, Any]]:
        for product in self.told():
            for i, (colour, sku, cents) in enumerate(product.variants()):
                number = product.number * 10_000 + i
                yield {
                    **self.sold(product, number, sku, cents),
                    "type": "variation",
                    "parent": product.number,
                    "variation": f"Colour: {colour}",
                }

    def sold(self, product: Product, number: int, sku: str, cents: int) -> dict[str, Any]:
        prices = {"price": str(cents), "regular_price": str(cents), "currency_code": "EUR", "currency_minor_unit": 2}
        return {
            "id": number,
            "sku": sku,
            "permalink": self.address_of(product),
            "prices": prices,
            "is_in_stock": product.is_in_stock,
        }


class MagentoShop(CatalogueShop):
    """https://developer.adobe.com/commerce/webapi/graphql/: GraphQL by GET; `knows_brand`: its schema has custom attributes."""

    sign = '<script type="text/x-magento-init">{}</script>'
    product_path = "/"
    knows_brand = True

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path != "/graphql":
            return None
        if "mutation" in query["query"] or ("custom_attributesV2" in query["query"] and not self.knows_brand):
            return as_json({"errors": [{"message": "Cannot query field"}]})
        size, number = 100, json.loads(query["variables"])["page"]
        items = [self.said(product) for product in self.told()[(number - 1) * size : number * size]]
        pages = {"total_pages": -(-len(self.told()) // size)}
        return as_json({"data": {"products": {"total_count": len(self.told()), "page_info": pages, "items": items}}})

    def said(self, product: Product) -> dict[str, Any]:
        said = {
            **self.sold(product, product.sku, product.cents),
            "name": product.title,
            "url_key": product.handle,
            "url_suffix": "",
            "description": {"html": f"<p>The {product.title} is made by hand in {product.brand}.</p>"},
            "categories": [
                {"name": "Furniture", "breadcrumbs": None},
                {"name": product.category, "breadcrumbs": [{"category_name": "Furniture", "category_level": 2}]},
            ],
            "media_gallery": [],
            "custom_attributesV2": {
                "items": [{"code": "manufacturer", "selected_options": [{"label": product.brand}]}]
            },
            "variants": [
                {
                    "attributes": [{"code": "colour", "label": colour}],
                    "product": self.sold(product, sku if i else product.sku, cents),
                }
                for i, (colour, sku, cents) in enumerate(product.variants())
            ],
        }
        self.change(product, said)
        return said

    def sold(self, product: Product, sku: str, cents: int) -> dict[str, Any]:
        price = {"value": cents / 100, "currency": "EUR"}
        return {
            "sku": sku,
            "stock_status": "IN_STOCK" if product.is_in_stock else "OUT_OF_STOCK",
            "price_range": {"minimum_price": {"final_price": price, "regular_price": {"value": cents / 100}}},
        }


class AgentShop(CatalogueShop):
    """https://ucp.dev/: a manifest, and a catalogue that is searched by POST; who does not say who asks is refused."""

    transport = "rest"
    endpoint = ""

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path == "/.well-known/ucp":
            service = {"transport": self.transport, "endpoint": self.endpoint or f"{self.host}ucp"}
            capabilities = {"dev.ucp.shopping.catalog.search": [{}], "dev.ucp.shopping.checkout": [{}]}
            return as_json({"ucp": {"services": {"dev.ucp.shopping": [service]}, "capabilities": capabilities}})
        return self.search(path) if path == "/ucp/catalog/search" else None

    def asked(self, path: str) -> dict[str, Any]:
        """What was last sent to this address."""
        return json.loads(self.server.posted.get(path, [b"{}"])[-1]) if self.server else {}

    def search(self, path: str) -> Answer:
        if "ucp-agent: profile=" not in self.heard().lower():
            return as_json({"messages": [{"code": "profile_required"}]}, 401)
        found = self.found(self.asked(path))
        return as_json(found or {"messages": [{"code": "invalid_request"}]}, 200 if found else 400)

    def found(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """A page of what is searched; nothing where no filter is given."""
        if not asked.get("query") and not asked.get("filters"):
            return {}
        paging = asked.get("pagination", {})
        start, size = int(paging.get("cursor") or 0), min(paging.get("limit", 10), 50)
        products = [self.said(product) for product in self.told()[start : start + size]]
        following = {"cursor": str(start + size), "has_next_page": start + size < len(self.told())}
        return {"products": products, "pagination": following | {"total_count": len(self.told())}}

    def said(self, product: Product) -> dict[str, Any]:
        rows = product.variants() or [("", product.sku, product.cents)]
        said = {
            "id": f"p{product.number}",
            "title": product.title,
            "url": self.address_of(product),
            "brand": {"name": product.brand},
            "description": {"plain": f"The {product.title} is made by hand in {product.brand}."},
            "categories": [{"value": f"Furniture > {product.category}", "taxonomy": "merchant"}],
            "variants": [
                {
                    "sku": product.sku if i == 0 else sku,
                    "price": {"amount": cents, "currency": "EUR"},
                    "availability": {"available": product.is_in_stock},
                    "options": [{"name": "Colour", "label": colour}] if colour else [],
                }
                for i, (colour, sku, cents) in enumerate(rows)
            ],
        }
        self.change(product, said)
        return said


class McpShop(AgentShop):
    """The same by the Model Context Protocol: one address, JSON-RPC; who asks is named in the call."""

    transport = "mcp"

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        return self.call(self.asked(path)) if path == "/ucp" else super().catalogue(path, query)

    def call(self, asked: Mapping[str, Any]) -> Answer:
        given = asked.get("params", {})
        arguments = given.get("arguments", {})
        is_named = bool(arguments.get("meta", {}).get("ucp-agent", {}).get("profile"))
        if (asked.get("method"), given.get("name")) != ("tools/call", "search_catalog") or not is_named:
            return as_json({"jsonrpc": "2.0", "id": asked.get("id"), "error": {"code": -32602, "message": "no"}})
        content = self.found(arguments["catalog"])
        return as_json({"jsonrpc": "2.0", "id": asked["id"], "result": {"structuredContent": content}})


class ShopwareShop(CatalogueShop):
    """https://shopware.stoplight.io/docs/store-api: at most 100 at once, 412 without the key; variants are entries with a parent."""

    key = "SWSCEXAMPLEKEYOFTHESHOP00"
    sign = f"<script>window.accessKey = '{key}';</script>"
    product_path = "/"

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path != "/store-api/product":
            return None
        if f"sw-access-key: {self.key}".lower() not in self.heard().lower():
            return as_json({"errors": [{"status": "412", "code": "FRAMEWORK__ROUTING_SALES_CHANNEL"}]}, 412)
        size, number = int(query.get("limit", 100)), int(query.get("p", 1))
        if size > 100:
            return as_json({"errors": [{"status": "400", "code": "FRAMEWORK__QUERY_LIMIT_EXCEEDED"}]}, 400)
        entries = [entry for product in self.told() for entry in self.entries(product)]
        total = len(entries) if query.get("total-count-mode") == "1" else len(entries[(number - 1) * size :][:size])
        return as_json({"elements": entries[(number - 1) * size : number * size], "total": total, "page": number})

    def entries(self, product: Product) -> Iterator[dict[str, Any]]:
        said = {
            **self.sold(product, str(product.number), product.sku, product.cents),
            "parentId": None,
            "translated": {"name": product.title, "description": f"<p>The {product.title} is made by hand.</p>"},
            "seoUrls": [{"seoPathInfo": product.handle, "isCanonical": True}],
            "manufacturer": {"translated": {"name": product.brand}},
            "categories": [{"breadcrumb": ["Home", "Furniture", product.category]}],
        }
        self.change(product, said)
        yield said
        for i, (colour, sku, cents) in enumerate(product.variants()):
            option = {"translated": {"name": colour}, "group": {"translated": {"name": "Colour"}}}
            sold = self.sold(product, f"{product.number}-{i}", sku if i else product.sku, cents)
            yield {**sold, "parentId": str(product.number), "options": [option], "translated": {"name": None}}

    def sold(self, product: Product, number: str, sku: str, cents: int) -> dict[str, Any]:
        price = {"unitPrice": cents / 100, "listPrice": None}
        return {"id": number, "productNumber": sku, "calculatedPrice": price, "available": product.is_in_stock}


class FeedShop(CatalogueShop):
    """https://support.google.com/merchants/answer/7052112: a feed to which the pages link; each variant is an entry of a group."""

    kind = "application/rss+xml"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sign = f'<link rel="alternate" type="{self.kind}" title="Products" href="/feeds/all">'

    def catalogue(self, path: str, query: Mapping[str, str]) -> Answer | None:
        if path != "/feeds/all":
            return None
        rows = [row for product in self.told() for row in self.rows(product)]
        return Answer(self.written(rows), headers={"Content-Type": f"{self.kind}; charset=utf-8"})

    def rows(self, product: Product) -> Iterator[dict[str, str]]:
        sold = product.variants() or [("", product.sku, product.cents)]
        for i, (colour, sku, cents) in enumerate(sold):
            said = {
                "id": sku if i else product.sku,
                "title": product.title,
                "description": f"The {product.title} is made by hand in {product.brand}.",
                "link": self.address_of(product),
                "price": f"{euros(cents)} EUR",
                "availability": "in_stock" if product.is_in_stock else "out_of_stock",
                "brand": product.brand,
                "product_type": f"Furniture > {product.category}",
                "color": colour,
                "item_group_id": product.handle if colour else "",
            }
            self.change(product, said)
            yield said

    def written(self, rows: list[dict[str, str]]) -> str:
        items = "".join(
            "<item>" + "".join(f"<{tagged(name)}>{escape(row[name])}</{tagged(name)}>" for name in row) + "</item>"
            for row in rows
        )
        return f'<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>{items}</channel></rss>'


def tagged(name: str) -> str:
    """The element of an RSS item in which an attribute stands."""
    return name if name in ("title", "link", "description") else f"g:{name}"


class AtomShop(FeedShop):
    kind = "application/atom+xml"

    def written(self, rows: list[dict[str, str]]) -> str:
        entries = ""
        for row in rows:
            named = {name: value for name, value in row.items() if name not in ("link", "description")}
            parts = "".join(f"<{tagged(name)}>{escape(value)}</{tagged(name)}>" for name, value in named.items())
            entries += (
                f'<entry><link href="{row["link"]}"/><summary>{escape(row["description"])}</summary>{parts}</entry>'
            )
        spaces = 'xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"'
        return f"<feed {spaces}><title>Products</title>{entries}</feed>"


class CsvShop(FeedShop):
    kind = "text/csv"

    def written(self, rows: list[dict[str, str]]) -> str:
        out = io.StringIO()
        table = csv.DictWriter(out, rows[0])
        table.writeheader()
        table.writerows(rows)
        return out.getvalue()


class DataFeedShop(FeedShop):
    """https://schema.org/DataFeed."""

    kind = "application/ld+json"

    def written(self, rows: list[dict[str, str]]) -> str:
        return json.dumps({"@type": "DataFeed", "dataFeedElement": [self.element(row) for row in rows]})

    def element(self, row: dict[str, str]) -> dict[str, Any]:
        amount, _, currency = row["price"].partition(" ")
        state = "InStock" if row["availability"] == "in_stock" else "OutOfStock"
        offer = {
            "@type": "Offer",
            "price": amount,
            "priceCurrency": currency,
            "availability": f"https://schema.org/{state}",
        }
        thing: dict[str, Any] = {"@type": "Product", "name": row["title"], "sku": row["id"], "url": row["link"]}
        thing |= {"brand": {"name": row["brand"]}, "description": row["description"], "offers": offer}
        thing["category"] = row["product_type"]
        group = {"inProductGroupWithID": row["item_group_id"], "color": row["color"]} if row["color"] else {}
        return {"@type": "DataFeedItem", "item": thing | group}


KINDS = (
    ShopifyShop,
    WooShop,
    MagentoShop,
    ShopwareShop,
    AgentShop,
    McpShop,
    FeedShop,
    AtomShop,
    CsvShop,
    DataFeedShop,
)


def as_json(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(json.dumps(data), status, {"Content-Type": "application/json; charset=utf-8", **(headers or {})})
