"""FormsSpider: the offers of a database that lies behind a query form, at each of three degrees of cooperation.

    full      the address is a DBContent document: the provider's own summarizer is asked for everything, once
    limited   the form's page carries DB.* metadata: the queries they describe are asked, and their HEL rules read the answers
    none      a search form and nothing else: it is asked what is likely to bring new offers, for as long as it does

What is pure about it lives in `scout.forms`; the offers go the way of all others through the pipelines into the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator
from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import run_in_thread, sleep
from twisted.python.failure import Failure

from scout.crawl.context import EarlierRuns, ShopRef
from scout.fetch import FetchState, page_of
from scout.forms.analysis import Form, FormRequest
from scout.forms.content import Content, is_content, parse_fetched_content, summarizer_url
from scout.forms.errors import FormError
from scout.forms.metadata import Metadata, file_metadata, page_metadata
from scout.forms.navigation import result_page_urls
from scout.forms.offers import RowSource, offers_from_rows, rows_of_offers
from scout.forms.probing import Answer, Probe
from scout.forms.queries import DescribedForm, describe_form
from scout.forms.results import read_result_page
from scout.forms.search import SearchForm, search_form
from scout.forms.soif import DESCRIPTIVE_ATTRIBUTES, ROW, SUMMARY, descriptive_attributes, read_objects, write_object
from scout.forms.summary import Summary
from scout.hel import HelError
from scout.items import CrawledOffer, PageItem
from scout.offer import Offer
from scout.page import Page
from scout.reporting.crawl_summary import COMPLETENESS
from scout.spiders.arguments import SpiderArguments, web_address
from scout.spiders.base import ShopCrawlSpider
from scout.spiders.form_results import Asking, OfferRow, ResultLists, asked_values, known_words, record_offer
from scout.store.forms import FormRecord
from scout.urls import shop_name
from scout.values import clean_text
from scout.walking.records import Record
from scout.walking.stated_counts import stated_count

MAX_KNOWN = 20_000  # offers whose words are known: more would not change which of them are frequent
INDEXED = ("title", "brand", "category")  # of an offer without metadata: what people search by
AT_START = {"is_start_request": True}  # meta: asked anew by every run, and not kept in the frontier
WAIT = 0.05  # seconds between two looks whether the form's page has been read
ITEMS_AT_ONCE = 100  # one answer may hold thousands of offers
MAX_FRAGMENT = 200 << 20  # bytes of a summarizer's answer: a million rows and more


class FormsArguments(SpiderArguments):
    """What `scrapy crawl forms -a NAME=VALUE` accepts."""

    url: str = Field(description="the address of the query form, or of a DBContent document")
    shop: str | None = Field(None, description="the name under which the offers are stored; otherwise the form's host")

    details: bool = Field(
        False, description="without metadata: fetch the page of every offer, not only the result lists"
    )

    soif: str | None = Field(None, description="a file for the attribute index, in the format SOIF")

    @field_validator("url")
    @classmethod
    def _is_web(cls, value: str) -> str:
        return web_address(value)


class FormsSpider(ShopCrawlSpider):
    """Collect what a query form gives access to: `-a url=https://shop.example/search`."""

    name = room = "forms"
    arguments = FormsArguments

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.summary = Summary()
        self.found = 0
        self._form_page: Page | None = None
        self._described: DescribedForm | None = None
        self._record: FormRecord | None = None
        self._probe: Probe | None = None
        self._lists = ResultLists()
        self._answers: dict[str, Answer] = {}  # by the URL that was asked: no query is sent twice
        self._asked: set[str] = set()

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        settings.set("CONCURRENT_ITEMS", ITEMS_AT_ONCE, priority="addon")
        super().update_settings(settings)

    def _asked_shop(self) -> ShopRef:
        return ShopRef(self.args.shop or shop_name(self.args.url), self.args.url, is_resumable=True)

    async def start(self) -> AsyncIterator[Any]:
        if self.context.earlier is not None:
            self._recall(self.context.earlier)
        yield Request(self.start_url, self.parse_start, errback=self.start_failed, dont_filter=True)

    async def parse_start(self, response: Response) -> AsyncIterator[Any]:
        """The form's page or the document: it decides on the degree of cooperation."""
        text = document_text(response)
        if is_content(response.url, text):
            yield self._full(Page(response.url, text))
            return
        page = self._form_page = page_of(self._web_page(response))
        metadata = self._checked(page_metadata, page)
        if metadata is None:
            requests = self._none(page, await run_in_thread(self._known_words))
        elif metadata.config_file:
            requests = iter([self._authorised(metadata.config_file, self.parse_config)])
        else:
            requests = self._limited(page, metadata)
        for request in requests:
            yield request

    def _begin(self, record: FormRecord) -> None:
        self._record = record
        self._stats.set_value("scout/forms/cooperation", record.cooperation)

    # --- full cooperation ---------------------------------------------------------------------------------------------

    def _full(self, document: Page) -> Request:
        """Ask the provider's summarizer for the rows that the document declares; it is told the document's path."""
        declared: Content = self._checked(parse_fetched_content, document)
        assert declared.summarizer is not None
        about = {name.lower(): getattr(declared, name.lower()) for name in DESCRIPTIVE_ATTRIBUTES}
        self._begin(FormRecord(declared.url or document.url, "full", **about))
        request = self._authorised(summarizer_url(declared.summarizer, document.url), self.parse_fragment)
        about = {"form_url": declared.url or document.url}
        return request.replace(
            meta={**request.meta, "download_maxsize": MAX_FRAGMENT, "download_warnsize": 0}, cb_kwargs=about
        )

    def _authorised(self, url: str, callback: Any) -> Request:
        """A request with the key that the provider gave us: for this address, and no other request to the site."""
        token = self.setting("SCOUT_SUMMARIZER_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = Request(
            url, callback, errback=self.start_failed, headers=headers, meta=dict(AT_START), dont_filter=True
        )
        FetchState.of(request).authorised_for = url
        return request

    def parse_fragment(self, response: Response, form_url: str) -> Iterator[Any]:
        """The summarizer's answer: rows, or where it knows no rows, the values of each attribute."""
        tables: dict[str, list[dict[str, str]]] = {}
        for found in self._checked(list, read_objects(response.body)):
            self.summary.add(
                {name: found.values(name) for name in found.attributes if name not in DESCRIPTIVE_ATTRIBUTES}
            )
            if found.kind == ROW:
                tables.setdefault(found.url, []).append(found.attributes)
        rows = offers_from_rows(rows_of_offers(tables), RowSource(form_url, form_url, "SOIF"))
        yield from self._items(rows, is_declared=True)

    # --- limited cooperation ------------------------------------------------------------------------------------------

    def parse_config(self, response: Response) -> Iterator[Any]:
        """The configuration file that the metadata name."""
        assert self._form_page is not None
        metadata = self._checked(file_metadata, response.url, self._web_page(response).text, self._form_page)
        yield from self._limited(self._form_page, metadata)

    def _limited(self, page: Page, metadata: Metadata) -> Iterator[Request]:
        limit = self.setting("SCOUT_FORMS_MAX_QUERIES")
        self._described = self._checked(lambda: describe_form(page, metadata, limit=limit))
        self._begin(page_record(page, "limited", self._described.form))
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
        )

    async def parse_result(self, response: Response) -> AsyncIterator[Any]:
        """A result page: its rows, and the pages that it goes on with."""
        await self._form_known()
        for found in self._result(response):
            yield found

    def _result(self, response: Response) -> Iterator[Any]:
        assert self._described is not None
        if not isinstance(response, TextResponse):
            self._count("not_html")
            return
        page = Page(response.url, response.text)
        metadata = self._described.metadata
        try:
            found = read_result_page(page, metadata)
        except HelError as error:
            self._count("rules_refused")
            self.logger.error("%s: %s", response.url, error)
            return
        self._count("pages")
        self.summary.add(found.values)
        self._keep_values(response, {name: list(values) for name, values in found.values.items()})
        source = RowSource(self._described.page_url, page.url, "DB.Result", page.root.get("lang"))
        yield from self._items(offers_from_rows(found.rows, source), is_declared=True)
        yield from self._further(result_page_urls(page, metadata.navigation))

    def _further(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if url not in self._asked:
                self._asked.add(url)
                yield Request(url, self.parse_result, errback=self.page_failed)

    def page_failed(self, failure: Failure) -> None:
        """A result page that cannot be had is counted: the others may well be."""
        self._count("failed")

    # --- no cooperation -----------------------------------------------------------------------------------------------

    def _none(self, page: Page, words: Counter[str]) -> Iterator[Request]:
        search: SearchForm = self._checked(search_form, page)
        self._begin(page_record(page, "none", search.form))
        self.logger.info(
            "%s: a search form without metadata; choices: %s; texts: %s",
            page.url,
            ", ".join(f"{choice.name} ({len(choice.element.values)})" for choice in search.choices) or "none",
            ", ".join(text.name for text in search.texts) or "none",
        )
        self._probe = Probe(
            search,
            words,
            min_new=self.setting("SCOUT_FORMS_MIN_NEW"),
            max_queries=self.setting("SCOUT_FORMS_MAX_QUERIES"),
        )
        yield from self._ask()

    def _known_words(self) -> Counter[str]:
        """Brands, categories and title words that the database knows; after a kill those from before, so that the same queries follow."""
        store = self.context.store() if self.setting("SCOUT_DATABASE") else None
        shops = [status.name for status in store.shops()] if store else []
        others = (name for name in shops if name != self.shop or self.context.earlier is None)
        offers = chain.from_iterable(store.offers(name) for name in others) if store else ()
        return known_words(islice(offers, MAX_KNOWN))

    def _ask(self) -> Iterator[Request]:
        """The next query that is likely to pay; one at a time, because its answer decides on the one after it."""
        assert self._probe is not None
        query = self._probe.next_query()
        if query is None:
            return
        search = self._probe.search
        asked = self._checked(search.form.request, [*search.presets, *query])
        same = self._answers.get(asked.url)
        if same is not None:  # such as the value that the untouched form has sent
            yield from self._over(Asking(query, dict(same.offers), requests=0, stated=same.stated))
            return
        self._count("queries")
        yield self._search_page(asked.url, Asking(query))

    def _search_page(self, url: str, asking: Asking) -> Request:
        """Not a request of the frontier: after a kill, the next run asks all queries again, and finds the answers of this one kept."""
        about = {"asking": asking}
        request = Request(
            url, self.parse_list, errback=self.query_failed, cb_kwargs=about, meta=AT_START, dont_filter=True
        )
        FetchState.of(request).is_kept_to_resume = True
        return request

    def parse_list(self, response: Response, asking: Asking) -> Iterator[Any]:
        """A page of an answer: its records, then the page it goes on with, then the next query."""
        assert self._probe is not None
        page = Page(response.url, document_text(response))
        listed = self._lists.records(page)
        self._count("pages")
        new = asking.add(listed, self._probe, stated_count(page))
        yield from self._found(page, [record for record in listed if record.href in new], asking)
        following = self._lists.next_url(page, asking)
        if following and following not in asking.pages and (new or asking.requests <= 1):
            asking.pages.add(following)
            yield self._search_page(following, asking)
            return
        yield from self._over(asking)

    def query_failed(self, failure: Failure) -> Iterator[Request]:
        """A query without an answer brought nothing; the next one may."""
        self._count("failed")
        asking: Asking = failure.request.cb_kwargs["asking"]  # type: ignore[attr-defined]
        asking.requests += 1
        yield from self._over(asking)

    def _over(self, asking: Asking) -> Iterator[Request]:
        assert self._probe is not None
        answer = asking.answer()
        search = self._probe.search
        self._answers[self._checked(search.form.request, [*search.presets, *asking.query]).url] = answer
        self._probe.record_answer(asking.query, answer)
        self.summary.add(asking.values)
        yield from self._ask()

    def _found(self, page: Page, listed: Iterable[Record | OfferRow], asking: Asking) -> Iterator[Any]:
        """Each record as an offer; with details=1, the page that it leads to instead."""
        assert self._probe is not None
        known = asked_values(self._probe.search, asking.query)
        for record in listed:
            if self.args.details and not isinstance(record, OfferRow):
                yield Request(str(record.href), self.parse_detail, errback=self.page_failed, cb_kwargs={"known": known})
            else:
                offer = record_offer(record, known)
                asking.index({name: str(offer[name]) for name in INDEXED if name in offer})
                yield from self._items([offer])

    def parse_detail(self, response: Response, known: dict[str, str]) -> Iterator[PageItem]:
        """The page of a record, for the pipelines to extract."""
        if isinstance(response, TextResponse):
            self.found += 1
            yield PageItem.from_response(response, shop=self.shop, values=dict(known))

    def _items(self, found: Iterable[Offer], *, is_declared: bool = False) -> Iterator[Offer]:
        for offer in found:
            self.found += 1
            offer["shop"], offer["urls"] = self.shop, [offer["url"]]
            yield CrawledOffer.of(offer, is_declared=is_declared)

    # --- going on after a kill ----------------------------------------------------------------------------------------

    def _recall(self, earlier: EarlierRuns) -> None:
        """Go on with what earlier runs of the crawl have left: the offers they stored, and the values that they kept in requests."""
        self.found += len(earlier.products)
        for request in earlier.kept:
            self.summary.add(request.cb_kwargs["values"])

    def _keep_values(self, response: TextResponse, values: Mapping[str, Sequence[str]]) -> None:
        """Keep the values of a page with the frontier's rows, as a request that is never made: it is written with the page's own."""
        body = b"values of " + (response.request.body if response.request else b"")  # no other request is like it
        self.context.keep_for_later(Request(response.url, body=body, cb_kwargs={"values": values}))

    async def _form_known(self) -> None:
        """The frontier hands out pages of an earlier run at once: wait until the form's own page has been read anew."""
        while self._record is None:
            if self.context.failure is not None:
                raise CloseSpider("failed")
            await sleep(WAIT)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _checked(self, act: Any, *args: Any) -> Any:
        """Do it; what is wrong with the form is said in one line, and ends the crawl."""
        try:
            return act(*args)
        except FormError as error:
            said = str(error)
            raise self._failed(said if self.start_url in said else f"{self.start_url}: {said}") from error

    async def _on_closed(self, reason: str) -> None:
        self._stats.set_value("scout/forms/values", len(self.summary))
        if self.context.failure is not None:
            return
        if not self.found and not len(self.summary) and reason == "finished":
            self.context.fail(f"No offer was found behind the form of {self.start_url}")
            return
        if self._probe is not None:
            self._stats.set_value(COMPLETENESS, self._probe.completeness)
            self.logger.info("%s: %s", self.shop, self._probe.completeness)
        await run_in_thread(self._save_index)

    def _save_index(self) -> None:
        """Keep the attribute index with the form; write it as SOIF where that was asked for."""
        file = self.args.soif
        if self.setting("SCOUT_DATABASE") and self._record is not None:
            self.context.store().save_form(self.shop, self._record, dict(self.summary.items()))
        if file:
            about = descriptive_attributes(self._record) if self._record else {}
            url = self._record.url if self._record else self.start_url
            with Path(file).open("wb") as out:
                write_object(out, SUMMARY, url, about | dict(self.summary.items()))


def document_text(response: Response) -> str:
    """The text of a document; a DBContent is often served as something that is no text at all."""
    return response.text if isinstance(response, TextResponse) else response.body.decode("utf-8", "replace")


def page_record(page: Page, cooperation: str, form: Form | None) -> FormRecord:
    """The form on a page, with its elements and what the page's own title and meta elements say of it."""
    title = page.root.findtext(".//title")
    metas = {(meta.get("name") or "").lower(): meta.get("content") for meta in page.root.iter("meta")}
    texts = (title, metas.get("description"), metas.get("keywords"))
    said, description, keywords = (clean_text(str(text)) if text else None for text in texts)
    elements = form.described_elements() if form is not None else []
    return FormRecord(page.url, cooperation, said, description, keywords, elements)
