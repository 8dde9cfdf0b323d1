"""What a worker does about pages that could not be read: asks for them again later, and finds out whether the shop still answers."""

from __future__ import annotations

import logging
from http import HTTPStatus

from scrapy import Request
from scrapy.http import TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from scout.crawl.configuration import read_setting
from scout.crawl.context import CrawlContext
from scout.crawl.pages_in_progress import PagesInProgress
from scout.crawl.scrapy_internals import wake
from scout.fetch import page_of
from scout.frontier.exchanges import Exchanges
from scout.frontier.ledger import CrawlLedger
from scout.frontier.worker_stage import Event, Stage, WorkerStage

REFUSED = "refused"  # the reason with which a crawl is closed that gets nothing but refusals
RETRY_GROWTH = 4  # times the pause before the last round of retries
# Pages in a row that were refused or failed: then it is asked whether the shop still answers. More than Scrapy asks for at once (16), so
# that one short outage is no reason; not many more, because each of them is one that a shop that blocks has to refuse.
MAX_UNREAD_RUN = 20

logger = logging.getLogger(__name__)


class Recovery:
    """Rounds of retries at the end of a crawl, and the check of a shop that refuses every page."""

    def __init__(
        self, context: CrawlContext, pages: PagesInProgress, exchanges: Exchanges, ledger: CrawlLedger
    ) -> None:
        self.context, self.pages, self.exchanges, self.ledger = context, pages, exchanges, ledger
        self.crawler = context.crawler
        self.stage: WorkerStage = exchanges.stage
        self._task: Deferred[None] | None = None  # kept: nobody else holds on to it
        self.rounds: int = read_setting(self.crawler.settings, "SCOUT_RETRY_ROUNDS")
        self._first_pause: float = read_setting(self.crawler.settings, "SCOUT_RETRY_PAUSE")

    def retry_unread(self) -> None:
        """Ask again for what failed or was refused, after a pause; the crawl is over when nothing of it is left to ask again."""
        if self.stage.on(Event.RETRY):
            self._task = deferred_from_coro(self._retry_unread())

    async def _retry_unread(self) -> None:
        try:
            unread, made = await run_in_thread(self.ledger.retries, self.rounds)
            if unread:
                logger.info("%d pages could not be read and are asked again in %.0f s", unread, self._pause(made))
                await sleep(self._pause(made))
                again = await run_in_thread(self.ledger.ask_again, self.rounds)
                self.crawler.stats.inc_value("scout/frontier/retried", again)
            self.stage.on(Event.ASKED_AGAIN if unread else Event.NOTHING_TO_RETRY)
            self.exchanges.wake()
        except Exception as error:  # whatever it is: a crawl must not go on without its frontier
            self.exchanges.fail(error)
        wake(self.crawler)

    def is_paused(self) -> bool:
        """Whether requests wait because only refusals and failures came back, until it is known whether the shop still answers."""
        if self.pages.unread_run >= MAX_UNREAD_RUN and self.stage.on(Event.ALL_REFUSED):
            self._task = deferred_from_coro(self._check_shop())
        return self.stage.now is Stage.PAUSED

    async def _check_shop(self) -> None:
        """Ask for a page that was read before. While it is not to be had the crawl pauses, and gives up when pauses do not help."""
        for made in range(self.rounds + 1):
            if await self._still_answers():
                self.pages.unread_run = 0
                self.stage.on(Event.SHOP_ANSWERS)
                wake(self.crawler)
                return
            if made < self.rounds:
                logger.warning("The shop refuses or fails every page; pausing for %.0f s", self._pause(made))
                await sleep(self._pause(made))
        logger.error("The shop still refuses or fails every page, also one that was read before. The crawl stops.")
        if self.crawler.engine is not None:
            await self.crawler.engine.close_spider_async(reason=REFUSED)

    async def _still_answers(self) -> bool:
        """Whether the product page that was read last is still one; the start page, where none was."""
        engine, known = self.crawler.engine, self.pages.last_read
        url = known or self.context.shop.start_url
        if engine is None or url is None:
            return True
        request = Request(url, callback=NO_CALLBACK, meta={"dont_retry": True})
        try:
            response = await engine.download_async(request)
        except Exception as error:  # whatever a download can raise: the page is not to be had
            logger.debug("%s cannot be had: %s", url, error)
            return False
        is_product = self.context.knowledge.is_product_page
        if response.status != HTTPStatus.OK or known is None or is_product is None:
            return response.status == HTTPStatus.OK
        return isinstance(response, TextResponse) and is_product(page_of(response))

    def _pause(self, made: int) -> float:
        """Seconds before the next round, after so many."""
        return self._first_pause * RETRY_GROWTH**made
