"""crawl: Scrapy's own command, which also takes a shop's URL, and ends with one line of summary and an exit code for scripts."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from collections.abc import Awaitable
from importlib import import_module
from typing import TYPE_CHECKING

from scrapy.commands import crawl
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from scout.command_line import FAILED, WRONG_USAGE
from scout.command_line.base import DescribedCommand, is_web_address, program
from scout.crawl.configuration import read_setting
from scout.errors import ScoutError
from scout.errors import UsageError as ScoutUsageError

if TYPE_CHECKING:
    from scout.crawl.context import CrawlContext
    from scout.extensions.feeds import OfferFeeds

logger = logging.getLogger(__name__)

NO_SPIDERS = "none, because this is not the directory of a project; `scout crawl` works in any directory"
ENDINGS = {"finished": "done", "shutdown": "interrupted (start it again to continue)"}  # Scrapy's finish reasons


class Command(DescribedCommand, crawl.Command):
    """A component that calls `CrawlContext.fail` decides how the process ends; else it ends as Scrapy has it."""

    usage = "(URL | SPIDER) [-a NAME=VALUE ...] [-O FILE] [options]"
    description = (
        "Crawl the shop at URL, or run a spider of the project.\n"
        "`crawl https://shop.example` is short for `crawl shop -a url=https://shop.example`.\n\n"
        "Arguments of the spider shop: url=URL (a new shop) or shop=NAME (a known one), max_pages=N, "
        "discover=walk,catalogue,sitemap,feed,known, refresh=prices, reviews=1, crawl=ID (join a running crawl).\n"
        "Of the spider forms: url=URL (of a page with a query form, or of a DBContent document), shop=NAME, details=1, soif=FILE.\n"
        "Of the spider offers: shop=NAME.\n\n"
        "Exit codes: 0 done, 1 failed (the shop is down, empty, or not a shop), 2 wrong usage, "
        "3 incomplete, interrupted, or a monitored threshold was missed."
    )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if options := [arg for arg in args if arg.startswith("-")]:
            raise UsageError(f"unrecognized arguments: {' '.join(options)}", print_help=False)
        if len(args) != 1:
            problem = "cannot run more than one spider at a time" if args else "name a shop's URL, or a spider"
            raise UsageError(problem, print_help=False)
        opts.spider = _spider_name(args[0], opts)
        gc.disable()  # until `run`: modules are no garbage, and the collector would look through them again and again
        # It looks through the whole stack and all modules when it is imported: here there are few of either.
        import_module("scrapy.core.downloader.contextfactory")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from scout.crawl.scrapy_internals import tell_of_interrupts

        assert self.crawler_process
        gc.freeze()
        gc.enable()
        crawler = self._create_known_crawler(opts.spider)
        crawling = self.crawler_process.crawl(crawler, **opts.spargs)
        error = _CrawlError(crawling)
        interrupt = _Interrupt(crawler)
        tell_of_interrupts(self.crawler_process, interrupt.stop, interrupt.stop_at_once)
        self.crawler_process.start()
        interrupt.leave_crawl()
        gc.freeze()  # the process ends: taking everything apart would be work for nothing
        if isinstance(error.value, ScoutError):
            self.exitcode = WRONG_USAGE if isinstance(error.value, ScoutUsageError) else FAILED
            print(f"{program()} crawl: error: {error.value}", file=sys.stderr)
        elif error.value is not None:
            logger.error("The crawl crashed", exc_info=error.value)
        if error.value is not None or self.crawler_process.bootstrap_failed:
            self.exitcode = self.exitcode or FAILED
            return
        self._print_summary(crawler)

    def _create_known_crawler(self, name: str) -> Crawler:
        assert self.crawler_process
        try:
            return self._create_crawler(name)
        except KeyError:
            known = ", ".join(sorted(self.crawler_process.spider_loader.list())) or NO_SPIDERS
            raise UsageError(f"there is no spider {name!r}; there are: {known}", print_help=False) from None

    def _print_summary(self, crawler: Crawler) -> None:
        from scout.crawl.context import CrawlContext

        context = CrawlContext.of(crawler)
        failure, outcome = context.failure, context.outcome
        if failure is not None:
            self.exitcode = failure.exit_code
            summary = f"{'error' if failure.exit_code == WRONG_USAGE else 'failed'}: {failure.reason}"
        else:
            if outcome is not None:
                self.exitcode = outcome.exit_code(read_setting(crawler.settings, "SCOUT_MAX_UNREAD"))
            summary = _summary(context)
        incomplete = _incomplete_feeds(crawler)
        if incomplete:
            self.exitcode = FAILED
        if said := "; ".join(filter(None, [*incomplete, summary])):
            print(f"{program()} crawl: {said}", file=sys.stderr)


def _spider_name(target: str, opts: argparse.Namespace) -> str:
    """The spider to run; a URL in its place is the shop spider's argument."""
    if not is_web_address(target):
        return target
    if "url" in opts.spargs:
        raise UsageError(f"there are two URLs, {target} and -a url={opts.spargs['url']}: give one", print_help=False)
    opts.spargs["url"] = target
    return "shop"


