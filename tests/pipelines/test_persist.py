"""Crawls into the database, each in a process of its own: what the feed has the database has, and a failure is loud."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import DropItem

from scout.items import EarlierOffer
from scout.offer import Offer
from scout.pipelines.persist import PersistPipeline
from scout.store import Store
from tests.pipelines.crawlers import crawler
from tests.pipelines.feeding import begin, end, feed
from tests.store.postgres import Postgres


def feeds(path: Path) -> dict[str, dict[str, str]]:
    return {str(path): {"format": "jsonlines"}}


def stored(url: str) -> set[str]:
    with Store.open(url) as store:
        return {offer["url"] for offer in store.offers("lamps")}


def exported(path: Path) -> set[str]:
    return {json.loads(line)["url"] for line in path.read_text().splitlines()}


def test_every_item_is_in_the_database_and_in_the_feed(tmp_path: Path) -> None:
    url, feed_path = f"sqlite:///{tmp_path}/scout.db", tmp_path / "feed.jsonl"
    fed = feed(350, SCOUT_DATABASE=url, FEEDS=feeds(feed_path))
    assert fed.log == ""
    assert len(stored(url)) == 350
    assert exported(feed_path) == stored(url)
    assert fed.stats["scout/persist/new"] == 350
    assert "scout/exit_code" not in fed.stats
    with Store.open(url) as store:
        (crawl,) = store.crawls("lamps")
    assert crawl.is_complete
    assert crawl.stats["item_scraped_count"] == 350


def test_a_disk_without_space_stops_the_crawl_at_once_with_an_exit_code(tmp_path: Path) -> None:
    url, feed_path = f"sqlite:///{tmp_path}/scout.db", tmp_path / "feed.jsonl"
    Store.open(url).close()
    begun = time.monotonic()
    fed = feed(
        5_000, file_limit=800_000, SCOUT_DATABASE=url, SCOUT_PERSIST_BATCH=20, values={"description": "x" * 3_000}
    )
    assert fed.stats["finish_reason"] == "database_failed"
    assert fed.stats["scout/exit_code"] == 1
    assert fed.stats["item_scraped_count"] < 5_000
    assert time.monotonic() - begun < 60
    assert fed.log.count("ERROR") == 1
    assert "Traceback" not in fed.log
    new, unsaved = fed.stats["scout/persist/new"], fed.stats["scout/persist/unsaved"]
    assert len(stored(url)) == new
    assert new + unsaved == fed.stats["item_scraped_count"], "what could not be stored still reaches the feeds"
    assert not feed_path.exists()


def test_a_database_that_cannot_be_opened_ends_the_crawl_before_it_begins(tmp_path: Path) -> None:
    fed = feed(10, SCOUT_DATABASE="postgresql://nobody@127.0.0.1:1/nothing", SCOUT_DATABASE_PATIENCE=0.5)
    assert fed.stats["finish_reason"] == "database_failed"
    assert fed.stats["scout/exit_code"] == 1
    assert "item_scraped_count" not in fed.stats
    assert "Traceback" not in fed.log


def test_a_server_that_restarts_during_the_crawl_loses_nothing(postgres: Postgres) -> None:
    url = postgres.empty_database()
    process = begin(150, pause=0.02, SCOUT_DATABASE=url, SCOUT_PERSIST_BATCH=10)
    for _ in range(3):
        time.sleep(1.5)
        postgres.control("restart", "-m", "fast")
    fed = end(process)
    assert len(stored(url)) == 150
    assert fed.stats["finish_reason"] == "finished"
    assert "scout/exit_code" not in fed.stats


def test_a_crawl_that_fails_does_not_tell_which_offers_are_gone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/scout.db"
    feed(3, SCOUT_DATABASE=url)
    feed(1, SCOUT_DATABASE=url, exit_code=1)
    assert len(stored(url)) == 3
    with Store.open(url) as store:
        assert [crawl.reason for crawl in store.crawls("lamps")] == ["failed", "finished"]


def test_without_a_database_nothing_is_stored_and_items_still_flow(tmp_path: Path) -> None:
    fed = feed(5, SCOUT_DATABASE="", FEEDS=feeds(tmp_path / "feed.jsonl"))
    assert fed.stats["item_scraped_count"] == 5
    assert len(exported(tmp_path / "feed.jsonl")) == 5


@pytest.mark.long
def test_memory_does_not_grow_with_the_number_of_items(tmp_path: Path) -> None:
    """Few pages are under way at a time, as in a crawl: empty ones weigh so little that Scrapy would let thousands wait."""
    under_way = 100 * 1024
    few = feed(1_000, SCOUT_DATABASE=f"sqlite:///{tmp_path}/few.db", SCRAPER_SLOT_MAX_ACTIVE_SIZE=under_way)
    many = feed(20_000, SCOUT_DATABASE=f"sqlite:///{tmp_path}/many.db", SCRAPER_SLOT_MAX_ACTIVE_SIZE=under_way)
    assert many.stats["scout/persist/new"] == 20_000
    assert many.memory - few.memory < 30_000, "KB for 19,000 items"


def test_an_offer_that_is_read_again_before_the_earlier_run_is_recalled_is_in_the_feed_once() -> None:
    """After a kill, pages are fetched again while what earlier runs stored is still on its way to the new feed."""

    async def given(*items: Any) -> list[str]:
        pipeline = PersistPipeline(crawler(SCOUT_DATABASE="", FEEDS={"offers.jsonl": {"overwrite": True}}))
        kept = []
        for item in items:
            with suppress(DropItem):
                kept.append((await pipeline.process_item(item))["url"])
        return kept

    lamp, chair = ({"url": f"https://shop.example/{name}", "title": name} for name in ("lamp", "chair"))
    red = {"url": "https://shop.example/lamp?red", "title": "lamp, red", "parent": lamp["url"]}
    assert asyncio.run(given(Offer(lamp), EarlierOffer(lamp), EarlierOffer(red), EarlierOffer(chair))) == [
        lamp["url"],
        chair["url"],
    ]
    assert asyncio.run(given(EarlierOffer(lamp), EarlierOffer(red), Offer(lamp))) == [lamp["url"], red["url"]]
