"""The figures of a fleet and its page: worst first, with reasons, and no text of a shop is markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from scout.fleet.overview import fleet_figures
from scout.frontier.resuming import leave_crawl
from scout.frontier.table import Changes, Frontier, NewRequest
from scout.offer import Offer
from scout.reporting.fleet_page import fleet_page
from scout.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as opened:
        yield opened


ATTACK = "<img src=x onerror=alert(1)>"


def crawl(
    store: Store, shop: str, prices: list[str], reason: str = "finished", unread: int = 0, **stats: object
) -> None:
    made = store.begin_crawl(shop, url=f"https://{shop}.example/")
    rows = [NewRequest(f"u{n}", f"https://{shop}.example/u{n}", "{}", 0, shown="product") for n in range(unread)]
    Frontier(store, made).exchange(Changes(new=rows))
    offers = [
        Offer(url=f"https://{shop}.example/{n}", title=f"Lamp {n}", sku=str(n), price=price, currency="EUR")
        for n, price in enumerate(prices)
    ]
    store.save_offers(shop, offers, made)
    leave_crawl(store, made, reason, stats)


def fleet(store: Store) -> Store:
    coverage = "scout/monitor/coverage/price"
    crawl(store, "good", ["1.00", "2.00"], **{"scout/monitor/offers": 2, coverage: 1.0})
    crawl(store, "faded", ["1.00", "2.00"], **{"scout/monitor/offers": 2, coverage: 1.0})
    crawl(store, "faded", ["1.00"], **{"scout/monitor/offers": 1, coverage: 0.4})
    crawl(store, "short", ["1.00"], unread=3)
    crawl(store, "down", [], "failed", **{"scout/exit/reason": f"No product found {ATTACK}"})
    store.add_shop("fresh", "https://fresh.example/", timedelta(days=1))
    store.add_shop("asleep", "https://asleep.example/", timedelta(days=1), quiet_hours="08:00-20:00")
    store.pause_shops(["asleep"])
    return store


def test_shops_come_worst_first_with_their_reasons_and_fields(store: Store) -> None:
    figures = fleet_figures(fleet(store))
    assert [shop.name for shop in figures.shops] == ["down", "fresh", "short", "faded", "good", "asleep"]
    named = {shop.name: shop for shop in figures.shops}
    assert named["down"].reason.startswith("No product found")
    assert "3 of 3 addresses were not read" in named["short"].reason and named["short"].read_share == 0.0
    assert (named["faded"].fallen, named["good"].fallen) == ({"price": 0.6}, {})
    assert [past.offers for past in named["faded"].crawls] == [2, 1] and named["faded"].trend
    assert named["good"].prices == {"day": 2} and named["good"].age_hours is not None
    assert (named["fresh"].is_due, named["asleep"].is_due, named["asleep"].due_at) == (True, False, None)
    assert figures.headline == ("6 shops: 1 failed, 1 never crawled, 1 incomplete, 2 complete, 1 paused; 1 due")
    assert json.loads(json.dumps(figures.as_dict()))["shops"][0]["state"] == "failed"


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.met: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.met.append((tag, dict(attributes)))


def test_the_page_is_one_file_without_scripts_and_no_text_of_a_shop_is_markup(store: Store) -> None:
    store = fleet(store)
    store.add_shop("odd", "javascript:alert(1)//https://x")
    page = fleet_page(fleet_figures(store), {"good": "good/report.html"})
    elements = _Elements()
    elements.feed(page)
    tags = {tag for tag, _ in elements.met}
    assert not tags & {"script", "img", "iframe", "link", "form"}
    policy = next(a["content"] for tag, a in elements.met if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and re.match(r"default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'", policy)
    links = [a["href"] for tag, a in elements.met if tag == "a"]
    assert "good/report.html" in links and not [link for link in links if link and link.startswith("javascript")]
    assert "&lt;img src=x" in page and "<polyline" in page
