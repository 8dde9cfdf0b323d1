"""What a worker does when nothing is left, when pages cannot be read, and when it is closed: with a real table, without a crawl."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import default_settings

from scout.crawl.account import AccountState
from scout.crawl.context import CrawlContext
from scout.crawl.pages_in_progress import PageResult
from scout.errors import StoreError
from scout.frontier import worker as worker_module
from scout.frontier.resuming import entered_crawl
from scout.frontier.table import Frontier, NewRequest
from scout.frontier.worker import MAX_UNREAD_RUN, Worker
from scout.store import Store
from scout.store.failures import DatabaseUnavailable
from tests.pipelines.crawlers import crawler

START = "http://s.example/"
LONGEST = 20.0


class Engine:
    """What a worker asks of Scrapy's engine: whether it is idle, and for single pages, of which the shop serves every one or none."""

    running, downloader = False, SimpleNamespace(slots={})
    _slot = None

    def __init__(self) -> None:
        self.status, self.asked, self.closed = 200, 0, ""
        self.is_idle = True

    def spider_is_idle(self) -> bool:
        return self.is_idle

    async def download_async(self, request: Any) -> Any:
        self.asked += 1
        return SimpleNamespace(status=self.status)


class Crawl:
    """A worker on its own crawl, whose pages come to what a test says."""

    def __init__(self, store: Store, **settings: Any) -> None:
        made = crawler(**{"SCOUT_RETRY_PAUSE": 0.01, "SCOUT_RETRY_ROUNDS": 2, **settings})
        made.engine = self.engine = Engine()
        self.context = CrawlContext.of(made)
        self.context.shop = SimpleNamespace(start_url=START)
        self.pages = self.context.pages
        self.frontier = Frontier(store, entered_crawl(store, "s", "shop", START).crawl, "here")
        self.worker = Worker(self.context, self.frontier)

    def ask_for(self, *names: str) -> None:
        for name in names:
            self.worker.add(NewRequest(name, START + name, "{}", 0, shown="product"))

    async def read(self, outcome: AccountState, reason: str | None = None) -> str:
        """The next page comes to this."""
        while (lease := self.worker.next_lease()) is None:
            await asyncio.sleep(0.01)
        self.pages.opened(lease.key, lease.url)
        self.pages.judge(lease.key, PageResult(outcome, reason))
        self.pages.read(lease.key)
        return lease.key

    async def until(self, is_so: Any) -> None:
        end = time.monotonic() + LONGEST
        while not is_so():
            assert time.monotonic() < end
            await asyncio.sleep(0.01)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as opened:
        yield opened


def test_a_worker_may_close_when_all_is_read_and_written(store: Store) -> None:
    async def crawl_two() -> None:
        crawl = Crawl(store)
        crawl.ask_for("a", "b")
        assert crawl.worker.has_work and not crawl.worker.may_close
        await crawl.read(AccountState.OFFER)
        await crawl.read(AccountState.OFFER)
        assert not crawl.worker.may_close
        await crawl.until(lambda: crawl.worker.may_close)
        assert crawl.frontier.counts() == {"done": 2}
        await crawl.worker.finish()

    asyncio.run(crawl_two())


def test_what_failed_is_asked_again_in_rounds_before_the_worker_may_close(store: Store) -> None:
    async def crawl_failing() -> list[str]:
        crawl = Crawl(store)
        crawl.ask_for("a")
        keys = [await crawl.read(AccountState.FAILED, "http_503") for _ in range(3)]
        await crawl.until(lambda: crawl.worker.may_close)
        await crawl.worker.finish()
        return keys

    assert asyncio.run(crawl_failing()) == ["a"] * 3


def test_no_round_is_begun_while_others_have_work_or_this_worker_is_busy(store: Store) -> None:
    async def wait_for_others() -> None:
        crawl = Crawl(store)
        crawl.ask_for("a", "b")
        await crawl.until(lambda: crawl.frontier.counts()["leased"] == 2)
        await crawl.read(AccountState.FAILED, "http_503")
        crawl.engine.is_idle = False
        await crawl.until(lambda: crawl.frontier.counts()["failed"] == 1)
        await asyncio.sleep(0.3)
        assert crawl.frontier.counts() == {"leased": 1, "failed": 1}
        await crawl.worker.finish()

    asyncio.run(wait_for_others())


