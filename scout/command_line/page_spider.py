"""Fetch one page for a command, as a crawl would fetch it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, TypeVar

from scrapy import Request
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response, TextResponse
from twisted.python.failure import Failure

from scout.errors import PageError
from scout.fetch import FetchState, take_page
from scout.page import Page
from scout.rules import ShopRules
from scout.spiders.base import ScoutSpider, failure_reason
from scout.urls import shop_name


class OnePageSpider(ScoutSpider):
    """Fetches one page with all of Scout's politeness."""

    name = "explain"
    custom_settings = {"ITEM_PIPELINES": {}}

    def __init__(self, url: str, rules: ShopRules | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_url = url
        self.rules = rules or ShopRules(shop=shop_name(url))  # they say how the shop's pages are fetched
        self.seen: str | None = None
        self.page: Page | None = None
        self.problem = "it was not fetched"

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.start_url, self.parse, errback=self.failed, meta={"level": "detail"}, dont_filter=True)

    def parse(self, response: Response) -> None:
        """Keep the page."""
        if isinstance(response, TextResponse):
            self.page = take_page(response)
            self.seen = FetchState.of(response).comparison
        self.problem = "it is not a web page"

    def failed(self, failure: Failure) -> None:
        """Keep the reason."""
        self.problem = failure_reason(failure)


S = TypeVar("S", bound=OnePageSpider)


def fetch_page(process: CrawlerProcessBase, url: str, rules: ShopRules | None = None) -> tuple[Page, str | None]:
    """The page, and what rendering it changed if the crawl compared that."""
    spider = fetched_by(process, OnePageSpider, url=url, rules=rules)
    assert spider.page is not None
    return spider.page, spider.seen


def fetched_by(process: CrawlerProcessBase, kind: type[S], **arguments: Any) -> S:
    """The spider with its page; PageError where it has none. Ends the process' reactor: one page per command."""
    crawler = process.create_crawler(kind)
    process.crawl(crawler, **arguments)
    process.start()
    spider = crawler.spider
    if not isinstance(spider, kind) or spider.page is None:
        problem = spider.problem if isinstance(spider, kind) else "it was not fetched"
        raise PageError(f"{arguments['url']}: {problem}")
    return spider
