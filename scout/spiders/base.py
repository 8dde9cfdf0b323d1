"""How a spider asks for Scout, and what Scout's own spiders have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from scout.crawl.configuration import bring_settings, read_setting
from scout.crawl.context import CrawlContext, ShopRef
from scout.spiders.arguments import SpiderArguments, parse_arguments

if TYPE_CHECKING:
    from typing_extensions import Self


class ScoutSpider(Spider):
    """A spider that runs with Scout's settings and components, in any project; what the project itself sets wins.

    Put it before other base classes: `class MySpider(ScoutSpider, CrawlSpider)`.
    """

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        bring_settings(settings)
        super().update_settings(settings)


class ShopCrawlSpider(ScoutSpider):
    """A spider of one shop. What it shares with other components is in its context.

    `raise self._failed(text)` ends the crawl as a failure.
    """

    context: CrawlContext
    room: str  # of its stats, scout/<room>/<event>
    arguments: type[SpiderArguments]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args)
        self.args: Any = parse_arguments(self.arguments, kwargs)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.context = CrawlContext.of(crawler)
        spider.context.shop = spider._asked_shop()
        spider.context.load = spider._load
        spider.context.add_check(spider._on_closed)
        return spider

    def _asked_shop(self) -> ShopRef:
        """The shop, as the arguments name it."""
        raise NotImplementedError

    def _load(self) -> None:
        """Load what the database knows, before anything else happens; in a thread. A ScoutError ends the crawl."""

    async def _on_closed(self, reason: str) -> None:
        """All pages are read: say what came of it, and keep what the next crawl needs."""

    @property
    def shop(self) -> str:
        """The name under which the shop's offers are stored."""
        return self.context.shop.name or ""

    @property
    def start_url(self) -> str:
        """The address of the shop."""
        return self.context.shop.start_url or ""

    def setting(self, name: str) -> Any:
        """The value of a SCOUT_* setting."""
        return read_setting(self.settings, name)

    def start_failed(self, failure: Failure) -> None:
        """Without the first page there is nothing to do: say so, and end."""
        request: Request = failure.request  # type: ignore[attr-defined]
        raise self._failed(f"{request.url} cannot be read: {failure_reason(failure)}")

    def _web_page(self, response: Response) -> TextResponse:
        """The response, if it is a web page; else the crawl ends."""
        if isinstance(response, TextResponse):
            return response
        kind = (response.headers.get("Content-Type") or b"something else").decode("latin-1")
        raise self._failed(f"{response.url} is not a web page but {kind}")

    def _failed(self, text: str) -> CloseSpider:
        self.context.fail(text)
        return CloseSpider("failed")

    def count_event(self, event: str, count: int = 1) -> None:
        """Count something that happened, in the spider's room of the statistics."""
        self.stats.inc_value(f"scout/{self.room}/{event}", count)

    @property
    def stats(self) -> Any:
        """Scrapy's statistics."""
        return self.crawler.stats


def failure_reason(failure: Failure) -> str:
    """Why a page could not be had, in a few words: the status of its answer, else what the error says, or is where it says nothing."""
    response = getattr(failure.value, "response", None)
    return f"HTTP {response.status}" if response is not None else failure.getErrorMessage() or repr(failure.value)