def _summary(context: CrawlContext) -> str:
    """What is stored where, how complete it is, and what to do; empty if there is nothing to tell."""
    outcome, places = context.outcome, _places(context)
    if outcome is None:
        ended = ENDINGS.get(str(context.finish_reason), "ended early")
        return f"{ended}: {places}" if places else ""
    word = "done" if outcome.state == "complete" else outcome.state
    is_left = outcome.state == "interrupted" or (outcome.state != "running" and outcome.account.unread)
    hint = " Start it again to go on." if is_left else ""
    why = f"; {'; '.join(outcome.why())}.{hint}" if outcome.why() else ", complete"
    return f"{word}: {places}{why}"


def _places(context: CrawlContext) -> str:
    """Where the offers are, and how many."""
    from scout.store.engine import url_without_password

    crawler, offers = context.crawler, context.stored_offers
    database, feeds = read_setting(crawler.settings, "SCOUT_DATABASE"), _feeds(crawler)
    places = list(feeds.written.values()) if feeds else []
    if offers or context.outcome is not None:
        name = context.shop.name or (crawler.spider.name if crawler.spider else "")
        places.insert(0, f"{offers} offers of {name} are in {url_without_password(database)}")
    return " and ".join(places)


def _feeds(crawler: Crawler) -> OfferFeeds | None:
    from scout.extensions.feeds import OfferFeeds

    return crawler.get_extension(OfferFeeds)


def _incomplete_feeds(crawler: Crawler) -> list[str]:
    """What is wrong with the feeds."""
    from scrapy.extensions.feedexport import FeedExporter

    if crawler.settings.getdict("FEEDS") and crawler.get_extension(FeedExporter) is None:
        return ["failed: no feed was written, the log says why"]
    feeds = _feeds(crawler)
    return [f"failed: {problem}" for problem in feeds.failures.values()] if feeds else []


class _Interrupt:
    """Ctrl-C: once, and the pages under way are read; twice, and the crawl ends at once. Either way the last line says what is kept."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.is_at_once = False

    def stop(self) -> None:
        """Say what is waited for."""
        from scout.crawl.context import CrawlContext

        pages = CrawlContext.of(self.crawler).pages.open
        count = f"{len(pages)} pages under way" if pages else "reading the pages under way"
        print(f"{program()} crawl: stopping: {count}; press Ctrl-C again to stop at once", file=sys.stderr)

    def stop_at_once(self) -> None:
        """Nobody is told that the spider is closed, so the live line goes here."""
        from scout.extensions.progress import ProgressExtension

        self.is_at_once = True
        if (progress := self.crawler.get_extension(ProgressExtension)) is not None:
            progress.stop()

    def leave_crawl(self) -> None:
        """Let the database say what is kept: the crawl did not come to it."""
        from scout.crawl.context import CrawlContext

        context = CrawlContext.of(self.crawler)
        if self.is_at_once and context.leave_at_once is not None:
            try:
                context.leave_at_once()
            except ScoutError as error:
                context.fail(str(error))


class _CrawlError:
    """The error that ended a crawl, if any. Handled here, a user's mistake is not logged as a crash."""

    def __init__(self, crawling: Awaitable[None]) -> None:
        self.value: BaseException | None = None
        if isinstance(crawling, Deferred):
            crawling.addErrback(self._keep_failure)
        elif isinstance(crawling, asyncio.Future):
            crawling.add_done_callback(self._keep_exception)

    def _keep_failure(self, failure: Failure) -> None:
        self.value = failure.value

    def _keep_exception(self, task: asyncio.Future[None]) -> None:
        self.value = None if task.cancelled() else task.exception()
