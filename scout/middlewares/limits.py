"""Bodies that were cut off are asked for again, and pages that are made to choke a parser are not read at all."""

from __future__ import annotations

import logging

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http import Response, TextResponse
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from scout.crawl.component import Component
from scout.crawl.failure_reasons import Rejected
from scout.crawl.page_limits import limit_broken
from scout.crawl.parse_sandbox import ParseSandbox
from scout.fetch import FetchState
from scout.middlewares.compressed_bodies import is_cut_off

logger = logging.getLogger(__name__)


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
        self._thread = ThreadPool(0, 1, "trial")  # one: the reactor's own threads have other work to do
        crawler.signals.connect(self._close, signal=signals.spider_closed)

    async def process_response(self, request: Request, response: Response) -> Response:
        is_page = (
            isinstance(response, TextResponse) and not FetchState.of(request).is_robots_txt
        )  # which is cut on purpose
        reason = limit_broken(response.text) if is_page else None
        if is_page and reason is None and len(response.text) > self.size:
            reason = await self._tried(response.text)
        if reason is not None:
            raise Rejected(reason, response.url)
        return response

    async def _tried(self, html: str) -> str | None:
        if not self._thread.started:
            self._thread.start()
        self.count("scout/limits/trials")
        from twisted.internet import reactor  # not before Scrapy has chosen which

        return await maybe_deferred_to_future(deferToThreadPool(reactor, self._thread, self.trial.verdict, html))

    def _close(self) -> None:
        self.trial.close()
        if self._thread.started:
            self._thread.stop()
