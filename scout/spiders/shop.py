"""ShopSpider: walks a shop from its front page, category by category, and yields each product page once.

It does not extract fields: pipelines do, by the shop's rules. What else belongs to a crawl has an object of its own: the first product
pages, which wait for rules (`sample`), the shop's own catalogue (`catalogue`), its sitemaps and feeds (`sources`), a database behind a form
(`gatherer` and `database`), a refresh of prices, and what is said at the end (`conclusion`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import Response, TextResponse
from scrapy.utils.asyncio import run_in_thread
from twisted.python.failure import Failure

from scout.crawl.account import CUT_OFF, NOT_RENDERED, OTHER_NAME, UNPROVEN_DATABASE, AccountState
from scout.crawl.context import EarlierRuns, ShopRef
from scout.crawl.failure_reasons import is_mistake, rejection
from scout.crawl.held_pages import UndecidedPage
from scout.crawl.page_limits import is_cut_by_parser
from scout.crawl.page_results import other_page_state, page_result
from scout.crawl.pages_in_progress import PageResult
from scout.crawl.scrapy_internals import call_spider
from scout.crawl.shop_knowledge import SAMPLE
from scout.errors import UsageError
from scout.extraction.product_page import ProductPageEvidence, is_detail
from scout.fetch import FetchState, asked_urls, page_of, take_page
from scout.forms.discovery import database_behind
from scout.frontier.resuming import check_can_join
from scout.items import EarlierOffer, PageItem
from scout.page import Page
from scout.spiders.arguments import ShopArguments
from scout.spiders.base import ShopCrawlSpider
from scout.spiders.catalogue_level import WITHHELD, CatalogueLevel
from scout.spiders.conclusion import Conclusion
from scout.spiders.gatherer import Gatherer
from scout.spiders.price_refresh import PriceRefresh
from scout.spiders.rule_sample import RuleSample, chosen_lessons
from scout.spiders.rules_store import load_rules
from scout.spiders.shop_address import answering_address, named_shop
from scout.spiders.sources import FIRST, AddressSources, is_same_site
from scout.store.batched import batched
from scout.urls import shop_name
from scout.walking.cards import cards
from scout.walking.categories import is_everything
from scout.walking.pagination import declared_next, next_url
from scout.walking.records import RecordList
from scout.walking.steps import RECORD_HINT, PageVerdict, Step
from scout.walking.walk import Walk

if TYPE_CHECKING:
    from typing_extensions import Self

EARLIER_AT_ONCE = 500  # offers of earlier runs in memory
READ = frozenset({AccountState.LIST_READ, AccountState.OTHER_PAGE, AccountState.NO_PRODUCT})
GONE = frozenset({"http_404", "http_410"})  # the shop itself says that there is no such page


class ShopSpider(ShopCrawlSpider):
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
        self.pages = 0
        self.products: set[str] = set()
        self.sample = RuleSample(self)
        self.catalogue = CatalogueLevel(self)
        self.sources = AddressSources(self)
        self.gatherer = Gatherer(self)
        self.database = self.gatherer.search
        self.conclusion = Conclusion(self)
        self.refresh: PriceRefresh | None = None
        self._walk: Walk | None = None
        self._known: list[str] = []  # addresses to read again

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.context.products, spider.context.crawl_id = spider.products, spider.args.crawl
        spider.context.knowledge.is_product_page = spider._is_product_page
        crawler.signals.connect(spider._on_idle, signal=signals.spider_idle)
        crawler.signals.connect(spider.conclusion.take_item, signal=signals.item_scraped)
        crawler.signals.connect(spider.conclusion.take_dropped, signal=signals.item_dropped)
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
        is_known = store.has_shop(name)
        if "known" in self.args.discover and is_known:
            self._known = [offer["url"] for offer in store.offers(name) if not offer.get("parent")]
        if self.args.refresh:
            self.refresh = PriceRefresh.of(self)
        elif context.knowledge.rules is None and is_known:
            self.sample.lessons = chosen_lessons(store.known_offers(name), url)
        elif is_known and self.setting("SCOUT_HEAL"):
            # not for a refresh: the pages that it reads are those that changed, and say nothing of the others
            context.knowledge.yesterday = store.facts(name)

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
        return self.walk.lists.records(page)

    def next_page(self, page: Page, records: RecordList | None) -> str | None:
        """The address of the page that continues the list on `page`."""
        following = next_url(page) if records is None else records.next_url
        return following or declared_next(page)

    def extra_fields(self, page: Page) -> dict[str, Any]:
        """Values of a product page that Scout does not find by itself; they win over what it finds."""
        return {}

    @property
    def reads_extra_fields(self) -> bool:
        """Whether a subclass reads values that only product pages have."""
        return type(self).extra_fields is not ShopSpider.extra_fields

    # --- the start ----------------------------------------------------------------------------------------------------

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
                template=self.sample.template.lists,
            )
        return self._walk

    async def start(self) -> AsyncIterator[Any]:
        """The shop's front page; the pages of known offers where rules are to be learned from them; sitemaps and feeds."""
        earlier = self.context.earlier or EarlierRuns()
        kept: list[Step] = [request.cb_kwargs["came"] for request in earlier.kept if "came" in request.cb_kwargs]
        self.walk.recall(earlier.asked, (step for step in kept if step.group != WITHHELD))
        self.products.update(earlier.products)
        async for offer in self._earlier_offers():
            yield offer
        yield Request(
            self.start_url, self.parse_start, errback=self.start_failed, meta={"level": "home"}, dont_filter=True
        )
        for url in list(self.sample.lessons):
            about = {"came": Step(url, "record", hint=RECORD_HINT)}
            yield Request(url, self.parse, errback=self.page_failed, priority=FIRST, cb_kwargs=about)
        known = self.walk.list_pages(self._known, RECORD_HINT)
        starts = self.walk.list_pages(self.start_urls_of_shop(), is_wanted=True)
        withheld = (replace(step, group=None) for step in kept if step.group == WITHHELD)
        for request in (*map(self.page_request, known), *self.follow([*starts, *withheld])):
            yield request
        for request in (*self.sources.sitemap_requests(), *self.gatherer.resume(earlier)):
            yield request
        if self.refresh is not None:
            await run_in_thread(self.refresh.resume, self.context)
            for request in map(self.page_request, self.refresh.list_steps()):
                yield request

    async def _earlier_offers(self) -> AsyncIterator[EarlierOffer]:
        """The offers that earlier runs of this crawl have stored."""
        crawl = self.context.crawl_id
        if self.context.earlier is None or crawl is None:
            return
        store = self.context.store()
        for some in batched(await run_in_thread(store.offer_ids_of_crawl, crawl), EARLIER_AT_ONCE):
            for offer in await run_in_thread(store.offers_by_id, some):
                yield EarlierOffer(offer)

    def parse_start(self, response: Response) -> Iterator[Any]:
        """The first page: it says whether there is a shop, and on which host."""
        if not is_same_site(response.url, self.start_url):
            raise self._failed(
                f"{self.start_url} redirects to {response.url}, which is another site. "
                f"If that is the shop: -a url={response.url}"
            )
        response = self._web_page(response)
        page = page_of(response)
        self.gatherer.notice(database_behind(page))
        self.walk.begin_at(page.url)
        yield from self.catalogue.begin(page)
        yield from self.sources.feed_requests(page)
        yield from self.parse(response, Step(page.url, "menu"))
        if self.walk.part.is_limited:
            self.logger.info("Only the part of the shop at %s is crawled", self.start_url)

    # --- pages --------------------------------------------------------------------------------------------------------

    def parse(self, response: Response, came: Step) -> Iterator[Any]:
        """Any page of the shop."""
        if not isinstance(response, TextResponse):
            self.sample.learn_from(came.url, None)
            self.count_event("not_html")
            is_list = came.shown in ("list", "pager")  # the other pages of the shop will tell
            self._judge(response, PageResult(AccountState.NO_PRODUCT, OTHER_NAME if is_list else "not_html"))
            return
        page = take_page(response)
        self.sample.learn_from(came.url, page)
        if self.walk.usual_pages.is_cut(page):
            self._judge(response, PageResult(AccountState.FAILED, CUT_OFF))
            return
        reading = self.walk.read(page, came)
        result = self._result(page, reading, came)
        if result is not None and result.digest and FetchState.of(response).is_unrendered:
            result = PageResult(AccountState.FAILED, NOT_RENDERED)
        if reading.is_of_another:
            self._judge(response, result)
            return
        yield from self._take_page(page, reading, came, response, result)
        yield from self.follow(reading.steps)
        yield from self._release_decided(is_last=self.context.held.is_full)
        if self.is_at_limit:
            yield from self._release_all(response)
            raise CloseSpider("max_pages")

    def _take_page(
        self, page: Page, reading: PageVerdict, came: Step, response: TextResponse, result: PageResult | None
    ) -> Iterator[Any]:
        """Take down what the page is; the products on it, unless its template is not decided."""
        shelf = [] if reading.is_product or reading.listing else cards(page)
        if shelf:
            result = PageResult(AccountState.LIST_READ)
        is_held = not shelf and reading.is_product is None and result is not None and result.outcome in READ
        if not is_held:
            self._judge(response, result)
        if is_cut_by_parser(page):
            self.reject(response, "too_deep")
        self._note_list(page, reading)
        self.pages += 1
        self.catalogue.take_list(page)
        yield from self.gatherer.declared(page)
        self.count_event(f"level/{reading.level}")
        for reason, count in reading.skipped.items():
            self.count_event(f"skipped/{reason}", count)
        for product in [page] if reading.is_product else [card.own_page() for card in shelf]:
            yield from self._take_product(self._item(product, reading, response))
        if is_held and result is not None:
            item = self._item(page, reading, response)
            if len(self.context.held.undecided) >= SAMPLE:
                item.page = Page(page.url, page.html)  # trees are ten times the size of their text, and many wait
            self.context.held.undecided.append(UndecidedPage(item, reading, came, result))

    def _note_list(self, page: Page, reading: PageVerdict) -> None:
        """Remember what a page leads to that waits, and whether the shop has lists."""
        for step in filter(self._is_wanted, reading.kept):
            self.context.keep_for_later(self.page_request(step))
        self.gatherer.has_lists |= bool(reading.listing) and not self.walk.is_start(page.url)

    def _result(self, page: Page, reading: PageVerdict, came: Step) -> PageResult | None:
        return page_result(page, reading, came, self.walk, is_narrow=bool(self.args.scope))

    def _item(self, page: Page, reading: PageVerdict, response: TextResponse) -> PageItem:
        return PageItem.from_response(
            response,
            page=page,
            shop=self.shop,
            category=() if is_everything(reading.category) else reading.category,
            values=self.extra_fields(page),
        )

    def _take_product(self, item: PageItem) -> Iterator[PageItem]:
        self.products.add(item.page.url)
        yield from self.sample.add(item)

    def follow(self, steps: Iterable[Step]) -> Iterator[Request]:
        """Requests for these steps, as far as they are wanted; those that wait for the shop's catalogue are kept."""
        for step in filter(self._is_wanted, steps):
            if self.catalogue.holds(step):
                self.context.keep_for_later(self.page_request(replace(step, group=WITHHELD)))
            else:
                yield self.page_request(step)

    def page_request(self, step: Step) -> Request:
        """The request that takes a step."""
        return Request(step.url, self.parse, errback=self.page_failed, priority=step.priority, cb_kwargs={"came": step})

    def _is_wanted(self, step: Step) -> bool:
        if self.refresh is not None:
            return self.refresh.wants(step) and self.is_category(step)
        return (step.role == "listed" or "walk" in self.args.discover) and self.is_category(step)

    def page_failed(self, failure: Failure) -> None:
        """A page that cannot be fetched is counted; dead links are every shop's daily bread."""
        self.count_event("dead_links")
        request: Request = failure.request  # type: ignore[attr-defined]
        came: Step = request.cb_kwargs["came"]
        self.sample.learn_from(came.url, None)
        if is_mistake(failure.value):
            self.logger.error("%s broke a component", request.url, exc_info=failure.value)
        reason = rejection(failure.value)
        self.walk.failed(came, is_gone=reason in GONE)
        self.reject(request, reason)

    def _judge(self, response: Response, result: PageResult | None) -> None:
        if result is None:
            return
        self.context.pages.judge(FetchState.of(response).token, result)
        if result.outcome not in READ:
            self.reject(response, result.reason or result.outcome.value)

    def reject(self, fetch: Request | Response, reason: str) -> None:
        """Say why a page is not taken, in the log and in the figures."""
        FetchState.of(fetch).is_rejected = True
        url = asked_urls(fetch)[0] if isinstance(fetch, Request) else fetch.url
        self.stats.inc_value(f"scout/reject/{reason}")
        self.logger.info("Rejected %s: %s", url, reason)

    def _is_product_page(self, page: Page) -> bool:
        """Whether a page that was a product's still is: asked when nothing else can be read any more."""
        witness = ProductPageEvidence.of(page)
        decided = self.is_detail(page, witness, RECORD_HINT)
        return is_detail(page, RECORD_HINT) if decided is None else decided

    # --- what waits ---------------------------------------------------------------------------------------------------

    def _release_decided(self, *, is_last: bool = False) -> Iterator[Any]:
        """The products among the pages whose template is decided by now; what is no product may lead on as a list after all."""
        if is_last:
            self.walk.templates.decide_all()
        for held in self.context.held.release_decided():
            if held.verdict.is_product:
                self.count_event("late_details")
                yield from self._take_product(held.item)
                continue
            verdict, result = held.verdict, held.result
            if verdict.level == "detail":
                verdict = self.walk.read_again(held.item.page, verdict, held.came)
                result = self._result(held.item.page, verdict, held.came) or result
                self._note_list(held.item.page, verdict)
                yield from self.follow(verdict.steps)
            if result.outcome is AccountState.NO_PRODUCT:
                result = replace(result, outcome=other_page_state(verdict, held.came))
            self.context.pages.judge(held.item.token, result)

    def _release_all(self, response: Response) -> Iterator[Any]:
        yield from self._release_decided(is_last=True)
        yield from self.sample.release()

    @property
    def is_at_limit(self) -> bool:
        """Whether the user wants no more pages."""
        return bool(self.args.max_pages) and self.pages >= self.args.max_pages

    def _on_idle(self) -> None:
        """Nothing left to fetch: try what was put off while it pays, then let out what waits, through a callback as always."""
        assert self.crawler.engine
        steps = self._due_steps()
        for request in map(self.page_request, steps) if self.refresh is not None else self.follow(steps):
            self.crawler.engine.crawl(request)
        if not steps and (callback := self._next_stage()) is not None:
            call_spider(self.crawler, self.start_url, callback)
        elif not steps and self.gatherer.is_unproven:
            raise CloseSpider(UNPROVEN_DATABASE)
        elif not steps:
            return
        raise DontCloseSpider

    def _due_steps(self) -> list[Step]:
        if not self.pages:
            return []
        return self.walk.due_steps() if self.refresh is None else self.refresh.due_steps()

    def _next_stage(self) -> Callable[..., Any] | None:
        """What is to be done when there is nothing to fetch."""
        stages: tuple[tuple[bool, Callable[..., Any]], ...] = (
            (bool(self.context.held), self._release_all),
            (self.gatherer.is_search_due, self.gatherer.begin_search),
            (self.catalogue.is_under_way, self.catalogue.conclude),
            (self.catalogue.is_unsettled, self.catalogue.settle),
        )
        return next((callback for is_due, callback in stages if is_due), None)

    async def _on_closed(self, reason: str) -> None:
        await self.conclusion.close(reason)
