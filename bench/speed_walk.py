"""The walk's speed as a ratio: a Scout crawl with known rules against a hand-written spider with selectors in its code, same shop.

    python -m bench.speed_walk [PRODUCTS]

Both run in a process of their own against a server in a third; compared are pages per second of processor time, start-up taken off.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PRODUCTS = 600
PER_PAGE = 24
AIM = 0.8  # of the hand-written spider's pages a second
ROOT = Path(__file__).parents[1]
FAST = (
    "DOWNLOAD_DELAY=0.0001",
    "AUTOTHROTTLE_ENABLED=False",
    "CONCURRENT_REQUESTS_PER_DOMAIN=16",
    "LOG_LEVEL=WARNING",
    "SCOUT_RENDER=never",
)

HAND_WRITTEN = """
import scrapy

class Hand(scrapy.Spider):
    name = "hand"

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield from response.follow_all(css="li.card h3 a", callback=self.detail)
        yield from response.follow_all(css="a.next")

    def detail(self, response):
        yield {
            "url": response.url,
            "title": response.css("h1::text").get(),
            "price": response.css(".product .price::text").re_first(r"[\\d.]+"),
            "brand": response.xpath("//th[.='Brand']/following-sibling::td/text()").get(),
            "sku": response.xpath("//th[.='Article number']/following-sibling::td/text()").get(),
            "images": response.css(".gallery img::attr(src)").getall(),
            "category": response.css(".breadcrumb a::text").getall()[1:],
            "description": " ".join(response.css(".text ::text").getall()),
        }
"""


def filler() -> str:
    """What real pages have beside their product: about 40 KB of menu and scripts."""
    menu = "".join(f"<li class='entry'><a href='#c{i}'><span>Category {i}</span></a></li>" for i in range(250))
    return f"<header><nav><ul>{menu}</ul></nav></header><script>var state = {{'a': '{'x' * 15_000}'}};</script>"


FILLER = filler()


def page(title: str, content: str) -> str:
    return f"<!DOCTYPE html><html lang=en><head><title>{title}</title></head><body>{FILLER}<main>{content}</main></body></html>"


def listing(number: int, count: int) -> str:
    shown = range((number - 1) * PER_PAGE, min(count, number * PER_PAGE))
    cards = "".join(
        f"<li class=card><a href=/p/{i}><img src=/i/{i}.jpg></a><h3><a href=/p/{i}>Lamp {i}</a></h3>"
        f"<p class=price>€ {i % 90 + 10}.50</p></li>"
        for i in shown
    )
    more = f"<a class=next href=/?page={number + 1}>Next</a>" if number * PER_PAGE < count else ""
    return page("Lamps", f"<h1>Lamps</h1><ul class=items>{cards}</ul><div class=pagination>{more}</div>")


def detail(i: int) -> str:
    text = "".join(f"<p>Sentence {n} about lamp {i}, which is a good lamp.</p>" for n in range(40))
    return page(
        f"Lamp {i}",
        f"<div class=breadcrumb><a href=/>Home</a> <a href=/>Lamps</a></div>"
        f"<div class=product><div class=gallery><img src=/i/{i}.jpg></div>"
        f"<h1>Lamp {i}</h1><p class=price>€ {i % 90 + 10}.50</p><button>Add to cart</button>"
        f"<table><tr><th>Brand</th><td>Maker {i % 7}</td></tr>"
        f"<tr><th>Article number</th><td>LA-{i:05d}</td></tr></table><div class=text>{text}</div></div>",
    )


def serve(connection, count: int) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path, _, query = self.path.partition("?page=")
            found = (
                detail(int(path[3:]))
                if path.startswith("/p/")
                else listing(int(query or 1), count)
                if path == "/"
                else None
            )
            body = (found or "").encode()
            self.send_response(200 if found else 404)
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
def shop(count: int) -> Iterator[str]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=serve, args=(theirs, count), daemon=True)
    process.start()
    yield f"http://127.0.0.1:{ours.recv()}/"
    process.terminate()


def seconds(*command: str, cwd: str | Path = ROOT) -> float:
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "scrapy", *command], cwd=cwd, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def main(count: int) -> int:
    with tempfile.TemporaryDirectory() as folder, shop(count) as url, shop(PER_PAGE) as small:
        hand = Path(folder, "hand.py")
        hand.write_text(textwrap.dedent(HAND_WRITTEN), encoding="utf-8")
        plain = [part for setting in FAST for part in ("-s", setting)]

        def by_hand(shop_url: str) -> float:
            return seconds(
                "runspider", str(hand), "-a", f"url={shop_url}", "-O", f"{folder}/hand.jsonl", *plain, cwd=folder
            )

        def by_scout(shop_url: str, name: str) -> float:
            own = ("-s", f"SCOUT_DATABASE=sqlite:///{folder}/{name}.db", "-s", f"SCOUT_RULES_DIR={folder}/{name}")
            return seconds("crawl", "shop", "-a", f"url={shop_url}", "-O", f"{folder}/{name}.jsonl", *plain, *own)

        hand_seconds = by_hand(url) - by_hand(small)
        first = by_scout(url, "large")
        again = by_scout(url, "large")
        found = len(Path(folder, "large.jsonl").read_text(encoding="utf-8").splitlines())
        by_scout(small, "small")
        scout_seconds = again - by_scout(small, "small")
    pages = count - PER_PAGE
    ratio = hand_seconds / scout_seconds
    print(f"{found} offers; hand-written {pages / hand_seconds:.0f} pages/s, Scout {pages / scout_seconds:.0f} pages/s")
    print(f"ratio {ratio:.2f} (aim {AIM}); the analysis in the first crawl costs {max(0.0, first - again):.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else PRODUCTS))
