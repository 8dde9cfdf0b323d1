"""Renders the addresses it is given, one after the other, and says what came of each. Run by `scrapy runspider`."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import scrapy
from scrapy.http import Response
from twisted.python.failure import Failure

from scout.fetch import FetchState, Rendering
from scout.handlers import proxy


def resolver(table: dict[str, str]) -> proxy.Resolver:
    """Resolves the names in the table, and addresses to themselves."""

    async def resolve(host: str, port: int) -> list[str]:
        return [table.get(host, host)]

    return resolve


class RenderingSpider(scrapy.Spider):
    name = "rendering"
    custom_settings = {
        "DOWNLOAD_HANDLERS": {"http": "scout.handlers.browser.BrowserHandler"},
        "DOWNLOADER_MIDDLEWARES": {
            "scout.middlewares.guard.GuardMiddleware": 10,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "scout.middlewares.robots.RobotsMiddleware": 100,
        },
        "CONCURRENT_REQUESTS": 1,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, urls: str, hosts: str = "", proxy_url: str = "", **kwargs: Any) -> None:
        """`hosts` are names with the address that each resolves to: `a.example=127.0.0.1`; `proxy_url` is every request's proxy."""
        super().__init__(**kwargs)
        self.urls = urls
        self.since = time.monotonic()
        self.proxied = {"proxy": proxy_url} if proxy_url else {}
        if hosts:
            table = dict(pair.split("=") for pair in hosts.split())
            proxy.addresses = resolver(table)

    @property
    def named_urls(self) -> list[str]:
        return self.urls.split()

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls.split():
            request = scrapy.Request(url, meta=self.proxied, dont_filter=True, errback=self.failed)
            FetchState.of(request).rendering = Rendering(is_growing="grow" in url)
            yield request

    def parse(self, response: Response) -> Iterator[dict[str, Any]]:
        rendering = FetchState.of(response).rendering
        assert rendering
        yield {
            "url": response.url,
            "text": " ".join(response.css("main ::text").getall()),
            "is_whole": not rendering.has_failed,
            "answers": [e.url for e in rendering.exchanges],
            "seconds": self.seconds(),
        }

    def failed(self, failure: Failure) -> Iterator[dict[str, Any]]:
        yield {"url": failure.request.url, "error": failure.type.__name__, "seconds": self.seconds()}

    def seconds(self) -> float:
        """The time since the page before: one is rendered after the other."""
        before, self.since = self.since, time.monotonic()
        return round(self.since - before, 1)
