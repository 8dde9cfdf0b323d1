"""The walk's speed as a ratio: a Scout crawl with known rules against a hand-written spider with selectors in its code, same shop.

    python -m bench.speed_walk [PRODUCTS] [--json] [--plot FILE.svg]

Both run in processes of their own against a server in another, with the same politeness and log level, else with the settings that
`scrapy startproject` writes for the one and Scout's own for the other; both store their items in an SQLite database, the hand-written
one through a pipeline as Scrapy's documentation shows them. Scout has met the shop before, so that its analysis is done; it does all
that it always does: cleans addresses, keeps its frontier in the database, finds all fields, keeps evidence and history.

Compared are pages per second of processor time (user and system, all threads), because a busy machine makes wall time meaningless: the
best of ROUNDS, taken in turns, less that of a crawl of a very small shop, which is the start-up.
"""

from __future__ import annotations

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from bench.lamp_shop import PER_PAGE, Shop, serving
from scout.values.line_plot import line_plot
from tests.crawl.commands import environment

PRODUCTS = 480
ROUNDS = 3
AIM = 0.8  # of the hand-written spider's pages a second
ROOT = Path(__file__).parents[1]
SAME = (
    "DOWNLOAD_DELAY=0",
    "AUTOTHROTTLE_ENABLED=False",
    "CONCURRENT_REQUESTS_PER_DOMAIN=8",
    "ROBOTSTXT_OBEY=True",
    "LOG_LEVEL=INFO",
)
OWN = ("SCOUT_RENDER=never",)  # no page of this shop needs it, and a browser would be a process of its own

HAND_WRITTEN = """
import json
import sqlite3

import scrapy

class Database:
    def open_spider(self):
        self.connection = sqlite3.connect("offers.db")
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS offers (url TEXT PRIMARY KEY, title, price, currency, brand, sku, images, category, description)"
        )

    def process_item(self, item):
        row = [json.dumps(value) if isinstance(value, list) else value for value in item.values()]
        self.connection.execute(f"INSERT OR REPLACE INTO offers VALUES ({', '.join('?' * len(row))})", row)
        self.connection.commit()
        return item

    def close_spider(self):
        self.connection.close()

class Hand(scrapy.Spider):
    name = "hand"
    custom_settings = {"ITEM_PIPELINES": {Database: 300}}

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        yield from response.follow_all(css=".menu a[href*=category]", callback=self.parse_list)

    def parse_list(self, response):
        yield from response.follow_all(css=".card__title a", callback=self.parse_product)
        yield from response.follow_all(css="a.next", callback=self.parse_list)

    def parse_product(self, response):
        yield {
            "url": response.url,
            "title": response.css("h1::text").get(),
            "price": response.css(".product__price::text").re_first(r"[\\d.]+"),
            "currency": "EUR",
            "brand": response.xpath("//th[.='Brand']/following-sibling::td/text()").get(),
            "sku": response.xpath("//th[.='Article number']/following-sibling::td/text()").get(),
            "images": [response.urljoin(src) for src in response.css(".gallery img::attr(src)").getall()],
            "category": response.css(".breadcrumb a::text").getall()[1:],
            "description": " ".join(response.css(".text ::text").getall()),
        }
"""


Command = tuple[list[str], Path]  # of scrapy, and the folder to run it in


def with_settings(command: list[str], settings: Sequence[str]) -> list[str]:
    """A scrapy command with these settings."""
    return [*command, *(part for setting in settings for part in ("-s", setting))]


def full_command(command: list[str], cwd: Path) -> Command:
    """A command with what both crawls have in common."""
    return with_settings(command, SAME), cwd


