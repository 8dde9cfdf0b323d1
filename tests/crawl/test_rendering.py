"""Shops that the server builds, the browser builds, or both: each level is fetched the cheapest way that holds all its facts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.shops.rendered import PRODUCTS, Shop, rendered_shop

ROOT = Path(__file__).parents[2]


@dataclass
class Crawled:
    offers: list[dict[str, str]]
    log: str

    def stat(self, name: str) -> int:
        found = re.search(rf"'scout/render/{name}': (\d+)", self.log)
        return int(found[1]) if found else 0

    def right(self) -> int:
        """Offers whose title and price are the shop's."""
        known = {(p["title"], p["price"]) for p in PRODUCTS.values()}
        return sum((offer.get("title", ""), offer.get("price", "")) in known for offer in self.offers)


def crawl(shop: Shop, folder: Path, **settings: object) -> Crawled:
    chosen = {
        "SCOUT_DATABASE": f"sqlite:///{folder}/scout.db",
        "SCOUT_RULES_DIR": folder / "rules",
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        **settings,
    }
    out = folder / "offers.jsonl"
    command = [sys.executable, "-m", "scrapy", "crawl", "shop", "-a", f"url={shop.url}", "-O", str(out)]
    command += [part for name, value in chosen.items() for part in ("-s", f"{name}={value}")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-3000:]
    return Crawled([json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()], done.stderr)


def test_a_shop_that_the_server_builds_never_starts_a_browser(tmp_path: Path) -> None:
    with rendered_shop("static") as shop:
        done = crawl(shop, tmp_path)
    assert done.right() == len(PRODUCTS) and done.stat("rendered") == 0


def test_compared_as_published_a_static_shop_costs_a_handful_of_renderings(tmp_path: Path) -> None:
    with rendered_shop("static") as shop:
        done = crawl(shop, tmp_path, SCOUT_RENDER="compare")
    assert done.right() == len(PRODUCTS) and 1 <= done.stat("rendered") <= 5
    assert done.stat("mark/detail/plain") == 1 and not done.stat("mark/detail/browser")


def test_rendered_lists_with_plain_products_need_few_pages_of_a_browser(tmp_path: Path) -> None:
    with rendered_shop("mixed") as shop:
        done = crawl(shop, tmp_path)
    assert done.right() == len(PRODUCTS)
    assert done.stat("rendered") <= len(shop.requests) / 5


def test_without_a_browser_the_crawl_goes_on_plainly_and_says_what_to_do(tmp_path: Path) -> None:
    with rendered_shop("mixed") as shop:
        command = [sys.executable, "-m", "scrapy", "crawl", "shop", "-a", f"url={shop.url}p/lamps-1"]
        settings = {
            "SCOUT_DATABASE": f"sqlite:///{tmp_path}/scout.db",
            "SCOUT_RULES_DIR": tmp_path,
            "DOWNLOAD_DELAY": 0,
            "SCOUT_BROWSER": "/nonexistent",
        }
        command += [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert "make browser" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("style", ["pages", "more", "scroll"])
def test_all_products_of_a_client_rendered_shop_are_found_also_with_errors(style: str, tmp_path: Path) -> None:
    with rendered_shop("spa", list_style=style, error_rate=0.3) as shop:
        done = crawl(shop, tmp_path, RETRY_TIMES=12)
    assert done.right() == len(PRODUCTS) and not done.stat("mark/detail/plain")
