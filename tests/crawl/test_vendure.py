"""A real Vendure, from npm, behind a storefront that is made in the browser. Installed once a machine (`make test-long`): a minute."""

from __future__ import annotations

import csv
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.test_rendering import crawl
from tests.shops.scripted import CATEGORIES, ScriptedShop, serving_shop

VENDURE = Path(__file__).parents[1] / "shops/vendure"
COLUMNS = (
    "name slug description assets facets optionGroups optionValues sku price taxCategory stockOnHand trackInventory"
    " variantAssets variantFacets"
)


class VendureShop(ScriptedShop):
    """The storefront of the kind "graphql", whose questions a real Vendure answers."""

    port = 0

    def _graphql(self, path: str, query: dict[str, str], body: bytes) -> Any:
        if path != "/shop-api":
            return None
        kind = {"content-type": "application/json"}
        asked = urllib.request.Request(f"http://127.0.0.1:{self.port}/shop-api", body, kind)
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return json.load(answer)


def installed() -> Path:
    """A folder with Vendure and what it needs, kept for the next run."""
    folder = Path(tempfile.gettempdir()) / "scout-test-vendure"
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "server.js"):
        shutil.copy(VENDURE / name, folder)
    if not (folder / "node_modules/@vendure/core").exists():
        install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=500)
        if done.returncode:
            pytest.skip(f"npm cannot install Vendure: {done.stderr[-300:]}")
    return folder


def write_catalogue(shop: ScriptedShop, folder: Path) -> list[str]:
    """The files that Vendure is filled from."""
    products, categories = folder / "products.csv", folder / "categories.json"
    with products.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, COLUMNS.split(), restval="")
        rows.writeheader()
        for p in shop.products:
            told = {"name": p.name, "slug": p.slug, "sku": p.key, "price": p.price, "taxCategory": "standard"}
            stock = {"stockOnHand": 0 if p.is_sold_out else 50, "trackInventory": "true"}
            rows.writerow({**told, **stock, "facets": f"category:{CATEGORIES[p.category]}"})
    categories.write_text(json.dumps(CATEGORIES), encoding="utf-8")
    return [str(products), str(categories)]


@contextmanager
def vendure(shop: VendureShop, folder: Path) -> Iterator[None]:
    """A running Vendure with the shop's products, indexed."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        shop.port = free.getsockname()[1]
    command = ["node", "server.js", str(shop.port), *write_catalogue(shop, folder)]
    with subprocess.Popen(command, cwd=installed(), stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout and any(line.startswith("READY") for line in server.stdout)
            asked = json.dumps({"query": "{ search(input: {groupByProduct: true}) { totalItems } }"}).encode()
            until = time.monotonic() + 120
            while shop.answer("/shop-api", {}, asked)["data"]["search"]["totalItems"] < len(shop.products):
                assert time.monotonic() < until, "Vendure does not index its products"
                time.sleep(0.5)
            yield
        finally:
            server.terminate()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node.js")
def test_a_storefront_before_a_real_vendure_is_read_whole_and_nothing_is_written(tmp_path: Path) -> None:
    shop = VendureShop("graphql", per_category=26)
    with vendure(shop, tmp_path), serving_shop(shop):
        done = crawl(shop, tmp_path)
    found = {o["title"]: (o.get("price"), o.get("currency"), o.get("sku"), o.get("availability")) for o in done.offers}
    states = {True: "OutOfStock", False: "InStock"}
    assert found == {p.name: (p.price, "USD", p.key, states[p.is_sold_out]) for p in shop.products}
    assert len(done.offers) == len(shop.products) and done.stat("rendered") <= 0.15 * len(shop.products)
    assert shop.writes == 0
