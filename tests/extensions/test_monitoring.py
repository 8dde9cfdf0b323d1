"""A crawl that brings less than the last one fails, and says what fell."""

from __future__ import annotations

import json
from pathlib import Path

from scout.offer import Offer
from scout.store import Store
from scout.store.health import Health, describe_drops, health, previous_health
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

ALLOWED = {"items": 0.2, "coverage": 0.1}


def offers(count: int, **values: str) -> list[Offer]:
    return [Offer(url=f"http://s.example/{n}", title=f"P {n}", **values) for n in range(count)]


def test_a_fifth_fewer_offers_are_still_allowed_and_more_are_not():
    assert describe_drops(Health(100), Health(80), **ALLOWED) == []
    assert describe_drops(Health(100), Health(79), **ALLOWED) == ["offers fell from 100 to 79 (-21 %)"]
    assert describe_drops(Health(100), Health(300), **ALLOWED) == []


def test_each_field_that_fell_by_more_than_ten_points_is_named():
    before, after = Health(9, {"price": 1.0, "brand": 0.5, "ean": 0.2}), Health(9, {"price": 0.9, "brand": 0.39})
    assert describe_drops(before, after, **ALLOWED) == [
        "offers with brand fell from 50 % to 39 %",
        "offers with ean fell from 20 % to 0 %",
    ]


def test_the_figures_are_those_of_the_offers_that_the_crawl_met(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        first, second = store.begin_crawl("s"), store.begin_crawl("s")
        store.save_offers("s", offers(4, price="1.00"), first)
        with store.reading() as connection:
            found = health(connection, first)
            assert (found.offers, found.coverage["price"], found.coverage["ean"]) == (4, 1.0, 0.0)
            assert previous_health(connection, second) is None
        store.finish_crawl(first, "finished", found.stats())
        with store.reading() as connection:
            assert previous_health(connection, second) == found


def test_a_shop_that_lost_its_prices_and_products_fails_the_crawl_with_code_3(tmp_path: Path) -> None:
    shop, told = tiny_shop(), []
    database = ("-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules")

    def hook() -> Answer:
        told.append(True)
        return Answer("thanks")

    shop["/hook"] = hook  # type: ignore[assignment]
    with serving(shop) as server:
        figures = tmp_path / "figures.prom"
        watched = ("-s", f"SCOUT_MONITOR_PROMETHEUS={figures}", "-s", f"SCOUT_MONITOR_WEBHOOK={server.url}hook")
        crawl = ("crawl", "shop", "-a", f"url={server.url}", *HASTY, *database, *watched)
        assert scrapy(*crawl).returncode == 0
        assert f'stat="scout/monitor/offers"}} {len(PRODUCTS)}' in figures.read_text()
        for number in (2, 4, 6, 8, 10):
            shop[f"/product/{number}"] = Answer("gone", 410)
        done = scrapy(*crawl)
    assert done.returncode == 3, done.stderr
    assert "offers fell from 10 to 5 (-50 %)" in done.stderr.rstrip().splitlines()[-1]
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert [crawl.reason for crawl in store.crawls(store.shops()[0].name)] == ["failed", "finished"]
    assert json.dumps(server.asked).count("/hook") == 1
