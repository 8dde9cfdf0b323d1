"""What commands about a single page share: it is fetched with all of Scout's manners, or read from a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess

from scout.commands.base import ScoutCommand
from scout.commands.explain import OnePageSpider
from scout.errors import PageError, UsageError
from scout.page import Page


class OnePageCommand(ScoutCommand):
    """A command whose argument is the address of a page, or a file that holds one."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("page", metavar="URL-or-file", help="the address of a page, or a file with its HTML")
        parser.add_argument("--json", action="store_true", help="for programs")

    def page(self, target: str) -> Page:
        """The page at an address or in a file."""
        return self._fetched(target) if target.startswith(("http://", "https://")) else _read(target)

    def _fetched(self, url: str) -> Page:
        process = AsyncCrawlerProcess(self.settings)  # made here, so that a file needs none
        crawler = process.create_crawler(OnePageSpider)
        process.crawl(crawler, url=url)
        process.start()
        spider = crawler.spider
        if not isinstance(spider, OnePageSpider) or spider.page is None:
            raise PageError(f"{url}: {spider.problem if isinstance(spider, OnePageSpider) else 'it was not fetched'}")
        return spider.page


def _read(target: str) -> Page:
    path = Path(target)
    try:
        return Page(path.resolve().as_uri(), path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{target} is neither an address (http:// or https://) nor a file that can be read: {error.strerror}"
        ) from error
