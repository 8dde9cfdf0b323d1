"""robots.txt as RFC 9309 wants it, without the leak of Scrapy 2.14 to 2.19."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler

from scout.crawl.configuration import refusal
from scout.fetch import FetchState, slot_name

KEPT_SECONDS = 24 * 60 * 60  # RFC 9309, 2.4
RETRIED_SECONDS = 5 * 60  # a site that could not be asked may be asked again then
READ_BYTES = 512 * 1024  # RFC 9309, 2.5: at least 500 KiB; what comes after is not read


class RobotsUnreachable(IgnoreRequest):
    """robots.txt could not be read, which forbids everything (RFC 9309, 2.3.1.4)."""


@dataclass(frozen=True)
class Verdict:
    """What robots.txt of one site said: rules, nothing (`rules` is None), or why it could not be read."""

    rules: RobotParser | None = None
    unreachable: str | None = None
    expires: float = 0.0


class RobotsMiddleware(RobotsTxtMiddleware):
    """Scrapy's middleware with a verdict that every waiting request gets.

    Scrapy lets all requests but one through that wait together for robots.txt: they share a Deferred, whose result only the
    first one sees. Here they wait for a lock.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise refusal(crawler.settings, "ROBOTSTXT_OBEY is off")
        super().__init__(crawler)
        self._verdicts: dict[str, Verdict] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        crawler.signals.connect(self._stop_reading, signal=signals.bytes_received)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        verdict = await self.verdict(request)
        if verdict.unreachable:
            self._stats.inc_value("scout/robots/unreachable")
            raise RobotsUnreachable(verdict.unreachable)
        return verdict.rules

    async def verdict(self, request: Request) -> Verdict:
        """What robots.txt says for the request's site, asked for once a day however many requests wait."""
        parts = urlparse_cached(request)
        site = f"{parts.scheme}://{parts.netloc}"
        async with self._locks[site]:
            known = self._verdicts.get(site)
            if known is None or known.expires <= monotonic():
                known = self._verdicts[site] = await self._fetch(site, request)
        return known

    async def _fetch(self, site: str, request: Request) -> Verdict:
        # Unpacked, so that the first READ_BYTES can be read without the rest
        headers = {"Accept": "text/plain,*/*;q=0.5", "Accept-Encoding": "identity"}
        meta: dict[str, Any] = {"dont_obey_robotstxt": True, "download_maxsize": 0}
        if slot := slot_name(request):
            meta["download_slot"] = slot
        asked = Request(f"{site}/robots.txt", NO_CALLBACK, headers=headers, meta=meta, priority=self.DOWNLOAD_PRIORITY)
        FetchState.of(asked).is_robots_txt = True
        assert self.crawler.engine
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await self.crawler.engine.download_async(asked)
        except Exception as error:  # whatever it is: a robots.txt that cannot be read forbids
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            why = str(error).rstrip(".") or type(error).__name__
            return _unreachable(f"{site} does not answer when asked for its robots.txt ({why})")
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if is_unreachable(response.status):
            return _unreachable(f"{site}/robots.txt answers with status {response.status}, which forbids everything")
        expires = monotonic() + KEPT_SECONDS
        if response.status >= HTTPStatus.MULTIPLE_CHOICES:  # 4xx: there are no rules
            return Verdict(expires=expires)
        rules: RobotParser = build_from_crawler(self._parserimpl, self.crawler, response.body)
        told = {"robotparser": rules, "request": request}
        await self.crawler.signals.send_catch_log_async(signals.robots_parsed, **told)
        return Verdict(rules, expires=expires)

    def _stop_reading(self, data: bytes, request: Request) -> None:
        state = FetchState.of(request)
        state.bytes_received += len(data)
        if state.is_robots_txt and state.bytes_received >= READ_BYTES:
            raise StopDownload(fail=False)


def _unreachable(why: str) -> Verdict:
    return Verdict(unreachable=why, expires=monotonic() + RETRIED_SECONDS)


def is_unreachable(status: int) -> bool:
    """True for an answer that says nothing about robots.txt: a server error, or too many requests."""
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.TOO_MANY_REQUESTS
