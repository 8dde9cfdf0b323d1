"""Shops that the server builds, the browser builds, or both: each level is fetched the cheapest way that holds all its facts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scout.rendering.levels import Comparison, decide
from scout.rules import ShopRules
from scout.rules.files import rule_path
from scout.settings import SCOUT_RENDER_TIMEOUT
from scout.urls import shop_name
from tests.crawl.commands import scrapy
from tests.crawl.serving import serving
from tests.shops.rendered import PRODUCTS, Shop, rendered_shop
from tests.shops.scripted import ScriptedShop

ROOT = Path(__file__).parents[2]


@dataclass
class Crawled:
    offers: list[dict[str, str]]
    log: str

    def stat(self, name: str, group: str = "render") -> int:
        found = re.search(rf"'scout/{group}/{name}': (\d+)", self.log)
        return int(found[1]) if found else 0

    def marks(self) -> dict[str, str]:
        """How each level is fetched."""
        return dict(re.findall(r"'scout/render/mark/(\w+)/(\w+)'", self.log))

    def right(self) -> int:
        """Offers whose title and price are the shop's."""
        known = {(p["title"], p["price"]) for p in PRODUCTS.values()}
        return sum((offer.get("title", ""), offer.get("price", "")) in known for offer in self.offers)


def crawl(shop: Shop | ScriptedShop, folder: Path, *, exit_code: int = 0, **settings: object) -> Crawled:
    chosen = {
        "SCOUT_DATABASE": f"sqlite:///{folder}/scout.db",
        "SCOUT_RULES_DIR": folder / "rules",
        "DOWNLOAD_DELAY": 0,
        "SCOUT_RETRY_PAUSE": 0.05,
        "AUTOTHROTTLE_ENABLED": False,
        "LOG_LEVEL": "INFO",  # the stats are in the log
        **settings,
    }
    out = folder / "offers.jsonl"
    command = ["crawl", "shop", "-a", f"url={shop.url}", "-O", str(out)]
    command += [part for name, value in chosen.items() for part in ("-s", f"{name}={value}")]
    done = scrapy(*command)
    assert done.returncode == exit_code, done.stderr[-3000:]
    return Crawled([json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()], done.stderr)


@dataclass(frozen=True)
class Case:
    """A shop, how it is crawled, which ways of fetching are right for each of its levels, and how many pages may be rendered."""

    mode: str
    home: str
    list: str
    detail: str
    most: int
    shop: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def is_right(self, marks: dict[str, str]) -> bool:
        """True where every level has a mark, and the right one."""
        wanted = {"home": self.home, "list": self.list, "detail": self.detail}
        wanted |= {"category": self.list} if "category" in marks else {}
        return marks.keys() == wanted.keys() and all(marks[level] in ways.split() for level, ways in wanted.items())


