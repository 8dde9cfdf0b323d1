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
from scout.crawl.pages_in_progress import PageResult, PagesInProgress
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
        crawler.signals.connect(self.request_scheduled, signal=signals.request_scheduled)
        crawler.signals.connect(self.item_stored, signal=signals.item_scraped)
        crawler.signals.connect(self.item_dropped, signal=signals.item_dropped)
        crawler.signals.connect(self.item_broken, signal=signals.item_error)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        token = _token_of(response)
        try:
            async for output in result:
                if isinstance(output, Request):
                    FetchState.of(
                        output
                    ).token = None  # a callback that passes on its response's meta means another page
                    self._yielded_by[output] = token
                if self.pages is not None and output is not None:
                    self.pages.begun(token if isinstance(output, Request) else _token(output, response))
                yield output
        except CloseSpider:
            raise
        except Exception as error:
            self._failed(token, error)
            raise
        if self.pages is not None:
            self.pages.read(token)
            self.pages.settle_waiting()

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        if not isinstance(exception, CloseSpider):
            self._failed(_token_of(response), exception)

    def request_scheduled(self, request: Request) -> None:
        """The request has come through the engine's queue; the scheduler gets it before anything else happens."""
        token = self._yielded_by.pop(request, None)
        if token is not None and self.pages is not None:
            self.pages.ended(token)

    def item_stored(self, item: Any, response: Response | None) -> None:
        """The item came out of the pipelines: its page is an offer's."""
        self._item_ended(item, response, PageResult(AccountState.OFFER))

    def item_dropped(self, item: Any, response: Response | None, exception: DropItem) -> None:
        """A further address of a known product, or no product after all."""
        if not isinstance(exception, RepeatedOffer):
            self._item_ended(item, response, PageResult(AccountState.NO_PRODUCT, type(exception).__name__))
            return
        page_url = item.page.url if isinstance(item, PageItem) else None
        is_own = page_url is not None and page_key(page_url) == page_key(exception.first)  # an earlier run stored it
        self._item_ended(item, response, PageResult(AccountState.OFFER if is_own else AccountState.SAME_PRODUCT))

    def item_broken(self, item: Any, response: Response | None, failure: Any) -> None:
        """A pipeline raised an error: that is this page's failure, and no other's."""
        reason = f"a pipeline broke: {type(failure.value).__name__}"
        self._item_ended(item, response, PageResult(AccountState.FAILED, reason))

    def _item_ended(self, item: Any, response: Response | None, result: PageResult) -> None:
        if self.pages is not None:
            self.pages.ended(_token(item, response), result)

    def _failed(self, token: str, error: Exception) -> None:
        if self.pages is not None:
            self.pages.failed(token, f"the callback broke: {type(error).__name__}")

    @property
    def pages(self) -> PagesInProgress | None:
        """The pages under way; None where the crawl has no frontier."""
        return self.context.pages


def _token(item: Any, response: Response | None) -> str:
    """The page that an item comes from: it says so itself, where it was held back; else the page that yielded it."""
    own = item.token if isinstance(item, (PageItem, CrawledOffer)) else None
    return own or _token_of(response)


def _token_of(response: Response | None) -> str:
    return FetchState.of(response).token or ""
