"""A database that restarts while stored pages are asked for costs time, and where it stays away a second fetch; never a page."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from sqlalchemy import event

from scout.archive.conditional_requests import ConditionalRequestMiddleware
from scout.fetch import FetchState
from scout.items import Visit
from scout.store import Store
from tests.pipelines.crawlers import crawler, stats
from tests.store.conftest import postgres as postgres
from tests.store.postgres import Postgres

URL = "https://shop.example/p/1"
HTML = "<h1>Lamp</h1>"


def keeping(database: str, *, crawl_id: int, patience: float) -> ConditionalRequestMiddleware:
    """The middleware of a crawl into a database that has the page since crawl 1."""
    made = crawler(SCOUT_DATABASE=database, SCOUT_DATABASE_PATIENCE=patience)
    made.spider.shop, made.spider.crawl_id = "lamps", crawl_id
    middleware = ConditionalRequestMiddleware(made)
    with Store.open(database) as store:
        crawl = store.begin_crawl("lamps")
        store.save_visits("lamps", [Visit(URL, "detail", status=200, html=HTML, headers={"ETag": '"a"'})], crawl)
    asyncio.run(middleware.spider_opened())
    return middleware


class Away:
    """Lets the driver refuse the next `times` statements as it does when the database cannot be had."""

    def __init__(self, middleware: ConditionalRequestMiddleware, times: int) -> None:
        self.times = times
        event.listen(middleware.context.store()._engine, "do_execute", self)

    def __call__(self, *_: Any) -> None:
        self.times -= 1
        if self.times >= 0:
            raise sqlite3.OperationalError("database is locked")


@pytest.fixture
def first(tmp_path: Path) -> Iterator[ConditionalRequestMiddleware]:
    """In the crawl that has stored the page itself."""
    middleware = keeping(f"sqlite:///{tmp_path}/scout.db", crawl_id=1, patience=5)
    yield middleware
    middleware.context.store().close()


@pytest.fixture
def second(tmp_path: Path) -> Iterator[ConditionalRequestMiddleware]:
    """In a later crawl, which asks whether the page has changed; it does not wait."""
    middleware = keeping(f"sqlite:///{tmp_path}/scout.db", crawl_id=2, patience=0)
    yield middleware
    middleware.context.store().close()


def leased_request() -> Request:
    request = Request(URL)
    FetchState.of(request).token = "x"
    return request


def test_a_database_that_comes_back_is_waited_for(first: ConditionalRequestMiddleware) -> None:
    Away(first, times=2)
    answer = asyncio.run(first.process_request(leased_request()))
    assert isinstance(answer, Response) and answer.body == HTML.encode()


def test_where_it_stays_away_the_page_is_fetched(
    second: ConditionalRequestMiddleware, caplog: pytest.LogCaptureFixture
) -> None:
    Away(second, times=100)
    request = leased_request()
    assert asyncio.run(second.process_request(request)) is None and not request.headers
    assert "even if it has not changed" in caplog.text
    assert stats(second.crawler) == {"unchanged_failed": 1}


def test_an_unchanged_page_that_cannot_be_read_is_asked_for_again_without_conditions(
    second: ConditionalRequestMiddleware,
) -> None:
    """...also where the database is back by then: one that comes and goes must not make it ask for ever."""
    request = leased_request()
    asyncio.run(second.process_request(request))
    assert request.headers["If-None-Match"] == b'"a"'
    away = Away(second, times=100)
    again = asyncio.run(second.process_response(request, Response(URL, status=304)))
    assert isinstance(again, Request) and again.dont_filter
    away.times = 0
    assert asyncio.run(second.process_request(again)) is None and not again.headers
    whole = Response(URL, body=HTML.encode())
    assert asyncio.run(second.process_response(again, whole)) is whole


def test_a_server_that_restarts_is_waited_for(postgres: Postgres) -> None:
    middleware = keeping(postgres.empty_database(), crawl_id=1, patience=30)

    async def asked_while_it_starts() -> Any:
        postgres.control("stop", "-m", "fast")
        starting = asyncio.create_task(asyncio.to_thread(postgres.control, "start"))
        answer = await middleware.process_request(leased_request())
        await starting
        return answer

    try:
        assert asyncio.run(asked_while_it_starts()).body == HTML.encode()
    finally:
        middleware.context.store().close()
