"""The context of a crawl: what components share, read from the spider once, and how the crawl ends."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scout.crawl.context import CrawlContext, CrawlFailure, ShopRef
from scout.errors import ScoutError, StoreError, UsageError
from scout.items import PageItem
from scout.page import Page
from scout.rules import ShopRules
from tests.pipelines.crawlers import crawler, stats


def context_of(**attributes: Any) -> CrawlContext:
    """The context of a spider with these attributes."""
    made = crawler()
    made.spider = SimpleNamespace(name="own", **attributes)
    return CrawlContext.of(made)


def test_all_components_of_a_crawl_get_the_same_context() -> None:
    made = crawler()
    assert CrawlContext.of(made) is CrawlContext.from_crawler(made) is CrawlContext.of(made)


def test_what_a_foreign_spider_declares_is_read_once() -> None:
    context = context_of(
        shop="lamps", start_url="https://shop.example/", start_urls=["https://a.example/"], crawl_id=None
    )
    assert context.shop == ShopRef("lamps", "https://shop.example/", ("https://a.example/",), is_resumable=True)
    context.crawler.spider.shop = "chairs"  # type: ignore[union-attr]
    assert context.shop.name == "lamps"


def test_a_spider_that_declares_nothing_has_no_shop_and_no_rules() -> None:
    context = context_of(rules=("of a CrawlSpider",), shop=7)
    assert (context.shop, context.knowledge.rules, context.products, context.crawl_id) == (ShopRef(), None, None, None)


def test_the_rules_of_a_foreign_spider_are_used() -> None:
    rules = ShopRules(shop="lamps")
    assert context_of(rules=rules).knowledge.rules is rules


def test_the_first_failure_is_the_cause_and_decides_the_exit_code() -> None:
    context = context_of()
    context.fail("the shop is down")
    context.fail("a threshold was missed", 3)
    assert context.failure == CrawlFailure("the shop is down", 1)
    assert stats(context.crawler) == {"exit_code": 1, "exit/reason": "the shop is down"}


@pytest.mark.parametrize(("error", "exit_code"), [(UsageError("no such shop"), 2), (StoreError("no database"), 1)])
def test_a_shop_that_cannot_be_loaded_fails_the_crawl_before_it_begins(error: ScoutError, exit_code: int) -> None:
    async def load_twice() -> list[bool]:
        return [await context.loaded(), await context.loaded()]

    def fail() -> None:
        raise error

    context = context_of()
    context.load = fail
    assert asyncio.run(load_twice()) == [False, False]
    assert context.failure == CrawlFailure(str(error), exit_code)


def test_checks_run_before_records_and_a_broken_one_fails_the_crawl_and_stops_none() -> None:
    seen: list[str] = []

    async def record(reason: str) -> None:
        seen.append(f"recorded {reason}, failed: {context.failure is not None}")

    async def check(reason: str) -> None:
        seen.append("checked")
        raise KeyError("price")

    context = context_of()
    context.add_record(record)
    context.add_check(check)
    asyncio.run(context._on_closed("finished"))
    assert seen == ["checked", "recorded finished, failed: True"]
    assert context.failure is not None and "KeyError" in context.failure.reason


def test_the_database_is_opened_once_however_many_ask_for_it(tmp_path: Path) -> None:
    context = CrawlContext.of(crawler(SCOUT_DATABASE=f"sqlite:///{tmp_path}/scout.db"))
    with ThreadPoolExecutor(8) as threads:
        stores = list(threads.map(lambda _: context.store(), range(8)))
    assert len(set(map(id, stores))) == 1
    stores[0].close()


def test_a_page_is_held_until_all_that_waits_of_it_is_released() -> None:
    held = context_of().held
    item = PageItem(page=Page("https://shop.example/1", "<p>"), shop="lamps", token="1")
    held.sample.append(item)
    assert (held.has("1"), held.has("2"), held.has(None)) == (True, False, False)
    assert held.release_sample() == [item] and not held and not held.has("1")
