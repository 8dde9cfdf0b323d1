"""Each component of Scout works alone in a bare Scrapy project, or refuses with a sentence that says what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

import scout.settings
from scout.frontier.scheduler import FrontierScheduler
from tests.crawl.commands import ROOT, environment
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.processes import run

TABLES = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS")
PERSIST = "scout.pipelines.persist.PersistPipeline"
COMPONENTS = {
    component: table
    for table in TABLES
    for component in getattr(scout.settings, table)
    if component.startswith("scout.") and component != PERSIST
} | {
    "scout.handlers.browser.BrowserHandler": "DOWNLOAD_HANDLERS",
    "scout.frontier.scheduler.FrontierScheduler": "SCHEDULER",
    PERSIST: "ITEM_PIPELINES",  # the last: it is the only one that makes a database
}
REFUSED = {  # component -> what is missing
    "RobotsMiddleware": "ROBOTSTXT_OBEY is off",
    "RenderMiddleware": "set DOWNLOAD_HANDLERS to scout.handlers.browser.BrowserHandler",
    "ConditionalRequestMiddleware": "no attribute `shop`",
    "KeepPagesMiddleware": "no attribute `shop`",
    "FrontierMiddleware": "set SCHEDULER to scout.frontier.scheduler.FrontierScheduler",
    "Monitoring": "add scout.pipelines.persist.PersistPipeline",
    "ProgressExtension": "no attribute `products`",
}


def offers(crawl: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in crawl["items"] if item.get("title") == "Lamp"]


WORK: dict[str, Callable[[dict[str, Any]], object]] = {  # component -> a sign that it has done its work
    "CleanUrlMiddleware": lambda crawl: crawl["stats"]["scout/urls/cleaned"] == 1,
    "OfferPipeline": lambda crawl: (
        crawl["items"][0]["price"] == PRODUCTS[1][1]
        and offers(crawl)[0]["price"] == "12.99"
        and offers(crawl)[0]["reviews"][0]["author"] == "Ann"  # for 30 days
    ),
    "PersistPipeline": lambda crawl: crawl["stats"]["scout/persist/new"] == 1 and "scout.db" in crawl["files"],
    "GuardMiddleware": lambda crawl: "addresses of names are not checked" in " ".join(crawl["heard"]),
}


@pytest.fixture(scope="module")
def crawls(tmp_path_factory) -> dict[str, Any]:
    parts = [part for component, table in COMPONENTS.items() for part in (table, component)]
    with serving({**tiny_shop(), "/robots.txt": Answer("", 404)}) as shop:
        env = environment(PYTHONPATH=str(ROOT))
        folder = tmp_path_factory.mktemp("bare")
        done = run("tests.crawl.alone", shop.url, *parts, cwd=folder, env=env, timeout=120)
    assert done.returncode == 0 and "DeprecationWarning" not in done.stderr, done.stderr
    return {name.rpartition(".")[2]: crawl for name, crawl in json.loads(done.stdout).items()}


@pytest.mark.parametrize("name", [component.rpartition(".")[2] for component in COMPONENTS])
def test_each_component_works_alone_or_says_what_it_lacks(crawls, name):
    crawl = crawls[name]
    said = [line for line in crawl["heard"] if line.startswith("Disabled")]
    assert (len(said) == 1 and REFUSED[name] in said[0]) if name in REFUSED else said == []
    assert crawl["stats"]["errors"] == 0 and {"own": "item"} in crawl["items"]
    assert len(crawl["items"]) == (3 if name == "PersistPipeline" else 4)  # it knows one product at two addresses
    assert WORK.get(name, lambda _: True)(crawl)


def test_only_the_pipeline_that_stores_offers_makes_a_database(crawls):
    assert [name for name, crawl in crawls.items() if crawl["files"]] == ["PersistPipeline"]


def test_the_scheduler_without_its_middleware_is_scrapys_own_and_says_so(caplog):
    """No page would ever count as finished, and the crawl would not end."""
    crawler = get_crawler(Spider, {"SCHEDULER": "scout.frontier.scheduler.FrontierScheduler"})
    crawler.engine = Mock()
    crawler.spider = SimpleNamespace(name="own", shop="lamps", crawl_id=None)
    scheduler = FrontierScheduler.from_crawler(crawler)
    scheduler.open(crawler.spider)
    assert scheduler.worker is None
    assert "add scout.frontier.middleware.FrontierMiddleware to SPIDER_MIDDLEWARES" in caplog.text
