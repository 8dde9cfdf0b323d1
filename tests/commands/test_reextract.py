"""`scrapy reextract` reads kept pages by today's rules: the same offers as the crawl's, in one process or in several."""

from __future__ import annotations

import pytest

from scout.store import Store
from tests.commands.running import run
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

VALUES = ("url", "title", "price", "currency", "availability", "brand", "sku", "category", "specs", "images")


def offers(database: str) -> list[dict]:
    with Store.open(database) as store:
        return [{name: offer.get(name) for name in VALUES} for offer in store.offers()]


def test_kept_pages_give_the_same_offers_and_broken_ones_are_mended(capsys, tmp_path) -> None:
    database, rules = f"sqlite:///{tmp_path}/scout.db", f"SCOUT_RULES_DIR={tmp_path}/rules"
    with serving(tiny_shop()) as shop:
        crawl = ("crawl", "shop", "-a", f"url={shop.url}", *HASTY, "-s", f"SCOUT_DATABASE={database}", "-s", rules)
        done = scrapy(*crawl, "-s", "SCOUT_KEEP_PAGES=True")
    assert done.returncode == 0, done.stderr
    before = offers(database)
    assert len(before) == len(PRODUCTS)
    with Store.open(database) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE offers SET price = '1.00', brand = NULL, digest = ''")
    assert offers(database) != before
    ran = run(capsys, database, "reextract", "--jobs", "2", "-s", rules)
    assert ran.code == 0 and f"{len(PRODUCTS)} pages read" in ran.out, ran.err
    assert offers(database) == before


@pytest.mark.parametrize("shop", [(), ("nosuch",)])
def test_without_kept_pages_it_says_what_to_do(capsys, tmp_path, shop) -> None:
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "reextract", *shop)
    assert ran.code in (1, 2) and ("SCOUT_KEEP_PAGES" in ran.out or "scrapy shops list" in ran.err)
