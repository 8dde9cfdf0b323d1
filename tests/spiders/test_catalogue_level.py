"""Crawls of shops that give their catalogue as data: what is believed, what is fetched, and what is said about it."""

from __future__ import annotations

import re

import pytest

from tests.crawl.serving import Answer, serving
from tests.shops.catalogues import (
    AgentShop,
    AtomShop,
    CatalogueShop,
    McpShop,
    ShopifyShop,
    ShopwareShop,
    WooShop,
    as_json,
    euros,
)
from tests.spiders.test_shop import crawl

FEW = ("-s", "SCOUT_CATALOGUE_SAMPLE=10")


def crawled(shop: CatalogueShop, folder, *arguments: str):
    with shop.serving() as server:
        offers, log = crawl(folder, "-a", f"url={server.url}", *arguments)
    return offers, log, server.asked


def all_right(shop: CatalogueShop, offers) -> None:
    """Every product and variant once, with its values."""
    by_sku = {offer["sku"]: offer for offer in offers}
    for product in shop.products:
        offer = by_sku[product.sku]
        assert (offer["title"], offer["price"]) == (product.title, euros(product.cents)), offer
        assert (offer["currency"], offer["brand"]) == ("EUR", product.brand), offer
        assert offer["availability"] == ("InStock" if product.is_in_stock else "OutOfStock"), offer
        for _, sku, cents in product.variants()[1:]:
            assert (by_sku[sku]["price"], by_sku[sku]["parent"]) == (euros(cents), offer["url"])
    assert len([offer for offer in offers if "parent" not in offer]) == len(shop.products)


@pytest.mark.parametrize("kind", [ShopifyShop, WooShop, ShopwareShop, McpShop, AtomShop])
def test_a_catalogue_with_which_pages_agree_gives_the_offers_with_their_variants(kind, tmp_path):
    shop = kind(120)
    offers, log, asked = crawled(shop, tmp_path, *FEW)
    all_right(shop, offers)
    assert len(asked) < 45 and "110 of them in" in log and "images lacking on 10" in log and "wrong" not in log
    assert "120 products found; complete" in log


def halved(product, said):
    """A net price, a price of yesterday: half of what the page says."""
    if "variants" in said:
        said["variants"] = [{**variant, "price": euros(product.cents // 2)} for variant in said["variants"]]


def sold_out(product, said):
    said["variants"] = [{**variant, "available": False} for variant in said["variants"]]


@pytest.mark.parametrize(("change", "name"), [(halved, "price"), (sold_out, "availability")])
def test_a_field_that_pages_contradict_is_read_from_all_pages(change, name, tmp_path):
    shop = ShopifyShop(40, change)
    offers, log, _ = crawled(shop, tmp_path, *FEW)
    own = {offer["sku"]: offer for offer in offers if "parent" not in offer}
    assert all(own[product.sku]["price"] == euros(product.cents) for product in shop.products)
    assert all(own[p.sku]["availability"] == ("InStock" if p.is_in_stock else "OutOfStock") for p in shop.products)
    assert re.search(rf"gave addresses only \((\d+) of \1 products compared with their pages, {name} wrong on", log)


def endless(query):
    """The first page again and again."""
    return ShopifyShop(30).catalogue("/products.json", {**query, "page": "1"})


def of_another_shop(query):
    foreign = {"variants": [{"title": "Default Title", "price": "9.00"}]}
    products = [{"handle": f"other-{n}", "title": f"Other {n}", **foreign} for n in range(20)]
    return as_json({"products": products if query.get("page") == "1" else []})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Answer("<html><body>Welcome</body></html>"), "was not used (an answer is no catalogue)"),
        (as_json({"products": []}), "was not used (it is empty)"),
        (Answer("no such page", 404), "was not used (http_404)"),
        (Answer("slow down", 429), "was not used (http_429)"),
        (as_json({"products": {"a": 1}}), "was not used (an answer is no catalogue)"),
        (endless, "not all of it: its pages repeat"),
        (of_another_shop, "was not used (0 of 10 products compared with their pages"),
    ],
)
def test_a_catalogue_that_is_none_leaves_the_walk_as_it_was(answer, told, tmp_path):
    shop = ShopifyShop(30, answers={"/products.json": answer})
    offers, log, asked = crawled(shop, tmp_path, *FEW)
    assert {offer["title"] for offer in offers if "parent" not in offer} == {p.title for p in shop.products}
    assert told in log, log[-3000:]
    assert len(asked) < 30 + 40


