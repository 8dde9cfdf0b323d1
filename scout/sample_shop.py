"""A small made-up shop, served on this machine: for the first crawl, for the tutorial, and for checking an installation."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PER_PAGE = 3
UNLISTED = ("Bench", "Lantern")  # what its own catalogue of known offers lacks


@dataclass(frozen=True)
class SampleProduct:
    """A product of the shop."""

    number: int
    title: str
    price: str
    category: str
    material: str
    weight: str

    @property
    def path(self) -> str:
        return f"/product/{self.number}"

    @property
    def article_number(self) -> str:
        return f"TS-{self.number:04d}"


PRODUCTS = tuple(
    SampleProduct(number, *row)
    for number, row in enumerate(
        (
            ("Oak Chair", "120.50", "chairs", "Oak", "5.2 kg"),
            ("Elm Chair", "135.50", "chairs", "Elm", "4.8 kg"),
            ("Ash Stool", "48.50", "chairs", "Ash", "2.1 kg"),
            ("Bench", "210.50", "chairs", "Larch", "11.4 kg"),
            ("Rocking Chair", "1320.50", "chairs", "Walnut", "8.9 kg"),
            ("Desk Lamp", "64.50", "lamps", "Brass", "1.3 kg"),
            ("Floor Lamp", "158.50", "lamps", "Steel", "6.7 kg"),
            ("Lantern", "33.50", "lamps", "Tin", "0.6 kg"),
            ("Pendant", "97.50", "lamps", "Glass", "1.9 kg"),
            ("Reading Light", "71.50", "lamps", "Aluminium", "0.9 kg"),
        ),
        start=1,
    )
)
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:0 auto;padding:1rem;color:#222}a{color:#0a6b63}"
    "nav a{margin-right:1.5rem}ul.products{list-style:none;padding:0;display:grid;grid-template-columns:repeat(3,1fr);gap:1rem}"
    ".card{border:1px solid #ddd;padding:1rem}.price{font-weight:600}th{text-align:left;padding-right:2rem}"
    "footer{margin-top:3rem;color:#666}"
)
_PICTURE = (
    "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='90'><rect width='120' height='90' fill='#e4efee'/>"
    "<text x='60' y='50' text-anchor='middle' font-family='sans-serif' font-size='12' fill='#0a6b63'>{title}</text></svg>"
)


def sample_files(url: str) -> Mapping[str, tuple[str, str]]:
    """What the shop at this address answers: by path, the kind of the content and the content."""
    files = {"/": _page("Tiny Shop", "<h1>Tiny Shop</h1><p>Chairs and lamps for a small house.</p>")}
    for category in ("chairs", "lamps"):
        products = [product for product in PRODUCTS if product.category == category]
        link = f'<a class="next" rel="next" href="/{category}?page=2">Next</a>'
        files[f"/{category}"] = _list_page(category, products[:PER_PAGE], link)
        files[f"/{category}?page=2"] = _list_page(category, products[PER_PAGE:], "")
    files |= {product.path: _product_page(product) for product in PRODUCTS}
    answers = {path: ("text/html", text) for path, text in files.items()}
    pictures = {f"/picture/{p.number}.svg": ("image/svg+xml", _PICTURE.format(title=p.title)) for p in PRODUCTS}
    return {**answers, **pictures, "/known.csv": ("text/csv", known_offers(url))}


def known_offers(url: str) -> str:
    """A catalogue that knows most products of the shop at this address, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("url", "title", "price", "sku"))
    known = (product for product in PRODUCTS if product.title not in UNLISTED)
    writer.writerows((f"{url.rstrip('/')}{p.path}", p.title, p.price, p.article_number) for p in known)
    return text.getvalue()


def sample_server(port: int) -> ThreadingHTTPServer:
    """The shop, listening on this machine alone; `serve_forever` makes it answer."""
    server = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    server.daemon_threads = True
    return server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        files = sample_files(f"http://{self.headers['Host']}")
        kind, text = files.get(self.path, ("text/plain", ""))
        content = text.encode()
        self.send_response(200 if text else 404)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """The terminal is for the person, not for each request."""


def _page(title: str, content: str) -> str:
    menu = '<nav><a href="/chairs">Chairs</a><a href="/lamps">Lamps</a></nav>'
    return (
        f"<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><header>{menu}</header><main>{content}</main><footer>Tiny Shop, 1 High Street</footer></body></html>"
    )


def _list_page(category: str, products: Iterable[SampleProduct], pager: str) -> str:
    cards = "".join(
        f'<li class="card"><a href="{p.path}"><img src="/picture/{p.number}.svg" alt="{p.title}"></a>'
        f'<h3><a href="{p.path}">{p.title}</a></h3><span class="price">€{p.price}</span></li>'
        for p in products
    )
    name = category.title()
    return _page(name, f'<h1>{name}</h1><ul class="products">{cards}</ul><div class="pager">{pager}</div>')


def _product_page(product: SampleProduct) -> str:
    facts = {
        "Article number": product.article_number,
        "Brand": "Tiny",
        "Material": product.material,
        "Weight": product.weight,
    }
    rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
    title = product.title
    return _page(
        title,
        f'<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/{product.category}">{product.category.title()}</a></li>'
        f'<li>{title}</li></ol><div class="product"><img src="/picture/{product.number}.svg" alt="{title}"><h1>{title}</h1>'
        f'<p class="price">€{product.price}</p><p class="stock">In stock</p><button>Add to basket</button>'
        f'<table>{rows}</table><p class="description">The {title} is made by hand in our own workshop, piece by piece.</p></div>',
    )
