"""Fetch each level of a shop the cheapest way that holds all its facts: plainly, from the JSON behind the page, or rendered.

Prefetch, compare, mark (Zhang, Lin and Liao 2018, section 2): the first pages of a level are fetched both ways; scout.rendering
decides, this middleware only fetches. Marks live in the shop's rules (`levels:`), so that the next crawl starts with them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse

from scout.crawl.component import Component
from scout.crawl.configuration import download_handlers, refusal, shop_rules
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
from scout.page import Page
from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.rendering.endpoints import Endpoint, Exchange, embedded, filled
from scout.rendering.levels import WAYS, Comparison, LevelMark, UnrenderedPages, compare
from scout.rendering.marks import Marks
from scout.rendering.page_facts import page_facts, shown_currency, shown_fields
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
            raise refusal(
                crawler.settings,
                "pages cannot be rendered: set DOWNLOAD_HANDLERS to scout.handlers.browser.BrowserHandler for http and https",
            )
        self.settle = self.setting("SCOUT_RENDER_SETTLE")
        self.has_browser = find_browser(self.setting("SCOUT_BROWSER")) is not None
        self.marks = Marks()
        self.has_unsaved_marks = (
            False  # whether the marks wait for the shop's rules: a new shop has none before its first products
        )
        self.unrendered: dict[
            str, UnrenderedPages
        ] = {}  # levels that look as if they need a browser, where there is none
        # answered plainly because rendering failed: asked again if need be
        self.plain_for_now: dict[str, list[Request]] = defaultdict(list)
        self.lock = asyncio.Lock()  # one comparison at a time: the next page may need none any more
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self._save_marks, signals.spider_idle)

    def spider_opened(self) -> None:
        rules = shop_rules(self.crawler)
        if rules is not None:
            self.marks = Marks.load(rules.levels or {})
            self._save_marks()

    async def process_request(self, request: Request) -> Response | Request | None:
        level = self._expected_level(request)
        mark = self.marks.decided.get(level) if level else None
        always = self.mode == "always" and level
        if not always and (mark is None or mark.mode == "plain"):
            return None
        if mark and mark.mode == "endpoint" and (response := await self._response_from_endpoint(request, mark)):
            return response
        return await self._render_or_retry(request) if self.has_browser else None

    def _expected_level(self, request: Request) -> str | None:
        """The level that a page is expected to belong to; None for a request that is none of a page, or its second fetch."""
        hint = expected_level(request)
        is_second = FetchState.of(request).is_second_fetch
        return None if hint is None or is_second else self.marks.expected(request.url, hint)

    async def _render_or_retry(self, request: Request, document: FetchedDocument | None = None) -> Response | Request:
        """A page of a level that needs the browser: a plain one in its place would be silently empty, so it is tried again."""
        is_product = self._expected_level(request) == "detail" and "detail" in self.marks.decided
        response, _ = await self._render(request, document, is_growing=not is_product)
        if response is not None and is_product and not is_detail(page_of(response)):
            response, _ = await self._render(request, document)  # a list after all, which may have to grow
        if response is not None:
            return response
        again = self._retry_request(request)
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

    def _plain_while_undecided(self, level: str, request: Request, response: Response) -> Response:
        """The plain page, for want of a rendered one; it is asked for again if its level turns out to need the browser."""
        if not FetchState.of(request).has_timed_out:
            self.plain_for_now[level].append(request)
        self.marks.failed()
        if self.marks.has_given_up:
            logger.warning(
                "Rendering failed on %d pages in a row and is given up: this crawl goes on plainly", self.marks.failures
            )
        return response

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        level = self._expected_level(request)
        if level is None or FetchState.of(request).is_rendered or not _is_page(response):
            return response
        if self.has_unsaved_marks:
            self._save_marks()
        return await self._choose_response(level, request, response)

    async def _choose_response(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """A page that was fetched plainly: as it is, or as its level wants it."""
        if level not in self.marks.decided:
            async with self.lock:
                if level not in self.marks.decided:  # not meanwhile either
                    return await self._check_undecided_level(level, request, response)
        mark = self.marks.decided[level]
        if mark.mode != "plain":
            return await self._refetch_for_level(mark, request, response)
        other = self._other_level(level, response)
        return response if other is None else await self._choose_response(other, request, response)

    def _other_level(self, level: str, response: HtmlResponse) -> str | None:
        """The level that a page seems to belong to instead of its own, which is fetched plainly; None where all is well."""
        other = self.marks.alternative(level)
        if other is None:  # no level of the shop needs more
            return None
        plain = page_of(response)
        actual = actual_level(plain, level)
        if actual == "detail":
            self.marks.confirmed_products += 1
            return None
        return None if suspicion(plain, actual) is None else other

    async def _check_undecided_level(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """A page of a level that is not decided yet: taken as it is where nothing speaks against it, else compared."""
        if self.marks.has_given_up:
            return response
        plain = page_of(response)
        actual = self.marks.decided.get(actual_level(plain, level))
        if actual and actual.level == "detail" and actual.mode == "plain":
            return response  # expected elsewhere, but as good as any product page
        if self.mode == "auto" or not self.has_browser:
            reason = await self._reason_to_render(level, request, response, plain)
            if reason is None:
                return response
            if not self.has_browser:
                return self._plain_without_browser(level, response, reason)
        return await self._compare_with_rendered(level, request, response, plain)

    async def _reason_to_render(self, level: str, request: Request, response: HtmlResponse, plain: Page) -> str | None:
        """Why the page should be rendered; None where nothing speaks for it, which counts for its level as well."""
        level = actual_level(plain, level)
        held = page_facts(plain, level)
        reason = suspicion(plain, level, held)
        if reason is None and level not in self.marks.decided:
            took = download_seconds(request)
            seen = Comparison(plain.url, 1.0, facts=len(held), plain_seconds=took, is_rendered=False)
            for mark in self.marks.learn(level, seen, held):
                await self._apply_decision(mark, response)
        return reason

    async def _refetch_for_level(self, mark: LevelMark, request: Request, response: HtmlResponse) -> Response | Request:
        """A page that was fetched plainly although its level is decided: while that went on, or for want of a browser."""
        if mark.mode == "endpoint" and (answer := await self._response_from_endpoint(request, mark)):
            return answer
        if not self.has_browser:
            return self._plain_without_browser(
                mark.level, response, f"its level was marked so on {mark.decided:%Y-%m-%d}"
            )
        return await self._render_or_retry(request, _document(response))

    async def _compare_with_rendered(
        self, level: str, request: Request, response: HtmlResponse, plain: Page
    ) -> Response | Request:
        """Fetch the page a second time, rendered, and keep the better of the two."""
        began = time.monotonic()
        rendered, data = await self._render(request, _document(response))
        if rendered is None:
            return self._retry_request(request) or self._plain_while_undecided(level, request, response)
        shown = page_of(rendered)
        level = actual_level(shown, level)  # a link in the menu may lead to a product, a picture to a category
        told = page_facts(shown, level)
        comparison = compare(
            plain,
            shown,
            page_facts(plain, level),
            told,
            plain_seconds=download_seconds(request),
            rendered_seconds=time.monotonic() - began,
        )
        self.count("scout/render/compared")
        state = FetchState.of(request)
        state.comparison = comparison.describe()
        if level in self.marks.decided:
            self.marks.record_page(level, request.url)
        else:
            for mark in self.marks.learn(level, comparison, told, [*embedded(plain), *data]):
                await self._apply_decision(mark, rendered)
        state.is_rendered = comparison.needs_browser
        return rendered if state.is_rendered else response

    async def _apply_decision(self, mark: LevelMark, example: TextResponse) -> None:
        """A level is decided: say so, look for a cheaper way, and store the mark."""
        found = self.marks.endpoint(mark.level)
        proven = await self._verified_endpoint(mark.level, example, found) if found else None
        if proven:
            self.marks.use_endpoint(mark.level, proven)
        for request in self.plain_for_now.pop(mark.level, ()):
            if mark.mode != "plain" and self.crawler.engine:
                self.crawler.engine.crawl(request.replace(dont_filter=True))
        self._log_level_decision(self.marks.decided[mark.level])
        self._save_marks()

    def _log_level_decision(self, mark: LevelMark) -> None:
        """Say how a level is fetched from now on."""
        self.count(f"scout/render/mark/{mark.level}/{mark.mode}")
        logger.info(
            "Level %s is fetched %s (confidence %.2f): %s",
            mark.level,
            WAYS[mark.mode],
            mark.confidence,
            mark.evidence[-1],
        )

    def _save_marks(self) -> None:
        """Put the marks where the next crawl (the shop's rules) and the report (the stats) find them."""
        marks = self.marks.dump()
        self.crawler.stats.set_value("scout/render/levels", marks)
        rules = shop_rules(self.crawler)
        self.has_unsaved_marks = rules is None
        if rules is not None:
            rules.levels = {**(rules.levels or {}), **marks}

    async def _verified_endpoint(self, level: str, example: TextResponse, endpoint: Endpoint) -> Endpoint | None:
        """The endpoint where, asked plainly, it gives the facts that the rendered page shows; None where it does not.

        Its data is read as any shop's, by the names in it; where these do not tell, by where the facts of the rendered pages stood,
        unless the rendered page has further fields, which would be lost.
        """
        answers, shown = await self._endpoint_answers(example.url, endpoint), page_of(example)
        by_way = replace(endpoint, ways=self.marks.ways_to_facts(level)) if level == "detail" else endpoint
        for tried in (endpoint, by_way):
            page = _fullest(tried.pages(example.url, answers), level)
            is_whole = page is not None and (tried is endpoint or shown_fields(shown) <= shown_fields(page))
            if page is not None and is_whole and page_facts(page, level) == page_facts(shown, level):
                is_told = level != "detail" or shown_currency(page) is not None
                return tried if is_told else replace(tried, currency=shown_currency(shown))
        return None

    async def _endpoint_page(self, url: str, level: str, endpoint: Endpoint) -> Page | None:
        """What the endpoint tells of a page: the answer that holds most, where there are several."""
        return _fullest(endpoint.pages(url, await self._endpoint_answers(url, endpoint)), level)

    async def _endpoint_answers(self, url: str, endpoint: Endpoint) -> list[Exchange]:
        """What the endpoint of a page answers: its data, or that in the page that it is; none where there is no answer."""
        target = filled(endpoint.template, url)
        answer = await self._fetch(_asking(target)) if target else None
        if not isinstance(answer, TextResponse) or answer.status != 200:
            return []
        is_page = isinstance(answer, HtmlResponse)
        return embedded(page_of(answer)) if is_page else [Exchange(answer.url, answer.text)]

    async def _response_from_endpoint(self, request: Request, mark: LevelMark) -> Response | None:
        """The page as its endpoint tells it; None, so that the browser is asked, where the endpoint has nothing."""
        page = await self._endpoint_page(request.url, mark.level, Endpoint.from_dict(mark.endpoint))
        if page is None or not any(page_facts(page, mark.level).values()):
            self.count("scout/render/endpoint_lost")
            logger.info("The endpoint of %s has nothing of it, the browser is asked", request.url)
            return None
        self.count("scout/render/endpoint")
        FetchState.of(request).is_rendered = True
        return response_with(page, request)

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

    def _plain_without_browser(self, level: str, response: Response, reason: str) -> Response:
        """The plain page of a level that seems to need a browser; said once, and counted for the report."""
        if not self.unrendered:
            logger.warning("%s needs a browser (%s), but %s", response.url, reason, HOW_TO_INSTALL)
        known = self.unrendered.get(level) or UnrenderedPages(level, 0, response.url, reason)
        self.unrendered[level] = replace(known, pages=known.pages + 1)
        told = {name: self.unrendered[name].as_dict() for name in sorted(self.unrendered)}
        self.crawler.stats.set_value("scout/render/lacking", told)
        self.count("scout/render/no_browser")
        return response


def actual_level(page: Page, expected: str) -> str:
    """The level that a page turns out to belong to. Only products are told from the rest; whether a page is a list or a category,
    what led to it tells better than its looks."""
    if is_detail(page):
        return "detail"
    return expected if expected != "detail" else "list"


def _fullest(pages: Iterable[Page], level: str) -> Page | None:
    return max(pages, key=lambda page: _count_of_facts(page, level), default=None)


def _count_of_facts(page: Page, level: str) -> int:
    return sum(map(len, page_facts(page, level).values()))


def _asking(address: str) -> Request:
    """The request for an endpoint's address: what stands on the lines after the URL is sent there."""
    url, _, sent = address.partition("\n")
    how: dict[str, Any] = (
        {"method": "POST", "body": sent, "headers": {"Content-Type": "application/json"}} if sent else {}
    )
    return Request(url, dont_filter=True, **how)


def _document(response: HtmlResponse) -> FetchedDocument:
    return FetchedDocument(response.body, f"text/html; charset={response.encoding}")


def _is_page(response: Response) -> TypeGuard[HtmlResponse]:
    return isinstance(response, HtmlResponse) and response.status == 200
