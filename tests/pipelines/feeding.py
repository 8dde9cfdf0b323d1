"""Send offers through Scout's pipelines in a process of its own: `feed()` starts it, `python -m tests.pipelines.feeding` is it."""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings

from scout.crawl.context import CrawlContext
from scout.offer import Offer
from tests.memory import peak
from tests.processes import ForkedProcess
from tests.store.examples import offer

ROOT = Path(__file__).parents[2]
MOST_WAITING = 100  # requests
LONGEST = 900  # seconds; generous, as the machine may have others to serve
QUIET = {"LOG_LEVEL": "WARNING", "DOWNLOADER_MIDDLEWARES": {"tests.pipelines.feeding.NoNetwork": 1}, "ADDONS": {}}


@dataclass(frozen=True)
class Fed:
    """What came of it: the crawl's stats, its log, and the most memory it took, in KB."""

    stats: dict[str, Any]
    log: str
    memory: int


class NoNetwork:
    """Answers every request itself."""

    async def process_request(self, request: Request) -> Response:
        return HtmlResponse(request.url, request=request)


class FeedingSpider(Spider):
    """Yields an offer for each of many pages, without fetching anything."""

    name = "shop"
    shop = "lamps"

    def __init__(self, count: int, pause: float, values: dict[str, Any], exit_code: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.count, self.pause, self.values, self.exit_code = count, pause, values, exit_code

    async def start(self) -> AsyncIterator[Request]:
        scheduler = self.crawler.engine.scheduler if self.crawler.engine else None
        assert isinstance(scheduler, Scheduler)
        for number in range(self.count):
            await asyncio.sleep(self.pause)
            while len(scheduler) > MOST_WAITING:  # else all of them soon wait in memory
                await asyncio.sleep(0.01)
            yield Request(f"https://shop.example/{number}", cb_kwargs={"number": number})

    def parse(self, response: Response, number: int) -> Iterator[Offer]:
        if self.exit_code:
            CrawlContext.of(self.crawler).fail("as asked", self.exit_code)
        example = offer(number, **self.values)
        yield example


ORDER = {"pause": 0.0, "values": {}, "file_limit": 0, "exit_code": 0}


def begin(count: int, **options: Any) -> ForkedProcess:
    """Start sending `count` offers. Options are those of ORDER, and settings.

    No file may grow beyond `file_limit` bytes, which is what a full disk is like.
    """
    settings = {name: value for name, value in options.items() if name.isupper()}
    own = {name: value for name, value in options.items() if not name.isupper()}
    order = {**ORDER, **own, "count": count, "settings": settings}
    return ForkedProcess("tests.pipelines.feeding", json.dumps(order))


def end(process: ForkedProcess) -> Fed:
    """Wait for it; what came of it."""
    try:
        out, log = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    assert out, log
    return Fed(**json.loads(out), log=log)


def feed(count: int, **options: Any) -> Fed:
    """Send `count` offers through the pipelines."""
    return end(begin(count, **options))


def main(order: dict[str, Any]) -> None:
    settings = Settings()
    settings.setmodule("scout.settings")
    settings.setdict({**QUIET, **order["settings"]}, priority="cmdline")
    if order["file_limit"]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_limit"], order["file_limit"]))
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(FeedingSpider)
    process.crawl(crawler, order["count"], order["pause"], order["values"], order["exit_code"])
    process.start()
    assert crawler.stats
    print(json.dumps({"stats": crawler.stats.get_stats(), "memory": peak() >> 10}, default=str))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
