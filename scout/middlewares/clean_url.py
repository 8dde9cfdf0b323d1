"""Fetch the clean address: no shop's statistics, and no network's bill, count Scout as a visitor it sent."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.statscollectors import StatsCollector

from scout.crawl.configuration import read_setting
from scout.urls import cleaned
from scout.values.tracking import ParameterNames


class CleanUrlMiddleware:
    """Replaces a request whose address tracks or redirects; counts `scout/urls/cleaned`, `opaque` and `kept`."""

    def __init__(self, stats: StatsCollector, extra: ParameterNames) -> None:
        self.stats = stats
        self.extra = extra

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CleanUrlMiddleware:
        if not read_setting(crawler.settings, "SCOUT_CLEAN_URLS"):
            raise NotConfigured("SCOUT_CLEAN_URLS is off")
        assert crawler.stats is not None  # Scrapy makes it before the middlewares
        return cls(crawler.stats, ParameterNames.of(read_setting(crawler.settings, "SCOUT_TRACKING_PARAMETERS")))

    def process_request(self, request: Request) -> Request | None:
        """A request for the clean address, or None to go on with this one."""
        if request.method != "GET":
            return None
        result = cleaned(request.url, extra=self.extra)
        if result.opaque:
            self.stats.inc_value("scout/urls/opaque")
        if result.url == request.url:
            return None
        clean = request.replace(url=result.url)
        if clean.url == request.url:
            return None
        if clean.url in request.meta.get("redirect_urls", ()):  # the shop insists: going back would never end
            self.stats.inc_value("scout/urls/kept")
            return None
        self.stats.inc_value("scout/urls/cleaned")
        return clean