@pytest.mark.parametrize("answers", [True, False])
def test_where_nothing_can_be_read_the_shop_is_checked_before_anything_else_is_asked(
    store: Store, answers: bool
) -> None:
    async def crawl_refused() -> None:
        crawl = Crawl(store)
        crawl.engine.status = 200 if answers else 403
        crawl.context.close_spider = lambda reason: setattr(crawl.engine, "closed", reason)  # type: ignore[method-assign]
        crawl.ask_for(*map(str, range(MAX_UNREAD_RUN + 5)))
        for _ in range(MAX_UNREAD_RUN):
            await crawl.read(AccountState.REFUSED, "http_403")
        assert crawl.worker.next_lease() is None
        if answers:
            await crawl.until(lambda: crawl.worker.next_lease() is not None)
        else:
            await crawl.until(lambda: crawl.engine.closed == "refused")
            assert crawl.worker.next_lease() is None
        assert crawl.engine.asked == (1 if answers else 3)
        await crawl.worker.finish()

    asyncio.run(crawl_refused())


def test_a_worker_that_is_closed_in_a_pause_ends_at_once_and_gives_its_leases_back(store: Store) -> None:
    async def close_in_pause() -> None:
        crawl = Crawl(store, SCOUT_RETRY_PAUSE=600)
        crawl.ask_for("a")
        await crawl.read(AccountState.FAILED, "http_503")
        await crawl.until(lambda: crawl.frontier.counts() == {"failed": 1})
        crawl.ask_for("b")
        await crawl.until(lambda: crawl.frontier.counts()["leased"] == 1)
        await asyncio.wait_for(crawl.worker.finish(), LONGEST)
        assert crawl.frontier.counts() == {"failed": 1, "pending": 1}

    asyncio.run(close_in_pause())


def test_a_database_that_fails_ends_the_crawl_and_nothing_more_is_written(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exchange(*_: Any, **__: Any) -> None:
        raise StoreError("the disk is full")

    async def crawl_failing() -> CrawlContext:
        crawl = Crawl(store)
        monkeypatch.setattr(crawl.frontier, "exchange", exchange)
        crawl.ask_for("a")
        await crawl.until(lambda: crawl.worker.has_failed)
        await crawl.worker.finish()
        return crawl.context

    failure = asyncio.run(crawl_failing()).failure
    assert failure is not None and "the disk is full" in failure.reason


def test_a_database_that_is_away_for_a_moment_at_the_end_learns_of_every_page(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crawl_one() -> None:
        crawl = Crawl(store)
        crawl.ask_for("a")
        exchange, failures = crawl.frontier.exchange, [DatabaseUnavailable("restarting")]

        def restarted(changes: Any, *, renew: bool = False) -> Any:
            if crawl.worker.is_over and failures:
                raise failures.pop()
            return exchange(changes, renew=renew)

        monkeypatch.setattr(crawl.frontier, "exchange", restarted)
        await crawl.read(AccountState.OFFER)
        await crawl.worker.finish()
        assert not failures and crawl.frontier.counts() == {"done": 1}

    asyncio.run(crawl_one())


def test_leases_are_renewed_also_where_there_is_nothing_to_tell(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "RENEW", 0.05)
    renewed: list[bool] = []

    async def wait() -> None:
        crawl = Crawl(store)
        exchange = crawl.frontier.exchange

        def watched(changes: Any, *, renew: bool = False) -> Any:
            renewed.append(renew)
            return exchange(changes, renew=renew)

        monkeypatch.setattr(crawl.frontier, "exchange", watched)
        crawl.engine.is_idle = False
        await crawl.until(lambda: sum(renewed) >= 2)
        await crawl.worker.finish()

    asyncio.run(wait())


def test_one_short_outage_does_not_pause_a_crawl_and_a_block_does_soon() -> None:
    """An outage fails no more pages than are asked at once."""
    at_once = default_settings.CONCURRENT_REQUESTS
    assert at_once < MAX_UNREAD_RUN < 2 * at_once
