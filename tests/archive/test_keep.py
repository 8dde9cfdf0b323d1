"""Keeping pages costs no memory that grows with the shop, and what a killed run has left is forgotten at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scout.archive import keep_pages
from scout.archive.keep_pages import KeepPagesMiddleware
from scout.crawl.context import CrawlContext
from scout.fetch import FetchState
from scout.items import PageItem, Visit
from scout.page import Page
from scout.store import Store
from tests.pipelines.crawlers import crawler, stats

ROOT = "https://shop.example/"


class Keeping:
    """The middleware of a crawl; `held` are the tokens of pages whose items the spider holds back."""

    def __init__(self, directory: Path, mode: str, *, held: tuple[str, ...] = (), **settings: Any) -> None:
        self.database = f"sqlite:///{directory}/scout.db"
        self.crawler = crawler(SCOUT_DATABASE=self.database, SCOUT_KEEP_PAGES=mode, **settings)
        with Store.open(self.database) as store:
            self.crawler.spider.crawl_id = store.begin_crawl("lamps")
        self.crawler.spider.shop = "lamps"
        for token in held:
            CrawlContext.of(self.crawler).held.sample.append(
                PageItem(page=Page(ROOT, "<p>"), shop="lamps", token=token)
            )
        self.middleware = KeepPagesMiddleware(self.crawler)

    async def read(self, path: str, *outputs: Any, rejects: bool = False, html: str = "") -> list[Any]:
        """What comes out of the page's callback."""
        request = Request(ROOT + path)
        FetchState.of(request).token = path
        response = HtmlResponse(
            request.url, body=html.encode() or f"<p>{path}</p>".encode(), headers={"ETag": '"a"'}, request=request
        )

        async def callback() -> AsyncIterator[Any]:
            FetchState.of(response).is_rejected = rejects
            for output in outputs:
                yield output

        return [output async for output in self.middleware.process_spider_output(response, callback())]

    def texts(self) -> set[str]:
        with Store.open(self.database) as store:
            paths = ("list/1", "list/2", "p/1", "gone")
            return {path for path in paths if store.stored_page("lamps", ROOT + path)}


def item(path: str) -> PageItem:
    return PageItem(page=Page(ROOT + path, "<p>1</p>"), shop="lamps")


def test_lists_are_stored(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, "all")

    async def crawl() -> None:
        await asyncio.gather(keeping.read("list/1"), keeping.read("list/2"))
        await keeping.middleware.forget_pages("finished")

    asyncio.run(crawl())
    assert keeping.texts() == {"list/1", "list/2"}


@pytest.mark.parametrize("mode", ["all", "products", "none"])
def test_a_page_whose_item_is_held_is_stored(tmp_path: Path, mode: str) -> None:
    keeping = Keeping(tmp_path, mode, held=("p/1",))

    async def crawl() -> None:
        await keeping.read("p/1")
        await keeping.middleware.forget_pages("shutdown")

    asyncio.run(crawl())
    assert keeping.texts() == {"p/1"}


def test_a_rejected_page_is_not_kept(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, "all")

    async def crawl() -> None:
        await keeping.read("gone", rejects=True)
        await keeping.read("list/1")
        await keeping.middleware.forget_pages("finished")

    asyncio.run(crawl())
    assert keeping.texts() == {"list/1"} and stats(keeping.crawler) == {"keep/pages": 1}


@pytest.mark.parametrize(("reason", "left"), [("finished", set()), ("shutdown", {"p/1"})])
def test_a_resumed_run_that_held_nothing_forgets_what_a_killed_one_has_left(
    tmp_path: Path, reason: str, left: set[str]
) -> None:
    keeping = Keeping(tmp_path, "none")
    visit = Visit(f"{ROOT}p/1", "detail", status=200, html="<p>1</p>", headers={})
    with Store.open(keeping.database) as store:
        store.save_visits("lamps", [visit], keeping.crawler.spider.crawl_id)
    asyncio.run(keeping.middleware.forget_pages(reason))
    assert keeping.texts() == left


def test_lists_are_not_kept_by_default_and_held_pages_only_until_the_crawl_is_complete(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, "products", held=("p/1",))

    async def crawl() -> set[str]:
        await keeping.read("list/1")
        await keeping.read("p/1")
        waiting = keeping.texts()
        await keeping.middleware.forget_pages("finished")
        return waiting

    assert asyncio.run(crawl()) == {"p/1"} and keeping.texts() == set()


@pytest.mark.parametrize("html", ['<meta name="robots" content="noarchive"><p>1</p>'])
def test_a_page_that_asks_not_to_be_archived_is_not_kept_even_while_it_waits(tmp_path: Path, html: str) -> None:
    keeping = Keeping(tmp_path, "all", held=("p/1",))

    async def crawl() -> None:
        await keeping.read("p/1", html=html)
        await keeping.read("list/1", html=html)
        await keeping.middleware.forget_pages("shutdown")

    asyncio.run(crawl())
    assert keeping.texts() == set()


def test_the_budget_is_looked_at_now_and_then_and_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keep_pages, "PRUNE_PAGES", 2)
    keeping = Keeping(tmp_path, "all", SCOUT_PAGE_BUDGET=0.00005)  # 50 bytes: two such pages

    async def crawl() -> list[set[str]]:
        seen = []
        for path in ("list/1", "list/2", "gone"):
            await keeping.read(path)
            seen.append(keeping.texts())
        await keeping.middleware.forget_pages("finished")
        return [*seen, keeping.texts()]

    *before, after = asyncio.run(crawl())
    assert before == [{"list/1"}, {"list/1", "list/2"}, {"list/1", "list/2", "gone"}] and after == {"list/2", "gone"}
    assert stats(keeping.crawler)["keep/pruned"] == 1
