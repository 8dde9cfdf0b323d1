"""Offers in the words of schema.org and of zyte-common-items; what cannot be said in them is left out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from web_poet import HttpResponse
from zyte_common_items import Product

import scout
from scout.exchange.json_ld import as_json_ld
from scout.exchange.page_object import ScoutProductPage
from scout.exchange.zyte_product import as_zyte_product
from scout.store import Store
from tests.commands.running import run
from tests.crawl.tiny_shop import PRODUCTS, detail
from tests.store.examples import offer

URL = "https://shop.example/product/1"


def test_an_offer_is_a_product_of_schema_org_that_scout_reads_back() -> None:
    """The markup of a page with nothing else on it, which Scout reads like any shop's."""
    given = offer(1, rating="4.5", rating_count="12")
    markup = json.dumps(as_json_ld(given))
    page = f"<html><head><script type='application/ld+json'>{markup}</script></head><body><h1>Lamp 1</h1></body></html>"
    read = scout.extract(scout.Page(given["url"], page))
    same = ("title", "price", "currency", "availability", "brand", "sku", "ean", "han", "rating", "rating_count")
    assert {name: read.get(name) for name in same} == {name: given[name] for name in same}
    assert read["images"] == given["images"]


def test_json_ld_has_no_currency_without_a_price_and_no_empty_values() -> None:
    product = as_json_ld({"url": URL, "title": "Lamp", "currency": "EUR", "brand": ""})
    assert product == {"@context": "https://schema.org", "@type": "Product", "@id": URL, "url": URL, "name": "Lamp",
                       "offers": {"@type": "Offer", "url": URL}}  # fmt: skip


def test_an_offer_is_a_product_of_zyte_common_items() -> None:
    product = as_zyte_product(offer(1, list_price="19.90"))
    assert isinstance(product, Product)
    assert (product.name, product.price, product.regularPrice, product.currency) == ("Lamp 1", "12.90", "19.90", "EUR")
    assert (product.brand.name, product.mpn, product.sku) == ("Lumen", "LUM1", "L-1")
    assert [(gtin.type, gtin.value) for gtin in product.gtin] == [("gtin13", "4006381333931")]
    assert [crumb.name for crumb in product.breadcrumbs] == ["Home", "Lamps"]
    assert product.mainImage.url == "https://shop.example/i/1.jpg" and len(product.images) == 2
    assert [(pair.name, pair.value) for pair in product.additionalProperties] == [("Colour", "red"), ("Power", "5 W")]


@pytest.mark.parametrize("state", ["PreOrder", "BackOrder"])
def test_a_state_that_a_product_cannot_have_is_left_out(state: str) -> None:
    assert as_zyte_product(offer(1, availability=state)).availability is None


def test_a_product_has_no_regular_price_without_a_price() -> None:
    assert as_zyte_product({"url": URL, "list_price": "19.90"}).regularPrice is None


def read_page(kind: type[ScoutProductPage]) -> tuple[Product, ScoutProductPage]:
    page = kind(HttpResponse(URL, detail(1).encode(), headers={"Content-Type": "text/html; charset=utf-8"}))
    return asyncio.run(page.to_item()), page


def test_a_page_object_gives_the_product_and_its_evidence() -> None:
    product, page = read_page(ScoutProductPage)
    title, price, _ = PRODUCTS[1]
    assert (product.url, product.name, product.price, product.sku) == (URL, title, price, "TS-0001")
    why = page.why("price")
    assert why is not None and why.raw == f"€{price}"


def test_a_page_object_of_a_shop_reads_by_its_rules() -> None:
    pages = [
        (scout.Page(f"https://shop.example/product/{n}", detail(n)), {"title": PRODUCTS[n][0]}) for n in range(2, 9)
    ]

    class TinyShopPage(ScoutProductPage):
        rules = scout.learn(pages)

    product, _ = read_page(TinyShopPage)
    assert (product.name, product.price) == (PRODUCTS[1][0], None), "only what the owner of the rules chose"


@pytest.mark.parametrize("vocabulary", ["json-ld", "zyte"])
def test_offers_are_exported_in_both(vocabulary: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database, file = f"sqlite:///{tmp_path}/scout.db", tmp_path / "products.jsonl"
    with Store.open(database) as store:
        store.save_offers("lamps", [offer(1), offer(2)])
    ran = run(capsys, database, "export", "lamps", "--as", vocabulary, "-o", str(file))
    assert (ran.code, ran.err) == (0, f"2 offers written to {file}\n")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert [line["name"] for line in lines] == ["Lamp 1", "Lamp 2"]
    assert run(capsys, database, "export", "lamps", "--as", vocabulary, "--evidence", "-o", str(file)).code == 2
