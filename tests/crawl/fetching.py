"""Fetch some URLs with Scout's settings in a process of its own: `fetch()` starts it, `python -m tests.crawl.fetching` is it."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.settings import Settings

from scout.crawl.failure_reasons import rejection
from tests.crawl.commands import FAST
from tests.memory import peak
from tests.processes import run

HASTY = {**FAST, "DOWNLOAD_DELAY": 0, "LOG_LEVEL": "WARNING", "ITEM_PIPELINES": {}}
LONGEST = 60


@dataclass(frozen=True)
class Fetched:
    """What came of it: the status, or the error's name, for each URL; the word by which the shop spider counts each error
    (`scout/reject/<word>`); the crawl's stats and the bytes that it grew by; and its log."""

    outcome: dict[str, Any]
    rejected: dict[str, str]
    stats: dict[str, Any]
    log: str


def fetch(urls: Sequence[str], *, named: Sequence[str] = (), follow: bool = False, **settings: Any) -> Fetched:
    """Ask for all `urls` at once, those in `named` being the ones that the user named."""
    order = {"urls": urls, "named": named, "follow": follow, "settings": {**HASTY, **settings}}
    done = run("tests.crawl.fetching", json.dumps(order), timeout=LONGEST)
    assert done.stdout and "DeprecationWarning" not in done.stderr, done.stderr
    return Fetched(**json.loads(done.stdout), log=done.stderr)


class FetchingSpider(Spider):
    name = "fetching"

    def __init__(self, urls: list[str], named: list[str], follow: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls, self.named_urls, self.follow = urls, named, follow
        self.outcome: dict[str, Any] = {}
        self.rejected: dict[str, str] = {}

    async def start(self) -> AsyncIterator[Request]:
        for url in self.urls:
            yield self.request(url)

    def request(self, url: str) -> Request:
        return Request(url, self.parse, errback=self.failed, dont_filter=True)

    def parse(self, response: Response, **_: Any) -> Any:
        self.outcome[response.url] = response.status
        if self.follow and isinstance(response.request, Request):
            yield from (self.request(response.urljoin(link)) for link in response.css("a::attr(href)").getall())

    def failed(self, failure: Any) -> None:
        self.rejected[failure.request.url] = rejection(failure.value)
        response = getattr(failure.value, "response", None)
        self.outcome[failure.request.url] = response.status if response is not None else type(failure.value).__name__


def main(order: dict[str, Any]) -> None:
    settings = Settings()
    settings.setmodule("scout.settings")
    settings.setdict(order["settings"], priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(FetchingSpider)
    process.crawl(crawler, order["urls"], order["named"], order["follow"])
    before = peak()
    process.start()
    growth = {"memory/growth": peak() - before}
    assert isinstance(crawler.spider, FetchingSpider) and crawler.stats
    spider, stats = crawler.spider, crawler.stats.get_stats() | growth
    json.dump({"outcome": spider.outcome, "rejected": spider.rejected, "stats": stats}, sys.stdout, default=str)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
