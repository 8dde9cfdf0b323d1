"""What a shop's own catalogue saves, and whether its mistakes are noticed: python -m bench.shop_catalogues [--products N] [--seeds N]

Crawls shops of each kind (tests/shops/catalogues.py) with their catalogue, compares all values with what the shop holds, and the requests
with those of a walk by pages. Then it makes one field wrong on 5 % of the products, and counts the samples in which that is noticed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scout.settings import SCOUT_CATALOGUE_SAMPLE
from scout.shop_catalogues.comparison import choose_sample, compare
from scout.shop_catalogues.model import CatalogueAnswer, CatalogueProduct, CatalogueRequest
from scout.shop_catalogues.shopify import read
from tests.shops.catalogues import KINDS, CatalogueShop, ShopifyShop, euros

WRONG_SHARE = 20  # of so many products one is wrong
FAST = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False", "CONCURRENT_REQUESTS_PER_DOMAIN=8", "SCOUT_RENDER=never")


def crawl_shop(shop: CatalogueShop, *arguments: str) -> tuple[list[dict[str, Any]], int, int]:
    """The offers, the number of requests and the exit code."""
    with tempfile.TemporaryDirectory() as folder, shop.serving() as server:
        settings = (*FAST, f"SCOUT_DATABASE=sqlite:///{folder}/scout.db", f"SCOUT_RULES_DIR={folder}/rules")
        out = Path(folder, "offers.jsonl")
        command = [sys.executable, "-m", "scrapy", "crawl", "shop", "-a", f"url={server.url}", "-O", str(out)]
        given = [part for setting in settings for part in ("-s", setting)]
        done = subprocess.run([*command, *arguments, *given], capture_output=True, check=False)
        return [json.loads(line) for line in out.read_text().splitlines()], len(server.asked), done.returncode


def values_right(shop: CatalogueShop, offers: list[dict[str, Any]]) -> tuple[int, int]:
    """How many values of products and variants are right, and how many there are."""
    by_sku = {offer.get("sku"): offer for offer in offers}
    checks = list(_checks(shop, by_sku))
    return sum(checks), len(checks)


def _checks(shop: CatalogueShop, by_sku: dict[Any, dict[str, Any]]) -> Iterator[bool]:
    for product in shop.products:
        offer = by_sku.get(product.sku, {})
        state = "InStock" if product.is_in_stock else "OutOfStock"
        truth = {"title": product.title, "price": euros(product.cents), "currency": "EUR", "availability": state}
        for name, value in {**truth, "brand": product.brand}.items():
            yield offer.get(name) == value
        for _, sku, cents in product.variants()[1:]:
            yield by_sku.get(sku, {}).get("price") == euros(cents)


def noticed_share(products: int, seeds: int) -> float:
    """Of so many samples, the share in which a stock state that is wrong on 5 % of the products is seen; no list shows it."""

    def sell_out(product: Any, said: dict[str, Any]) -> None:
        if product.number % WRONG_SHARE == 0:
            wrong = not product.is_in_stock
            said["variants"] = [{**variant, "available": wrong} for variant in said["variants"]]

    shop = ShopifyShop(products, sell_out)
    body = json.dumps({"products": [shop.said(product) for product in shop.products]}).encode()
    page = read(CatalogueAnswer(CatalogueRequest("http://shop.example/products.json"), body))
    assert page is not None
    truth = {product.handle: "InStock" if product.is_in_stock else "OutOfStock" for product in shop.products}
    return sum(_is_noticed(page.products, truth, seed) for seed in range(seeds)) / seeds


def _is_noticed(products: tuple[CatalogueProduct, ...], truth: dict[str, str], seed: int) -> bool:
    sample = choose_sample(products, SCOUT_CATALOGUE_SAMPLE, str(seed))
    offers = {product.key: {"availability": truth[product.key]} for product in sample}
    return "availability" in compare(sample, offers).wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--products", type=int, default=1_200)
    parser.add_argument("--seeds", type=int, default=400)
    args = parser.parse_args()
    print(f"{'catalogue':12} {'requests':>9} {'of a walk':>9} {'values right':>16} {'exit':>5}")
    walked = crawl_shop(CatalogueShop(args.products), "-a", "discover=walk")[1]
    for kind in KINDS:
        shop = kind(args.products)
        offers, requests, code = crawl_shop(shop)
        right, all_values = values_right(shop, offers)
        print(
            f"{kind.__name__:12} {requests:9,} {requests / walked:9.1%} {right:8,}/{all_values:<7,} {code:5}",
            flush=True,
        )
    share = noticed_share(args.products, args.seeds)
    print(
        f"wrong stock on 5 % of the products: seen in {share:.1%} of {args.seeds} samples of {SCOUT_CATALOGUE_SAMPLE}"
    )


if __name__ == "__main__":
    main()
