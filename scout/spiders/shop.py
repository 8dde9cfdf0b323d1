"""ShopSpider: walks a shop from its front page, category by category, and yields each product page once.

It does not extract fields: pipelines do, by `spider.rules`. The first product pages are held until the rules are there (stored, or
induced from these pages), and then yielded from the callback that completes the sample, so that nothing waits in a pipeline.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, DontCloseSpider
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy_spider_metadata import Args  # type: ignore[attr-defined]  # it exports by __init__ alone
from twisted.python.failure import Failure

from scout.induce.completeness import completeness
from scout.induce.page_types import Witness
from scout.induce.pagination import declared_next, next_url
from scout.induce.records import RecordList
from scout.induce.walk import Reading, Step, Walk, is_detail, same_hosts
from scout.items import PageItem
from scout.page import Page
from scout.rules import ShopRules
from scout.spiders.arguments import ShopArguments, checked

SAMPLE = 12  # product pages from which rules are induced
MAX_UNDECIDED = 50  # pages that wait for the shop's template to be known
LEVELS = {
    "record": "detail",
    "pager": "list",
    "menu": "category",
    "crumb": "category",
}  # what a link's role lets expect


class ShopSpider(Args[ShopArguments], Spider):
    """Crawl one shop: `-a url=https://shop.example`, or `-a shop=NAME` for one that is known.

    To crawl a shop differently, subclass it and override one of its decisions: `is_detail`, `records`, `next_page`, `follows`,
    `extra_fields`. Each has a docstring, and docs/subclassing.md an example.
    """

    name = "shop"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **checked(ShopArguments, kwargs))
        self.start_url: str = self.args.url or ""
        self.shop: str = self.args.shop or shop_name(self.start_url)
        self.crawl_id: int | None = self.args.crawl
        self.rules: ShopRules | None = None
        self.pages = 0
        self.products: set[str] = set()
        self._walk: Walk | None = None
        self._undecided: list[tuple[PageItem, Reading]] = []
        self._held: list[PageItem] = []
        self._is_ready = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> ShopSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._on_idle, signal=signals.spider_idle)
        crawler.signals.connect(spider._on_closed, signal=signals.spider_closed)
        return spider

    # --- decisions: override these ------------------------------------------------------------------------------------

    def is_detail(self, page: Page, witness: Witness, hint: float) -> bool:
        """Whether `page` is one product's own page. `hint` is above 0 where a record of a list led here."""
        return is_detail(witness, hint)

    def records(self, page: Page) -> RecordList | None:
        """The page's main repeated list: the products of a category."""
        return self.walk.records(page)

    def next_page(self, page: Page, records: RecordList | None) -> str | None:
        """The address of the page that continues the list on `page`."""
        following = next_url(page) if records is None else records.next_url
        return following or declared_next(page)

    def follows(self, step: Step) -> bool:
        """Whether a link shall be followed at all; `step.role` says which part it plays, `step.category` where it leads."""
        return True

    def extra_fields(self, page: Page) -> dict[str, Any]:
        """Values of a product page that Scout does not find by itself; they win over what it finds."""
        return {}

    # --- the walk -----------------------------------------------------------------------------------------------------

    @property
    def walk(self) -> Walk:
        """The memory of this walk."""
        if self._walk is None:
            self._walk = Walk(self.start_url, self, obey_nofollow=self.settings.getbool("SCOUT_OBEY_NOFOLLOW"))
        return self._walk

    async def start(self) -> AsyncIterator[Any]:
        """The shop's front page."""
        yield Request(
            self.start_url, self.parse_start, errback=self.start_failed, meta={"level": "home"}, dont_filter=True
        )

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
        response = getattr(failure.value, "response", None)
        reason = f"HTTP {response.status}" if response is not None else failure.getErrorMessage() or repr(failure.value)
        raise self._failed(f"{self.start_url} cannot be crawled: {reason}")

    def parse(self, response: Response, came: Step) -> Iterator[Any]:
        """Any page of the shop."""
        if not isinstance(response, TextResponse):
            self._count("not_html")
            return
        page = Page(response.url, response.text)
        reading = self.walk.read(page, came)
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
        for step in filter(self.follows, steps):
            meta = {"level": LEVELS[step.role]} if step.role in LEVELS else {}
            yield Request(
                step.url,
                self.parse,
                errback=self.page_failed,
                meta=meta,
                priority=step.priority,
                cb_kwargs={"came": step},
            )

    def page_failed(self, failure: Failure) -> None:
        """A page that cannot be fetched is counted; dead links are every shop's daily bread."""
        self._count("dead_links")

    # --- products and the sample --------------------------------------------------------------------------------------

    def _products(self, page: Page, reading: Reading, response: Response) -> Iterator[PageItem]:
        """The page's item if it is a product, and those of earlier pages that turn out to be products by now."""
        if reading.level == "detail":
            yield from self._when_ready(self._item(page, reading, response))
        elif reading.is_undecided and len(self._undecided) < MAX_UNDECIDED:
            self._undecided.append((self._item(page, reading, response), reading))
        if self._undecided and self.walk.template.is_known:
            yield from self._decided()

    def _decided(self) -> Iterator[PageItem]:
        waiting, self._undecided = self._undecided, []
        for item, reading in waiting:
            if self.walk.is_product(reading):
                self._count("late_details")
                yield from self._when_ready(item)

    def _item(self, page: Page, reading: Reading, response: Response) -> PageItem:
        referer = response.request.headers.get("Referer") if response.request else None
        return PageItem(
            page=page,
            shop=self.shop,
            crawl=self.crawl_id,
            category=reading.category,
            referer=referer.decode("latin-1") if referer else None,
            status=response.status,
            values=self.extra_fields(page),
        )

    def _when_ready(self, item: PageItem) -> Iterator[PageItem]:
        self.products.add(item.page.url)
        if self._is_ready:
            yield item
            return
        self._held.append(item)
        if len(self._held) >= SAMPLE:
            yield from self._completed_sample()

    def _completed_sample(self) -> Iterator[PageItem]:
        """The held items, now that the rules are known."""
        held, self._held = self._held, []
        if held and not self._is_ready:
            self.rules = self._found_rules([item.page for item in held])
            self._is_ready = True
        yield from held

    def _found_rules(self, pages: list[Page]) -> ShopRules | None:
        return None

    def _on_idle(self) -> None:
        """Nothing left to fetch: try facets while they pay, then let out what is held, through a callback as always."""
        assert self.crawler.engine
        steps = self.walk.due_facets() if self.pages else []
        for request in self._requests(steps):
            self.crawler.engine.crawl(request)
        if not steps and (self._held or self._undecided):
            request = Request(self.start_url, callback=self._flush)
            self.crawler.engine.scraper.enqueue_scrape(HtmlResponse(self.start_url, request=request), request)
        elif not steps:
            return
        raise DontCloseSpider

    def _flush(self, response: Response) -> Iterator[PageItem]:
        yield from self._decided()
        yield from self._completed_sample()

    # --- the end ------------------------------------------------------------------------------------------------------

    def _failed(self, text: str) -> CloseSpider:
        self._exit(text)
        return CloseSpider("failed")

    def _exit(self, text: str) -> None:
        self.logger.error(text)
        self._stats.set_value("scout/exit_code", 1)
        self._stats.set_value("scout/exit/reason", text)

    def _on_closed(self, reason: str) -> None:
        if self._stats.get_value("scout/exit_code"):
            return
        if not self.products and reason == "finished":
            self._exit(f"No product found on {self.start_url} ({self.pages} pages read). Is it a shop?")
            return
        known = self.walk.categories
        statement = completeness(len(self.products), {"walk": self.products}, known.stated, known.seen)
        self._stats.set_value("scout/walk/completeness", str(statement))
        self.logger.info("%s: %s", self.shop, statement)

    @property
    def _stats(self) -> Any:
        return self.crawler.stats

    def _count(self, what: str, count: int = 1) -> None:
        self._stats.inc_value(f"scout/walk/{what}", count)


def shop_name(url: str) -> str:
    """The name of a shop that has none yet: its host, with the port where that is unusual."""
    return urlsplit(url).netloc.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
