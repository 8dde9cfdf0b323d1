"""What is stored is not fetched again: pages that have not changed since the last crawl, and those of this crawl before it was killed.

A page of an earlier crawl is asked for with If-None-Match and If-Modified-Since (RFC 9110, section 13.1); the answer 304 becomes the stored
page, as if it had been fetched. A page of this crawl whose product was still waiting for rules is not asked for at all.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.asyncio import run_in_thread

from scout.errors import ScoutError
from scout.frontier.pages_in_progress import TOKEN
from scout.middlewares.optouts import wishes_of
from scout.middlewares.render import RENDERED, TWIN
from scout.store import Store
from scout.store.pages import StoredPage
from scout.store.writer import retry_while_unavailable

ASKED = "scout_unchanged"  # request.meta: it asks only for what has changed
WHOLE = "scout_whole"  # request.meta: it must not, as what has not changed could not be read
NOT_MODIFIED = 304
CONDITIONS: Mapping[str, str] = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
FLAG = "stored"  # of a response that came out of the database

logger = logging.getLogger(__name__)


class UnchangedMiddleware:
    """Asks for pages that are stored only if they have changed, and answers with the stored ones where they have not."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.patience = crawler.settings.getfloat("SCOUT_DATABASE_PATIENCE")
        self.store: Store | None = None  # None: nothing of the shop is stored

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> UnchangedMiddleware:
        if not crawler.settings.getbool("SCOUT_CONDITIONAL_REQUESTS") or not crawler.settings.get("SCOUT_DATABASE"):
            raise NotConfigured
        middleware = cls(crawler)
        crawler.signals.connect(middleware.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(middleware.spider_closed, signal=signals.spider_closed)
        return middleware

    async def spider_opened(self) -> None:
        """Look once whether there is anything stored: most crawls have nothing to ask the database for."""
        if isinstance(self.shop, str):
            try:
                self.store = await run_in_thread(self._opened)
            except ScoutError as error:
                logger.warning("All pages are fetched, whether they have changed or not: %s", error)

    def _opened(self) -> Store | None:
        store = Store.open(self.crawler.settings["SCOUT_DATABASE"])
        if store.has_page_texts(self.shop):
            return store
        store.close()
        return None

    def spider_closed(self) -> None:
        if self.store is not None:
            self.store.close()

    async def process_request(self, request: Request) -> Response | None:
        _withdraw(request)
        page = await self._stored(request) if _is_plain(request) else None
        if page is None:
            return None
        if page.crawl == getattr(self.crawler.spider, "crawl_id", None):
            return self._answer(page, request, "scout/read_from_store") if request.meta.get(TOKEN) else None
        conditions = {CONDITIONS[name]: value for name, value in page.headers.items() if name in CONDITIONS}
        if conditions:
            request.headers.update(conditions)
            request.meta[ASKED] = True
        return None

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        if response.status != NOT_MODIFIED or not request.meta.get(ASKED):
            return response
        page = await self._stored(request)
        if page is not None:
            return self._answer(page, request, "scout/unchanged")
        again = request.replace(dont_filter=True, meta={**request.meta, WHOLE: True})
        _withdraw(again)
        return again

    async def _stored(self, request: Request) -> StoredPage | None:
        """The page as it is stored; None also where the database stays away: then it is fetched, and not lost."""
        store = self.store
        if store is None:
            return None
        try:
            return await run_in_thread(
                retry_while_unavailable, lambda: store.stored_page(self.shop, request.url), self.patience
            )
        except ScoutError as error:
            logger.warning("%s is fetched, whether it has changed or not: %s", request.url, error)
            self._count("scout/unchanged_failed")
            return None

    def _count(self, event: str) -> None:
        assert self.crawler.stats
        self.crawler.stats.inc_value(event)

    def _answer(self, page: StoredPage, request: Request, event: str) -> HtmlResponse:
        self._count(event)
        headers = {**page.headers, "Content-Type": "text/html; charset=utf-8"}
        body = page.html.encode()
        return HtmlResponse(
            request.url, headers=headers, body=body, encoding="utf-8", flags=[FLAG], request=request, protocol=None
        )

    @property
    def shop(self) -> str:
        """The shop that is crawled; no string for a spider that has none."""
        return getattr(self.crawler.spider, "shop", None)  # type: ignore[return-value]


def _is_plain(request: Request) -> bool:
    """Whether the request is for a page as it comes, may be answered from the store, and asks no conditions of its own."""
    own = any(name in request.headers for name in CONDITIONS.values())
    is_other = any(request.meta.get(mark) for mark in (TWIN, WHOLE))
    return request.method == "GET" and not request.body and not is_other and not own


def _withdraw(request: Request) -> None:
    """Take the conditions back: a redirect leads to another page, which has its own."""
    if request.meta.pop(ASKED, None):
        for name in CONDITIONS.values():
            request.headers.pop(name, None)


def validators(response: Response) -> dict[str, str] | None:
    """The headers that tell next time whether the page has changed, as they came; None where it must be fetched whatever they say.

    A rendered page is more than its answer; what a page asks of robots may stand in a header that an answer 304 leaves out.
    """
    is_rendered = response.request is None or response.meta.get(RENDERED)
    if not isinstance(response, HtmlResponse) or response.status != 200 or is_rendered or wishes_of(response):
        return None
    found = {name: response.headers.get(name) for name in CONDITIONS}
    return {name: value.decode("latin-1") for name, value in found.items() if value}
