"""A crawl that brings less than the last one fails, and says what fell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scout import settings
from scout.crawl.account import AccountState
from scout.offer import Offer
from scout.store import Store
from scout.store.health import (
    SAME_PRODUCT,
    Finding,
    Health,
    describe_drops,
    health,
    previous_health,
)
from scout.store.monitoring import LIMITS, compare_with_last
from scout.store.value_changes import value_changes
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

ALLOWED = {name: getattr(settings, name) for name in LIMITS}
PRICES = ("SCOUT_MONITOR_PRICE_LEVEL", "SCOUT_MONITOR_PRICE_CHANGES", "SCOUT_MONITOR_PRICE_JUMPS")


def texts(findings: list[Finding]) -> list[str]:
    return [finding.text for finding in findings]


def offers(count: int, **values: str) -> list[Offer]:
    return [Offer(url=f"http://s.example/{n}", title=f"P {n}", **values) for n in range(count)]


def test_a_fifth_fewer_offers_are_still_allowed_and_more_are_not():
    assert describe_drops(Health(100), Health(80), ALLOWED) == []
    assert texts(describe_drops(Health(100), Health(79), ALLOWED)) == ["offers fell from 100 to 79 (-21 %)"]
    assert describe_drops(Health(100), Health(300), ALLOWED) == []


def test_each_field_that_fell_by_more_than_ten_points_is_named():
    before, after = Health(9, {"price": 1.0, "brand": 0.5, "ean": 0.2}), Health(9, {"price": 0.9, "brand": 0.39})
    assert texts(describe_drops(before, after, ALLOWED)) == [
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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A shop of 120 lamps at 24 to 143 euros, crawled completely once."""
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        crawled(store, lambda price, n: {})
        yield store


def crawled(store: Store, changes: Callable[[int, int], dict[str, str]], reason: str = "finished") -> set[str]:
    """Crawl the lamps, with other values by price and number; the settings whose limits are exceeded."""
    crawl = store.begin_crawl("lamps")
    products = []
    for number in range(120):
        values = {"title": f"Lamp {number}", "price": f"{24 + number}.00", "currency": "EUR", "sku": f"L-{number}"}
        products.append(Offer(url=f"http://s.example/p-{10000 + number}", **(values | changes(24 + number, number))))
    store.save_offers("lamps", products, crawl)
    with store.reading() as connection:
        now, findings = compare_with_last(connection, crawl, ALLOWED, is_complete=True)
    store.finish_crawl(crawl, reason, now.stats())
    return {finding.setting for finding in findings}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param(lambda price, n: {}, id="nothing"),
        pytest.param(lambda price, n: {"price": f"{price / 2:.2f}"} if n % 10 == 0 else {}, id="a tenth at half price"),
        pytest.param(lambda price, n: {"price": f"{price * 0.7:.2f}"} if n % 4 == 0 else {}, id="a quarter at -30 %"),
        pytest.param(lambda price, n: {"price": f"{price * 1.005:.2f}"}, id="half a percent of exchange rate"),
        pytest.param(lambda price, n: {"price": f"{price / 12:.2f}"} if n < 2 else {}, id="two mistakes of the shop"),
        pytest.param(lambda price, n: {"currency": "USD"} if n < 2 else {}, id="two prices in dollars"),
        pytest.param(lambda price, n: {"title": "Lamp"} if n < 12 else {}, id="one title for twelve products"),
    ],
)
def test_what_happens_in_every_shop_is_no_finding(store: Store, changes: Callable[[int, int], dict[str, str]]):
    assert crawled(store, changes) == set()


@pytest.mark.parametrize(
    ("changes", "settings_"),
    [
        pytest.param(
            lambda price, n: {"price": f"{price / 12:.2f}"},
            {"SCOUT_MONITOR_PRICE_LEVEL", "SCOUT_MONITOR_PRICE_CHANGES", "SCOUT_MONITOR_PRICE_JUMPS"},
            id="monthly rates",
        ),
        pytest.param(
            lambda price, n: {"price": f"{price / 12:.2f}"} if n % 12 == 0 else {},
            {"SCOUT_MONITOR_PRICE_JUMPS"},
            id="rates of some products",
        ),
        pytest.param(
            lambda price, n: {"price": f"{price / 12:.2f}"} if n % 3 == 0 else {},
            {"SCOUT_MONITOR_PRICE_JUMPS"},
            id="rates of a third",
        ),
        pytest.param(
            lambda price, n: {"price": f"{price * 1.07:.2f}"}, {"SCOUT_MONITOR_PRICE_CHANGES"}, id="another VAT"
        ),
        pytest.param(
            lambda price, n: {"price": f"{price * 1.3:.2f}"},
            {"SCOUT_MONITOR_PRICE_LEVEL", "SCOUT_MONITOR_PRICE_CHANGES"},
            id="another price list",
        ),
        pytest.param(
            lambda price, n: {"currency": "USD"} if n % 2 else {}, {"SCOUT_MONITOR_CURRENCIES"}, id="another currency"
        ),
        pytest.param(
            lambda price, n: {"title": "Lamp 7", "price": "31.00", "sku": ""} if n < 30 else {},
            {"SCOUT_MONITOR_SAME_PAGE"},
            id="a mixed-up cache",
        ),
    ],
)
def test_values_that_changed_for_the_worse_are_found(
    store: Store, changes: Callable[[int, int], dict[str, str]], settings_: set[str]
):
    assert crawled(store, changes) == settings_