def test_products_that_lists_show_and_the_catalogue_lacks_are_fetched_and_told(tmp_path):
    shop = ShopifyShop(90)
    shop.unlisted = {4, 44}
    offers, log, asked = crawled(shop, tmp_path, *FEW)
    assert {p.sku for p in shop.products} <= {offer["sku"] for offer in offers}
    assert "2 that lists show are not in it" in log and len(asked) < 50


def unpriced(product, said):
    if product.number == 17:
        said["variants"] = [{**variant, "price": "0.00"} for variant in said["variants"]]


def test_a_product_that_the_catalogue_has_for_nothing_is_read_from_its_page(tmp_path):
    shop = ShopifyShop(60, unpriced)
    offers, log, asked = crawled(shop, tmp_path, *FEW)
    assert {offer["price"] for offer in offers if offer["sku"] == "SKU-00017"} == {euros(shop.products[16].cents)}
    all_right(shop, offers)
    assert len(asked) < 40 and "left to pages: 1 without a price" in log


def test_products_that_only_the_catalogue_knows_are_no_offers_and_are_told(tmp_path):
    shop = ShopifyShop(60)
    shop.hidden = {7, 8, 9}
    offers, log, asked = crawled(shop, tmp_path, *FEW)
    shop.products = [product for product in shop.products if product.number not in shop.hidden]
    all_right(shop, offers)
    assert len(asked) < 40 and re.search(r"left to pages: [123] that no list shows", log)


def overlapping(query):
    """Pages of the catalogue that overlap by half."""
    shop, start = ShopifyShop(60), (int(query["page"]) - 1) * 20
    return as_json({"products": [shop.said(product) for product in shop.products[start : start + 40]]})


def test_products_that_come_on_several_pages_of_the_catalogue_are_offers_once_and_counted(tmp_path):
    shop = ShopifyShop(60, answers={"/products.json": overlapping})
    offers, log, _ = crawled(shop, tmp_path, *FEW)
    all_right(shop, offers)
    assert "40 products came twice" in log


def nameless(product, said):
    if product.number == 7:
        said["title"] = ""


def test_the_page_of_a_product_whose_catalogue_offer_is_dropped_is_read(tmp_path):
    shop = ShopifyShop(60, nameless)
    offers, log, asked = crawled(shop, tmp_path, *FEW, "-a", "shop=lamps")  # whose sample is without it
    all_right(shop, offers)
    assert len(asked) < 60 and "60 products found; complete" in log


def test_what_waits_for_the_catalogue_when_a_crawl_is_cut_is_fetched_by_the_next_one(tmp_path):
    shop = ShopifyShop(60)
    with shop.serving() as server:
        _, log = crawl(tmp_path, "-a", f"url={server.url}", "-a", "max_pages=8", *FEW)
        assert "interrupted" in log.splitlines()[-1]
        offers, log = crawl(tmp_path, "-a", f"url={server.url}", *FEW)
    assert {product.sku for product in shop.products} <= {offer["sku"] for offer in offers}
    assert "60 products found; complete" in log


def test_a_shop_whose_pages_tell_no_software_is_asked_for_a_manifest_only(tmp_path):
    shop = CatalogueShop(12)
    _, log, asked = crawled(shop, tmp_path)
    assert (
        not [path for path in asked if "json" in path or "graphql" in path] and "catalogue" not in log.splitlines()[-1]
    )
    assert asked.count("/.well-known/ucp") == 1


def test_prices_that_are_wrong_on_a_few_products_are_noticed_by_the_lists(tmp_path):
    """Of 160 products eight are wrong, and of these the sample of ten pages holds hardly one."""
    shop = ShopifyShop(160, lambda product, said: halved(product, said) if product.number % 20 == 3 else None)
    offers, log, _ = crawled(shop, tmp_path, *FEW)
    own = {offer["sku"]: offer for offer in offers if "parent" not in offer}
    assert all(own[product.sku]["price"] == euros(product.cents) for product in shop.products)
    assert "gave addresses only" in log and "price wrong on" in log


def test_a_manifest_that_points_to_another_site_is_not_followed(tmp_path):
    shop = AgentShop(12)
    with serving({"/": "not the shop"}) as other:
        shop.endpoint = other.url.replace("127.0.0.1", "localhost") + "ucp"
        offers, log, _ = crawled(shop, tmp_path, *FEW)
    assert len({offer["title"] for offer in offers if "parent" not in offer}) == 12
    assert "its ucp catalogue was not used (it leads to another site)" in log and not other.asked


def test_addresses_from_a_shops_catalogue_are_walked_with_discover_feed(tmp_path):
    shop = WooShop(20)
    with shop.serving() as server:
        offers, _ = crawl(tmp_path, "-a", f"url={server.url}", "-a", "discover=feed")
    assert {offer["sku"] for offer in offers if "parent" not in offer} == {product.sku for product in shop.products}
