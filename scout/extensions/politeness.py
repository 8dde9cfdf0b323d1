"""Keep what a shop asks for: Crawl-delay in its robots.txt, Retry-After in its answers."""

from __future__ import annotations

import logging
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from time import monotonic

from scrapy import Request, Spider, signals
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached

from scout.crawl.component import Component
from scout.crawl.scrapy_internals import download_slots, hold_slot
from scout.fetch import slot_name

logger = logging.getLogger(__name__)

ASK_TO_WAIT = {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}
SMALLEST_DELAY = 0.001  # seconds: without any, Scrapy 2.19 sends all that waits at once, whatever CONCURRENT_REQUESTS_PER_DOMAIN says
LEAST_DELAY = 0.01  # seconds: a slot without any delay does not look at when it may go on


class Politeness(Component):
    """Slows a shop's download slot down to its Crawl-delay, and halts it for as long as its Retry-After says.

    Comes after AutoThrottle, which adjusts the same delay. A shop that asks for more than SCOUT_RETRY_AFTER_MAX seconds, at once or again
    and again without a page in between, ends the crawl; the next start resumes it.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.longest = self.setting("SCOUT_RETRY_AFTER_MAX")
        self.agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self.crawl_delays: dict[str, float] = {}
        self._wait_until = self._waited = (
            0.0  # when the wait is over that the shop asked for; seconds since its last page
        )
        crawler.signals.connect(self.robots_parsed, signal=signals.robots_parsed)
        crawler.signals.connect(self.request_reached, signal=signals.request_reached_downloader)
        crawler.signals.connect(self.response_downloaded, signal=signals.response_downloaded)

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        host, delay = urlparse_cached(request).hostname, robotparser.crawl_delay(self.agent)
        if not host or not delay:
            return
        self.crawl_delays[host] = delay
        self.count("scout/politeness/crawl_delay")
        logger.info("%s asks for %g s between requests (Crawl-delay)", host, delay)
        if delay > self.longest:
            longer = "which is more than SCOUT_RETRY_AFTER_MAX"
            self._stop(f"{host} asks for {delay:g} s between requests (Crawl-delay), {longer}")

    def request_reached(self, request: Request, spider: Spider) -> None:
        slot = self._slot(request)
        if slot and not slot.delay:
            slot.delay = SMALLEST_DELAY
        self._keep_crawl_delay(request)

    def response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        self._keep_crawl_delay(request)
        wait = retry_after(response) if response.status in ASK_TO_WAIT else None
        if wait is None:
            if response.status < HTTPStatus.BAD_REQUEST:
                self._waited = 0.0
            return
        host = urlparse_cached(request).hostname
        self.count("scout/politeness/retry_after")
        until = max(self._wait_until, monotonic() + wait)  # several pages under way are told the same
        self._waited += until - max(self._wait_until, monotonic())
        self._wait_until = until
        if self._waited > self.longest:
            self._stop(f"{host} asks to come back in {wait:g} s; start the crawl again then")
            return
        logger.info("%s asks to wait for %g s", host, wait)
        slot = self._slot(request)
        if slot:
            slot.delay = max(slot.delay, LEAST_DELAY)
            hold_slot(slot, wait)

    def _keep_crawl_delay(self, request: Request) -> None:
        delay = self.crawl_delays.get(urlparse_cached(request).hostname or "")
        slot = self._slot(request)
        if delay and slot and slot.delay <= delay:
            slot.delay, slot.jitter = delay, 0.0

    def _slot(self, request: Request) -> Slot | None:
        return download_slots(self.crawler).get(slot_name(request) or "")

    def _stop(self, reason: str) -> None:
        self.context.stop(reason, "retry_after")


def retry_after(response: Response) -> float | None:
    """How many seconds the answer asks to wait; None where it does not say so, or not readably (RFC 9110, 10.2.3)."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if value.isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())
