"""What the hostile shop answers, path by path: a page, or a function that writes to the socket whatever it likes."""

from __future__ import annotations

import gzip
import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html import escape
from http.server import BaseHTTPRequestHandler

import brotli

from tests.crawl.serving import Answer
from tests.reliability.many_products import ManyProducts

try:
    from compression import zstd
except ImportError:
    from backports import zstd

BOMB = 200 * 1024 * 1024  # bytes that a few hundred unpack to
SECONDS = 40  # that a slow answer goes on, were it not cut short

Handler = BaseHTTPRequestHandler
Attack = Callable[[Handler], None]


def answer(handler: Handler, body: bytes | str, status: int = 200, **headers: str) -> None:
    content = body.encode() if isinstance(body, str) else body
    handler.send_response(status)
    sent = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(content))}
    for name, value in {**sent, **{name.replace("_", "-"): value for name, value in headers.items()}}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(content)


def html(content: str, **headers: str) -> Attack:
    """A page with this in it."""
    return lambda handler: answer(
        handler, f"<html><head><title>Page</title></head><body>{content}</body></html>", **headers
    )


def packed(body: bytes | Callable[[], bytes], encoding: str) -> Attack:
    """A packed page; bombs take their time to make, and are made when somebody asks for them."""
    return lambda handler: answer(handler, body if isinstance(body, bytes) else body(), Content_Encoding=encoding)


def packed_file(body: Callable[[], bytes]) -> Attack:
    """A file that is packed, which is another thing than a packed page."""
    return lambda handler: answer(handler, body(), Content_Type="application/gzip")


@cache
def gzip_bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join(_pieces(packer.compress)) + packer.flush()


@cache
def brotli_bomb() -> bytes:
    packer = brotli.Compressor(quality=5)
    return b"".join(_pieces(packer.process)) + packer.finish()


@cache
def zstd_bomb() -> bytes:
    packer = zstd.ZstdCompressor()
    return b"".join(_pieces(packer.compress)) + packer.flush()


def _pieces(pack: Callable[[bytes], bytes]) -> Iterator[bytes]:
    for _ in range(BOMB >> 20):
        yield pack(b" " * (1 << 20))


