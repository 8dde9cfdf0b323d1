"""A provider whose offers lie in a database behind query forms: one form of each kind, at each degree of cooperation.

    /limited/KIND      the form with DB.* metadata
    /none/KIND         the same form without a word
    /shop.DBContent    full cooperation; /summarizer is the provider's own program
    /KIND/answer       what the form of that kind asks
    /item/NUMBER       the page of an offer

The database is a real one, SQLite in a file; every request is remembered.
"""

from __future__ import annotations

import html
import io
import math
import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlencode

from scout.store.summarizer import Summarizer

ROWS = 5_200
A_PAGE = 50  # rows of a page where results are paged
CUT = 50  # rows that a form shows at most where it cuts off
BRANDS = [
    a + b
    for a in ("Nor", "Hal", "Bri", "Ver", "Lum", "Ost", "Kvi", "Tar")
    for b in ("lund", "vard", "wood", "dis", "tek")
]
CATEGORIES = """Lamps Chairs Tables Shelves Carpets Curtains Mirrors Clocks Vases Beds Sofas Desks Stools Benches Baskets Candles
 Frames Hooks Trays Bowls Kettles Knives Plates Towels Pillows Blankets""".split()
CONDITIONS = ("new", "used", "refurbished")
COLOURS = "black white red green blue yellow grey brown oak walnut".split()
SERIES = [
    a + b
    for a in ("Al", "Be", "Ce", "Do", "El", "Fa", "Gi", "Ho", "Is", "Ju", "Ka", "Lo")
    for b in ("rano", "mira", "sund", "vik", "tora", "nessa", "pell", "dora")
]
COLUMNS = ("id", "sku", "title", "brand", "category", "condition", "price")


def build(path: Path, rows: int = ROWS) -> None:
    """Write the database: the offers, and a table that is nobody's business."""
    chance = random.Random(20261116)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE offers (id INTEGER PRIMARY KEY, sku TEXT, title TEXT, brand TEXT, category TEXT, condition TEXT, price TEXT)"
        )
        connection.execute("CREATE TABLE secrets (customer TEXT, password TEXT)")
        connection.execute("INSERT INTO secrets VALUES ('Ann', 'hunter2')")
        connection.executemany(
            "INSERT INTO offers VALUES (?, ?, ?, ?, ?, ?, ?)", (_row(number, chance) for number in range(1, rows + 1))
        )
    connection.close()


def _row(number: int, chance: random.Random) -> tuple[object, ...]:
    brand, category = chance.choice(BRANDS), chance.choice(CATEGORIES)
    title = f"{chance.choice(SERIES)} {category.removesuffix('s')} {chance.choice(COLOURS)} {brand}"
    price = f"{chance.randint(3, 900)}.{chance.randint(0, 99):02d}"
    return number, f"S-{number:05d}", title, brand, category, chance.choice(CONDITIONS), price


@dataclass(frozen=True)
class Kind:
    """One kind of form: its elements, the columns they ask about, and how results come."""

    elements: str
    metadata: dict[str, str]
    asks: dict[str, str]  # element -> condition in SQL, with ? for the value
    required: tuple[str, ...] = ()
    method: str = "GET"
    is_paged: bool = True


def _select(name: str, values: list[str] | tuple[str, ...], label: str) -> str:
    options = "".join(f'<option value="{value}">{value.title()}</option>' for value in values)
    return f'<label for="{name}">{label}</label> <select id="{name}" name="{name}"><option value="">any</option>{options}</select>'


def _boxes(kind: str, name: str, values: tuple[str, ...]) -> str:
    boxes = "".join(
        f'<label><input type="{kind}" name="{name}" value="{value}"> {value.title()}</label>' for value in values
    )
    return f"<fieldset><legend>Condition</legend>{boxes}</fieldset>"


