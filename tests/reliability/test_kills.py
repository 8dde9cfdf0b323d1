"""A crawl that is killed again and again loses nothing and stores nothing twice; several workers share one crawl."""

from __future__ import annotations

import random
import time
from pathlib import Path

from tests.crawl.serving import serving
from tests.reliability.killing import Crawling, states, stored
from tests.reliability.many_products import ManyProducts

LONGEST = 120


def wait_for_offers(database: str, more_than: int, crawling: Crawling) -> None:
    """Until the crawl has stored so many: a kill before it has begun would show nothing."""
    deadline = time.monotonic() + LONGEST
    while crawling.process.poll() is None and time.monotonic() < deadline:
        if Path(database.removeprefix("sqlite:///")).exists() and len(stored(database)) > more_than:
            return
        time.sleep(0.1)


def test_a_crawl_killed_three_times_loses_nothing_and_stores_nothing_twice(tmp_path: Path) -> None:
    shop, database = ManyProducts(200), f"sqlite:///{tmp_path}/scout.db"
    with serving(shop) as server:
        for _ in range(3):
            crawling = Crawling(server.url, database, tmp_path)
            wait_for_offers(database, len(stored(database)) + 20 if states_exist(database) else 20, crawling)
            time.sleep(random.uniform(0, 0.3))
            crawling.kill()
        last = Crawling(server.url, database, tmp_path)
        assert last.ended(LONGEST) == 0, last.said()
        offers = stored(database)
        assert sorted(offers) == sorted(f"{server.url}product/{n}" for n in range(1, 201))
        assert set(states(database)) == {"done"}
        assert len(server.asked) < 1.5 * shop.pages


def states_exist(database: str) -> bool:
    return Path(database.removeprefix("sqlite:///")).exists()
