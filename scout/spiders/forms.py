"""FormsSpider: the offers of a database that lies behind a query form, at each of three degrees of cooperation.

    full      the address is a DBContent document: the provider's own summarizer is asked for everything, once
    limited   the form's page carries DB.* metadata: the queries they describe are asked, and their HEL rules read the answers
    none      a search form and nothing else: it is asked what is likely to bring new offers, for as long as it does

What is pure about it lives in `scout.forms`; the offers go the way of all others through the pipelines into the database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy_spider_metadata import Args  # type: ignore[attr-defined]  # it exports by __init__ alone
from twisted.python.failure import Failure

from scout.forms.analysis import FormRequest
from scout.forms.content import Content, fetched_content, is_content, summarizer_address
from scout.forms.errors import FormError
from scout.forms.metadata import Metadata, file_metadata, page_metadata
from scout.forms.navigation import result_pages
from scout.forms.offers import Source, offers
from scout.forms.queries import Described, described
from scout.forms.results import fragment
from scout.forms.soif import DESCRIBING, ROW, read_objects
from scout.forms.summary import Summary
from scout.hel import HelError
from scout.items import OfferItem
from scout.offer import Offer
from scout.page import Page
from scout.spiders.arguments import checked, web_address
from scout.spiders.shop import shop_name

MAX_FRAGMENT = 200 << 20  # bytes of a summarizer's answer: a million rows and more


class FormsArguments(BaseModel):
    """What `scrapy crawl forms -a NAME=VALUE` accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str = Field(description="the address of the query form, or of a DBContent document")
    shop: str | None = Field(None, description="the name under which the offers are stored; otherwise the form's host")

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str) -> str:
        return web_address(value)