_TEXT = '<label>Product <input type="text" name="q"></label>'
_WORDS = "' ' || title || ' ' LIKE '% ' || ? || ' %'"
_BEGINS = "title LIKE ? || '%'"
BRAND = _select("brand", BRANDS, "Manufacturer")
CATEGORY = _select("cat", CATEGORIES, "Category")
KINDS = {
    "select": Kind(BRAND, {"QueryElement": "brand"}, {"brand": "brand = ?"}, required=("brand",)),
    "radio": Kind(
        _boxes("radio", "state", CONDITIONS), {"QueryElement": "state"}, {"state": "condition = ?"}, required=("state",)
    ),
    "checkbox": Kind(
        _boxes("checkbox", "state", CONDITIONS),
        {"QueryElement": "state"},
        {"state": "condition = ?"},
        required=("state",),
    ),
    "text": Kind(_TEXT, {"QueryElement": "q", "QueryElement.q": "/[A-L]%/"}, {"q": _BEGINS}, required=("q",)),
    "two": Kind(
        _boxes("radio", "state", CONDITIONS) + CATEGORY,
        {"QueryElements": "state, cat"},
        {"state": "condition = ?", "cat": "category = ?"},
        required=("state", "cat"),
    ),
    "post": Kind(CATEGORY, {"QueryElement": "cat"}, {"cat": "category = ?"}, required=("cat",), method="POST"),
    "paged": Kind(
        CATEGORY + BRAND, {"QueryElement": "cat"}, {"cat": "category = ?", "brand": "brand = ?"}, required=("cat",)
    ),
    "cut": Kind(
        BRAND + CATEGORY, {"QueryElements": "brand, cat"}, {"brand": "brand = ?", "cat": "category = ?"}, is_paged=False
    ),
    "words": Kind(_TEXT, {}, {"q": _WORDS}, required=("q",)),
    "cutwords": Kind(_TEXT, {}, {"q": _WORDS}, required=("q",), is_paged=False),
}
# kind -> the columns that its elements ask about, and all their values
DOMAINS: dict[str, list[tuple[str, Sequence[str]]]] = {
    "select": [("brand", BRANDS)],
    "radio": [("condition", CONDITIONS)],
    "checkbox": [("condition", CONDITIONS)],
    "text": [("substr(title, 1, 1)", "ABCDEFGHIJKL")],
    "two": [("condition", CONDITIONS), ("category", CATEGORIES)],
    "post": [("category", CATEGORIES)],
    "paged": [("category", CATEGORIES)],
    "cut": [("brand", BRANDS), ("category", CATEGORIES)],
}
RULES = {
    "Result": "html.body.table[0]",
    "Result.name": "tr[1:*].td[0].a.txt",
    "Result.url": "tr[1:*].td[0].a.getAttr(href)",
    "Result.sku": "tr[1:*].td[1].txt",
    "Result.brand": "tr[1:*].td[2].txt",
    "Result.price": "tr[i:*].td[3].txt where tr[i].td[3].getAttr(class) = 'price'",
}


