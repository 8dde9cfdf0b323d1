"""Pages whose product stands only in embedded data: the one product object is taken, and only where it is the only one."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import urlopen

import pytest

from scout.extraction.zero_shot import zero_shot
from scout.offer import Offer
from scout.page import Page
from tests.shops.rendered import rendered_shop

LAMP = {"id": "l-3", "name": "Arc lamp", "price": "40.39", "sku": "LA1003", "brand": "Nordlicht"}
CHAIR = {"id": "c-1", "name": "Oak chair", "price": "26.13", "sku": "CH1001", "brand": "Halvard"}
TABLE = {"id": "t-1", "name": "Side table", "price": "99.00", "sku": "TA1001", "brand": "Halvard"}


def shell(state: Any, url: str = "https://shop.example/p/3", body: str = "<div id=app></div>") -> Offer:
    data = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'
    return zero_shot(Page(url, f"<html lang=en><head><title>Lampenwelt</title></head><body>{body}{data}</body></html>"))


def test_a_hydrated_page_gives_what_its_data_says():
    with rendered_shop("hydrated") as shop, urlopen(f"{shop.url}p/lamps-3") as answer:
        found = zero_shot(Page(f"{shop.url}p/lamps-3", answer.read()))
    assert {name: found.get(name) for name in ("title", "price", "sku", "brand")} == {
        "title": "Lamp Model D03",
        "price": "40.39",
        "sku": "LA1003",
        "brand": "Nordlicht",
    }
    assert found.why("title").origin == "structured"


@pytest.mark.parametrize("path", ["", "c/lamps"])
def test_a_hydrated_home_or_list_page_gives_no_product(path: str):
    with rendered_shop("hydrated") as shop, urlopen(f"{shop.url}{path}") as answer:
        found = zero_shot(Page(f"{shop.url}{path}", answer.read()))
    assert not {"title", "price", "sku", "brand"} & set(found)


@pytest.mark.parametrize(
    "state",
    [
        LAMP,
        {"data": LAMP},
        {"data": {"id": 7, "attributes": LAMP}},
        {"pageProps": {"title": "Lampenwelt", "product": LAMP}},
        {"props": {"pageProps": {"product": LAMP, "youMayLike": [CHAIR, TABLE]}}},
        {"cache": {"Product:3": LAMP}, "queries": [{"state": {"data": {"product": LAMP}}}]},
        {"product": {**LAMP, "price": {"amount": 40.39, "currency": "EUR"}, "variants": [CHAIR, TABLE]}},
    ],
)
def test_the_product_is_found_wherever_an_answer_keeps_it(state: Any):
    found = zero_shot(Page("https://shop.example/p/3", f'<script type="application/json">{json.dumps(state)}</script>'))
    assert (found["title"], found["price"], found["sku"]) == ("Arc lamp", "40.39", "LA1003")


@pytest.mark.parametrize(
    "state",
    [
        {"products": [LAMP, CHAIR]},
        {"products": [LAMP]},
        {"first": {"product": LAMP}, "second": {"product": CHAIR}},
        {"products": [CHAIR, TABLE], "teaser": {"product": LAMP}},
        {"cart": {"item": LAMP}},
        {"lastSeen": LAMP},
        {"data": {"name": "Express", "value": 4.9, "id": 2}},
        {"product": {"name": "Arc lamp", "price": None, "sku": "LA1003"}},
        {"product": {"name": "Arc lamp", "price": "40.39"}},
    ],
)
def test_several_products_or_an_object_that_only_resembles_one_give_none(state: Any):
    assert not {"title", "price", "sku", "brand"} & set(shell(state))


def test_the_shops_entrance_has_no_product_of_its_own():
    assert "title" not in shell({"product": LAMP}, url="https://shop.example/")


def test_a_page_that_shows_its_product_is_not_overruled_by_its_data():
    found = shell({"product": LAMP}, body="<h1>Blue sofa</h1><p class=price>€ 300.00</p>")
    assert (found["title"], found["price"]) == ("Blue sofa", "300.00")
    assert "brand" not in found
