"""Keeping pages costs no memory that grows with the shop, and what a killed run has left is forgotten at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

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

    def __init__(self, directory: Path, *, keeps_all: bool, held: tuple[str, ...] = ()) -> None:
        self.database = f"sqlite:///{directory}/scout.db"
        self.crawler = crawler(SCOUT_DATABASE=self.database, SCOUT_KEEP_PAGES=keeps_all)
        with Store.open(self.database) as store:
            self.crawler.spider.crawl_id = store.begin_crawl("lamps")
        self.crawler.spider.shop = "lamps"
        for token in held:
            CrawlContext.of(self.crawler).held.add_sample(PageItem(page=Page(ROOT, "<p>"), shop="lamps", token=token))
        self.middleware = KeepPagesMiddleware(self.crawler)

    async def read(self, path: str, *outputs: Any, rejects: bool = False) -> list[Any]:
        """What comes out of the page's callback."""
        request = Request(ROOT + path)
        FetchState.of(request).token = path
        response = HtmlResponse(request.url, body=b"<p>1</p>", headers={"ETag": '"a"'}, request=request)

        async def callback() -> AsyncIterator[Any]:
            if rejects:
                self.middleware.rejected(response.url)
            for output in outputs:
                yield output

        return [output async for output in self.middleware.process_spider_output(response, callback())]

    def texts(self) -> set[str]:
        with Store.open(self.database) as store:
            paths = ("list/1", "list/2", "p/1", "gone")
            return {path for path in paths if store.stored_page("lamps", ROOT + path)}


def item(path: str) -> PageItem:
    return PageItem(page=Page(ROOT + path, "<p>1</p>"), shop="lamps")


def test_lists_are_stored_and_not_remembered_here(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, keeps_all=True)

    async def crawl() -> None:
        await asyncio.gather(keeping.read("list/1"), keeping.read("list/2"))
        await keeping.middleware.forget_pages("finished")

    asyncio.run(crawl())
    assert keeping.texts() == {"list/1", "list/2"} and not keeping.middleware._waiting


@pytest.mark.parametrize("keeps_all", [True, False])
def test_a_held_page_is_remembered_until_its_item_comes_out_if_that_stores_it(tmp_path: Path, keeps_all: bool) -> None:
    keeping = Keeping(tmp_path, keeps_all=keeps_all, held=("p/1",))

    async def crawl() -> list[Any]:
        await keeping.read("p/1")
        assert len(keeping.middleware._waiting) == keeps_all
        found = await keeping.read("list/1", item("p/1"))
        await keeping.middleware.forget_pages("shutdown")
        return found

    (found,) = asyncio.run(crawl())
    assert found.headers == ({"ETag": '"a"'} if keeps_all else None) and not keeping.middleware._waiting


def test_a_rejected_page_is_not_kept_and_dead_links_are_not_remembered(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, keeps_all=True)

    async def crawl() -> None:
        keeping.middleware.rejected(f"{ROOT}dead")  # it was never fetched
        await keeping.read("gone", rejects=True)
        await keeping.read("list/1")
        await keeping.middleware.forget_pages("finished")

    asyncio.run(crawl())
    assert keeping.texts() == {"list/1"} and stats(keeping.crawler) == {"keep/pages": 1}
    assert not keeping.middleware._reading and not keeping.middleware._rejected


@pytest.mark.parametrize(("reason", "left"), [("finished", set()), ("shutdown", {"p/1"})])
def test_a_resumed_run_that_held_nothing_forgets_what_a_killed_one_has_left(
    tmp_path: Path, reason: str, left: set[str]
) -> None:
    keeping = Keeping(tmp_path, keeps_all=False)
    visit = Visit(f"{ROOT}p/1", "detail", status=200, html="<p>1</p>", headers={})
    with Store.open(keeping.database) as store:
        store.save_visits("lamps", [visit], keeping.crawler.spider.crawl_id)
    asyncio.run(keeping.middleware.forget_pages(reason))
    assert keeping.texts() == left


def test_a_callback_that_breaks_leaves_nothing_behind(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path, keeps_all=True)

    async def broken() -> AsyncIterator[Any]:
        yield item("p/1")
        raise RuntimeError("oh")

    async def crawl() -> None:
        response = Response(f"{ROOT}p/1")
        with pytest.raises(RuntimeError, match="oh"):
            _ = [output async for output in keeping.middleware.process_spider_output(response, broken())]

    asyncio.run(crawl())
    assert not keeping.middleware._reading
