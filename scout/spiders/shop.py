"""ShopSpider: walks a shop from its front page, category by category, and yields each product page once.

It does not extract fields: pipelines do, by `spider.rules`. The first product pages are held until the rules are there (stored, or
induced from these pages), and then yielded from the callback that completes the sample, so that nothing waits in a pipeline.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider, DropItem
from scrapy.http import Response, TextResponse
from scrapy.utils.asyncio import run_in_thread
from scrapy_spider_metadata import Args  # type: ignore[attr-defined]  # it exports by __init__ alone
from twisted.python.failure import Failure

from scout.crawl.account import AccountState, state_of_failure
from scout.crawl.configuration import read_setting
from scout.crawl.context import CrawlContext
from scout.crawl.failure_reasons import RepeatedOffer, is_mistake, page_rejected, rejection
from scout.crawl.page_limits import is_cut_by_parser
from scout.crawl.pages_in_progress import PageResult
from scout.crawl.scrapy_internals import call_spider
from scout.errors import UsageError
from scout.extraction.breadcrumbs import CategoryPath
from scout.extraction.induction import induce
from scout.extraction.lexicon import Lexicon, lexicon
from scout.extraction.product_page import ProductPageEvidence
from scout.fetch import FetchState, asked_urls, page_of, take_page
from scout.fields import category_names
from scout.frontier.resuming import check_can_join
from scout.items import EarlierOffer, PageItem, offers_of
from scout.learning.learner import Sample, learn
from scout.learning.sampling import choose_offers
from scout.page import Page
from scout.reporting.crawl_summary import COMPLETENESS, why_pages_look_empty
from scout.rules import ShopRules, apply_rules
from scout.spiders.arguments import ShopArguments, checked, web_address
from scout.spiders.base import ScoutSpider
from scout.spiders.exit_status import ExitStatusMixin, failure_reason
from scout.spiders.offers import known_values
from scout.spiders.rules_store import is_known, load_rules, save_rules
from scout.store import Store
from scout.store.shops import ShopStatus
from scout.url_rules import is_same_page, page_key
from scout.urls import clean_url, shop_name
from scout.walking.categories import is_everything
from scout.walking.completeness import category_counts
from scout.walking.crawl_budget import not_asked
from scout.walking.error_pages import error_page_reason, text_digest
from scout.walking.pagination import declared_next, next_url
from scout.walking.product_feeds import feed, feed_addresses
from scout.walking.records import RecordList
from scout.walking.sitemaps import sitemap, sitemaps_in_robots
from scout.walking.walk import MIN_CHILDREN, RECORD_HINT, PageVerdict, Step, Walk, same_hosts

SAMPLE = 12  # product pages from which rules are induced
MIN_SAMPLES = 3  # known offers with a page: fewer cannot tell a constant from a value
MAX_LESSONS = 40  # known offers whose pages are fetched to learn from
FIRST = 100  # priority of their pages, before which nothing can be extracted, and of sitemaps and feeds
MIN_RULE_HIT_RATE = 0.6  # share of sample pages with a title by the stored rules; below this, induce the rules again
MAX_SITEMAPS = 1_000  # files: an index that lists itself ends here
OK = 200
GONE = frozenset({"http_404", "http_410"})  # the shop itself says that there is no such page
DROPPED = "item_dropped_reasons_count/"  # Scrapy's stats of items, by the name of what dropped them
NO_ACCOUNT = "whether that is all is not known, because no account is kept without SCOUT_DATABASE and SCOUT_FRONTIER"
MAX_UNDECIDED = 100  # pages that wait for the end, when the shop's template is best known


class ShopSpider(Args[ShopArguments], ExitStatusMixin, ScoutSpider):
    """Crawl one shop: `-a url=https://shop.example`, or `-a shop=NAME` for one that is known.

    To crawl a shop differently, subclass it and override one of its decisions: `start_urls_of_shop`, `is_detail`, `is_category`,
    `records`, `next_page`, `extra_fields`. Each has a docstring, and docs/subclassing.md an example.
    """

    name = "shop"
    arguments: type[ShopArguments] = ShopArguments  # a subclass may take more of them

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        own = checked(self.arguments, kwargs)
        known = {name: value for name, value in own.items() if name in ShopArguments.model_fields}
        super().__init__(*args, **known)
        self.args = self.arguments(**own)
        self.start_url: str = self.args.url or ""
        self.shop: str = self.args.shop or shop_name(self.start_url)
        self.crawl_id: int | None = self.args.crawl
        self.keep_for_later: Callable[[Request], None] | None = None  # the frontier's, where there is one
        self.rules: ShopRules | None = None
        self._lessons: dict[str, Mapping[str, Any]] = {}  # address -> known offer, its page still to be learned from
        self._samples: list[Sample] = []
        self._sitemaps: set[str] = set()
        self.pages = 0
        self.products: set[str] = set()
        self._offers: dict[str, str] = {}  # address of a product -> that of its offer, which is the first it was met at
        self._paths: dict[CategoryPath, CategoryPath] = {}  # each path once, however many offers name it
        self._categories: dict[str, CategoryPath] = {}  # address of an offer -> the category that it names
        self._walk: Walk | None = None
        self._undecided: list[tuple[PageItem, PageVerdict]] = []
        self._held: list[PageItem] = []
        self._holding: set[str | None] = set()  # the pages of the frontier whose items are held or undecided
        self._is_ready = self._is_resumed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> ShopSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider._load_shop()
        crawler.signals.connect(spider._on_idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._on_closed, signal=signals.spider_closed)
        crawler.signals.connect(spider._on_offer, signal=signals.item_scraped)
        crawler.signals.connect(spider._on_dropped, signal=signals.item_dropped)
        return spider

    def _load_shop(self) -> None:
        """What is known of the shop from before: its name and address, its rules, else offers to learn them from."""
        database, directory = (
            read_setting(self.settings, "SCOUT_DATABASE"),
            read_setting(self.settings, "SCOUT_RULES_DIR"),
        )
        if not database:
            self.rules = load_rules(self.shop, directory)
            return
        with Store.open(database) as store:
            self.shop, self.start_url = named_shop(store.shops(), self.args.shop, self.args.url)
            if self.args.crawl is not None:
                check_can_join(store, self.shop, self.args.crawl)
            self.rules = load_rules(self.shop, directory, store)
            if self.rules is None and is_known(store, self.shop):
                self._lessons = lessons(store.known_offers(self.shop), self.start_url)

    # --- decisions: override these ------------------------------------------------------------------------------------

    def start_urls_of_shop(self) -> Iterable[str]:
        """Where the walk starts, beside the address that the user gave: a hidden category, a second language."""
        return ()

    def is_detail(self, page: Page, witness: ProductPageEvidence, hint: float) -> bool:
        """Whether `page` is one product's own page. `hint` is above 0 where a record of a list led here."""
        return self.walk.is_detail(witness, hint)

    def is_category(self, step: Step) -> bool:
        """Whether a link shall be followed; `step.role` is the part it plays: menu, crumb, pager, record, listed, facet, content ..."""
        return True

    def records(self, page: Page) -> RecordList | None:
        """The page's main repeated list: the products of a category."""
        return self.walk.records(page)

    def next_page(self, page: Page, records: RecordList | None) -> str | None:
        """The address of the page that continues the list on `page`."""
        following = next_url(page) if records is None else records.next_url
        return following or declared_next(page)

    def extra_fields(self, page: Page) -> dict[str, Any]:
        """Values of a product page that Scout does not find by itself; they win over what it finds."""
        return {}

    # --- the walk -----------------------------------------------------------------------------------------------------

    @property
    def walk(self) -> Walk:
        """The memory of this walk."""
        if self._walk is None:
            structure = self.rules.structure if self.rules is not None else None
            obey = read_setting(self.settings, "SCOUT_OBEY_NOFOLLOW")
            self._walk = Walk(self.start_url, self, obey_nofollow=obey, structure=structure)
        return self._walk

    async def start(self) -> AsyncIterator[Any]:
        """The shop's front page; the pages of known offers where rules are to be learned from them; sitemaps and feeds."""
        if self._is_resumed and self.crawl_id is not None:
            database = read_setting(self.settings, "SCOUT_DATABASE")
            for offer in await run_in_thread(earlier_offers, database, self.crawl_id):
                yield offer
        yield Request(
            self.start_url, self.parse_start, errback=self.start_failed, meta={"level": "home"}, dont_filter=True
        )
        for url in list(self._lessons):
            step = Step(url, "record", hint=RECORD_HINT)
            yield Request(url, self.parse_known, errback=self.known_failed, priority=FIRST, cb_kwargs={"came": step})
        for request in (*self._requests(self.walk.list_pages("start", self.start_urls_of_shop())), *self._sources()):
            yield request

    def parse_start(self, response: Response) -> Iterator[Any]:
        """The first page: it says whether there is a shop, and on which host."""
        if not same_hosts(response.url) & same_hosts(self.start_url):
            raise self._failed(
                f"{self.start_url} redirects to {response.url}, which is another site. "
                f"If that is the shop: -a url={response.url}"
            )
        if not isinstance(response, TextResponse):
            kind = (response.headers.get("Content-Type") or b"something else").decode("latin-1")
            raise self._failed(f"{self.start_url} is no web page but {kind}")
        yield from self.parse(response, Step(response.url, "menu"))

    def start_failed(self, failure: Failure) -> None:
        """The shop cannot be reached: say so, and end."""
        raise self._failed(f"{self.start_url} cannot be crawled: {failure_reason(failure)}")

    # --- sitemaps and feeds -------------------------------------------------------------------------------------------

    def _sources(self) -> Iterator[Request]:
        if "sitemap" in self.args.discover:
            yield self._source(urljoin(self.start_url, "/robots.txt"), self.parse_robots)
        if "feed" in self.args.discover:
            for url in feed_addresses(self.start_url):
                yield self._source(url, self.parse_feed)

    def _source(self, url: str, callback: Callable[..., Any]) -> Request:
        """A request for a list of addresses; a shop that has none answers 404, which is no failure."""
        return Request(
            url, callback, errback=self.source_failed, priority=FIRST, meta={"handle_httpstatus_list": [404]}
        )

    def source_failed(self, failure: Failure) -> None:
        """A sitemap or feed that cannot be had is counted."""
        self._count("sources_failed")

    def parse_robots(self, response: Response) -> Iterator[Request]:
        """The sitemaps that robots.txt names, else the usual place."""
        named = sitemaps_in_robots(response.body.decode("utf-8", "replace")) if response.status == OK else []
        for url in named or [urljoin(response.url, "/sitemap.xml")]:
            yield from self._sitemap_requests([url])

    def parse_sitemap(self, response: Response) -> Iterator[Request]:
        """A sitemap, or an index of them."""
        if response.status != OK:
            return
        found = sitemap(response.body)
        if found.flaw is not None:
            self._reject(response.url, found.flaw)
        yield from self._sitemap_requests(found.sitemaps)
        yield from self._requests(self.walk.list_pages("sitemap", found.pages))

    def _sitemap_requests(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if urlsplit(url).netloc.lower() in self.walk.hosts and len(self._sitemaps) < MAX_SITEMAPS:
                self._sitemaps.add(url)
                yield self._source(url, self.parse_sitemap)

    def parse_feed(self, response: Response) -> Iterator[Request]:
        """A page of a product feed."""
        found = feed(response.url, response.body) if response.status == OK else None
        if found is None:
            return
        yield from self._requests(self.walk.list_pages("feed", found.products, RECORD_HINT))
        if found.next_url:
            yield self._source(found.next_url, self.parse_feed)

    # --- pages --------------------------------------------------------------------------------------------------------

    def parse_known(self, response: Response, came: Step) -> Iterator[Any]:
        """The page of a known offer: to learn from, and a page like any other."""
        row = self._lessons.pop(came.url, None)
        if row is not None and isinstance(response, TextResponse):
            self._samples.append((Page(response.url, response.text), known_values(row)))
        yield from self.parse(response, came)

    def known_failed(self, failure: Failure) -> None:
        """A known offer that is gone teaches nothing."""
        self._lessons.pop(failure.request.cb_kwargs["came"].url, None)  # type: ignore[attr-defined]
        self.page_failed(failure)

    def parse(self, response: Response, came: Step) -> Iterator[Any]:
        """Any page of the shop."""
        if not isinstance(response, TextResponse):
            self._count("not_html")
            self._judge(response, PageResult(AccountState.NO_PRODUCT, "not_html"))
            return
        page = take_page(response)
        if self.walk.is_cut(page):
            self._judge(response, PageResult(AccountState.FAILED, "cut_off"))
            return
        reading = self.walk.read(page, came)
        if reading.level == "detail" and self.walk.titles.is_of_another(page_key(came.url), reading.title):
            self._judge(response, PageResult(AccountState.FAILED, "another_product"))
            return
        self._judge(response, self._result(page, reading, came))
        if is_cut_by_parser(page):
            self._reject(page.url, "too_deep")
        if self.keep_for_later is not None:
            for request in self._requests(reading.kept):
                self.keep_for_later(request)
        self.pages += 1
        self._count(f"level/{reading.level}")
        for reason, count in reading.skipped.items():
            self._count(f"skipped/{reason}", count)
        yield from self._products(page, reading, response)
        yield from self._requests(reading.steps)
        if self.args.max_pages and self.pages >= self.args.max_pages:
            yield from self._completed_sample()
            raise CloseSpider("max_pages")

    def _requests(self, steps: Iterable[Step]) -> Iterator[Request]:
        for step in filter(self._is_wanted, steps):
            yield Request(
                step.url,
                self.parse,
                errback=self.page_failed,
                priority=step.priority,
                cb_kwargs={"came": step},
            )

    def _is_wanted(self, step: Step) -> bool:
        return (step.role == "listed" or "walk" in self.args.discover) and self.is_category(step)

    def page_failed(self, failure: Failure) -> None:
        """A page that cannot be fetched is counted; dead links are every shop's daily bread."""
        self._count("dead_links")
        request: Request = failure.request  # type: ignore[attr-defined]
        if is_mistake(failure.value):
            self.logger.error("%s broke a component", request.url, exc_info=failure.value)
        reason = rejection(failure.value)
        self.walk.failed(request.cb_kwargs["came"], is_gone=reason in GONE)
        self._reject(asked_urls(request)[0], reason)

    def _result(self, page: Page, reading: PageVerdict, came: Step) -> PageResult | None:
        """What the page came to in the crawl's account; a product's page is settled when its offer is stored."""
        if reading.level == "detail":
            return None
        if came.shown == "product" and not is_same_page(came.url, page.url):
            return PageResult(AccountState.FAILED, "redirected")  # elsewhere: no answer about the product
        is_overview = len(reading.steps) >= MIN_CHILDREN  # what leads on to so many new addresses is no wall
        if is_overview or (reading.level != "other" and (reading.listing or came.shown != "product")):
            digest = (
                text_digest(page) if came.shown == "product" else None
            )  # one list in place of many products is a wall
            return PageResult(AccountState.LIST_READ, listing=reading.listing, digest=digest)
        if reason := error_page_reason(page):
            return PageResult(state_of_failure(reason), reason)
        return PageResult(AccountState.NO_PRODUCT, reading.level, digest=text_digest(page))

    def _judge(self, response: Response, result: PageResult | None) -> None:
        if result is None:
            return
        CrawlContext.of(self.crawler).judge_page(FetchState.of(response).token, result)
        if result.outcome not in (AccountState.LIST_READ, AccountState.NO_PRODUCT):
            self._reject(response.url, result.reason or result.outcome.value)

    def _reject(self, url: str, reason: str) -> None:
        """Say why a page is not taken, in the log and in the figures."""
        self._stats.inc_value(f"scout/reject/{reason}")
        self.logger.info("Rejected %s: %s", url, reason)
        self.crawler.signals.send_catch_log(page_rejected, url=url, reason=reason)

    # --- products and the sample --------------------------------------------------------------------------------------

    def _products(self, page: Page, reading: PageVerdict, response: TextResponse) -> Iterator[PageItem]:
        """The page's item if it is a product; what may be one is looked at once more at the end."""
        if reading.level == "detail":
            yield from self._hold_until_rules(self._item(page, reading, response))
        elif reading.is_undecided and len(self._undecided) < MAX_UNDECIDED:
            item = self._item(page, reading, response)
            item.page = Page(page.url, page.html)  # trees are ten times the size of their text, and many wait
            self._undecided.append((item, reading))
            self._holding.add(item.token)

    def _release_undecided(self) -> Iterator[PageItem]:
        waiting, self._undecided = self._undecided, []
        self._holding.difference_update(item.token for item, _ in waiting)
        for item, reading in waiting:
            if self.walk.is_product(reading):
                self._count("late_details")
                yield from self._hold_until_rules(item)

    def _item(self, page: Page, reading: PageVerdict, response: TextResponse) -> PageItem:
        return PageItem.from_response(
            response,
            page=page,
            shop=self.shop,
            crawl=self.crawl_id,
            category=() if is_everything(reading.category) else reading.category,
            values=self.extra_fields(page),
        )

    def _hold_until_rules(self, item: PageItem) -> Iterator[PageItem]:
        self.products.add(item.page.url)
        if self._is_ready:
            yield item
            return
        self._held.append(item)
        self._holding.add(item.token)
        if len(self._held) >= SAMPLE and not self._lessons:
            yield from self._completed_sample()

    def _completed_sample(self) -> Iterator[PageItem]:
        """The held items, now that the rules are known."""
        held, self._held = self._held, []
        self._holding.difference_update(item.token for item in held)
        if held and not self._is_ready:
            self.rules = self._found_rules([item.page for item in held])
            self._is_ready = True
        yield from held

    def _found_rules(self, pages: list[Page]) -> ShopRules:
        """The shop's rules: stored ones that still hold, else learned from known offers, else induced from `pages`."""
        if self.rules is not None and rules_still_fit(self.rules, pages):
            self._count("rules/stored")
            return self.rules
        is_taught = len(self._samples) >= MIN_SAMPLES
        found = learn(self._samples, shop=self.shop) if is_taught else induce(pages, self._template())
        found.shop = self.shop
        self._samples = []
        self._count("rules/learned" if is_taught else "rules/induced")
        return self.rules.merged_with(found) if self.rules is not None else found

    def _template(self) -> Lexicon:
        """The words of the shop's fields, with what the user added in the rules directory."""
        return lexicon(Path(read_setting(self.settings, "SCOUT_RULES_DIR")))

    def _on_idle(self) -> None:
        """Nothing left to fetch: try what was put off while it pays, then let out what is held, through a callback as always."""
        assert self.crawler.engine
        steps = self.walk.due_steps() if self.pages else []
        for request in self._requests(steps):
            self.crawler.engine.crawl(request)
        if not steps and (self._held or self._undecided):
            call_spider(self.crawler, self.start_url, self._flush)
        elif not steps:
            return
        raise DontCloseSpider

    def shows_product(self, response: Response) -> bool:
        """Whether the response is still a product's page: asked of one that was, when nothing else can be read any more."""
        if not isinstance(response, TextResponse):
            return False
        page = page_of(response)
        return self.is_detail(page, ProductPageEvidence.of(page), RECORD_HINT)

    def holds(self, token: str) -> bool:
        """Whether an item of this page of the frontier is held back: then the page is not over."""
        return token in self._holding

    def resume(self, asked: Iterable[str], products: Iterable[str], kept: Iterable[Request]) -> None:
        """The frontier goes on with an earlier crawl: it asked for these addresses, stored these products, kept these for later."""
        self._is_resumed = True
        self.walk.recall(asked, (request.cb_kwargs["came"] for request in kept))
        stored = list(products)
        self.products.update(stored)
        for url in map(page_key, stored):
            self._offers.setdefault(url, url)

    def _flush(self, response: Response) -> Iterator[PageItem]:
        yield from self._release_undecided()
        yield from self._completed_sample()

    # --- the end ------------------------------------------------------------------------------------------------------

    def _on_offer(self, item: Any) -> None:
        """An offer came out: its addresses, and those of its variants, are one product's."""
        for offer in offers_of(item):
            first = page_key(offer.get("parent") or offer["url"])
            self._offers.update((page_key(url), first) for url in (offer["url"], *(offer.get("urls") or ())))
            path = category_names(offer.get("category"))
            if path:
                self._categories.setdefault(first, self._paths.setdefault(path, path))

    def _on_dropped(self, exception: DropItem) -> None:
        if isinstance(exception, RepeatedOffer):
            self._on_offer(exception.offer)

    def _on_closed(self, reason: str) -> None:
        if self._stats.get_value("scout/exit_code"):
            return
        if not self.products and reason == "finished":
            because = why_pages_look_empty(self._stats.get_stats()) or "Is it a shop?"
            self._exit(f"No product found on {self.start_url} ({self.pages} pages read). {because}")
            return
        if not self._offers and reason == "finished" and (dropped := self._dropped()):
            some = min(self.products)
            self._exit(
                f"No offer of {len(self.products)} products found on {self.start_url} ({dropped}). "
                f"scout explain {some} says what one of their pages lacks"
            )
            return
        self._save_rules()
        outcome = CrawlContext.of(self.crawler).outcome
        is_finished = outcome.state == "complete" if outcome else reason == "finished"
        known = self.walk.discovery(self._offers, self._categories, is_finished=is_finished)
        statement = outcome or f"{len(known.products)} products found; {NO_ACCOUNT}"
        bounded = self.walk.shapes.bounded()
        dead = not_asked(bounded.values())
        self._stats.set_value(COMPLETENESS, f"{statement}{dead}")
        self._stats.set_value("scout/walk/categories", category_counts(known))
        for shape, left in bounded.items():
            self._stats.inc_value("scout/trap/bounded", left.count)
            self.logger.info("Bounded: %s, like %s", left, shape)
        self.logger.info("%s: %s%s", self.shop, statement, dead)

    def _dropped(self) -> str:
        """Why products gave no offers, most often first; empty where none was dropped."""
        counts = {k: n for k, n in self._stats.get_stats().items() if k.startswith(DROPPED)}
        often = sorted(counts.items(), key=lambda item: -item[1])
        return ", ".join(f"{count} × {name.removeprefix(DROPPED)}" for name, count in often)

    def _save_rules(self) -> None:
        """Keep the rules and the structure for the next crawl."""
        if self.rules is None:
            return
        self.rules.structure = self.walk.structure()
        database, directory = (
            read_setting(self.settings, "SCOUT_DATABASE"),
            read_setting(self.settings, "SCOUT_RULES_DIR"),
        )
        Path(directory).mkdir(parents=True, exist_ok=True)
        if not database:
            save_rules(self.rules, directory)
            return
        with Store.open(database) as store:
            save_rules(self.rules, directory, store)

    def _count(self, what: str, count: int = 1) -> None:
        self._stats.inc_value(f"scout/walk/{what}", count)


def named_shop(known: Iterable[ShopStatus], name: str | None, url: str | None) -> tuple[str, str]:
    """The name and address of the shop that the user means; UsageError where it has no address."""
    statuses = list(known)
    if url is None:
        status = next((status for status in statuses if status.name == name), None)
        if status is None or not status.url:
            raise UsageError(f"No address is known for the shop {name!r}: add -a url=https://…")
        return status.name, web_address(status.url)
    hosts = same_hosts(url)
    met = (status.name for status in statuses if status.url and same_hosts(status.url) == hosts)
    return name or next(met, None) or shop_name(url), url


def earlier_offers(database: str, crawl: int) -> list[EarlierOffer]:
    """The offers that earlier runs of a crawl have stored."""
    with Store.open(database) as store:
        return [EarlierOffer(offer) for offer in store.offers_of_crawl(crawl)]


def lessons(rows: Iterable[Mapping[str, Any]], start_url: str) -> dict[str, Mapping[str, Any]]:
    """Known offers of the shop's own site to learn from, by their clean address."""
    hosts = same_hosts(start_url)
    usable = [row for row in rows if row.get("url") and urlsplit(str(row["url"])).netloc.lower() in hosts]
    return {clean_url(str(row["url"])): row for row in choose_offers(usable, MAX_LESSONS)}


def rules_still_fit(rules: ShopRules, pages: Sequence[Page]) -> bool:
    """Whether stored rules still read most of the shop's pages."""
    named = sum(1 for page in pages if "title" in apply_rules(page, rules))
    return named >= MIN_RULE_HIT_RATE * len(pages) or "title" not in rules.fields
