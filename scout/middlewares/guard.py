"""Refuse what is neither named by the user nor on the public internet, before a request is made.

Scout's download handler asks the same guard again before it connects, when a name has become an address.
"""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from scout.crawl.component import Component
from scout.crawl.configuration import download_handlers
from scout.handlers.address_guard import AddressGuard, Targets

logger = logging.getLogger(__name__)


class TargetRefused(IgnoreRequest):
    """The request leads to where this crawl must not go."""


class GuardMiddleware(Component, AddressGuard):
    """Lets a request pass if its target is public or named: by the user (`CrawlContext.named_urls`) or in SCOUT_ALLOWED_TARGETS."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.targets = Targets(self.setting("SCOUT_ALLOWED_TARGETS"))
        if not all(getattr(handler, "guards_names", False) for handler in download_handlers(crawler.settings)):
            logger.warning("The addresses of names are not checked: that takes scout.handlers.browser.BrowserHandler")

    def process_request(self, request: Request) -> None:
        self.targets.name(*self.context.named_urls)
        reason = self.targets.refusal(request.url)
        if reason is None:
            return
        logger.warning("Refused %s: %s", request.url, reason)
        self.count("scout/guard/refused")
        raise TargetRefused(f"{request.url} is refused: {reason}")
