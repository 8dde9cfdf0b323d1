"""The real shop has what the demo promises: enough products, a deep tree, valid numbers, and a catalogue that knows most of them."""

import csv
from urllib.request import urlopen

import pytest
from stdnum import ean

from tests.shops.oscar.running import CATALOGUE, HERE, OscarShop, running


def rows(name: str, delimiter: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


PRODUCTS = rows("products.csv", ",")
KNOWN = rows(CATALOGUE.name, ";")


@pytest.fixture(scope="module")
def shop():
    with running() as shop:
        yield shop


def page(shop: OscarShop, path: str) -> str:
    with urlopen(shop.url + path) as response:
        return response.read().decode()


def test_the_assortment_is_large_and_its_tree_three_levels_deep():
    assert len(PRODUCTS) >= 180
    assert {row["category"].count(" > ") for row in PRODUCTS} == {2}
    assert sum(float(row["price"]) > 1000 for row in PRODUCTS) >= 10
    assert sum(row["stock"] == "0" for row in PRODUCTS) >= 10


def test_every_number_is_valid_and_stands_for_one_product():
    assert all(ean.is_valid(row["ean"]) for row in PRODUCTS)
    assert len({row["ean"] for row in PRODUCTS}) == len({row["sku"] for row in PRODUCTS}) == len(PRODUCTS)


def test_the_catalogue_lacks_a_fifth_and_has_some_offers_that_are_gone():
    unlisted = [row for row in PRODUCTS if row["listed"] == "no"]
    assert 0.15 < len(unlisted) / len(PRODUCTS) < 0.25
    assert len(KNOWN) > len(PRODUCTS) - len(unlisted)
    assert {row["ean"] for row in KNOWN}.isdisjoint(row["ean"] for row in unlisted)


def test_the_catalogue_writes_values_its_own_way():
    assert any(row["price"].startswith("1.299,00") for row in KNOWN)
    assert all(any(not row[name] for row in KNOWN) for name in ("ean", "han", "sku", "price", "manufacturer"))
    assert any("utm_source" in row["url"] for row in KNOWN)
    assert any("%253A%252F%252F" in row["url"] for row in KNOWN)


def test_the_database_agrees_with_the_file(shop):
    assert shop.products().keys() == {row["sku"] for row in PRODUCTS}
    assert shop.missing().keys() == {row["sku"] for row in PRODUCTS if row["listed"] == "no"}


def test_a_product_page_shows_every_value(shop):
    dearest = max(PRODUCTS, key=lambda row: float(row["price"]))
    html = page(shop, shop.products()[dearest["sku"]].removeprefix(shop.url))
    for name in ("title", "brand", "ean", "han", "sku", "description"):
        assert dearest[name] in html
    assert f"€{float(dearest['price']):,.2f}" in html


def test_lists_have_several_pages(shop):
    assert "page=2" in page(shop, "catalogue/")
    assert page(shop, "catalogue/?page=11").count('class="product_pod"') == len(PRODUCTS) % 20


def test_the_catalogue_points_at_the_running_shop(shop):
    assert "shop.invalid" not in shop.catalogue()
    assert shop.url in shop.catalogue()
