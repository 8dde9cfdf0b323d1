"""What one process holds of its crawl: the one place where components find what several of them need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scrapy.crawler import Crawler

from scout.crawl.account import CrawlOutcome
from scout.crawl.pages_in_progress import PageResult, PagesInProgress


@dataclass
class CrawlContext:
    """An extension that holds and never decides.

    `pages` are the pages under way, where the crawl keeps an account, and `leases` the numbers of their leases; `outcome` is what the
    account says at the end.
    """

    pages: PagesInProgress | None = None
    leases: Mapping[str, int] = field(default_factory=dict)
    outcome: CrawlOutcome | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrawlContext:
        return cls()

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlContext:
        """The context of the crawl; an empty one where the project has not enabled it."""
        return crawler.get_extension(cls) or cls()

    def judge_page(self, token: str | None, result: PageResult) -> None:
        """Say what a page came to."""
        if self.pages is not None and token:
            self.pages.judge(token, result)