FAILING = {"error_rate": 0.3}
PATIENT = {
    "RETRY_TIMES": 12
}  # of 42 products, three in ten requests fail: with the usual two retries one would be lost
DYNAMIC = "browser endpoint"  # where a request fails while the endpoint is tried, the browser is kept
EVERYTHING = 52  # pages of the shop
CASES = {
    "static with noise": Case("static", "plain", "plain", "plain", 0),
    "static, compared": Case("static", "plain", "plain", "plain", 5, settings={"SCOUT_RENDER": "compare"}),
    "static, failing": Case("static", "plain", "plain", "plain", 0, FAILING, PATIENT),
    "client, pages": Case("spa", "browser", "endpoint", "endpoint", EVERYTHING // 5),
    "client, button": Case("spa", "browser", "browser", "endpoint", EVERYTHING // 5, {"list_style": "more"}),
    "client, scrolling": Case("spa", "browser", "browser", "endpoint", EVERYTHING // 5, {"list_style": "scroll"}),
    "client, GraphQL": Case("spa", "browser", DYNAMIC, "endpoint", EVERYTHING // 4, {"api": "post"}),
    "client, slow": Case("spa", "browser", "endpoint", "endpoint", EVERYTHING // 5, {"delay": 0.4}),
    "client, failing": Case("spa", "browser", DYNAMIC, DYNAMIC, 2 * EVERYTHING, FAILING, PATIENT),
    "mixed": Case("mixed", "browser", "endpoint", "plain", EVERYTHING // 5),
    "mixed, failing": Case("mixed", "browser", DYNAMIC, "plain", EVERYTHING, FAILING, PATIENT),
    "hydrated": Case("hydrated", "browser", "endpoint", "plain", EVERYTHING // 5),
    "hydrated, failing": Case("hydrated", "browser", DYNAMIC, "plain", EVERYTHING, FAILING, PATIENT),
}
RUNS = 20
BRIEF = {
    "static with noise",
    "client, failing",
    "hydrated",
}
SERIES = [
    pytest.param(name, seed, marks=() if name in BRIEF and not seed else pytest.mark.long)
    for name in CASES
    for seed in range(RUNS)
]


@pytest.mark.parametrize(("name", "seed"), SERIES)
def test_every_level_is_marked_right_and_every_product_found(name: str, seed: int, tmp_path: Path) -> None:
    case = CASES[name]
    with rendered_shop(case.mode, seed=seed, **case.shop) as shop:
        done = crawl(shop, tmp_path, **case.settings)
    assert done.right() == len(PRODUCTS) == len(done.offers)
    assert case.is_right(done.marks()), done.marks()
    assert (
        all(offer.get("currency") == "EUR" for offer in done.offers) or case.mode == "hydrated"
    )  # whose data has none
    assert done.stat("rendered") <= case.most


@pytest.mark.parametrize("seconds", [4, pytest.param(SCOUT_RENDER_TIMEOUT, marks=pytest.mark.long)])
def test_a_page_that_never_ends_costs_its_time_once_and_nothing_else(seconds: float, tmp_path: Path) -> None:
    with rendered_shop("spa", list_style="more", spins="/c/tables") as shop:
        done = crawl(shop, tmp_path, SCOUT_RENDER_TIMEOUT=seconds, exit_code=3)
    assert done.stat("timeout") == 1 and not done.stat("retry/count")
    assert done.right() == sum(product["category"] != "tables" for product in PRODUCTS.values())


def test_explain_fetches_a_page_as_a_crawl_would_and_shows_what_rendering_added(tmp_path: Path) -> None:
    with rendered_shop("spa") as shop:
        settings = ("-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}")
        done = scrapy("explain", f"{shop.url}p/lamps-3", *settings)
    assert "title: Lamp Model D03" in done.stdout
    assert "rendering adds brand, price, sku, title" in done.stdout


def test_without_a_browser_the_crawl_goes_on_plainly_and_says_what_to_do_once(tmp_path: Path) -> None:
    with rendered_shop("mixed") as shop:
        command = ["crawl", "shop", "-a", f"url={shop.url}"]
        settings = {
            "SCOUT_DATABASE": f"sqlite:///{tmp_path}/scout.db",
            "SCOUT_RULES_DIR": tmp_path,
            "DOWNLOAD_DELAY": 0,
            "SCOUT_RETRY_PAUSE": 0.05,
            "SCOUT_BROWSER": "/nonexistent",
            "LOG_LEVEL": "INFO",
        }
        command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        done = scrapy(*command)
    said = [line for line in done.stderr.splitlines() if "make browser" in line]
    assert sum("WARNING" in line for line in said) == 1 and said[-1].startswith("scrapy crawl: failed: ")
    assert "'scout/render/lacking'" in done.stderr and "'scout/render/no_browser'" in done.stderr
    assert "Traceback" not in done.stderr and shop.requests["/c/lamps"] == 1


@pytest.mark.parametrize("more", [{}, {"SCOUT_DATABASE": ""}], ids=["database", "no database"])
def test_a_level_marked_elsewhere_as_needing_a_browser_is_taken_plainly_where_there_is_none(
    tmp_path: Path, more: dict[str, str]
) -> None:
    page = Comparison("http://shop.example/", 0.1, ("links",))
    marks = {level: decide(level, [page, page]) for level in ("home", "list", "category")}
    with rendered_shop("spa") as shop:
        name = shop_name(shop.url)
        rules = ShopRules(shop=name, levels={level: mark.as_dict() for level, mark in marks.items() if mark})
        (tmp_path / "rules").mkdir()
        rules.save(rule_path(tmp_path / "rules", name))
        settings = {"SCOUT_BROWSER": "/nonexistent", **more}
        done = crawl(shop, tmp_path, exit_code=1, **settings)  # there is nothing in its plain pages
    assert done.stat("no_browser") and not done.stat("retry/count") and "its level was marked so" in done.log


def test_a_shop_whose_data_the_guard_refuses_says_so_once_and_at_the_end(tmp_path: Path) -> None:
    """Data on another port of this machine is not what the user named; the last line used to ask whether it is a shop at all."""
    script = "for (const n of [1, 2, 3]) fetch('http://127.0.0.1:8099/products?page=' + n).catch(() => 0)"
    frame = f"<html><body><div id=app></div><script>{script}</script></body></html>"
    with serving({"/robots.txt": "", "/": frame}) as shop:
        done = crawl(shop, tmp_path, exit_code=1)  # type: ignore[arg-type]  # all it needs is the address
    said = [line for line in done.log.splitlines() if "SCOUT_ALLOWED_TARGETS" in line]
    assert len(said) == 1 and "WARNING" in said[0] and done.stat("address", "browser/blocked") == 3
    assert "The address guard blocked" in done.log.rstrip().splitlines()[-1]


@pytest.mark.parametrize(
    ("states_stock", "most", "told"),
    [
        (
            True,
            6,
            "its JSON catalogue gave 36 of them in 9 answers (6 of 6 products compared with their pages, specs lacking",
        ),
        pytest.param(False, 42, "its JSON catalogue gave addresses only (6 of 6 products", marks=pytest.mark.long),
    ],
)
def test_the_next_crawl_starts_with_the_marks_of_the_last_and_takes_its_data_as_far_as_a_sample_agrees(
    states_stock: bool, most: int, told: str, tmp_path: Path
) -> None:
    """The data behind lists is a catalogue in the second crawl: in the first one, it is found while the lists are rendered."""
    with rendered_shop("mixed", states_stock=states_stock) as shop:
        first = crawl(shop, tmp_path, SCOUT_CATALOGUE_SAMPLE=6)
        shop.requests.clear()
        again = crawl(shop, tmp_path, SCOUT_CATALOGUE_SAMPLE=6)
    case = CASES["mixed"]
    assert case.is_right(first.marks()) and first.right() == len(PRODUCTS) and first.stat("rendered") <= case.most
    assert again.right() == len(again.offers) == len(PRODUCTS)
    assert not again.stat("compared") and again.stat("rendered") == 1  # the front page
    assert told in again.log and "42 products found; complete" in again.log
    assert len([path for path in shop.requests if path.startswith("/p/")]) == most
    for offer in again.offers:
        product = PRODUCTS[offer["url"].rpartition("/")[2]]
        assert (offer["sku"], offer["brand"], offer["currency"]) == (product["sku"], product["brand"], "EUR")