def test_a_crawl_that_failed_is_not_what_the_next_one_is_compared_with(store: Store):
    def rates(price: int, number: int) -> dict[str, str]:
        return {"price": f"{price / 12:.2f}"}

    assert crawled(store, rates, reason="failed") == crawled(store, rates, reason="failed") != set()
    assert crawled(store, lambda price, n: {}) == set()


def test_new_products_in_a_currency_that_the_shop_never_had_are_found(store: Store):
    crawl = store.begin_crawl("lamps")
    known = [
        Offer(url=f"http://s.example/p-{10000 + n}", title=f"Lamp {n}", price="5.00", currency="EUR") for n in range(9)
    ]
    store.save_offers("lamps", known, crawl)
    new = [Offer(url=f"http://s.example/new/{n}", title=f"New {n}", price="5.00", currency="USD") for n in range(5)]
    store.save_offers("lamps", new, crawl)
    with store.reading() as connection:
        changes = value_changes(connection, crawl)
    assert changes is not None and (changes.other_currency, changes.currencies) == (5, ("USD",))


def test_the_state_of_repeated_products_is_that_of_the_account():
    assert AccountState.SAME_PRODUCT.value == SAME_PRODUCT


def test_a_shop_whose_prices_become_monthly_rates_fails_the_crawl_with_code_3(tmp_path: Path) -> None:
    shop = tiny_shop()
    database = ("-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules")
    with serving(shop) as server:
        crawl = ("crawl", "shop", "-a", f"url={server.url}", *HASTY, *database)
        assert scrapy(*crawl).returncode == 0
        for path, page in list(shop.items()):
            if path.startswith("/product/"):
                shop[path] = re.sub(r"€([\d.]+)", lambda price: f"€{float(price[1]) / 12:.2f}", str(page))
        done, allowed = (
            scrapy(*crawl),
            scrapy(*crawl, *(part for name in PRICES for part in ("-s", f"{name}=1"))),
        )
    last_line = done.stderr.rstrip().splitlines()[-1]
    assert done.returncode == 3, done.stderr
    assert "the median price of 10 products fell by 92 %" in last_line and "-s SCOUT_MONITOR_PRICE_LEVEL=1" in last_line
    assert allowed.returncode == 0, allowed.stderr


def test_a_shop_that_lost_its_prices_and_products_fails_the_crawl_with_code_3(tmp_path: Path) -> None:
    shop, told = tiny_shop(), []
    database = ("-s", f"SCOUT_DATABASE=sqlite:///{tmp_path}/scout.db", "-s", f"SCOUT_RULES_DIR={tmp_path}/rules")

    def hook() -> Answer:
        told.append(True)
        return Answer("thanks")

    shop["/hook"] = hook  # type: ignore[assignment]
    with serving(shop) as server:
        watched = (
            "-s",
            f"SCOUT_MONITOR_PROMETHEUS={tmp_path}/{{shop}}.prom",
            "-s",
            f"SCOUT_MONITOR_WEBHOOK={server.url}hook",
        )
        crawl = ("crawl", "shop", "-a", f"url={server.url}", *HASTY, *database, *watched)
        assert scrapy(*crawl).returncode == 0
        (figures,) = tmp_path.glob(f"127-0-0-1-{server.port}-*.prom")
        assert f'stat="scout/monitor/offers"}} {len(PRODUCTS)}' in figures.read_text()
        for path, page in list(shop.items()):
            if isinstance(page, str):
                shop[path] = re.sub(r'<li class="card"><a href="/product/(2|4|6|8|10)">.*?</li>', "", page)
        done = scrapy(*crawl)
    assert done.returncode == 3, done.stderr
    assert "offers fell from 10 to 5 (-50 %)" in done.stderr.rstrip().splitlines()[-1]
    assert "-s SCOUT_MONITOR_ITEMS=1" in done.stderr.rstrip().splitlines()[-1]
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert [crawl.reason for crawl in store.crawls(store.shops()[0].name)] == ["failed", "finished"]
    assert json.dumps(server.asked).count("/hook") == 1
