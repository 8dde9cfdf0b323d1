"""Tells the frontier what a page's callback yields, and when it has said everything."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DropItem, NotConfigured
from scrapy.http import Response
from scrapy.utils.misc import load_object

from scout.crawl.account import AccountState
from scout.crawl.component import Component
from scout.crawl.configuration import refusal
from scout.crawl.failure_reasons import RepeatedOffer
from scout.crawl.pages_in_progress import PageResult
from scout.fetch import FetchState
from scout.frontier.scheduler import FrontierScheduler
from scout.items import CrawledOffer, PageItem
from scout.url_rules import page_key


class FrontierMiddleware(Component):
    """The outermost spider middleware: it sees what the engine gets."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.setting("SCOUT_FRONTIER"):
            raise NotConfigured
        scheduler = load_object(crawler.settings["SCHEDULER"])
        if FrontierScheduler not in scheduler.__mro__:  # issubclass() takes all schedulers for each other's subclasses
            raise refusal(
                crawler.settings, "requests are not kept: set SCHEDULER to scout.frontier.scheduler.FrontierScheduler"
            )
        # the page whose callback yielded a request, until the scheduler has it
        self._yielded_by: WeakKeyDictionary[Request, str] = WeakKeyDictionary()
        self.pages = self.context.pages
        for signal, handler in (
            (signals.request_scheduled, self.request_scheduled),
            (signals.item_scraped, self.item_stored),
            (signals.item_dropped, self.item_dropped),
            (signals.item_error, self.item_broken),
        ):
            crawler.signals.connect(handler, signal=signal)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        token = _token(None, response)
        try:
            async for output in result:
                if isinstance(output, Request):
                    # a callback that passes on its response's meta means another page
                    FetchState.of(output).token = None
                    self._yielded_by[output] = token
                if output is not None:
                    self.pages.begun(_token(output, response))
                yield output
        except CloseSpider:
            raise
        except Exception as error:
            self.process_spider_exception(response, error)
            raise
        self.pages.read(token)
        self.pages.settle_waiting()

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        if not isinstance(exception, CloseSpider):
            self.pages.failed(_token(None, response), f"the callback broke: {type(exception).__name__}")

    def request_scheduled(self, request: Request) -> None:
        """The request has come through the engine's queue; the scheduler gets it before anything else happens."""
        self.pages.ended(self._yielded_by.pop(request, ""))

    def item_stored(self, item: Any, response: Response | None) -> None:
        """The item came out of the pipelines: its page is an offer's."""
        self.pages.ended(_token(item, response), PageResult(AccountState.OFFER))

    def item_dropped(self, item: Any, response: Response | None, exception: DropItem) -> None:
        """A further address of a known product, or no product after all."""
        result = PageResult(AccountState.NO_PRODUCT, type(exception).__name__)
        if isinstance(exception, RepeatedOffer):
            page_url = item.page.url if isinstance(item, PageItem) else ""
            is_own = page_key(page_url) == page_key(exception.first)  # an earlier run stored it
            result = PageResult(AccountState.OFFER if is_own else AccountState.SAME_PRODUCT)
        self.pages.ended(_token(item, response), result)

    def item_broken(self, item: Any, response: Response | None, failure: Any) -> None:
        """A pipeline raised an error: that is this page's failure, and no other's."""
        reason = f"a pipeline broke: {type(failure.value).__name__}"
        self.pages.ended(_token(item, response), PageResult(AccountState.FAILED, reason))


def _token(output: Any, response: Response | None) -> str:
    """The page that an output comes from: an item that was held back says so itself; else the page that yielded it."""
    own = output.token if isinstance(output, (PageItem, CrawledOffer)) else None
    return own or FetchState.of(response).token or ""
