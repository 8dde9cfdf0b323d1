"""How a spider asks for Scout, and what Scout's own spiders have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from scout.crawl.configuration import bring_settings, read_setting
from scout.crawl.context import CrawlContext, ShopRef

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

    @property
    def _database(self) -> str:
        return str(read_setting(self.settings, "SCOUT_DATABASE") or "")

    def _failed(self, text: str) -> CloseSpider:
        self.context.fail(text)
        return CloseSpider("failed")

    @property
    def _stats(self) -> Any:
        return self.crawler.stats


def failure_reason(failure: Failure) -> str:
    """Why a page could not be had, in a few words: the status of its answer, else what the error says, or is where it says nothing."""
    response = getattr(failure.value, "response", None)
    return f"HTTP {response.status}" if response is not None else failure.getErrorMessage() or repr(failure.value)
