"""What one process knows of its crawl: the one place where components find what several of them need."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scout.crawl.account import CrawlOutcome
from scout.crawl.configuration import read_setting
from scout.crawl.held_pages import HeldPages
from scout.crawl.pages_in_progress import PagesInProgress
from scout.crawl.shop_knowledge import ShopKnowledge
from scout.errors import ScoutError, UsageError
from scout.rules import ShopRules
from scout.store import Store

FAILED, WRONG_USAGE = 1, 2  # exit codes
DATABASE_FAILED = "database_failed"  # the reason with which the spider is closed

logger = logging.getLogger(__name__)

ClosingStep = Callable[[str], Awaitable[None]]  # gets the reason with which the spider was closed


@dataclass(frozen=True)
class ShopRef:
    """The shop that is crawled; without a name, nothing is stored by it.

    `named_urls` are what the user named beside the address, and so may lie in a local network. `is_resumable` says whether requests are
    kept in the database, so that the next start goes on with them. `scope` says that less than the shop is crawled: known or prices.
    """

    name: str | None = None
    start_url: str | None = None
    named_urls: tuple[str, ...] = ()
    is_resumable: bool = False
    scope: str = ""


@dataclass(frozen=True)
class CrawlFailure:
    """Why a crawl failed, and with which exit code."""

    reason: str
    exit_code: int = FAILED


@dataclass(frozen=True)
class EarlierRuns:
    """What earlier runs of this crawl left: addresses they asked for, products they stored, requests they kept, whether they read lists."""

    asked: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    kept: tuple[Request, ...] = ()
    has_lists: bool = False


def _keep_nothing(request: Request) -> None:
    """A crawl without a frontier keeps no requests for later."""


class CrawlContext:
    """The only extension with shared state: it holds, and decides nothing.

    A spider that is not Scout's declares what the components need in attributes: `shop` (the name by which offers are stored), `start_url`,
    `start_urls`, `named_urls`, `rules` (a ShopRules), `products` (a collection that grows), `args.reviews`, `crawl_id` (None, or the crawl
    to join: its requests are kept in the database). They are read here, once, and nowhere else.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.held = HeldPages()
        self.pages = PagesInProgress(self.held.has)  # under way, where the crawl keeps an account
        self.leases: Mapping[str, int] = {}  # the numbers of their leases
        self.earlier: EarlierRuns | None = None  # None: the crawl begins with this run
        self.keep_for_later: Callable[[Request], None] = _keep_nothing  # the frontier's, where there is one
        self.count_pages: Callable[[], tuple[int, int]] | None = None  # done and waiting; the frontier's, for a thread
        self.leave_at_once: Callable[[], None] | None = None  # the frontier's, after the reactor was stopped
        self.failure: CrawlFailure | None = None
        self.outcome: CrawlOutcome | None = None  # what the account says at the end
        self.finish_reason: str | None = None  # Scrapy's
        self.stored_offers = 0  # by this run; at the end, by all runs and workers of this crawl
        self.stored_products: tuple[str, ...] = ()  # at the end: by all runs and workers of this crawl
        self.load: Callable[[], None] | None = None  # loads what is known of the shop; runs in a thread
        self._loading: Deferred[None] | None = None
        self._store: Store | None = None
        self._opening = Lock()
        self._checks: list[ClosingStep] = []
        self._records: list[ClosingStep] = []
        crawler.signals.connect(self._on_opened, signal=signals.spider_opened)
        crawler.signals.connect(self._on_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrawlContext:
        return cls.of(crawler)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlContext:
        """The context of the crawl.

        It is kept with the crawler and not found among its extensions: spiders need it before these are made, and single components in
        projects that do not enable it.
        """
        context: CrawlContext | None = vars(crawler).get("scout_context")
        if context is None:
            context = vars(crawler)["scout_context"] = cls(crawler)
        return context

    # --- what the spider says of itself, unless it has set it ---------------------------------------------------------

    @cached_property
    def shop(self) -> ShopRef:
        """The shop; Scout's own spiders set it."""
        named = self._declared("named_urls", Iterable) or self._declared("start_urls", Iterable)
        return ShopRef(
            self._declared("shop", str),
            self._declared("start_url", str),
            tuple(named or ()),
            is_resumable=hasattr(self.crawler.spider, "crawl_id"),
        )

    @cached_property
    def crawl_id(self) -> int | None:
        """The crawl in the database, as soon as this run has begun or joined it."""
        declared: int | None = self._declared("crawl_id", int)
        return declared

    @cached_property
    def knowledge(self) -> ShopKnowledge:
        """What is known of the shop; the `rules` of Scrapy's CrawlSpider are others."""
        return ShopKnowledge(self._declared("rules", ShopRules))

    @cached_property
    def products(self) -> Collection[str] | None:
        """The addresses of products seen so far; None where the spider does not count them."""
        declared: Collection[str] | None = self._declared("products", Collection)
        return declared

    @cached_property
    def wants_reviews(self) -> bool:
        """Whether the pages of a product's reviews are fetched too."""
        return bool(getattr(self._declared("args", object), "reviews", False))

    def _declared(self, name: str, kind: type) -> Any:
        value = getattr(self.crawler.spider, name, None)
        return value if isinstance(value, kind) else None

    @property
    def named_urls(self) -> tuple[str, ...]:
        """All addresses that the user named."""
        shop = self.shop
        return (*shop.named_urls, shop.start_url) if shop.start_url else shop.named_urls

    # --- the database -------------------------------------------------------------------------------------------------

    def store(self) -> Store:
        """The database, opened once for all components. To be called in a thread, as all that is done with it."""
        with self._opening:
            if self._store is None:
                self._store = Store.open(read_setting(self.crawler.settings, "SCOUT_DATABASE"))
            return self._store

    async def loaded(self) -> bool:
        """Load what is known of the shop, once; False where that failed. Whoever opens first and needs the shop asks for it."""
        if self._loading is None:
            self._loading = deferred_from_coro(self._load())
        await maybe_deferred_to_future(self._loading)
        return self.failure is None

    async def _load(self) -> None:
        if self.load is None:
            return
        try:
            await run_in_thread(self.load)
        except ScoutError as error:
            self.fail_to_start(error)

    # --- how the crawl ends -------------------------------------------------------------------------------------------

    def fail(self, reason: str, exit_code: int = FAILED) -> None:
        """The crawl has failed; of several reasons, the first is the cause. It is said once."""
        if self.failure is not None:
            logger.info("%s", reason)
            return
        logger.error("%s", reason)
        self.failure = CrawlFailure(reason, exit_code)
        assert self.crawler.stats
        self.crawler.stats.set_value("scout/exit_code", exit_code)
        self.crawler.stats.set_value("scout/exit/reason", reason)

    def stop(self, reason: str, finish_reason: str) -> None:
        """The crawl has failed and ends now."""
        self.fail(reason)
        self.close_spider(finish_reason)

    def close_spider(self, finish_reason: str) -> None:
        """The crawl ends now."""
        engine = self.crawler.engine
        if engine is not None and engine.running:
            deferred_from_coro(engine.close_spider_async(reason=finish_reason))

    def stop_without_database(self, error: Exception) -> None:
        """The database is away or broken: the crawl must not go on without it."""
        self.stop(f"{error}. The crawl stops; start it again when the database works.", DATABASE_FAILED)

    def fail_to_start(self, error: ScoutError) -> None:
        """The crawl cannot begin: the spider is closed as soon as it has been opened."""
        self.fail(str(error), WRONG_USAGE if isinstance(error, UsageError) else FAILED)

    def add_check(self, step: ClosingStep) -> None:
        """Have `step` run when the spider is closed: it may fail the crawl."""
        self._checks.append(step)

    def add_record(self, step: ClosingStep) -> None:
        """Have `step` run after all checks: it writes down how the crawl ended."""
        self._records.append(step)

    async def _on_opened(self) -> None:
        if not await self.loaded():
            raise CloseSpider("failed")

    async def _on_closed(self, reason: str) -> None:
        self.finish_reason = reason
        await sleep(0)  # all others who are told of the end, Scrapy's stats among them, have written their figures
        for step in (*self._checks, *self._records):
            try:
                await step(reason)
            except Exception as error:  # whatever it is: the others must have their turn
                logger.error("The end of the crawl is not as it should be", exc_info=error)
                self.fail(f"{type(error).__name__} at the end of the crawl: {error}")
        if self._store is not None:
            await run_in_thread(self._store.close)
