"""Fetch the clean address: no shop's statistics, and no network's bill, count Scout as a visitor it sent."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from scout.crawl.component import Component
from scout.fetch import asked_urls
from scout.urls import cleaned
from scout.values.tracking import ParameterNames


class CleanUrlMiddleware(Component):
    """Replaces a request whose address tracks or redirects; counts `scout/urls/cleaned`, `opaque` and `kept`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.setting("SCOUT_CLEAN_URLS"):
            raise NotConfigured("SCOUT_CLEAN_URLS is off")
        self.extra = ParameterNames.of(self.setting("SCOUT_TRACKING_PARAMETERS"))

    def process_request(self, request: Request) -> Request | None:
        """A request for the clean address, or None to go on with this one."""
        if request.method != "GET":
            return None
        result = cleaned(request.url, extra=self.extra)
        if result.opaque:
            self.count("scout/urls/opaque")
        if result.url == request.url:
            return None
        clean = request.replace(url=result.url)
        if clean.url == request.url:
            return None
        if clean.url in asked_urls(request):  # the shop insists: going back would never end
            self.count("scout/urls/kept")
            return None
        self.count("scout/urls/cleaned")
        return clean
