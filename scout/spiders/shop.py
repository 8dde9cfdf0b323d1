"""ShopSpider: walks a shop from its front page, category by category, and yields each product page once.

It does not extract fields: pipelines do, by the shop's rules. The first product pages are held until the rules are there (stored, or
induced from these pages), and then yielded from the callback that completes the sample, so that nothing waits in a pipeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider, DropItem
from scrapy.http import Response, TextResponse
from scrapy.utils.asyncio import run_in_thread
from twisted.python.failure import Failure

from scout.crawl.account import (
    CUT_OFF,
    OTHER_NAME,
    REDIRECTED,
    REPEATED,
    SENT_AWAY,
    UNPROVEN_DATABASE,
    AccountState,
    state_of_failure,
)
from scout.crawl.context import EarlierRuns, ShopRef
from scout.crawl.failure_reasons import is_mistake, rejection
from scout.crawl.held_pages import UndecidedPage
from scout.crawl.page_limits import is_cut_by_parser
from scout.crawl.pages_in_progress import PageResult
from scout.crawl.scrapy_internals import call_spider
from scout.crawl.shop_knowledge import SAMPLE
from scout.errors import UsageError
from scout.extraction.induction import induce
from scout.extraction.lexicon import Lexicon, lexicon
from scout.extraction.product_page import ProductPageEvidence
from scout.fetch import FetchState, asked_urls, page_of, take_page
from scout.forms.discovery import FoundDatabase, database_behind, declared_database
from scout.frontier.ledger import settle_kept
from scout.frontier.price_refresh import listed_prices, refresh_inputs
from scout.frontier.resuming import check_can_join
from scout.items import EarlierOffer, PageItem
from scout.learning.learner import Sample, learn
from scout.learning.sampling import choose_offers
from scout.offer import Offer
from scout.page import Page
from scout.reporting.crawl_summary import COMPLETENESS, why_pages_look_empty
from scout.rules import ShopRules, apply_rules
from scout.shop_catalogues.model import CatalogueRequest
from scout.shop_catalogues.platforms import catalogue_requests
from scout.shop_catalogues.reading import CatalogueReading
from scout.spiders.arguments import ShopArguments, answering_address, web_address
from scout.spiders.catalogue_level import WITHHELD, CatalogueLevel
from scout.spiders.databases import AT_START, DatabaseRefused, DatabaseSpider
from scout.spiders.form_results import Asking, OfferRow, asked_values
from scout.spiders.offers import known_values
from scout.spiders.price_refresh import PriceRefresh
from scout.spiders.rules_store import load_rules, save_rules
from scout.store import Store
from scout.store.batched import batched
from scout.store.columns import now
from scout.url_rules import is_same_page
from scout.urls import clean_url, shop_name
from scout.walking.cards import cards
from scout.walking.categories import is_everything
from scout.walking.crawl_budget import not_asked
from scout.walking.error_pages import error_page_reason, text_digest
from scout.walking.pagination import declared_next, next_url
from scout.walking.records import Record, RecordList
from scout.walking.sitemaps import sitemap, sitemaps_in_robots
from scout.walking.walk import (
    MIN_CHILDREN,
    RECORD_HINT,
    PageVerdict,
    Step,
    Walk,
    ends_amid,
    is_called_otherwise,
    is_detail,
    same_hosts,
)

if TYPE_CHECKING:
    from typing_extensions import Self

EARLIER_AT_ONCE = 500  # offers of earlier runs in memory
MIN_SAMPLES = 3  # known offers with a page: fewer cannot tell a constant from a value
MAX_LESSONS = 40  # known offers whose pages are fetched to learn from
FIRST = 100  # priority of their pages, before which nothing can be extracted, and of sitemaps and feeds
MIN_RULE_HIT_RATE = 0.6  # share of sample pages with a title by the stored rules; below this, induce the rules again
MAX_SITEMAPS = 1_000  # files: an index that lists itself ends here
OK = 200
READ = frozenset({AccountState.LIST_READ, AccountState.OTHER_PAGE, AccountState.NO_PRODUCT})
GONE = frozenset({"http_404", "http_410"})  # the shop itself says that there is no such page
NO_ACCOUNT = "whether that is all is not known, because no account is kept without SCOUT_DATABASE and SCOUT_FRONTIER"


class ShopSpider(DatabaseSpider):
    """Crawl one shop: `-a url=https://shop.example`, or `-a shop=NAME` for one that is known.

    To crawl a shop differently, subclass it and override one of its decisions: `start_urls_of_shop`, `is_detail`, `is_category`,
    `records`, `next_page`, `extra_fields`. Each has a docstring, and docs/subclassing.md an example.
    """

    name = "shop"
    room = "walk"
    arguments = ShopArguments  # a subclass may take more of them

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._has_no_scheme = "://" not in kwargs.get("url", "://")
        self._lessons: dict[str, Mapping[str, Any]] = {}  # address -> known offer, its page still to be learned from
        self._samples: list[Sample] = []
        self._sitemaps: set[str] = set()
        self.pages = 0
        self._database: FoundDatabase | None = None  # the first one that a page leads to
        self._asked_database: str | None = None  # the address of the one that is asked
        self._has_lists = False  # beside the front page: a shop without any is searched
        self.products: set[str] = set()
        self._offers = 0  # of this run
        self._dropped: Counter[str] = Counter()  # why products gave no offers
        self._walk: Walk | None = None
        self._is_ready = False
        self._catalogue = CatalogueLevel()
        self._withheld_before: list[Step] = []  # steps that waited for a catalogue when an earlier run ended
        self._known: list[str] = []  # addresses to read again
        self._refresh: PriceRefresh | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.context.products, spider.context.crawl_id = spider.products, spider.args.crawl
        spider.context.knowledge.is_product_page = spider._is_product_page
        crawler.signals.connect(spider._on_idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._on_offer, signal=signals.item_scraped)
        crawler.signals.connect(spider._on_dropped, signal=signals.item_dropped)
        return spider

    def _asked_shop(self) -> ShopRef:
        url = self.args.url or ""
        return ShopRef(self.args.shop or shop_name(url), url, is_resumable=True, scope=self.args.scope)

    def _load(self) -> None:
        """What is known of the shop from before: its name and address, its rules, else offers to learn them from."""
        context, directory = self.context, self.setting("SCOUT_RULES_DIR")
        if self._has_no_scheme:
            context.shop = replace(context.shop, start_url=answering_address(self.start_url))
        if not self.setting("SCOUT_DATABASE"):
            if self.args.scope:
                raise UsageError("refresh and discover=known read what SCOUT_DATABASE knows, which is empty")
            context.knowledge.rules = load_rules(self.shop, directory)
            return
        store = context.store()
        name, url = named_shop(store, self.args.shop, context.shop.start_url)
        context.shop = ShopRef(name, url, is_resumable=True, scope=self.args.scope)
        if self.args.crawl is not None:
            check_can_join(store, name, self.args.crawl)
        context.knowledge.rules = load_rules(name, directory, store)
        if "known" in self.args.discover and store.has_shop(name):
            self._known = [offer["url"] for offer in store.offers(name) if not offer.get("parent")]
        if self.args.refresh:
            self._refresh = self._new_refresh(store)
            return  # the pages it reads are those that changed: they say nothing of the others
        if context.knowledge.rules is not None and store.has_shop(name) and self.setting("SCOUT_HEAL"):
            context.knowledge.yesterday = store.facts(name)
        if context.knowledge.rules is None and store.has_shop(name):
            self._lessons = lessons(store.known_offers(name), url)

    def _new_refresh(self, store: Store) -> PriceRefresh:
        rules = self.context.knowledge.rules
        return PriceRefresh(
            refresh_inputs(store, self.shop),
            now(),
            budget=self.setting("SCOUT_REFRESH_BUDGET"),
            max_stale=self.setting("SCOUT_REFRESH_STALE"),
            locale=rules.locale if rules is not None else None,
        )

    # --- decisions: override these ------------------------------------------------------------------------------------

    def start_urls_of_shop(self) -> Iterable[str]:
        """Where the walk starts, beside the address that the user gave: a hidden category, a second language."""
        return ()

    def is_detail(self, page: Page, witness: ProductPageEvidence, hint: float) -> bool | None:
        """Whether `page` is one product's own page. `hint` is above 0 where a record of a list led here; None lets its template decide."""
        return None

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
            rules = self.context.knowledge.rules
            structure = rules.structure if rules is not None else None
            obey = self.setting("SCOUT_OBEY_NOFOLLOW")
            self._walk = Walk(
                self.start_url,
                self,
                is_part=self.args.part,
                obey_nofollow=obey,
                structure=structure,
                template=self._template().lists,
            )
        return self._walk

    async def start(self) -> AsyncIterator[Any]:
        """The shop's front page; the pages of known offers where rules are to be learned from them; sitemaps and feeds."""
        if self.context.earlier is not None:
            self._recall(self.context.earlier)
            ids = await run_in_thread(self._earlier_offer_ids)
            for some in batched(ids, EARLIER_AT_ONCE):
                for offer in await run_in_thread(self._earlier_offers, some):
                    yield offer
        yield Request(
            self.start_url, self.parse_start, errback=self.start_failed, meta={"level": "home"}, dont_filter=True
        )
        for url in list(self._lessons):
            step = Step(url, "record", hint=RECORD_HINT)
            yield Request(url, self.parse_known, errback=self.known_failed, priority=FIRST, cb_kwargs={"came": step})
        known = self.walk.list_pages(self._known, RECORD_HINT)
        start_steps = self.walk.list_pages(self.start_urls_of_shop(), is_wanted=True)
        steps = [*start_steps, *self._withheld_before]
        databases = () if self.args.scope else self._recalled_database()
        for request in (*map(self._page_request, known), *self._requests(steps), *self._sources(), *databases):
            yield request
        if self._refresh is not None:
            if self.context.earlier is not None:
                for key, text in (await run_in_thread(self._listed_prices)).items():
                    self._refresh.note(key, text)
            for request in map(self._page_request, self._refresh.list_steps()):
                yield request

    def parse_start(self, response: Response) -> Iterator[Any]:
        """The first page: it says whether there is a shop, and on which host."""
        if not same_hosts(response.url) & same_hosts(self.start_url):
            raise self._failed(
                f"{self.start_url} redirects to {response.url}, which is another site. "
                f"If that is the shop: -a url={response.url}"
            )
        page = self._web_page(response)
        self._meet_database(database_behind(page_of(page)))
        self.walk.begin_at(page.url)
        if self._may_use_catalogue():
            asked = self._catalogue.begin(page_of(page), self.setting("SCOUT_UCP_PROFILE"))
            yield from self._catalogue_requests(asked)
        if "feed" in self.args.discover:
            for platform, asked in catalogue_requests(page_of(page), even_untold=True):
                yield self._feed_request(CatalogueReading(platform, asked), asked)
        yield from self.parse(page, Step(page.url, "menu"))
        if self.walk.part.is_limited:
            self.logger.info("Only the part of the shop at %s is crawled", self.start_url)

    # --- sitemaps and feeds -------------------------------------------------------------------------------------------

    def _sources(self) -> Iterator[Request]:
        if "sitemap" in self.args.discover:
            yield self._source(urljoin(self.start_url, "/robots.txt"), self.parse_robots)

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
            self._reject(response, found.flaw)
        yield from self._sitemap_requests(found.sitemaps)
        yield from self._requests(self.walk.list_pages(found.pages))

    def _sitemap_requests(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if urlsplit(url).netloc.lower() in self.walk.hosts and len(self._sitemaps) < MAX_SITEMAPS:
                self._sitemaps.add(url)
                yield self._source(url, self.parse_sitemap)

    def _feed_request(self, reading: CatalogueReading, asked: CatalogueRequest) -> Request:
        """A catalogue of which only the addresses are used, asked anew by every run."""
        came = {"reading": reading, "asked": asked}
        return catalogue_fetch(asked, self.parse_feed, self.feed_failed, came)

    def parse_feed(self, response: Response, reading: CatalogueReading, asked: CatalogueRequest) -> Iterator[Request]:
        """An answer of a shop's catalogue; at its end, its products' pages."""
        following = reading.add(asked, response.body, header_texts(response)) if self._is_own(response.url) else None
        if following and self._is_own(following.url):
            yield self._feed_request(reading, following)
        else:
            yield from self._requests(self.walk.list_pages([p.url for p in reading.products.values()], RECORD_HINT))

    def feed_failed(self, failure: Failure) -> Iterator[Request]:
        """A catalogue that ends early, or that is not there, is counted; what it has said counts."""
        self._count("sources_failed")
        reading: CatalogueReading = failure.request.cb_kwargs["reading"]  # type: ignore[attr-defined]
        yield from self._requests(self.walk.list_pages([p.url for p in reading.products.values()], RECORD_HINT))

    # --- the shop's own catalogue -------------------------------------------------------------------------------------

    def _may_use_catalogue(self) -> bool:
        """Not for a part of a shop or reviews, which only pages have, nor for what a subclass reads of them; a crawl that goes on walks."""
        is_whole = urlsplit(self.start_url).path == "/" and not self.args.part and not self.args.scope
        needs_pages = self.args.reviews or type(self).extra_fields is not ShopSpider.extra_fields
        is_wanted = "catalogue" in self.args.discover and self.setting("SCOUT_CATALOGUE_SAMPLE") > 0
        return is_wanted and is_whole and not needs_pages and self.context.earlier is None

    def _is_own(self, url: str) -> bool:
        return bool(same_hosts(url) & same_hosts(self.start_url))

    def _catalogue_requests(self, asked: CatalogueRequest | None) -> Iterator[Request]:
        """What to ask of the catalogue; where there is nothing more to ask, the pages to compare it with."""
        while asked is not None and not self._is_own(asked.url):
            asked = self._catalogue.fail("it leads to another site")
        if asked is not None:
            yield catalogue_fetch(asked, self.parse_catalogue, self.catalogue_failed, {"asked": asked})
        elif self._catalogue.is_under_way:
            size, seed = self.setting("SCOUT_CATALOGUE_SAMPLE"), f"{self.shop} {self.context.crawl_id}"
            yield from self._requests(self._catalogue.compared_pages(self.walk, size, seed))

    def parse_catalogue(self, response: Response, asked: CatalogueRequest) -> Iterator[Any]:
        """An answer of the shop's catalogue; after the last one, pages are compared with it."""
        self._count("catalogue/answers")
        if self._is_own(response.url):
            following = self._catalogue.take(asked, response.body, header_texts(response))
        else:
            following = self._catalogue.fail("it leads to another site")
        yield from self._catalogue_requests(following)

    def catalogue_failed(self, failure: Failure) -> Iterator[Any]:
        """A catalogue that cannot be had, or not in full."""
        yield from self._catalogue_requests(self._catalogue.fail(rejection(failure.value)))

    def _conclude_catalogue(self, response: Response) -> Iterator[Any]:
        """Nothing is left to fetch: what the comparison allows comes from the catalogue, and the walk goes on where it must."""
        for offer in self._catalogue.conclude(self.shop):
            if not offer.get("parent"):
                self.products.add(offer["url"])
            self._count("catalogue/offers")
            yield offer
        yield from self._requests(self._catalogue.released(self.walk))

    async def _settle_catalogue(self, response: Response) -> None:
        """The offers of the catalogue are stored, so the products that lists show are read: a kill before this reads their pages."""
        settled = self._catalogue.take_settled()
        if self.context.crawl_id is not None:
            await run_in_thread(settle_kept, self.context.store(), self.context.crawl_id, settled)

    # --- databases behind forms (Weber, 2001, section 3.2): see DatabaseSpider ------------------------------------------

    def _meet_database(self, found: FoundDatabase | None) -> None:
        """Say what a page leads to, the first time."""
        if found is not None and (self._database is None or self._database.cooperation == "none"):
            self._database = found
            self.logger.info("%s", found)

    def _declared_database(self, page: Page) -> Iterator[Request]:
        """Queue the first database that a page describes to gatherers."""
        found = declared_database(page)
        self._meet_database(found)
        if found is not None and self._asked_database is None and self._may_ask():
            yield self._database_request(found.url)

    def _may_ask(self) -> bool:
        """Not where only a part of the shop, or only what a list names, is to be crawled."""
        return not self.args.scope and "walk" in self.args.discover and not self.args.part

    def _database_request(self, url: str) -> Request:
        """Asked anew by every run, and not kept in the frontier: that it has to be asked is."""
        self._asked_database = url
        self.context.keep_for_later(Request(url, body=b"the database behind it", cb_kwargs={"database": url}))
        return Request(url, self.parse_database, errback=self.database_failed, meta=dict(AT_START), dont_filter=True)

    def _recalled_database(self) -> Iterator[Request]:
        if self._asked_database is not None:
            yield self._database_request(self._asked_database)

    def _is_search_due(self) -> bool:
        """Whether there is nothing but a search box that leads to products."""
        is_new = self._asked_database is None and self._database is not None
        return is_new and self._may_ask() and bool(self.pages) and not self._has_lists and not self._is_at_limit()

    def _is_at_limit(self) -> bool:
        return bool(self.args.max_pages) and self.pages >= self.args.max_pages

    def _is_database_unproven(self) -> bool:
        """Whether a database that the shop leads to was not read, or may hold more than was found."""
        is_searched = self._probe is not None and not self._probe.is_proven
        return self._asked_database is not None and (self._is_refused or is_searched)

    def _search(self, response: Response) -> Iterator[Request]:
        assert self._database is not None
        self._count_form("searched_shops")
        yield self._database_request(self._database.url)

    def _refused(self, said: str) -> Exception:
        self._is_refused = True
        self._count_form("refused")
        self.logger.warning("The database at %s cannot be asked: %s", self._asked_database, said)
        return DatabaseRefused(said)

    def database_failed(self, failure: Failure) -> None:
        """The rest of the shop can be crawled nevertheless."""
        self._refused(rejection(failure.value))

    def _found(self, page: Page, listed: Iterable[Record | OfferRow], asking: Asking) -> Iterator[Any]:
        """The products of an answer, whose pages are read as those of any list; rows that lead nowhere are offers themselves."""
        assert self._probe is not None
        rows = [record for record in listed if isinstance(record, OfferRow)]
        yield from super()._found(page, rows, asking)
        records = [record for record in listed if not isinstance(record, OfferRow)]
        category = asked_values(self._probe.search, asking.query).get("category")
        yield from self._requests(self.walk.answer_steps(records, (category,) if category else ()))

    def _items(self, found: Iterable[Offer], *, is_declared: bool = False) -> Iterator[Offer]:
        for offer in super()._items(found, is_declared=is_declared):
            self.products.add(offer["url"])
            yield offer

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
            is_list = came.shown in ("list", "pager")  # the other pages of the shop will tell
            self._judge(response, PageResult(AccountState.NO_PRODUCT, OTHER_NAME if is_list else "not_html"))
            return
        page = take_page(response)
        if self.walk.is_cut(page):
            self._judge(response, PageResult(AccountState.FAILED, CUT_OFF))
            return
        reading = self.walk.read(page, came)
        if reading.is_of_another:
            reason = error_page_reason(page) or "another_product"
            self._judge(response, PageResult(state_of_failure(reason), reason))
            return
        shelf = [] if reading.is_product or reading.listing else cards(page)
        result = PageResult(AccountState.LIST_READ) if shelf else self._result(page, reading, came)
        is_held = not shelf and reading.is_product is None and result is not None and result.outcome in READ
        if not is_held:
            self._judge(response, result)
        if is_cut_by_parser(page):
            self._reject(response, "too_deep")
        for step in filter(self._is_wanted, reading.kept):
            self.context.keep_for_later(self._page_request(step))
        self.pages += 1
        self._has_lists |= bool(reading.listing) and not self.walk.is_start(page.url)
        yield from self._declared_database(page)
        self._count(f"level/{reading.level}")
        for reason, count in reading.skipped.items():
            self._count(f"skipped/{reason}", count)
        for product in [page] if reading.is_product else [card.own_page() for card in shelf]:
            yield from self._hold_until_rules(self._item(product, reading, response))
        if is_held:
            item = self._item(page, reading, response)
            if len(self.context.held.undecided) >= SAMPLE:
                item.page = Page(page.url, page.html)  # trees are ten times the size of their text, and many wait
            assert result is not None
            self.context.held.undecided.append(UndecidedPage(item, reading, came, result))
        yield from self._requests(reading.steps)
        yield from self._release_decided(is_last=self.context.held.is_full)
        if self.args.max_pages and self.pages >= self.args.max_pages:
            yield from self._flush(response)
            raise CloseSpider("max_pages")

    def _requests(self, steps: Iterable[Step]) -> Iterator[Request]:
        for step in filter(self._is_wanted, steps):
            if self._catalogue.holds(step):
                self.context.keep_for_later(self._page_request(replace(step, group=WITHHELD)))
            else:
                yield self._page_request(step)

    def _page_request(self, step: Step) -> Request:
        return Request(step.url, self.parse, errback=self.page_failed, priority=step.priority, cb_kwargs={"came": step})

    def _is_wanted(self, step: Step) -> bool:
        if self._refresh is not None:
            return self._refresh.wants(step) and self.is_category(step)
        return (step.role == "listed" or "walk" in self.args.discover) and self.is_category(step)

    def page_failed(self, failure: Failure) -> None:
        """A page that cannot be fetched is counted; dead links are every shop's daily bread."""
        self._count("dead_links")
        request: Request = failure.request  # type: ignore[attr-defined]
        if is_mistake(failure.value):
            self.logger.error("%s broke a component", request.url, exc_info=failure.value)
        reason = rejection(failure.value)
        self.walk.failed(request.cb_kwargs["came"], is_gone=reason in GONE)
        self._reject(request, reason)

    def _result(self, page: Page, reading: PageVerdict, came: Step) -> PageResult | None:
        """What the page came to in the crawl's account; a product's page is settled when its offer is stored."""
        if reading.is_product:
            return None
        is_elsewhere = came.shown == "product" and not is_same_page(came.url, page.url)
        if is_elsewhere and self.args.scope:  # an address of yesterday may lead to a list: its offer keeps its age
            return PageResult(AccountState.OTHER_PAGE, REDIRECTED)
        if is_elsewhere:
            return PageResult(AccountState.FAILED, REDIRECTED)  # elsewhere: no answer about the product
        if self.walk.is_sent_home(page.url, came):
            return PageResult(AccountState.LIST_READ, SENT_AWAY)  # the other pages of the shop will tell
        has_links = bool(page.root.xpath("boolean(//a[@href])"))  # each page of a shop leads on to others
        is_other = not has_links or is_called_otherwise(reading.title, came.name or came.continues)
        doubt = None  # the other pages of the shop will tell
        if is_other and not reading.listing:
            doubt = OTHER_NAME if is_same_page(came.url, page.url) else SENT_AWAY
        is_overview = len(reading.steps) >= MIN_CHILDREN  # what leads on to so many new addresses is no wall
        if is_overview or (reading.level != "other" and (reading.listing or came.shown != "product")):
            # One list in place of many products is a wall.
            digest = text_digest(page) if came.shown == "product" else None
            doubt = CUT_OFF if ends_amid(page) else REPEATED if reading.is_repeated else doubt
            return PageResult(AccountState.LIST_READ, doubt, digest, reading.listing)
        if reason := error_page_reason(page):
            return PageResult(state_of_failure(reason), reason)
        if came.shown in ("product", "pager") and not has_links:
            return PageResult(AccountState.FAILED, "no_links")
        return PageResult(_state_of_other(reading, came), doubt or reading.level, digest=text_digest(page))

    def _judge(self, response: Response, result: PageResult | None) -> None:
        if result is None:
            return
        self.context.pages.judge(FetchState.of(response).token, result)
        if result.outcome not in READ:
            self._reject(response, result.reason or result.outcome.value)

    def _reject(self, fetch: Request | Response, reason: str) -> None:
        """Say why a page is not taken, in the log and in the figures."""
        FetchState.of(fetch).is_rejected = True
        url = asked_urls(fetch)[0] if isinstance(fetch, Request) else fetch.url
        self._stats.inc_value(f"scout/reject/{reason}")
        self.logger.info("Rejected %s: %s", url, reason)

    # --- products and the sample --------------------------------------------------------------------------------------

    def _release_decided(self, *, is_last: bool = False) -> Iterator[Any]:
        """The products among the pages whose template is decided by now; what is no product may lead on as a list after all."""
        if is_last:
            self.walk.templates.decide_all()
        for held in self.context.held.release_decided():
            if held.verdict.is_product:
                self._count("late_details")
                yield from self._hold_until_rules(held.item)
                continue
            if held.verdict.level == "detail":
                yield from self._requests(self.walk.read_again(held.item.page, held.came).steps)
            outcome = _state_of_other(held.verdict, held.came)
            is_other = held.result.outcome is AccountState.NO_PRODUCT
            result = replace(held.result, outcome=outcome) if is_other else held.result
            self.context.pages.judge(held.item.token, result)

    def _item(self, page: Page, reading: PageVerdict, response: TextResponse) -> PageItem:
        return PageItem.from_response(
            response,
            page=page,
            shop=self.shop,
            category=() if is_everything(reading.category) else reading.category,
            values=self.extra_fields(page),
        )

    def _hold_until_rules(self, item: PageItem) -> Iterator[PageItem]:
        self.products.add(item.page.url)
        if self._is_ready:
            yield item
            return
        self.context.held.sample.append(item)
        if len(self.context.held.sample) >= self.context.knowledge.sample_size and not self._lessons:
            yield from self._completed_sample()

    def _completed_sample(self) -> Iterator[PageItem]:
        """The held items, now that the rules are known."""
        held = self.context.held.release_sample()
        if held and not self._is_ready:
            self.context.knowledge.rules = self._found_rules([item.page for item in held])
            self._is_ready = True
        yield from held

    def _found_rules(self, pages: list[Page]) -> ShopRules:
        """The shop's rules: stored ones that still hold or can be healed, else learned from known offers, else induced from `pages`."""
        self._watch(pages)
        known = self.context.knowledge.rules
        if known is not None and rules_still_fit(known, pages):
            self._count("rules/stored")
            return known
        is_taught = len(self._samples) >= MIN_SAMPLES
        found = learn(self._samples, shop=self.shop) if is_taught else induce(pages, self._template())
        found.shop = self.shop
        found.currency = found.currency or self.walk.currency.code
        self._samples = []
        self._count("rules/learned" if is_taught else "rules/induced")
        return known.merged_with(found) if known is not None else found

    def _watch(self, pages: list[Page]) -> None:
        """Say so where the shop's pages are not what they were at the last crawl; rules that can be proven are healed."""
        healing = self.context.knowledge.watch(pages)
        if healing is None:
            return
        self._stats.set_value("scout/heal/state", healing.state)
        self._stats.set_value("scout/heal/seconds", self.context.knowledge.watch_seconds)
        if healing.adopted:
            self._count("rules/healed")
        if healing.state in ("redesign", "partial redesign"):
            self.logger.warning(
                "%s has a new design (%s). scout rules %s --diff shows what changed.\n%s",
                *(
                    self.shop,
                    "on some pages" if healing.state == "partial redesign" else "on all pages",
                    self.shop,
                    healing,
                ),
            )
        elif healing.state == "broken pages":
            self.logger.warning("%s: product pages show nothing of the offers that they had. %s", self.shop, healing)

    def _template(self) -> Lexicon:
        """The words of the shop's fields, with what the user added in the rules directory."""
        return lexicon(Path(self.setting("SCOUT_RULES_DIR")))

    def _on_idle(self) -> None:
        """Nothing left to fetch: try what was put off while it pays, then let out what is held, through a callback as always."""
        assert self.crawler.engine
        requests: Iterable[Request]
        if self._refresh is not None:
            steps = self._refresh.due_steps() if self.pages and not self._refresh.flaw else []
            requests = map(self._page_request, steps)
        else:
            steps = self.walk.due_steps() if self.pages else []
            requests = self._requests(steps)
        for request in requests:
            self.crawler.engine.crawl(request)
        if not steps and self.context.held:
            call_spider(self.crawler, self.start_url, self._flush)
        elif not steps and self._is_search_due():
            call_spider(self.crawler, self.start_url, self._search)
        elif not steps and self._catalogue.is_under_way:
            call_spider(self.crawler, self.start_url, self._conclude_catalogue)
        elif not steps and self._catalogue.is_unsettled:
            call_spider(self.crawler, self.start_url, self._settle_catalogue)
        elif not steps:
            if self._is_database_unproven():
                raise CloseSpider(UNPROVEN_DATABASE)
            return
        raise DontCloseSpider

    def _is_product_page(self, page: Page) -> bool:
        """Whether a page that was a product's still is: asked when nothing else can be read any more."""
        witness = ProductPageEvidence.of(page)
        decided = self.is_detail(page, witness, RECORD_HINT)
        return is_detail(witness, RECORD_HINT) if decided is None else decided

    def _recall(self, earlier: EarlierRuns) -> None:
        """Go on with what earlier runs of the crawl have left."""
        kept = [request.cb_kwargs for request in earlier.kept]
        self._asked_database = next((about["database"] for about in kept if "database" in about), None)
        for values in (about["values"] for about in kept if "values" in about):
            self.summary.add(values)
        steps: list[Step] = [about["came"] for about in kept if "came" in about]
        self.walk.recall(earlier.asked, (step for step in steps if step.group != WITHHELD))
        self._withheld_before = [replace(step, group=None) for step in steps if step.group == WITHHELD]
        self._add_stored(earlier.products)

    def _add_stored(self, products: Iterable[str]) -> None:
        """Products that other runs or workers have stored are the crawl's too."""
        self.products.update(products)

    def _earlier_offer_ids(self) -> list[int]:
        """The offers that earlier runs have stored."""
        assert self.context.crawl_id is not None
        return self.context.store().offer_ids_of_crawl(self.context.crawl_id)

    def _earlier_offers(self, ids: Sequence[int]) -> list[EarlierOffer]:
        return [EarlierOffer(offer) for offer in self.context.store().offers_by_id(ids)]

    def _flush(self, response: Response) -> Iterator[Any]:
        yield from self._release_decided(is_last=True)
        yield from self._completed_sample()

    # --- the end ------------------------------------------------------------------------------------------------------

    def _on_offer(self, item: Any) -> None:
        if isinstance(item, Offer):
            self._offers += 1
            self._catalogue.compare_with(item)

    def _on_dropped(self, exception: DropItem) -> None:
        self._dropped[type(exception).__name__] += 1

    async def _on_closed(self, reason: str) -> None:
        if self.walk.part.is_limited and self.setting("SCOUT_DATABASE") and self.context.crawl_id is not None:
            await run_in_thread(self._limit_crawl_to_part, self.context.crawl_id)
        if self._refresh is not None and self.context.crawl_id is not None:
            await run_in_thread(self._end_refresh, self._refresh, self.context.crawl_id)
        if self.context.failure is not None:
            return
        self._add_stored(self.context.stored_products)
        if reason == "finished" and not self._refresh and (nothing := self._why_nothing_was_found()):
            self.context.fail(nothing)
            return
        if not self.args.scope:
            await run_in_thread(self._save_rules)
            await run_in_thread(self._save_index)
        outcome = self.context.outcome
        statement = outcome or f"{self._offers} products found; {NO_ACCOUNT}"
        bounded = self.walk.shapes.bounded()
        refreshed = self._refresh.told(self.context.stored_products) if self._refresh else ""
        dead = f"{refreshed}{self._catalogue.told()}{not_asked(bounded.values())}{self._database_told()}"
        self._stats.set_value(COMPLETENESS, f"{statement}{dead}")
        for shape, left in bounded.items():
            self._stats.inc_value("scout/trap/bounded", left.count)
            self.logger.info("Bounded: %s, like %s", left, shape)
        self.logger.info("%s: %s%s", self.shop, statement, dead)

    def _database_told(self) -> str:
        """What came of a database behind a form."""
        if self._asked_database is None:
            return f". Not asked: {self._database}" if self._database and self._database.cooperation != "none" else ""
        told = f"; {self._probe.completeness}" if self._probe is not None else ""
        return f". The database at {self._asked_database} was asked{told}"

    def _end_refresh(self, refresh: PriceRefresh, crawl: int) -> None:
        """Prices that lists show are seen; lists that are not what they were fail the crawl."""
        self.context.store().confirm_prices(crawl, refresh.confirmed)
        self._count("refresh/confirmed", len(refresh.confirmed))
        self._count("refresh/over_budget", refresh.over_budget)
        self._stats.set_value(
            "scout/walk/refresh/expected_stale", round(refresh.expected_stale(self.context.stored_products), 4)
        )
        if self.pages and refresh.flaw and self.context.finish_reason == "finished":
            self.context.fail(f"The prices of {self.shop} were not refreshed: {refresh.flaw}")

    def _listed_prices(self) -> dict[str, str | None]:
        """What earlier runs of this refresh have read in lists."""
        assert self.context.crawl_id is not None
        return listed_prices(self.context.store(), self.context.crawl_id)

    def _why_nothing_was_found(self) -> str | None:
        """Why there is no product or no offer; None where there is one."""
        if not self.products:
            knowledge = self.context.knowledge
            because = why_pages_look_empty(knowledge.blocked_requests, knowledge.unrendered.values())
            because = because or (f"{self._database}" if self._database else "Is it a shop?")
            return f"No product found on {self.start_url} ({self.pages} pages read). {because}"
        if self._offers or self.context.stored_products or not self._dropped:
            return None
        reasons = ", ".join(f"{count} × {name}" for name, count in self._dropped.most_common())
        return (
            f"No offer of {len(self.products)} products found on {self.start_url} ({reasons}). "
            f"scout explain {min(self.products)} says what one of their pages lacks"
        )

    def _limit_crawl_to_part(self, crawl: int) -> None:
        """Before the crawl counts as complete: else all that is outside would be gone."""
        self.context.store().limit_to_part(crawl)

    def _save_rules(self) -> None:
        """Keep the rules and the structure for the next crawl."""
        rules, directory = self.context.knowledge.rules, self.setting("SCOUT_RULES_DIR")
        if rules is not None:
            rules.structure = self.walk.structure()
            self.context.knowledge.add_marks(rules)
            save_rules(rules, directory, self.context.store() if self.setting("SCOUT_DATABASE") else None)


def catalogue_fetch(
    asked: CatalogueRequest, callback: Callable[..., Any], errback: Callable[..., Any], came: dict[str, Any]
) -> Request:
    """A request for a shop's catalogue: asked anew by every run, and not kept in the frontier."""
    return Request(
        asked.url,
        callback,
        method="POST" if asked.body else "GET",
        body=asked.body,
        headers=dict(asked.headers),
        errback=errback,
        priority=FIRST,
        meta={"is_start_request": True},
        cb_kwargs=came,
        dont_filter=True,
    )


def header_texts(response: Response) -> dict[str, str]:
    """The headers of a response by their names in lower case."""
    return {
        name.decode("latin-1").lower(): values[-1].decode("latin-1")
        for name, values in response.headers.items()
        if values
    }


def named_shop(store: Store, name: str | None, url: str | None) -> tuple[str, str]:
    """The name and address of the shop that the user means; UsageError where it has no address."""
    statuses = store.shops()
    if not url:
        status = next((status for status in statuses if status.name == name), None)
        address = status and (status.url or common_front_page(offer_urls(store, status.name)))
        if status is None or not address:
            raise UsageError(f"No address is known for the shop {name!r}: add -a url=https://…")
        return status.name, web_address(address)
    hosts = same_hosts(url)
    met = (status.name for status in statuses if status.url and same_hosts(status.url) == hosts)
    return name or next(met, None) or shop_name(url), url


def offer_urls(store: Store, shop: str) -> Iterator[str]:
    """The addresses of the shop's offers, known and stored."""
    yield from (clean_url(str(row["url"])) for row in store.known_offers(shop) if row.get("url"))
    yield from (offer["url"] for offer in store.offers(shop))


def common_front_page(urls: Iterable[str]) -> str | None:
    """The front page of the site that most of these addresses belong to.

    >>> common_front_page(["http://a.example/p/1", "http://a.example/p/2", "http://b.example/"])
    'http://a.example/'
    """
    sites = Counter(urljoin(url, "/") for url in urls if url.startswith(("http://", "https://")))
    return sites.most_common(1)[0][0] if sites else None


def lessons(rows: Iterable[Mapping[str, Any]], start_url: str) -> dict[str, Mapping[str, Any]]:
    """Known offers of the shop's own site to learn from, by their clean address."""
    hosts = same_hosts(start_url)
    usable = [row for row in rows if row.get("url") and urlsplit(str(row["url"])).netloc.lower() in hosts]
    return {clean_url(str(row["url"])): row for row in choose_offers(usable, MAX_LESSONS)}


def _state_of_other(verdict: PageVerdict, came: Step) -> AccountState:
    """The account's state of a page that is neither a product nor a list."""
    return AccountState.OTHER_PAGE if verdict.is_other_subject(came) else AccountState.NO_PRODUCT


def rules_still_fit(rules: ShopRules, pages: Sequence[Page]) -> bool:
    """Whether stored rules still read most of the shop's pages."""
    named = sum(1 for page in pages if "title" in apply_rules(page, rules))
    return named >= MIN_RULE_HIT_RATE * len(pages) or "title" not in rules.fields
