"""Crawl some linked pages with the frontier in a process of its own, and tell what it wrote at a time: `exchanges()` starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.settings import Settings

from scout.crawl.context import CrawlContext
from scout.frontier.table import Changes, ExchangeResult, Frontier
from tests.crawl.commands import FAST
from tests.processes import run

ROOT = Path(__file__).parents[2]
LONGEST = 60
DEADLY = "/deadly"  # a page that kills whoever parses it
ELSEWHERE = "/elsewhere"  # a page that cannot be read by whoever was redirected to it


def exchanges(url: str, database: str) -> dict[str, Any]:
    """The pages that were read, and for each exchange with the table the addresses it makes known and those that are over."""
    done = crawled(url, database)
    assert done.stdout, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def crawled(url: str, database: str) -> subprocess.CompletedProcess[str]:
    """A crawl that has come to its end, or was killed by one of its pages."""
    return run("tests.frontier.exchanging", url, database, timeout=LONGEST)


class LinkedSpider(Spider):
    """Follows every link at once, but for those of the class `later`, which it only has the frontier keep."""

    name, shop = "linked", "linked"

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_url, self.crawl_id = url, None
        self.read: list[str] = []

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.start_url)

    def parse(self, response: Response, **_: Any) -> Any:
        if response.url.endswith(DEADLY):
            os.kill(os.getpid(), signal.SIGKILL)
        if response.url.endswith(ELSEWHERE) and "redirect_urls" in response.meta:
            raise ValueError("not what was asked for")
        self.read.append(response.url)
        for link in response.css("a.later::attr(href)").getall():
            CrawlContext.of(self.crawler).keep_for_later(response.follow(link))
        yield from response.follow_all(css="a:not(.later)")


def main(url: str, database: str) -> None:
    written: list[dict[str, list[str]]] = []
    exchange, addresses = Frontier.exchange, {}

    def watched(frontier: Frontier, changes: Changes, *, renew: bool = False) -> ExchangeResult:
        addresses.update({new.key: new.url for new in changes.new})
        over = [addresses.get(mark.key, mark.key) for mark in changes.marks]
        written.append({"new": [new.url for new in changes.new], "over": over})
        return exchange(frontier, changes, renew=renew)

    Frontier.exchange = watched  # type: ignore[method-assign]
    settings = Settings()
    settings.setmodule("scout.settings")
    own = {"SCOUT_DATABASE": database, "SCOUT_RENDER": "never", "ITEM_PIPELINES": {}, "LOG_LEVEL": "WARNING"}
    settings.setdict(FAST | own, priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(LinkedSpider)
    process.crawl(crawler, url)
    process.start()
    assert isinstance(crawler.spider, LinkedSpider)
    json.dump({"read": crawler.spider.read, "written": written}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
