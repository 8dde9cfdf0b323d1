"""Answers requests from stored pages: those that have not changed since the last crawl, and those of this crawl before it was killed.

A page of an earlier crawl is requested with If-None-Match and If-Modified-Since (RFC 9110, section 13.1); a 304 is replaced by the
stored page, as if it had been fetched. What an earlier run of this crawl, or of this learning, kept to go on with is not requested at all.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta, timezone
from functools import partial

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.configuration import refusal
from scout.errors import ScoutError
from scout.fetch import CONDITIONS, FetchState
from scout.store.pages import StoredPage
from scout.store.writer import retry_while_unavailable

NOT_MODIFIED = 304
MAX_AGE = timedelta(days=1)  # of a page that an earlier run kept to go on with: an older one may show another price
FROM_STORE = "stored"  # response.flags: it comes from the database

logger = logging.getLogger(__name__)


class ConditionalRequestMiddleware(Component):
    """Requests stored pages on condition that they have changed, and answers with the stored page if they have not."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not (self.setting("SCOUT_CONDITIONAL_REQUESTS") and self.setting("SCOUT_DATABASE")):
            raise NotConfigured
        if self.context.shop.name is None:
            raise refusal(crawler.settings, "the spider has no attribute `shop`, by which its pages are stored")
        self.patience = self.setting("SCOUT_DATABASE_PATIENCE")
        self.has_pages = False  # that may answer
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)

    async def spider_opened(self) -> None:
        """Check once whether any stored page may answer: most crawls need no database queries here."""
        if not await self.context.loaded():
            return
        try:
            store, crawl = self.context.store(), self.context.crawl_id
            self.has_pages = await run_in_thread(store.has_replacements, self.shop, crawl)
        except ScoutError as error:
            logger.warning("Fetching all pages, also unchanged ones: %s", error)

    async def process_request(self, request: Request) -> Response | None:
        _remove_conditions(request)
        page = await self._stored(request) if _may_be_conditional(request) else None
        if page is None:
            return None
        if page.crawl == self.context.crawl_id:
            return self._answer(page, request, "scout/read_from_store") if _may_resume_with(page, request) else None
        conditions = {CONDITIONS[name]: value for name, value in page.headers.items() if name in CONDITIONS}
        if conditions:
            request.headers.update(conditions)
            FetchState.of(request).conditions = "added"
        return None

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        if response.status != NOT_MODIFIED or FetchState.of(request).conditions != "added":
            return response
        page = await self._stored(request)
        if page is not None:
            return self._answer(page, request, "scout/unchanged")
        again = request.replace(dont_filter=True)
        _remove_conditions(again)
        FetchState.of(again).conditions = "never"  # as the stored page could not be read
        return again

    async def _stored(self, request: Request) -> StoredPage | None:
        """The stored page; None also if the database is unavailable, so that the page is fetched and not lost."""
        if not self.has_pages:
            return None
        try:
            read = partial(self.context.store().stored_page, self.shop, request.url)
            return await run_in_thread(retry_while_unavailable, read, self.patience)
        except ScoutError as error:
            logger.warning("Fetching %s, even if it has not changed: %s", request.url, error)
            self.count("scout/unchanged_failed")
            return None

    def _answer(self, page: StoredPage, request: Request, event: str) -> HtmlResponse:
        self.count(event)
        headers = {**page.headers, "Content-Type": "text/html; charset=utf-8"}
        text = {"body": page.html, "encoding": "utf-8"}
        return HtmlResponse(request.url, headers=headers, **text, flags=[FROM_STORE], request=request)

    @property
    def shop(self) -> str:
        """The name of the shop."""
        return str(self.context.shop.name)


def _may_be_conditional(request: Request) -> bool:
    """Whether it is a plain GET request without conditions of its own, which may be answered from the store."""
    has_conditions = any(name in request.headers for name in CONDITIONS.values())
    state = FetchState.of(request)
    must_be_sent = state.is_second_fetch or state.conditions == "never"
    return request.method == "GET" and not request.body and not must_be_sent and not has_conditions


def _may_resume_with(page: StoredPage, request: Request) -> bool:
    """Whether the page was kept to go on with; the front page, which every run reads for itself, is not."""
    state = FetchState.of(request)
    is_recent = datetime.now(timezone.utc) - page.fetched_at < MAX_AGE
    return is_recent and bool(state.token or state.is_kept_to_resume)


def _remove_conditions(request: Request) -> None:
    """Remove conditions that Scout has added: a redirect leads to another page, which has its own."""
    state = FetchState.of(request)
    if state.conditions == "added":
        state.conditions = None
        for name in CONDITIONS.values():
            request.headers.pop(name, None)
