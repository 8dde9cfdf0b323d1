"""The same real shop with nothing known of it but its address: every product is found once, and its values are right."""

import json

import pytest

from tests.crawl.commands import HASTY, scrapy
from tests.shops.oscar.running import running
from tests.shops.test_oscar import PRODUCTS

FIELDS = ("title", "price", "brand", "ean", "han")


@pytest.mark.long
def test_every_product_is_found_once_and_read_right(tmp_path):
    feed = tmp_path / "offers.jsonl"
    with running() as shop:
        done = scrapy(
            "crawl",
            "shop",
            "-a",
            f"url={shop.url}",
            "-O",
            str(feed),
            *HASTY,
            "-s",
            f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db",
            "-s",
            f"SCOUT_RULES_DIR={tmp_path}/rules",
        )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in feed.read_text().splitlines()]
    offers = {offer["sku"]: offer for offer in found}
    assert len(found) == len(offers)
    assert offers.keys() == {row["sku"] for row in PRODUCTS}
    wrong = [(row["sku"], name) for row in PRODUCTS for name in FIELDS if offers[row["sku"]].get(name) != row[name]]
    assert wrong == []
