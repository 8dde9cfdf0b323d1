"""Fetch each level of a shop the cheapest way that holds all its facts: plainly, from the JSON behind the page, or rendered.

Prefetch, compare, mark (Zhang, Lin and Liao 2018, section 2): the first pages of a level are fetched both ways; scout.rendering
decides, this middleware only fetches. Marks live in the shop's rules (`levels:`), so that the next crawl starts with them.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

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
    came_step,
    download_seconds,
    expected_level,
    page_of,
    response_with,
)
from scout.handlers.browser import BrowserHandler, RenderTimeout
from scout.page import Page
from scout.rendering.addresses import Exchange, is_constant
from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.rendering.data_pages import with_own_facts
from scout.rendering.endpoints import DataSource, Endpoint
from scout.rendering.levels import WAYS, Comparison, LevelMark, UnrenderedPages, compare
from scout.rendering.page_facts import (
    actual_level,
    page_facts,
    proves,
    sample_of,
    shown_currency,
    shows_product,
    with_card_data,
)
from scout.rendering.policy import DETAIL, RenderPolicy
from scout.rendering.samples import IN_PAGE, Sample, embedded

logger = logging.getLogger(__name__)

MAX_ANSWERS = 200  # that a list is made of: more have no end


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
        self.shared_answers: dict[str, Exchange] = {}  # of addresses that are the same for all pages
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    @property
    def policy(self) -> RenderPolicy:
        """How the shop's levels are fetched."""
        return self.context.knowledge.render

    async def spider_opened(self) -> None:
        """Begin with the marks of the last crawl."""
        knowledge = self.context.knowledge if await self.context.loaded() else None
        if knowledge is not None and knowledge.rules is not None:
            knowledge.render = RenderPolicy.load(knowledge.rules.levels or {})
            self._report_marks()

    async def process_request(self, request: Request) -> Response | Request | None:
        level = self._expected_level(request)
        way = "browser" if level and self.mode == "always" else self.policy.plan(level or "")
        if way == "browser" and self.has_browser:
            return await self._render_or_retry(request, None)
        endpoint = self.policy.endpoint(level or "")
        # where the endpoint has nothing, the plain page is fetched first, to learn from
        return await self._response_from_endpoint(endpoint, request) if way == "endpoint" and endpoint else None

    def _expected_level(self, request: Request) -> str | None:
        """The level that a page is expected to belong to; None for a request that is none of a page, or its second fetch."""
        hint = expected_level(request)
        is_second = FetchState.of(request).is_second_fetch
        return None if hint is None or is_second else self.policy.expected(request.url, hint)

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        level = self._expected_level(request)
        if level is None or FetchState.of(request).is_rendered or not _is_page(response):
            return response
        return await self._choose_response(level, request, response)

    async def _choose_response(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """A page that was fetched plainly: as it is, or as its level wants it."""
        if level not in self.policy.decided or self.policy.is_learning(level):
            async with self.lock:
                level = self.policy.expected(request.url, level)  # pages that were read meanwhile may say better
                if level not in self.policy.decided:
                    return await self._check_undecided_level(level, request, response)
                if self.policy.is_learning(level) and self.has_browser:
                    return await self._compare_with_rendered(level, request, response)
        mark = self.policy.decided[level]
        if mark.mode != "plain":  # decided while the page was fetched, or there is no browser
            reason = f"its level was marked so on {mark.decided:%Y-%m-%d}"
            marked = await self._fetch_as_marked(level, request, response)
            return marked or self._plain_without_browser(level, request, response, reason)
        if came_step(request).role == "pager":  # however short, it is a page of its list
            return response
        other = self._other_level(page_of(response), level, request)
        return response if other is None else await self._choose_response(other, request, response)

    def _other_level(self, page: Page, level: str, request: Request) -> str | None:
        """The level to which a page of a plain level belongs, if not to that or to another plain one."""
        other = self.policy.other_level(page, level)
        is_asked = other is not None or not self.policy.is_plain(DETAIL)
        if is_asked and self._is_product(page, request):  # also a frame that its data make one
            other = None if level == DETAIL or self.policy.is_mistaken(DETAIL) else DETAIL
        return None if other is None or self.policy.is_plain(other) else other

    def _is_product(self, page: Page, request: Request) -> bool:
        step = came_step(request)
        return is_detail(page, step.hint) or (step.title is not None and shows_product(page, step.title))

    def _actual_level(self, page: Page, request: Request, level: str) -> str:
        return actual_level(page, level, is_product=self._is_product(page, request))

    async def _check_undecided_level(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """A page of a level that is not decided yet: taken as it is where nothing speaks against it, else compared."""
        plain = page_of(response)
        actual = self._actual_level(plain, request, level)
        if self.policy.has_given_up or self.policy.is_plain(actual):
            return response  # expected elsewhere, but as good as any page of its level
        if self.mode == "auto" or not self.has_browser:
            facts = page_facts(plain, actual)
            reason = self.policy.needs_comparison(plain, actual, facts, can_render=self.has_browser)
            if reason is None:
                seen = Comparison(plain.url, 1.0, (), (), len(facts), download_seconds(request), is_rendered=False)
                await self._learn(actual, seen)
                return response
            if not self.has_browser:
                return self._plain_without_browser(level, request, response, reason)
        return await self._compare_with_rendered(level, request, response)

    async def _compare_with_rendered(self, level: str, request: Request, response: HtmlResponse) -> Response | Request:
        """Fetch the page a second time, rendered, and keep the better of the two."""
        began = time.monotonic()
        rendered, data = await self._render(request, _document(response))
        if rendered is None:
            return self._retry_request(request) or self._plain_while_undecided(level, request, response)
        plain, shown = page_of(response), page_of(rendered)
        supposed, level = level, self._actual_level(shown, request, level)  # a link in the menu may lead to a product
        self.policy.mistaken[supposed] += level != supposed
        facts, plain_facts = page_facts(shown, level), page_facts(plain, level)
        comparison = compare(plain, shown, plain_facts, facts, download_seconds(request), time.monotonic() - began)
        self.count("scout/render/compared")
        state = FetchState.of(request)
        state.comparison, state.is_rendered = comparison.describe(), comparison.needs_browser
        sample = sample_of(plain, shown, level, facts, plain_facts, [*embedded(plain), *data])
        if level in self.policy.trials:
            await self._prove_endpoint(level, sample, plain, shown)
        await self._learn(level, comparison, sample if comparison.gained else None)
        if comparison.needs_browser and level == DETAIL and sample.exchanges:
            return response_with(with_own_facts(shown, sample.facts, sample.exchanges), request, rendered.headers)
        return rendered if comparison.needs_browser else response

    def _plain_while_undecided(self, level: str, request: Request, response: Response) -> Response:
        """The plain page, for want of a rendered one; it is asked for again if its level turns out to need the browser."""
        state = FetchState.of(request)
        state.is_unrendered = state.has_timed_out
        if not state.has_timed_out:
            self.plain_for_now[level].append(request)
        self.policy.failed()
        if self.policy.has_given_up:
            logger.warning("Rendering failed on %d pages in a row: the crawl goes on plainly", self.policy.failures)
        return response

    def _plain_without_browser(self, level: str, request: Request, response: Response, reason: str) -> Response:
        """The plain page of a level that seems to need a browser; said once, and counted for the report."""
        unrendered = self.context.knowledge.unrendered
        if not unrendered:
            logger.warning("%s needs a browser (%s), but %s", response.url, reason, HOW_TO_INSTALL)
        known = unrendered.get(level) or UnrenderedPages(level, 0, response.url, reason)
        unrendered[level] = replace(known, pages=known.pages + 1)
        lacking = {name: pages.as_dict() for name, pages in sorted(unrendered.items())}
        self.crawler.stats.set_value("scout/render/lacking", lacking)
        self.count("scout/render/no_browser")
        FetchState.of(request).is_unrendered = True
        return response

    # --- what is learned ----------------------------------------------------------------------------------------------

    async def _learn(self, level: str, seen: Comparison, sample: Sample | None = None) -> None:
        """Take a page into account, and say what that decides."""
        for mark in self.policy.learn(level, seen, sample):
            for request in self.plain_for_now.pop(mark.level, ()):
                if mark.mode != "plain" and self.crawler.engine:
                    self.crawler.engine.crawl(request.replace(dont_filter=True))
            self._announce(mark)

    def _announce(self, mark: LevelMark) -> None:
        self.count(f"scout/render/mark/{mark.level}/{mark.mode}")
        how = WAYS[mark.mode], mark.confidence, mark.evidence[-1]
        logger.info("Level %s is fetched %s (confidence %.2f): %s", mark.level, *how)
        self._report_marks()

    async def _prove_endpoint(self, level: str, sample: Sample, plain: Page, shown: Page) -> None:
        """Fetch the level from the data behind it from now on, where that gives what this page shows, which was not used to find it."""
        endpoint = self.policy.trials[level]
        told = await self._page_from_endpoint(endpoint, plain.url, plain)
        if told is None or not proves(endpoint, told, sample, level):
            self.policy.refuse_endpoint(level)
            return
        is_told = level != DETAIL or shown_currency(told) is not None
        self._announce(
            self.policy.use_endpoint(level, endpoint if is_told else replace(endpoint, currency=shown_currency(shown)))
        )

    def _report_marks(self) -> None:
        self.crawler.stats.set_value("scout/render/levels", self.policy.dump())

    # --- the ways to fetch a page -------------------------------------------------------------------------------------

    async def _fetch_as_marked(self, level: str, request: Request, response: HtmlResponse) -> Response | Request | None:
        """The page from the data behind it, or out of the browser; None where there is none."""
        endpoint = self.policy.endpoint(level)
        if endpoint is not None:
            found = await self._response_from_endpoint(endpoint, request, page_of(response))
            if found is not None:
                return found
            self.count("scout/render/endpoint_lost")
            logger.info("No API data for %s; using the browser", request.url)
            if self.has_browser and self.policy.can_relearn(level):
                async with self.lock:
                    if self.policy.endpoint(level) == endpoint:  # another page has not widened it meanwhile
                        return await self._compare_with_rendered(level, request, response)
                return await self._fetch_as_marked(level, request, response)
        return await self._render_or_retry(request, _document(response)) if self.has_browser else None

    async def _response_from_endpoint(
        self, endpoint: Endpoint, request: Request, plain: Page | None = None
    ) -> Response | None:
        """The page from the data behind it; None where that has nothing of it."""
        page = await self._page_from_endpoint(endpoint, request.url, plain)
        if page is None:
            return None
        self.count("scout/render/endpoint")
        state = FetchState.of(request)
        state.is_rendered, state.comparison = True, f"{request.url}: {endpoint.describe()}"
        return response_with(page, request)

    async def _page_from_endpoint(self, endpoint: Endpoint, url: str, plain: Page | None) -> Page | None:
        """The page as the data behind it tells it; None where that has nothing of it."""
        answers: list[Sequence[Any]] = []
        for source in endpoint.sources:
            address = endpoint.next_address(url, plain, answers)
            answers.append(await self._answers(endpoint, source, address, plain))
            if not answers[-1]:
                return None
        return endpoint.page(url, answers, plain)

    async def _answers(
        self, endpoint: Endpoint, source: DataSource, address: str | None, plain: Page | None
    ) -> list[Any]:
        """What an address answers, with the answers after it where it is that of a list in parts."""
        found: list[Any] = []
        known: set[str] = set()
        while address and len(found) < MAX_ANSWERS:
            answer = await self._answer(source, address, plain)
            if answer is None or answer.data is None:
                break
            found.append(answer.data)
            address = endpoint.items.following(address, answer.data, known) if endpoint.items else None
        return found

    async def _answer(self, source: DataSource, address: str, plain: Page | None) -> Exchange | None:
        if address.startswith(IN_PAGE):
            held = embedded(plain) if plain is not None else []
            return next((exchange for exchange in held if exchange.url == address), None)
        if address in self.shared_answers:
            return self.shared_answers[address]
        answer = await self._fetch(_asking(address, source.headers))
        if not isinstance(answer, TextResponse) or answer.status != 200:
            return None
        exchange = Exchange(answer.url, answer.text)
        if is_constant(source.template):
            self.shared_answers[address] = exchange
        return exchange

    async def _render_or_retry(self, request: Request, document: FetchedDocument | None) -> Response | Request:
        """A page of a level that needs the browser: a plain one in its place would be silently empty, so it is tried again."""
        is_product = self._expected_level(request) == DETAIL and DETAIL in self.policy.decided
        response, _ = await self._render(request, document, is_growing=not is_product)
        if response is not None and is_product and not is_detail(page_of(response), came_step(request).hint):
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
        page = with_card_data(page_of(response), rendering.exchanges)
        return response_with(page, request, response.headers), rendering.exchanges

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


def _asking(address: str, headers: Mapping[str, str]) -> Request:
    """The request for an endpoint's address."""
    asked = Exchange.asked_at(address)
    kind = {"Content-Type": "application/json"} if asked.sent else {}
    return Request(asked.url, method=asked.method, body=asked.sent, headers={**headers, **kind}, dont_filter=True)


def _document(response: HtmlResponse) -> FetchedDocument:
    return FetchedDocument(response.body, f"text/html; charset={response.encoding}")


def _is_page(response: Response) -> TypeGuard[HtmlResponse]:
    return isinstance(response, HtmlResponse) and response.status == 200