@dataclass
class Provider:
    """A running provider and what it was asked: (method, path with query), robots.txt left out."""

    database: Path
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    extra: dict[str, Callable[[dict, Callable], object]] = field(
        default_factory=dict
    )  # further WSGI applications by path

    def __call__(self, environ: dict, start: Callable) -> object:
        path, query = environ["PATH_INFO"], environ.get("QUERY_STRING", "")
        if path != "/robots.txt":
            self.asked.append((environ["REQUEST_METHOD"], path + (f"?{query}" if query else "")))
        if path in self.extra:
            return self.extra[path](environ, start)
        body = self._body(environ["REQUEST_METHOD"], path, _given(environ))
        start("200 OK" if body else "404 Not Found", [("Content-Type", "text/html; charset=utf-8")])
        return [body.encode()]

    def _body(self, method: str, path: str, given: dict[str, str]) -> str:
        parts = path.strip("/").split("/")
        if len(parts) == 2 and parts[0] in ("limited", "none") and parts[1] in KINDS:
            return form_page(parts[1], is_described=parts[0] == "limited")
        if len(parts) == 2 and parts[1] == "answer" and parts[0] in KINDS:
            kind = KINDS[parts[0]]
            return (
                self._answer(parts[0], kind, given)
                if method == kind.method or "page" in given
                else "<h1>wrong method</h1>"
            )
        if len(parts) == 2 and parts[0] == "item" and parts[1].isdecimal():
            return self._item(int(parts[1]))
        return ""

    def _item(self, number: int) -> str:
        """The page of an offer, with more than a result list shows."""
        with sqlite3.connect(self.database) as connection:
            row = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM offers WHERE id = ?", [number]).fetchone()
        connection.close()
        if row is None:
            return ""
        _, sku, title, brand, _, condition, price = row
        facts = {"Brand": brand, "Item number": sku, "Condition": condition}
        table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in facts.items())
        return page(
            f'<h1>{title}</h1><p class="price">€{price}</p><p>In stock</p><table>{table}</table><button>Add to cart</button>'
        )

    def _answer(self, name: str, kind: Kind, given: dict[str, str]) -> str:
        asked = {element: given[element] for element in kind.asks if given.get(element)}
        if not set(kind.required) <= asked.keys():
            return page("<h1>Please fill in the form</h1>")
        condition, values = where(kind, asked)
        number = int(given.get("page", 1))
        with sqlite3.connect(self.database) as connection:
            count = connection.execute(f"SELECT count(*) FROM offers WHERE {condition}", values).fetchone()[0]
            limit = f"LIMIT {A_PAGE} OFFSET {(number - 1) * A_PAGE}" if kind.is_paged else f"LIMIT {CUT}"
            rows = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM offers WHERE {condition} ORDER BY id {limit}", values
            ).fetchall()
        connection.close()
        pages = -(-count // A_PAGE) if kind.is_paged else 1
        return results(rows, pager(f"/{name}/answer", asked, number, pages))


def minimal(database: Path, kind: str) -> int:
    """The fewest requests that a form's database takes: |D1| · |D2| + further pages; for words, as if one question brought everything."""
    columns, domains = zip(*DOMAINS.get(kind, [("1", [1])]), strict=True)
    with sqlite3.connect(database) as connection:
        counts = Counter(connection.execute(f"SELECT {', '.join(columns)} FROM offers").fetchall())
    connection.close()
    return sum(max(1, math.ceil(counts[values] / A_PAGE)) for values in product(*domains))


def where(kind: Kind, asked: dict[str, str]) -> tuple[str, list[str]]:
    """The condition that a query means; a search for several words asks for all of them."""
    pairs = [
        (kind.asks[element], part)
        for element, value in asked.items()
        for part in (value.split() if element == "q" else [value])
    ]
    return " AND ".join(condition for condition, _ in pairs) or "1", [value.rstrip("%") for _, value in pairs]


def _given(environ: dict) -> dict[str, str]:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    text = environ["wsgi.input"].read(length).decode() if length else ""
    return {name: values[0] for name, values in parse_qs(f"{environ.get('QUERY_STRING', '')}&{text}").items()}


def page(content: str, head: str = "") -> str:
    return f"<!DOCTYPE html><html lang='en'><head><title>The house of offers</title>{head}</head><body>{content}</body></html>"


def form_page(name: str, *, is_described: bool) -> str:
    kind = KINDS[name]
    entries = {**kind.metadata, **RULES, "NavigationURL": f"/{name}/answer?*page=*"}
    if kind.method == "POST":
        entries["QueryScript"] = f"/{name}/answer, POST"
    if not kind.is_paged:
        entries["NavigationURL"] = "NO"
    head = "".join(f'<meta name="DB.{key}" content="{html.escape(value)}">' for key, value in entries.items())
    login = '<form action="/login" method="post"><input name="user"><input type="password" name="pass"><input type="submit" value="Log in"></form>'
    letter = '<form action="/newsletter"><input type="email" name="email" placeholder="Your e-mail"><button>Subscribe to our newsletter</button></form>'
    search = f'<form action="/{name}/answer" method="{kind.method}">{kind.elements}<input type="hidden" name="v" value="2"><input type="submit" value="Search"></form>'
    return page(f"{login}<h1>Find an offer</h1>{search}{letter}", head if is_described else "")


def results(rows: list[tuple], links: str) -> str:
    if not rows:
        return page("<p>Nothing was found.</p>")
    cells = "".join(
        f'<tr><td><a href="/item/{id_}">{title}</a></td><td>{sku}</td><td>{brand}</td><td class="price">€{price}</td><td>{condition}</td></tr>'
        for id_, sku, title, brand, _, condition, price in rows
    )
    head = "<tr><th>Product</th><th>Number</th><th>Brand</th><th>Price</th><th>Condition</th></tr>"
    return page(f"<h1>Results</h1><table>{head}{cells}</table>{links}")


def pager(path: str, asked: dict[str, str], number: int, pages: int) -> str:
    links = [
        f"<b>{n}</b>" if n == number else f'<a href="{path}?{html.escape(urlencode({**asked, "page": n}))}">{n}</a>'
        for n in range(1, pages + 1)
    ]
    return f'<p class="pager">{" ".join(links)}</p>' if pages > 1 else ""


def _handler(provider: Provider) -> type[BaseHTTPRequestHandler]:
    """Calls the WSGI application; wsgiref's own handler closes every connection, and then a POST may be lost."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else the body waits until the client has confirmed the headers

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            length = self.headers.get("Content-Length", "0")
            environ = {
                "REQUEST_METHOD": self.command,
                "PATH_INFO": unquote(path),
                "QUERY_STRING": query,
                "CONTENT_LENGTH": length,
            }
            environ |= {"wsgi.input": io.BytesIO(self.rfile.read(int(length)))}
            environ |= {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in self.headers.items()}
            answer: list = []
            body = b"".join(provider(environ, lambda *said: answer.extend(said)))
            self.send_response(int(answer[0].split()[0]))
            for name, value in [*answer[1], ("Content-Length", str(len(body)))]:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = (
        128  # several crawls at once: a connection that finds the queue full is tried again after 1, 2, 4 … seconds
    )


def cooperate(provider: Provider, directory: Path, token: str) -> str:
    """Put the document and the summarizer up; the document's address."""
    document = (
        f"Summarizer: {provider.url}/cgi-bin/summarizer\nURL: {provider.url}/none/select\nTitle: The house of offers\n"
        "Description: Everything for the house\nKeywords: lamps, chairs\nDatabase: shop\nTable: offers\n"
        + "".join(f"Attribute: {name}\n" for name in ("sku", "title", "brand", "category", "price"))
    )
    (directory / "shop.DBContent").write_text(document)
    provider.extra["/cgi-bin/summarizer"] = Summarizer(directory, {"shop": f"sqlite:///{provider.database}"}, token)

    def serve(environ: dict, start: Callable) -> object:
        start("200 OK", [("Content-Type", "application/octet-stream")])
        return [document.encode()]

    provider.extra["/shop.DBContent"] = serve
    return f"{provider.url}/shop.DBContent"


@contextmanager
def providing(database: Path) -> Iterator[Provider]:
    """A provider on loopback for as long as the block runs."""
    provider = Provider(database)
    with _Server(("127.0.0.1", 0), _handler(provider)) as server:
        provider.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