def seconds(command: list[str], cwd: Path) -> float:
    """Processor time of a scrapy command, all its threads together."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "scrapy", *with_settings(command, SAME)],
        cwd=cwd,
        env=environment(),
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


class Contest:
    """The two spiders, each with a folder for its database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spider = folder / "hand.py"
        self.spider.write_text(textwrap.dedent(HAND_WRITTEN), encoding="utf-8")

    def hand(self, url: str, name: str) -> Command:
        """The hand-written spider, with a folder of this name."""
        place = self.folder / f"hand-{name}"
        place.mkdir(exist_ok=True)
        return ["runspider", str(self.spider), "-a", f"url={url}"], place

    def scout(self, url: str, name: str) -> Command:
        """Scout, with a database of this name."""
        own = (*OWN, f"SCOUT_DATABASE=sqlite:///{self.folder}/{name}.db", f"SCOUT_RULES_DIR={self.folder}/{name}")
        return with_settings(["crawl", "shop", "-a", f"url={url}"], own), ROOT

    def timeline(self, url: str) -> dict[str, list[tuple[float, float]]]:
        """Figure 10 of Zhang, Lin and Liao (2018): products in each database over time, both crawls begun at once, nothing known before."""
        paced = (*SAME[1:], "DOWNLOAD_DELAY=0.1")
        ways = {"hand-written": self.hand(url, "timeline"), "Scout": self.scout(url, "timeline")}
        files = {"hand-written": self.folder / "hand-timeline" / "offers.db", "Scout": self.folder / "timeline.db"}
        running = {
            name: subprocess.Popen(
                [sys.executable, "-m", "scrapy", *with_settings(command, paced)],
                cwd=cwd,
                env=environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for name, (command, cwd) in ways.items()
        }
        lines: dict[str, list[tuple[float, float]]] = {name: [(0.0, 0.0)] for name in running}
        start = time.monotonic()
        while any(process.poll() is None for process in running.values()):
            time.sleep(0.5)
            for name, process in running.items():
                if process.poll() is None:
                    lines[name].append((time.monotonic() - start, stored_products(files[name])))
        for name, file in files.items():
            lines[name].append((lines[name][-1][0], stored_products(file)))
        return lines


def stored_products(file: Path) -> int:
    """How many offers a database holds by now; 0 where it is not there yet."""
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM offers").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def draw(products: int, file: Path) -> None:
    """Draw products over time."""
    with tempfile.TemporaryDirectory() as name, serving(products) as url:
        lines = Contest(Path(name)).timeline(url)
    for name, line in lines.items():
        print(
            f"{name}: {line[-1][1]:g} products in {line[-1][0]:.1f} s, the first after {next(at for at, count in line if count):.1f} s"
        )
    file.write_text(
        line_plot("Products over time, one request every 0.1 s", lines, "seconds", "products"), encoding="utf-8"
    )


def main(products: int = PRODUCTS, *, as_json: bool = False) -> int:
    """Print the speeds and their ratio, or one line of JSON; 3 where it is below the aim."""
    large, small = Shop(products), Shop(PER_PAGE)
    with tempfile.TemporaryDirectory() as name, serving(products) as url, serving(PER_PAGE) as small_url:
        contest = Contest(Path(name))
        first = seconds(*contest.scout(url, "large"))
        seconds(*contest.scout(small_url, "small"))
        rounds = [
            (
                seconds(*contest.hand(url, "large")),
                seconds(*contest.scout(url, "large")),
                seconds(*contest.hand(small_url, "small")),
                seconds(*contest.scout(small_url, "small")),
            )
            for _ in range(ROUNDS)
        ]
    hand, scout, hand_start, scout_start = (min(used) for used in zip(*rounds, strict=True))
    hand_speed = (large.pages - small.pages) / (hand - hand_start)
    scout_speed = (large.all_pages - small.all_pages) / (scout - scout_start)
    ratio = scout_speed / hand_speed
    if as_json:
        ratios = {
            "crawl_over_hand_written": ratio,
            "start_over_hand_written": scout_start / hand_start,
            "first_crawl_over_later": first / scout,
        }
        print(json.dumps({name: round(value, 3) for name, value in ratios.items()}))
        return 0 if ratio >= AIM else 3
    print(f"hand-written {hand_speed:.0f} pages/s of CPU, Scout {scout_speed:.0f}: ratio {ratio:.2f} (aim {AIM})")
    print(
        f"start-up {hand_start:.1f} s and {scout_start:.1f} s; the first crawl's analysis {max(0.0, first - scout):.1f} s"
    )
    return 0 if ratio >= AIM else 3


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("products", nargs="?", type=int, default=PRODUCTS, help="of the shop (default: %(default)s)")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE.svg", help="only draw products over time, as figure 10 of the paper"
    )
    parser.add_argument("--json", action="store_true", help="print the ratios as one line of JSON")
    options = parser.parse_args()
    if options.plot:
        sys.exit(draw(options.products, options.plot))
    sys.exit(main(options.products, as_json=options.json))
