"""Bodies that were cut off are asked for again, and pages that are made to choke a parser are not read at all."""

from __future__ import annotations

import asyncio

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response, TextResponse
from scrapy.utils.asyncio import run_in_thread

from scout.crawl.component import Component
from scout.crawl.failure_reasons import Rejected
from scout.crawl.page_limits import limit_broken
from scout.crawl.parse_sandbox import ParseSandbox
from scout.fetch import FetchState
from scout.middlewares.compressed_bodies import is_cut_off


class CutOffMiddleware(Component):
    """Sees compressed bodies before Scrapy unpacks them, which takes a cut one for whole. Retried, then given up; never parsed."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.longest = crawler.settings.getint("DOWNLOAD_MAXSIZE")

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


class LimitsMiddleware(Component):
    """Refuses pages that no shop would make, and large ones whose reading does not come to an end.

    The latter is found out by a process of its own (see scout.crawl.parse_sandbox), while the crawl goes on.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.size = self.setting("SCOUT_TRIAL_SIZE")
        self.trial = ParseSandbox(self.setting("SCOUT_TRIAL_SECONDS"))
        self._lock = asyncio.Lock()  # one trial at a time: the threads have other work to do
        crawler.signals.connect(self.trial.close, signal=signals.spider_closed)

    async def process_response(self, request: Request, response: Response) -> Response:
        if not isinstance(response, TextResponse) or FetchState.of(request).is_robots_txt:  # which is cut on purpose
            return response
        reason = limit_broken(response.text)
        if reason is None and len(response.text) > self.size:
            self.count("scout/limits/trials")
            async with self._lock:
                reason = await run_in_thread(self.trial.verdict, response.text)
        if reason is not None:
            raise Rejected(reason, response.url)
        return response
