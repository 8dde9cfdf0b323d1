"""Bodies that were cut off are asked for again, and pages that are made to choke a parser are not read at all."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response, TextResponse

from scout.limits import is_cut_off, limit_broken
from scout.rejects import Rejected

logger = logging.getLogger(__name__)


class CutOffMiddleware:
    """Sees compressed bodies before Scrapy unpacks them, which takes a cut one for whole. Retried, then given up; never parsed."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.longest = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CutOffMiddleware:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response | Request:
        encodings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").split(",")
        is_one = len(encodings) == 1 and request.method != "HEAD"
        if not is_one or not is_cut_off(response.body, encodings[0], self.longest):
            return response
        assert self.crawler.spider
        again = get_retry_request(request, spider=self.crawler.spider, reason="cut_off", stats_base_key="scout/cut_off")
        if again is None:
            raise Rejected("cut_off", request.url)
        return again


class LimitsMiddleware:
    """Refuses pages that no shop would make."""

    def process_response(self, request: Request, response: Response) -> Response:
        if not isinstance(response, TextResponse) or request.meta.get(
            "scout_robots"
        ):  # robots.txt is no page, and cut on purpose
            return response
        reason = limit_broken(response.text)
        if reason is not None:
            raise Rejected(reason, response.url)
        return response
