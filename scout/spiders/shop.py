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

from scout.induce.page_types import Witness
from scout.induce.pagination import next_url
from scout.induce.walk import Reading, Step, Walk, is_detail, same_hosts
from scout.items import PageItem
from scout.page import Page
from scout.rules import ShopRules
from scout.spiders.arguments import ShopArguments, checked

SAMPLE = 12  # product pages from which rules are induced
LEVELS = {
    "record": "detail",
    "pager": "list",
    "menu": "category",
    "crumb": "category",
}  # what a link's role lets expect


class ShopSpider(Args[ShopArguments], Spider):
    """Crawl one shop: `-a url=https://shop.example`, or `-a shop=NAME` for one that is known.

    To crawl a shop differently, subclass it and override one of the decisions: `start_urls_of`, `is_detail`, `next_page`,
    `extra_fields`. Each has a docstring, and docs/subclassing.md an example.
    """

    name = "shop"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **checked(ShopArguments, kwargs))
        self.start_url: str = self.args.url or ""
        self.shop: str = self.args.shop or shop_name(self.start_url)
        self.rules: ShopRules | None = None
        self.walk: Walk | None = None
        self.crawl_id: int | None = self.args.crawl
        self.pages = 0
        self.products = 0
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

    def next_page(self, page: Page) -> str | None:
        """The address of the page that continues the list on `page`."""
        return next_url(page)

    def extra_fields(self, page: Page) -> dict[str, Any]:
        """Values of a product page that Scout does not find by itself; they win over what it finds."""
        return {}

    # --- the walk -----------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Any]:
        yield Request(
            self.start_url, self.parse_start, errback=self.start_failed, meta={"level": "home"}, dont_filter=True
        )

    def parse_start(self, response: Response) -> Iterator[Any]:
        """The first page: it says which host the shop is on."""
        if not same_hosts(response.url) & same_hosts(self.start_url):
            raise self._failed(
                f"{self.start_url} redirects to {response.url}, which is another site. If that is the shop: -a url={response.url}"
            )
        if not isinstance(response, TextResponse):
            kind = (response.headers.get("Content-Type") or b"something else").decode("latin-1")
            raise self._failed(f"{self.start_url} is no web page but {kind}")
        self.walk = Walk(response.url, self, obey_nofollow=self.settings.getbool("SCOUT_OBEY_NOFOLLOW", True))
        yield from self.parse(response, Step(response.url, "menu"))

    def start_failed(self, failure: Failure) -> None:
        """The shop cannot be reached: say so, and end."""
        response = getattr(failure.value, "response", None)
        reason = f"HTTP {response.status}" if response is not None else failure.getErrorMessage() or repr(failure.value)
        raise self._failed(f"{self.start_url} cannot be crawled: {reason}")

    def parse(self, response: Response, came: Step) -> Iterator[Any]:
        """Any page of the shop."""
        if not isinstance(response, TextResponse) or self.walk is None:
            self._count("not_html")
            return
        page = Page(response.url, response.text)
        reading = self.walk.read(page, came)
        self.pages += 1
        self._count(f"level/{reading.level}")
        for reason, count in reading.skipped.items():
            self._count(f"skipped/{reason}", count)
        if reading.level == "detail":
            yield from self._product(page, reading, response)
        yield from self._requests(reading.steps)
        if self.args.max_pages and self.pages >= self.args.max_pages:
            yield from self._completed_sample()
            raise CloseSpider("max_pages")

    def _requests(self, steps: Iterable[Step]) -> Iterator[Request]:
        for step in steps:
            meta = {"level": "detail" if step.hint else LEVELS.get(step.role, "category")}
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

    def _product(self, page: Page, reading: Reading, response: Response) -> Iterator[PageItem]:
        self.products += 1
        item = PageItem(
            page=page,
            shop=self.shop,
            crawl=self.crawl_id,
            category=reading.category,
            referer=(response.request.headers.get("Referer") or b"").decode() or None if response.request else None,
            status=response.status,
            values=self.extra_fields(page),
        )
        if self._is_ready:
            yield item
            return
        self._held.append(item)
        if len(self._held) >= SAMPLE:
            yield from self._completed_sample()

    def _completed_sample(self) -> Iterator[PageItem]:
        """The held items, now that the rules are known."""
        held, self._held = self._held, []
        if not self._is_ready and held:
            self.rules = self._found_rules([item.page for item in held])
            self._is_ready = True
        yield from held

    def _found_rules(self, pages: list[Page]) -> ShopRules | None:
        return None

    def _on_idle(self) -> None:
        """Nothing left to fetch while the sample is incomplete: the shop is small. Its pages still come out, through a callback."""
        if not self._held:
            return
        request = Request(self.start_url, callback=self._flush)
        response = HtmlResponse(self.start_url, request=request)
        self.crawler.engine.scraper.enqueue_scrape(response, request)
        raise DontCloseSpider

    def _flush(self, response: Response) -> Iterator[PageItem]:
        yield from self._completed_sample()

    # --- the end ------------------------------------------------------------------------------------------------------

    def _failed(self, text: str) -> CloseSpider:
        self._exit(text)
        return CloseSpider("failed")

    def _exit(self, text: str) -> None:
        self.logger.error(text)
        self.crawler.stats.set_value("scout/exit_code", 1)
        self.crawler.stats.set_value("scout/exit/reason", text)

    def _on_closed(self, reason: str) -> None:
        if reason == "finished" and not self.products and not self.crawler.stats.get_value("scout/exit_code"):
            self._exit(f"No product found on {self.start_url} ({self.pages} pages read). Is it a shop?")

    def _count(self, what: str, count: int = 1) -> None:
        self.crawler.stats.inc_value(f"scout/walk/{what}", count)


def shop_name(url: str) -> str:
    """The name of a shop that has none yet: its host, with the port where that is unusual."""
    return urlsplit(url).netloc.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
