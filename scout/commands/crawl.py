"""`scrapy crawl`: Scrapy's own, which also ends with one line that says how it went, and with an exit code that a script can use."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Awaitable
from typing import Any

from scrapy import Spider
from scrapy.commands import crawl
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scout.errors import ScoutError
from scout.errors import UsageError as ScoutUsageError

logger = logging.getLogger(__name__)

NO_SPIDERS = (
    "none, because this is not the folder of the project; with SCRAPY_SETTINGS_MODULE=scout.settings any folder will do"
)
STORED = ("new", "changed", "unchanged")  # the events of scout/persist/<event> after which an offer is in the database


class Command(crawl.Command):
    """A spider that sets the stat scout/exit_code decides how the process ends; any other ends as Scrapy has it."""

    def long_desc(self) -> str:
        return (
            "Run a spider. shop: -a url=https://shop.example for an unknown shop, -a shop=NAME for a known one; also -a max_pages=N, "
            "-a discover=walk,sitemap,feed, -a reviews=1, -a crawl=ID (join a crawl). forms: -a url= of a page with a query form, or of a "
            "DBContent document; also -a shop=NAME, -a details=1, -a soif=FILE. "
            "Exit codes: 0 done, 1 failed (the shop is down, empty, or no shop), 2 wrong usage."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:  # Scrapy's own complaint
            super().run(args, opts)
            return
        assert self.crawler_process
        crawler = self._known_crawler(args[0])
        crawling = self.crawler_process.crawl(crawler, **opts.spargs)
        error = _ErrorOf(crawling)
        self.crawler_process.start()
        if isinstance(error.value, ScoutError):
            self._refuse(error.value)
        elif error.value is not None:
            logger.error("The crawl broke off", exc_info=error.value)
        if error.value is not None or self.crawler_process.bootstrap_failed:
            self.exitcode = self.exitcode or 1
            return
        self._conclude(crawler)

    def _known_crawler(self, name: str) -> Crawler:
        assert self.crawler_process
        try:
            return self._create_crawler(name)
        except KeyError:
            known = ", ".join(sorted(self.crawler_process.spider_loader.list())) or NO_SPIDERS
            raise UsageError(f"there is no spider {name!r}; there are: {known}", print_help=False) from None

    def _refuse(self, error: ScoutError) -> None:
        self.exitcode = 2 if isinstance(error, ScoutUsageError) else 1
        print(f"scrapy crawl: error: {error}", file=sys.stderr)

    def _conclude(self, crawler: Crawler) -> None:
        assert crawler.stats
        stats = crawler.stats.get_stats()
        code = stats.get("scout/exit_code")
        stored = sum(stats.get(f"scout/persist/{event}", 0) for event in STORED)
        if code:
            self.exitcode = int(code)
            print(f"scrapy crawl: failed: {stats.get('scout/exit/reason', 'see the log')}", file=sys.stderr)
        elif offers := _all_offers(crawler.spider, stored, crawler):
            self.exitcode = int(stats.get("finish_reason") == "shutdown")
            print(f"scrapy crawl: {_summary(crawler.spider, offers, stats, crawler)}", file=sys.stderr)


def _summary(spider: Spider | None, offers: int, stats: dict[str, Any], crawler: Crawler) -> str:
    from scout.store.engine import url_without_password  # imports SQLAlchemy, which other scrapy commands need not load

    name = getattr(spider, "shop", None) or (spider.name if spider else "")
    ended = {"finished": "done", "shutdown": "interrupted (start it again to go on)"}.get(
        str(stats.get("finish_reason")), "ended early"
    )
    told = f"{ended}: {offers} offers of {name} are in {url_without_password(crawler.settings['SCOUT_DATABASE'])}"
    files = ", ".join(str(path) for path in crawler.settings.getdict("FEEDS"))
    return told + (f" and in {files}" if files else "")


def _all_offers(spider: Spider | None, stored: int, crawler: Crawler) -> int:
    """The offers of the whole crawl: those of the runs before an interruption, and of other workers, are in the database too."""
    from scout.frontier.progress import offers_met
    from scout.store import Store

    crawl = getattr(spider, "crawl_id", None)
    if crawl is None:
        return stored
    with Store.open(crawler.settings["SCOUT_DATABASE"]) as store:
        return max(stored, offers_met(store, crawl))


class _ErrorOf:
    """The error with which a crawl ended, if any; taking it here keeps a user's mistake from being logged as a crash."""

    def __init__(self, crawling: Awaitable[None]) -> None:
        self.value: BaseException | None = None
        if isinstance(crawling, Deferred):
            crawling.addErrback(self._failed)
        elif isinstance(crawling, asyncio.Future):
            crawling.add_done_callback(self._done)

    def _failed(self, failure: Failure) -> None:
        self.value = failure.value

    def _done(self, task: asyncio.Future[None]) -> None:
        self.value = None if task.cancelled() else task.exception()
