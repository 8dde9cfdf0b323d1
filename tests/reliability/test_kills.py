"""A crawl that is killed again and again loses nothing and stores nothing twice; several workers share one crawl."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import select

from scout.frontier.table import LEASE_SECONDS
from scout.store import Store
from scout.store.models import Crawl
from tests.crawl.serving import Server, serving
from tests.reliability.killing import Crawling, states, stored
from tests.reliability.many_products import ManyProducts
from tests.store.postgres import Postgres

LONGEST = 180
VERY_LONG = 3_600


def wait_until(holds: Callable[[], bool], crawling: Crawling) -> None:
    """A kill before anything has happened would show nothing."""
    deadline = time.monotonic() + LONGEST
    while crawling.process.poll() is None and not holds():
        assert time.monotonic() < deadline, crawling.said()
        time.sleep(0.1)
    assert crawling.process.poll() is None, f"it was over before: {crawling.said()}"


def killed_when(more: int, database: str, crawling: Crawling) -> None:
    """Kill the crawl at some moment after it has stored so many more."""
    before = len(stored(database))
    wait_until(lambda: len(stored(database)) >= before + more, crawling)
    time.sleep(random.uniform(0, 0.3))
    crawling.kill()


def reasons(database: str) -> list[str | None]:
    """How each crawl in the database ended."""
    with Store.open(database) as store, store.reading() as connection:
        return list(connection.execute(select(Crawl.reason).order_by(Crawl.id)).scalars())


def assert_complete(shop: ManyProducts, server: Server, database: str) -> None:
    """Every product once, nothing left to do, and one crawl that says so."""
    assert sorted(stored(database)) == sorted(f"{server.url}product/{n}" for n in range(1, shop.products + 1))
    assert set(states(database)) == {"done"}
    assert reasons(database) == ["finished"]


def kill_and_finish(products: int, kills: int, directory: Path, *arguments: str) -> float:
    """Crawl a shop with so many kills on the way; how many pages were fetched for each that it has."""
    shop, database = ManyProducts(products), f"sqlite:///{directory}/scout.db"
    with serving(shop) as server:
        for _ in range(kills):
            killed_when(products // (4 * kills), database, Crawling(server.url, database, directory, *arguments))
        last = Crawling(server.url, database, directory, *arguments)
        assert last.ended(VERY_LONG) == 0, last.said()
        assert_complete(shop, server, database)
        return len(server.asked) / shop.pages


def test_a_crawl_killed_three_times_loses_nothing_and_stores_nothing_twice(tmp_path: Path) -> None:
    """What a kill costs is the pages of some tenths of a second: so the bound is for so many pages a second, on any machine."""
    assert kill_and_finish(480, 3, tmp_path, "-s", "DOWNLOAD_DELAY=0.02") < 1.3


@pytest.mark.long
def test_a_crawl_of_5000_pages_killed_twenty_times_loses_nothing(tmp_path: Path) -> None:
    assert kill_and_finish(4_800, 20, tmp_path) < 1.3


def share(products: int, workers: int, kills: int, database: str, directory: Path) -> None:
    """Several workers crawl a shop together while one after the other is killed and replaced; the others do the work of the last one."""
    shop = ManyProducts(products)
    with serving(shop) as server:
        crawling = [Crawling(server.url, database, directory) for _ in range(workers)]
        for kill in range(kills):
            killed_when(products // (2 * kills), database, crawling.pop(0))
            if kill < kills - 1:
                crawling.append(Crawling(server.url, database, directory))
        codes = [one.ended(VERY_LONG) for one in crawling]
        assert set(codes) == {0}, [one.said() for one in crawling]
        assert_complete(shop, server, database)


def test_two_workers_share_a_crawl_and_one_is_killed(tmp_path: Path, postgres: Postgres) -> None:
    share(150, 2, 1, postgres.empty_database(), tmp_path)


@pytest.mark.long
def test_three_workers_share_a_crawl_through_ten_kills(tmp_path: Path, postgres: Postgres) -> None:
    share(2_000, 3, 10, postgres.empty_database(), tmp_path)


@pytest.mark.long
def test_three_workers_share_a_crawl_on_sqlite(tmp_path: Path) -> None:
    share(600, 3, 3, f"sqlite:///{tmp_path}/scout.db", tmp_path)


@pytest.mark.long
def test_postgresql_restarted_five_times_loses_nothing(tmp_path: Path, postgres: Postgres) -> None:
    shop, database = ManyProducts(600), postgres.empty_database()
    with serving(shop) as server:
        crawling = Crawling(server.url, database, tmp_path)
        for restart in range(1, 6):
            wait_until(lambda so_far=60 * restart: len(stored(database)) >= so_far, crawling)
            postgres.control("restart", "-m", "immediate")
        assert crawling.ended(VERY_LONG) == 0, crawling.said()
        assert_complete(shop, server, database)


def test_a_crawl_that_is_interrupted_goes_on_and_a_finished_one_begins_anew(tmp_path: Path) -> None:
    shop, database = ManyProducts(48), f"sqlite:///{tmp_path}/scout.db"
    with serving(shop) as server:
        first = Crawling(server.url, database, tmp_path, "-a", "max_pages=20")
        first.ended(LONGEST)
        assert reasons(database) == ["max_pages"], first.said()
        asked = len(server.asked)
        assert Crawling(server.url, database, tmp_path).ended(LONGEST) == 0
        assert_complete(shop, server, database)
        assert len(server.asked) - asked < shop.pages
        assert Crawling(server.url, database, tmp_path).ended(LONGEST) == 0
        assert reasons(database) == ["finished", "finished"]
        assert len(stored(database)) == shop.products


def pauses(server: Server, paths: str) -> list[float]:
    """The seconds between one request for such pages and the next, whoever made them."""
    times = [at for path, at in zip(server.asked, server.times, strict=True) if path.startswith(paths)]
    return [later - earlier for earlier, later in pairwise(times)]


def test_two_workers_keep_the_pause_of_a_shop_together(tmp_path: Path, postgres: Postgres) -> None:
    """Each request comes a pause after the one before, of whichever worker; what is missing is the way to the server."""
    shop, database, delay = ManyProducts(40), postgres.empty_database(), 0.5
    slow = ("-s", f"DOWNLOAD_DELAY={delay}", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    with serving(shop) as server:
        crawling = [Crawling(server.url, database, tmp_path, *slow) for _ in range(2)]
        assert {one.ended(LONGEST) for one in crawling} == {0}, [one.said() for one in crawling]
        assert_complete(shop, server, database)
        assert all("'scheduler/dequeued'" in one.said() for one in crawling)
        found = sorted(pauses(server, "/product/"))
    assert found[len(found) // 10] > 0.8 * delay, found
    assert sum(found) / len(found) > 0.95 * delay


def test_a_lease_that_nobody_renews_is_over_within_a_minute() -> None:
    """tests/frontier/test_table.py shows that it then goes to another worker."""
    assert LEASE_SECONDS <= 60
