"""Fetch each level of a shop the cheapest way that holds all its facts: plainly, from the JSON behind the page, or rendered.

Prefetch, compare, mark (Zhang, Lin and Liao 2018, section 2): the first pages of a level are fetched both ways; scout.rendering
decides, this middleware only fetches. Marks live in the shop's rules (`levels:`), so that the next crawl starts with them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeGuard

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse

from scout.crawl.component import Component
from scout.crawl.configuration import download_handlers, refusal
from scout.crawl.failure_reasons import Rejected
from scout.extraction.product_page import is_detail
from scout.fetch import (
    FetchedDocument,
    FetchState,
    Rendering,
    download_seconds,
    expected_level,
    page_of,
    response_with,
)
from scout.handlers.browser import BrowserHandler, RenderTimeout
from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.rendering.endpoint_proof import fullest_page, proven_endpoint
from scout.rendering.endpoints import Endpoint, Exchange, embedded, filled
from scout.rendering.levels import WAYS, Comparison, Facts, LevelMark, UnrenderedPages, compare
from scout.rendering.marks import Marks
from scout.rendering.page_facts import actual_level, page_facts
from scout.rendering.suspicion import suspicion

logger = logging.getLogger(__name__)


class RenderMiddleware(Component):
    """Static or dynamic, per level. `SCOUT_RENDER`: auto, compare, never or always."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.mode = self.setting("SCOUT_RENDER")
        if self.mode == "never":
            raise NotConfigured
        if not all(issubclass(handler, BrowserHandler) for handler in download_handlers(crawler.settings)):
            needed = "set DOWNLOAD_HANDLERS to scout.handlers.browser.BrowserHandler for http and https"
            raise refusal(crawler.settings, f"pages cannot be rendered: {needed}")
        self.settle = self.setting("SCOUT_RENDER_SETTLE")
        self.has_browser = find_browser(self.setting("SCOUT_BROWSER")) is not None
        # answered plainly because rendering failed: asked again if need be
        self.plain_for_now: dict[str, list[Request]] = defaultdict(list)
        self.lock = asyncio.Lock()  # one comparison at a time: the next page may need none any more
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    @property
    def marks(self) -> Marks:
        """How the shop's levels are fetched."""
        return self.context.knowledge.marks

    async def spider_opened(self) -> None:
        """Begin with the marks of the last crawl."""
        knowledge = self.context.knowledge if await self.context.loaded() else None
        if knowledge is not None and knowledge.rules is not None:
            knowledge.marks = Marks.load(knowledge.rules.levels or {})
            self._report_marks()

    async def process_request(self, request: Request) -> Response | Request | None:
        level = self._expected_level(request)
        mark = self.marks.decided.get(level) if level else None
        is_plain = mark is None or mark.mode == "plain"
        if level is None or (is_plain and self.mode != "always"):
            return None
        return await self._fetch_as_marked(mark, request)

    def _expected_level(self, request: Request) -> str | None:
        """The level that a page is expected to belong to; None for a request that is none of a page, or its second fetch."""
        hint = expected_level(request)
        is_second = FetchState.of(request).is_second_fetch
        return None if hint is None or is_second else self.marks.expected(request.url, hint)

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        level = self._expected_level(request)
        if level is None or FetchState.of(request).is_rendered or not _is_page(response):
            return response
        return await self._choose_response(level, request, response)

    async def _choose_response(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """A page that was fetched plainly: as it is, or as its level wants it."""
        if level not in self.marks.decided:
            async with self.lock:
                if level not in self.marks.decided:  # not meanwhile either
                    return await self._check_undecided_level(level, request, response)
        mark = self.marks.decided[level]
        if mark.mode != "plain":  # decided while the page was fetched, or there is no browser
            reason = f"its level was marked so on {mark.decided:%Y-%m-%d}"
            marked = await self._fetch_as_marked(mark, request, _document(response))
            return marked or self._plain_without_browser(level, response, reason)
        other = self.marks.other_level(page_of(response), level) if self.marks.alternative(level) else None
        return response if other is None else await self._choose_response(other, request, response)

    async def _check_undecided_level(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """A page of a level that is not decided yet: taken as it is where nothing speaks against it, else compared."""
        plain = page_of(response)
        actual = actual_level(plain, level)
        if self.marks.has_given_up or (actual == "detail" and self.marks.is_plain(actual)):
            return response  # expected elsewhere, but as good as any product page
        if self.mode == "auto" or not self.has_browser:
            facts = page_facts(plain, actual)
            reason = suspicion(plain, actual, facts)
            if reason is None:
                seen = Comparison(plain.url, 1.0, (), (), len(facts), download_seconds(request), is_rendered=False)
                await self._learn(actual, seen, facts, response)
                return response
            if not self.has_browser:
                return self._plain_without_browser(level, response, reason)
        return await self._compare_with_rendered(level, request, response)

    async def _compare_with_rendered(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """Fetch the page a second time, rendered, and keep the better of the two."""
        began = time.monotonic()
        rendered, data = await self._render(request, _document(response))
        if rendered is None:
            return self._retry_request(request) or self._plain_while_undecided(level, request, response)
        plain, shown = page_of(response), page_of(rendered)
        level = actual_level(shown, level)  # a link in the menu may lead to a product, a picture to a category
        facts, seconds = page_facts(shown, level), (download_seconds(request), time.monotonic() - began)
        comparison = compare(plain, shown, page_facts(plain, level), facts, *seconds)
        self.count("scout/render/compared")
        state = FetchState.of(request)
        state.comparison, state.is_rendered = comparison.describe(), comparison.needs_browser
        await self._learn(level, comparison, facts, rendered, [*embedded(plain), *data])
        return rendered if comparison.needs_browser else response

    def _plain_while_undecided(self, level: str, request: Request, response: Response) -> Response:
        """The plain page, for want of a rendered one; it is asked for again if its level turns out to need the browser."""
        if not FetchState.of(request).has_timed_out:
            self.plain_for_now[level].append(request)
        self.marks.failed()
        if self.marks.has_given_up:
            logger.warning("Rendering failed on %d pages in a row: the crawl goes on plainly", self.marks.failures)
        return response

    def _plain_without_browser(self, level: str, response: Response, reason: str) -> Response:
        """The plain page of a level that seems to need a browser; said once, and counted for the report."""
        unrendered = self.context.knowledge.unrendered
        if not unrendered:
            logger.warning("%s needs a browser (%s), but %s", response.url, reason, HOW_TO_INSTALL)
        known = unrendered.get(level) or UnrenderedPages(level, 0, response.url, reason)
        unrendered[level] = replace(known, pages=known.pages + 1)
        lacking = {name: pages.as_dict() for name, pages in sorted(unrendered.items())}
        self.crawler.stats.set_value("scout/render/lacking", lacking)
        self.count("scout/render/no_browser")
        return response

    # --- what is learned ----------------------------------------------------------------------------------------------

    async def _learn(
        self, level: str, seen: Comparison, facts: Facts, example: TextResponse, exchanges: Sequence[Exchange] = ()
    ) -> None:
        """Take a page into account. Where that decides a level: look for a cheaper way, and say so."""
        for mark in self.marks.learn(level, seen, facts, exchanges):
            await self._prove_endpoint(mark.level, example)
            for request in self.plain_for_now.pop(mark.level, ()):
                if mark.mode != "plain" and self.crawler.engine:
                    self.crawler.engine.crawl(request.replace(dont_filter=True))
            made = self.marks.decided[mark.level]
            self.count(f"scout/render/mark/{made.level}/{made.mode}")
            how = WAYS[made.mode], made.confidence, made.evidence[-1]
            logger.info("Level %s is fetched %s (confidence %.2f): %s", made.level, *how)
            self._report_marks()

    def _report_marks(self) -> None:
        self.crawler.stats.set_value("scout/render/levels", self.marks.dump())

    # --- the ways to fetch a page -------------------------------------------------------------------------------------

    async def _fetch_as_marked(
        self, mark: LevelMark | None, request: Request, document: FetchedDocument | None = None
    ) -> Response | Request | None:
        """The page from its endpoint, or out of the browser; None where there is none."""
        if mark and mark.mode == "endpoint" and (response := await self._response_from_endpoint(request, mark)):
            return response
        return await self._render_or_retry(request, document) if self.has_browser else None

    async def _response_from_endpoint(self, request: Request, mark: LevelMark) -> Response | None:
        """The page as its endpoint tells it; None, so that the browser is asked, where the endpoint has nothing."""
        endpoint = Endpoint.from_dict(mark.endpoint)
        answers = await self._endpoint_answers(request.url, endpoint)
        page = fullest_page(endpoint, request.url, answers, mark.level)
        if page is None:
            self.count("scout/render/endpoint_lost")
            logger.info("No API data for %s; using the browser", request.url)
            return None
        self.count("scout/render/endpoint")
        FetchState.of(request).is_rendered = True
        return response_with(page, request)

    async def _prove_endpoint(self, level: str, example: TextResponse) -> None:
        """Fetch the level from the JSON behind it from now on, where that, asked plainly, gives the facts of the rendered page."""
        endpoint = self.marks.endpoint(level)
        if endpoint is None:
            return
        answers = await self._endpoint_answers(example.url, endpoint)
        ways = self.marks.ways_to_facts(level) if level == "detail" else {}
        if proven := proven_endpoint(endpoint, ways, answers, page_of(example), level):
            self.marks.use_endpoint(level, proven)

    async def _endpoint_answers(self, url: str, endpoint: Endpoint) -> list[Exchange]:
        """What the endpoint of a page answers: its data, or that in the page that it is; none where there is no answer."""
        target = filled(endpoint.template, url)
        answer = await self._fetch(_asking(target)) if target else None
        if not isinstance(answer, TextResponse) or answer.status != 200:
            return []
        is_page = isinstance(answer, HtmlResponse)
        return embedded(page_of(answer)) if is_page else [Exchange(answer.url, answer.text)]

    async def _render_or_retry(self, request: Request, document: FetchedDocument | None) -> Response | Request:
        """A page of a level that needs the browser: a plain one in its place would be silently empty, so it is tried again."""
        is_product = self._expected_level(request) == "detail" and "detail" in self.marks.decided
        response, _ = await self._render(request, document, is_growing=not is_product)
        if response is not None and is_product and not is_detail(page_of(response)):
            response, _ = await self._render(request, document)  # a list after all, which may have to grow
        again = response or self._retry_request(request)
        if again is None:
            raise Rejected("not_rendered", request.url)
        return again

    def _retry_request(self, request: Request) -> Request | None:
        """The request once more, as often as RETRY_TIMES allows; not where the page used up all the time that a page has."""
        assert self.crawler.spider
        if FetchState.of(request).has_timed_out:
            return None
        key = "scout/render/retry"
        return get_retry_request(request, spider=self.crawler.spider, reason="not rendered", stats_base_key=key)

    async def _render(
        self, request: Request, document: FetchedDocument | None = None, *, is_growing: bool = True
    ) -> tuple[HtmlResponse | None, Sequence[Exchange]]:
        """The page out of the browser and the data that it asked for; None where it failed, also where a request for its data did."""
        rendering = Rendering(document, is_growing, self.settle)
        # whether it is tried again, _retry_request() decides
        twin = request.replace(meta={**request.meta, "dont_retry": True}, dont_filter=True)
        FetchState.of(twin).rendering = rendering
        response = await self._fetch(twin)
        state = FetchState.of(request)
        state.has_timed_out = FetchState.of(twin).has_timed_out
        self.count("scout/render/rendered")
        if not isinstance(response, HtmlResponse) or response.status != 200 or rendering.has_failed:
            self.count("scout/render/failed")
            return None, ()
        state.is_rendered = True
        return response.replace(request=request), rendering.exchanges

    async def _fetch(self, request: Request) -> Response | None:
        """The response, or None where there was none: the reason is logged and decides nothing."""
        assert self.crawler.engine
        FetchState.of(request).is_second_fetch = True
        try:
            return await self.crawler.engine.download_async(request)
        except Exception as error:
            FetchState.of(request).has_timed_out = isinstance(error, RenderTimeout)
            logger.info("%s could not be fetched the second way: %s", request.url, error)
            return None


def _asking(address: str) -> Request:
    """The request for an endpoint's address: what stands on the lines after the URL is sent there."""
    url, _, sent = address.partition("\n")
    if not sent:
        return Request(url, dont_filter=True)
    return Request(url, method="POST", body=sent, headers={"Content-Type": "application/json"}, dont_filter=True)


def _document(response: HtmlResponse) -> FetchedDocument:
    return FetchedDocument(response.body, f"text/html; charset={response.encoding}")


def _is_page(response: Response) -> TypeGuard[HtmlResponse]:
    return isinstance(response, HtmlResponse) and response.status == 200