class FormsSpider(Args[FormsArguments], Spider):
    """Collect what a query form gives access to: `-a url=https://shop.example/search`."""

    name = "forms"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **checked(FormsArguments, kwargs))
        self.start_url: str = self.args.url
        self.shop: str = self.args.shop or shop_name(self.start_url)
        self.summary = Summary()
        self.found = 0
        self._form_page: Page | None = None
        self._described: Described | None = None
        self._asked: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> FormsSpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._on_closed, signal=signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.start_url, self.parse_start, errback=self.start_failed, dont_filter=True)

    def parse_start(self, response: Response) -> Iterator[Any]:
        """The form's page or the document: it decides on the degree of cooperation."""
        text = document_text(response)
        if is_content(response.url, text):
            yield self._full(Page(response.url, text))
            return
        page = self._page(response)
        self._form_page = page
        metadata = self._checked(page_metadata, page)
        if metadata is not None and metadata.config_file:
            yield Request(metadata.config_file, self.parse_config, errback=self.start_failed, dont_filter=True)
        elif metadata is not None:
            yield from self._limited(page, metadata)

    def _page(self, response: Response) -> Page:
        if isinstance(response, TextResponse):
            return Page(response.url, response.text)
        kind = (response.headers.get("Content-Type") or b"something else").decode("latin-1")
        raise self._failed(f"{response.url} is no web page but {kind}")

    def start_failed(self, failure: Failure) -> None:
        """Without the form, its configuration file or the summarizer's answer there is nothing to do: say so, and end."""
        response = getattr(failure.value, "response", None)
        reason = f"HTTP {response.status}" if response is not None else failure.getErrorMessage() or repr(failure.value)
        raise self._failed(f"{failure.request.url} cannot be had: {reason}")  # type: ignore[attr-defined]

    # --- full cooperation ---------------------------------------------------------------------------------------------

    def _full(self, document: Page) -> Request:
        """Ask the provider's summarizer for the rows that the document declares; it is told the document's path."""
        declared: Content = self._checked(fetched_content, document)
        assert declared.summarizer is not None
        self._stats.set_value("scout/forms/cooperation", "full")
        token = self.settings.get("SCOUT_SUMMARIZER_TOKEN")
        return Request(
            summarizer_address(declared.summarizer, document.url),
            self.parse_fragment,
            errback=self.start_failed,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            meta={"download_maxsize": MAX_FRAGMENT, "download_warnsize": 0},
            cb_kwargs={"form_url": declared.url or document.url},
            dont_filter=True,
        )

    def parse_fragment(self, response: Response, form_url: str) -> Iterator[Any]:
        """The summarizer's answer: rows, or where it knows no rows, the values of each attribute."""
        rows: list[dict[str, str]] = []
        for found in self._checked(list, read_objects(response.body)):
            self.summary.add({name: found.values(name) for name in found.attributes if name not in DESCRIBING})
            if found.kind == ROW:
                rows.append(found.attributes)
        yield from self._items(offers(rows, Source(form_url, form_url, "SOIF")))

    # --- limited cooperation ------------------------------------------------------------------------------------------

    def parse_config(self, response: Response) -> Iterator[Any]:
        """The configuration file that the metadata name."""
        assert self._form_page is not None
        metadata = self._checked(file_metadata, response.url, self._page(response).html, self._form_page)
        yield from self._limited(self._form_page, metadata)

    def _limited(self, page: Page, metadata: Metadata) -> Iterator[Request]:
        self._described = self._checked(described, page, metadata)
        self._stats.set_value("scout/forms/cooperation", "limited")
        self._stats.set_value("scout/forms/queries", self._described.count)
        self.logger.info("%s: %d queries describe the form", page.url, self._described.count)
        for name in metadata.ignored:
            self.logger.warning("DB.%s is not an entry that anyone knows: ignored", name)
        self.summary.add(metadata.listed)
        for request in self._described.requests():
            yield self._query(request)

    def _query(self, request: FormRequest) -> Request:
        return Request(
            request.url,
            self.parse_result,
            method=request.method,
            body=request.body,
            headers=request.headers,
            errback=self.page_failed,
            dont_filter=True,  # every query is made once, and a POST says in its body what it asks
        )

    def parse_result(self, response: Response) -> Iterator[Any]:
        """A result page: its rows, and the pages that it goes on with."""
        assert self._described is not None
        if not isinstance(response, TextResponse):
            self._count("not_html")
            return
        page = Page(response.url, response.text)
        metadata = self._described.metadata
        try:
            found = fragment(page, metadata)
        except HelError as error:
            self._count("rules_refused")
            self.logger.error("%s: %s", response.url, error)
            return
        self._count("pages")
        self.summary.add(found.values)
        source = Source(self._described.page_url, page.url, "DB.Result", page.root.get("lang"))
        yield from self._items(offers(found.rows, source))
        yield from self._further(result_pages(page, metadata.navigation))

    def _further(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if url not in self._asked:
                self._asked.add(url)
                yield Request(url, self.parse_result, errback=self.page_failed)

    def page_failed(self, failure: Failure) -> None:
        """A result page that cannot be had is counted: the others may well be."""
        self._count("failed")

    def _items(self, found: Iterable[Offer]) -> Iterator[OfferItem]:
        for offer in found:
            self.found += 1
            item = OfferItem(offer, evidence=offer.evidence)
            item["shop"], item["urls"] = self.shop, [offer["url"]]
            yield item

    # --- the end ------------------------------------------------------------------------------------------------------

    def _checked(self, act: Any, *args: Any) -> Any:
        """Do it; what is wrong with the form is said in one line, and ends the crawl."""
        try:
            return act(*args)
        except FormError as error:
            raise self._failed(f"{self.start_url}: {error}") from error

    def _failed(self, text: str) -> CloseSpider:
        self._exit(text)
        return CloseSpider("failed")

    def _exit(self, text: str) -> None:
        self.logger.error(text)
        self._stats.set_value("scout/exit_code", 1)
        self._stats.set_value("scout/exit/reason", text)

    def _on_closed(self, reason: str) -> None:
        self._stats.set_value("scout/forms/values", len(self.summary))
        if not self._stats.get_value("scout/exit_code") and not self.found and reason == "finished":
            self._exit(f"No offer was found behind the form of {self.start_url}")

    @property
    def _stats(self) -> Any:
        return self.crawler.stats

    def _count(self, event: str, count: int = 1) -> None:
        self._stats.inc_value(f"scout/forms/{event}", count)


def document_text(response: Response) -> str:
    """The text of a document; a DBContent is often served as something that is no text at all."""
    return response.text if isinstance(response, TextResponse) else response.body.decode("utf-8", "replace")