def endless(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    while True:
        handler.wfile.write(b"<p>more</p>" * 10_000)


def drip_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    for _ in range(SECONDS * 2):
        handler.wfile.write(b" ")
        time.sleep(0.5)


def drip_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(SECONDS * 2):
        handler.wfile.write(f"X-{number}: 1\r\n".encode())
        time.sleep(0.5)


def many_headers(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: 1\r\n" % n for n in range(200_000)) + b"\r\n")


def too_short(handler: Handler) -> None:
    """A body shorter than its Content-Length says."""
    answer(handler, "<h1>Cut</h1>", Content_Length="5000")


def redirect(to: str) -> Attack:
    return lambda handler: answer(handler, "", 302, Location=to)


def json_ld(text: str) -> Attack:
    return html(f'<h1>Data</h1><script type="application/ld+json">{text}</script>')


def encoded(text: str, codec: str, content_type: str) -> Attack:
    return lambda handler: answer(handler, text.encode(codec), Content_Type=content_type)


@cache
def sitemap_bomb() -> bytes:
    """A packed sitemap of two hundred megabytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    entries = b"<url><loc>/x</loc></url>" * 43_000
    return packer.compress(b"<urlset>") + b"".join(packer.compress(entries) for _ in range(200)) + packer.flush()


def sitemap(handler: Handler) -> None:
    """Leads to foreign hosts, to files, into the local network, to a bomb and to itself."""
    own = f"http://{handler.headers['Host']}"
    places = ["http://foreign.example/s.xml", "file:///etc/passwd", "http://127.0.0.2:9/s.xml", f"{own}/sitemap.xml"]
    entries = "".join(f"<sitemap><loc>{place}</loc></sitemap>" for place in [*places, f"{own}/bomb/sitemap.xml.gz"])
    answer(handler, f"<sitemapindex>{entries}</sitemapindex>", Content_Type="application/xml")


def robots(handler: Handler) -> None:
    answer(handler, f"Sitemap: http://{handler.headers['Host']}/sitemap.xml\n", Content_Type="text/plain")


def monstrous(count: int, way_in: str = "<p ") -> str:
    """A tag of so many attributes; `way_in` is what hides it from those who look for brackets."""
    return way_in + " ".join(f"a{n}" for n in range(count)) + ">"


BOMBS = (gzip_bomb, brotli_bomb, zstd_bomb, sitemap_bomb)
PRODUCT = {"@type": "Product", "name": "P", "offers": {"price": "1.00", "priceCurrency": "EUR"}}
WHOLE = gzip.compress(b"<html><body>" + b"<p>whole</p>" * 2_000)
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)

# path -> what it does, and the reason (a pattern) under which it is counted. None: it is read like any page and is no product; what it
# means to do (entities, odd bytes, broken data, a form to somewhere else) does not happen, so that there is nothing to reject.
ATTACKS: Mapping[str, tuple[Attack, str | None]] = {
    "/bomb/gzip": (packed(gzip_bomb, "gzip"), "bomb"),
    "/bomb/br": (packed(brotli_bomb, "br"), "bomb"),
    "/bomb/zstd": (packed(zstd_bomb, "zstd"), "bomb"),
    "/endless": (endless, "too_large|timeout"),  # whichever limit is met first
    "/drip/body": (drip_body, "timeout"),
    "/drip/headers": (drip_headers, "timeout"),
    "/headers": (many_headers, "too_many_headers"),
    "/length": (too_short, "cut_off"),
    "/cut-gzip": (packed(WHOLE[: len(WHOLE) // 2], "gzip"), "cut_off"),
    "/not-gzip": (packed(b"<html>this is no gzip</html>", "gzip"), "cut_off"),
    "/nested": (html("<div>" * 3_000 + "<b class=price>1.00</b>"), "too_deep"),
    "/attributes": (html("<p " + " ".join(f"a{n}=1" for n in range(100_000)) + ">"), "too_many_attributes"),
    "/attributes/quoted": (html(monstrous(50_000, '<p a=">" ')), "too_many_attributes"),
    "/attributes/script": (html(monstrous(50_000, '<script>x<b a="</script><p a=">" ')), "too_many_attributes"),
    "/attributes/often": (
        html(monstrous(2_900) * 640),
        "parser_timeout",
    ),  # each is as usual; together they take many seconds
    "/links": (lambda handler: answer(handler, "<a href=1>" * 1_000_000), "too_many_tags"),
    "/laughs": (lambda handler: answer(handler, LAUGHS + "]><html><body>&i;</body></html>"), None),
    "/xxe": (
        lambda handler: answer(handler, '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><html>&f;</html>'),
        None,
    ),
    "/charset/gbk": (encoded("<h1>商品</h1>", "gbk", "text/html"), None),
    "/charset/utf-16": (encoded("<h1>x</h1>", "utf-16", "text/html; charset=utf-8"), None),
    "/charset/none": (lambda handler: answer(handler, "<h1>x</h1>".encode("utf-16-le"), Content_Type=""), None),
    "/charset/bom": (encoded("\ufeff<h1>Lampe</h1>", "utf-8", "text/html; charset=iso-8859-1"), None),
    "/charset/nul": (html("<h1>a\x00b</h1>"), None),
    "/ld/deep": (json_ld("[" * 100_000), None),
    "/ld/nan": (json_ld('{"@type": "Product", "name": "N", "offers": {"price": NaN}}'), None),
    "/ld/digits": (json_ld(json.dumps(PRODUCT).replace('"1.00"', "9" * 5_000)), None),
    "/ld/keys": (json_ld('{"@type": "Product", "@type": "Thing", "name": "a", "name": "b"}'), None),
    "/ld/surrogate": (json_ld('{"@type": "Product", "name": "\\ud800"}'), None),
    "/redirect/loop": (redirect("/redirect/loop?again"), "redirects"),
    "/redirect/internal": (redirect("http://127.0.0.2:9/"), "address"),
    "/redirect/file": (redirect("file:///etc/passwd"), "http_302"),
    "/refresh": (html('<meta http-equiv="refresh" content="0;url=http://169.254.169.254/latest/">'), "address"),
    "/soft-404": (lambda handler: answer(handler, "<title>404 Not Found</title><h1>Page not found</h1>"), "soft_404"),
    "/human": (
        lambda handler: answer(handler, "<title>Just a moment...</title><p>Prove that you are human.</p>"),
        "captcha",
    ),
    "/php": (html("Fatal error: Uncaught Error: no such table in /srv/shop/index.php on line 3"), "server_error"),
    "/form": (html('<form action="http://127.0.0.2:9/"><input type=search name=q><input type=submit></form>'), None),
    "/busy": (lambda handler: answer(handler, "busy", 429, Retry_After="1"), "http_429"),
    "/gone": (lambda handler: answer(handler, "gone", 410), "http_410"),
    "/reset": (lambda handler: handler.connection.close(), "connection_lost"),
}


# What no page links to, but robots.txt or a sitemap does
HIDDEN: Mapping[str, tuple[Attack, str | None]] = {
    "/robots.txt": (robots, None),
    "/sitemap.xml": (sitemap, None),
    "/bomb/sitemap.xml.gz": (packed_file(sitemap_bomb), "bomb"),
}

# The names of products that look like others in every respect but one
NAMES = (
    "<script>alert(document.cookie)</script>",
    "<img src=x onerror=alert(1)> Lamp",
    '=HYPERLINK("http://foreign.example")',
    "@SUM(A1:A9)",
    "../../../etc/passwd",
    "'; DROP TABLE offers; --",
    "{{ 7 * 7 }} ${7 * 7}",
)
# Before the price of every product: two that nobody sees, and everybody reads who looks for the first one
DECOY = '<p class="price" style="display:none">€1.00</p><p class="price" hidden>€2.00</p>'


class Hostile(ManyProducts):
    """The fifty products, and some with names that mean harm; every attack is linked from the front page."""

    def __init__(self) -> None:
        super().__init__(50)

    def front(self) -> str:
        named = [f"/named/{number}" for number in range(len(NAMES))]
        links = "".join(f'<li><a href="{path}">Read about {path.strip("/")}</a></li>' for path in (*ATTACKS, *named))
        page = self.get("/")
        assert isinstance(page, str)
        return page.replace("<p>Welcome", f"<ul>{links}</ul><p>Welcome")

    def get(self, path: str, default: object = None) -> str | Answer:
        kind, _, number = path.strip("/").partition("/")
        is_named = kind == "named" and number.isdecimal() and int(number) < len(NAMES)
        page = super().get("/product/1" if is_named else path, default)
        if not isinstance(page, str) or kind not in ("product", "named"):
            return page
        page = page.replace('<p class="price">', f'{DECOY}<p class="price">')
        return (
            page.replace("Article 1", escape(NAMES[int(number)])).replace("MP-000001", f"MP-N{number}")
            if is_named
            else page
        )
