"""What Scout's middlewares, pipelines and extensions have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.crawler import Crawler

from scout.crawl.configuration import read_setting
from scout.crawl.context import CrawlContext

if TYPE_CHECKING:
    from typing_extensions import Self


class Component:
    """A part of a crawl. One that cannot work raises NotConfigured when it is made."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.context = CrawlContext.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def setting(self, name: str) -> Any:
        """The value of a SCOUT_* setting."""
        return read_setting(self.crawler.settings, name)

    def count(self, stat: str, number: int = 1) -> None:
        """Count an event."""
        self.crawler.stats.inc_value(stat, number)
