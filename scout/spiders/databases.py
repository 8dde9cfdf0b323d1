"""A database behind a form is asked, at each of three degrees of cooperation; the spiders of forms and of shops have one each.

    full      a DBContent document: the provider's own summarizer is asked for everything, once
    limited   the form's page carries DB.* metadata: the queries they describe are asked, and their HEL rules read the answers
    none      a search form and nothing else: it is asked what is likely to bring new offers, for as long as it does

What is pure about it lives in `scout.forms`; the offers go the way of all others through the pipelines into the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Protocol

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse
from scrapy.utils.asyncio import run_in_thread, sleep
from twisted.python.failure import Failure

from scout.fetch import FetchedDocument, FetchState, Rendering, page_of
from scout.forms.analysis import Form, FormRequest, needs_layout
from scout.forms.content import Content, is_content, parse_fetched_content, summarizer_url
from scout.forms.errors import FormError
from scout.forms.metadata import Metadata, file_metadata, page_metadata
from scout.forms.navigation import result_page_urls
from scout.forms.offers import RowSource, offers_from_rows, rows_of_offers
from scout.forms.probing import Answer, Probe
from scout.forms.queries import DescribedForm, describe_form
from scout.forms.results import read_result_page
from scout.forms.search import SearchForm, search_form
from scout.forms.soif import DESCRIPTIVE_ATTRIBUTES, ROW, read_objects
from scout.forms.summary import Summary
from scout.hel import HelError
from scout.items import CrawledOffer
from scout.offer import Offer
from scout.page import Page
from scout.rendering.browsers import find_browser
from scout.spiders.base import ShopCrawlSpider
from scout.spiders.form_results import Asking, OfferRow, ResultLists, asked_values, known_words, record_offer
from scout.store.forms import FormRecord
from scout.values import clean_text
from scout.walking.records import Record
from scout.walking.stated_counts import stated_count

MAX_KNOWN = 20_000  # offers whose words are known: more would not change which of them are frequent
INDEXED = ("title", "brand", "category")  # of an offer without metadata: what people search by
AT_START = {"is_start_request": True}  # meta: asked anew by every run, and not kept in the frontier
WAIT = 0.05  # seconds between two looks whether the form's page has been read
MAX_FRAGMENT = 200 << 20  # bytes of a summarizer's answer: a million rows and more


class DatabaseRefused(FormError):
    """The database cannot be asked; the reason has been told."""


class DatabaseClient(Protocol):
    """What the spiders of forms and of shops do differently with a database."""

    def refuse_database(self, said: str) -> Exception:
        """Say in one line what is wrong with the form; the exception ends what has to end."""

    def database_failed(self, failure: Failure) -> None:
        """What a database needs cannot be had."""

    def take_records(self, records: Sequence[Record], known: dict[str, str], asking: Asking) -> Iterator[Any]:
        """Records of an answer that lead to a page of their own; `known` is what the query says of them."""


class DatabaseSearch:
    """One database behind a form: what is asked of it, and what it said. Its methods are callbacks, as those of the spider are."""

    def __init__(self, spider: ShopCrawlSpider, client: DatabaseClient, products: set[str]) -> None:
        self.spider, self._client, self.products = spider, client, products
        self.summary = Summary()
        self.record: FormRecord | None = None
        self.probe: Probe | None = None
        self.is_refused = False  # the database cannot be asked
        self._plain_page: Response | None = None
        self._form_page: Page | None = None
        self._described: DescribedForm | None = None
        self._lists = ResultLists()
        self._answers: dict[str, Answer] = {}  # by the URL that was asked: no query is sent twice
        self._asked: set[str] = set()

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """The form's page or the document: it decides on the degree of cooperation."""
        if (request := self._layout_request(response)) is not None:
            self._plain_page = response
            yield request
            return
        async for found in self._begun(response):
            yield found

    async def layout_failed(self, failure: Failure) -> AsyncIterator[Any]:
        """Without the browser, the labels are those that the markup suggests."""
        self.count("not_laid_out")
        assert self._plain_page is not None
        async for found in self._begun(self._plain_page):
            yield found

    def _layout_request(self, response: Response) -> Request | None:
        """The form's page once more, laid out by the browser, if its labels can only be seen; the site is not asked again."""
        can_render = (
            self.spider.setting("SCOUT_RENDER") != "never"
            and find_browser(self.spider.setting("SCOUT_BROWSER")) is not None
        )
        if not can_render or not isinstance(response, TextResponse) or FetchState.of(response).rendering is not None:
            return None
        if not needs_layout(page_of(response)):
            return None
        kind = (response.headers.get("Content-Type") or b"text/html").decode("latin-1")
        document = FetchedDocument(response.body, kind)
        request = Request(response.url, self.parse, errback=self.layout_failed, meta=dict(AT_START), dont_filter=True)
        state = FetchState.of(request)
        state.rendering, state.is_second_fetch = Rendering(document, is_growing=False, is_laid_out=True), True
        return request

    async def _begun(self, response: Response) -> AsyncIterator[Any]:
        try:
            for request in await self._first_requests(response):
                yield request
        except DatabaseRefused:
            return

    async def _first_requests(self, response: Response) -> Iterable[Request]:
        text = document_text(response)
        if is_content(response.url, text):
            return [self._full(Page(response.url, text))]
        if not isinstance(response, TextResponse):
            raise self._refuse(f"{response.url} is not a web page")
        page = self._form_page = page_of(response)
        metadata = self._checked(page_metadata, page)
        if metadata is None:
            return self._none(page, await run_in_thread(self._known_words))
        if metadata.config_file:
            return [self._authorised(metadata.config_file, self.parse_config)]
        return self._limited(page, metadata)

    def failed(self, failure: Failure) -> None:
        """What the database needs cannot be had."""
        self.is_refused = True
        self._client.database_failed(failure)

    def _refuse(self, said: str) -> Exception:
        self.is_refused = True
        return self._client.refuse_database(said)

    def _begin(self, record: FormRecord) -> None:
        self.record = record
        self.spider.stats.set_value("scout/forms/cooperation", record.cooperation)

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
        token = self.spider.setting("SCOUT_SUMMARIZER_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = Request(url, callback, errback=self.failed, headers=headers, meta=dict(AT_START), dont_filter=True)
        FetchState.of(request).authorised_for = url
        return request

    def parse_fragment(self, response: Response, form_url: str) -> Iterator[Any]:
        """The summarizer's answer: rows, or where it knows no rows, the values of each attribute."""
        yield from unless_refused(self._fragment(response, form_url))

    def _fragment(self, response: Response, form_url: str) -> Iterator[Any]:
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
        yield from unless_refused(self._configured(response))

    def _configured(self, response: Response) -> Iterator[Any]:
        assert self._form_page is not None
        metadata = self._checked(file_metadata, response.url, document_text(response), self._form_page)
        yield from self._limited(self._form_page, metadata)

    def _limited(self, page: Page, metadata: Metadata) -> Iterator[Request]:
        limit = self.spider.setting("SCOUT_FORMS_MAX_QUERIES")
        self._described = self._checked(lambda: describe_form(page, metadata, limit=limit))
        self._begin(page_record(page, "limited", self._described.form))
        self.spider.stats.set_value("scout/forms/queries", self._described.count)
        self.spider.logger.info("%s: %d queries describe the form", page.url, self._described.count)
        for name in metadata.ignored:
            self.spider.logger.warning("DB.%s is not an entry that anyone knows: ignored", name)
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
            errback=self.answer_failed,
        )

    async def parse_result(self, response: Response) -> AsyncIterator[Any]:
        """A result page: its rows, and the pages that it goes on with."""
        if await self._is_form_known():
            for found in self._answer_rows(response):
                yield found

    def _answer_rows(self, response: Response) -> Iterator[Any]:
        assert self._described is not None
        if not isinstance(response, TextResponse):
            self.count("not_html")
            return
        page = Page(response.url, response.text)
        metadata = self._described.metadata
        try:
            found = read_result_page(page, metadata)
        except HelError as error:
            self.count("rules_refused")
            self.spider.logger.error("%s: %s", response.url, error)
            return
        self.count("pages")
        self.summary.add(found.values)
        self._keep_values(response, {name: list(values) for name, values in found.values.items()})
        source = RowSource(self._described.page_url, page.url, "DB.Result", page.root.get("lang"))
        yield from self._items(offers_from_rows(found.rows, source), is_declared=True)
        yield from self._further(result_page_urls(page, metadata.navigation))

    def _further(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if url not in self._asked:
                self._asked.add(url)
                yield Request(url, self.parse_result, errback=self.answer_failed)

    def answer_failed(self, failure: Failure) -> None:
        """A result page that cannot be had is counted: the others may well be."""
        self.count("failed")

    # --- no cooperation -----------------------------------------------------------------------------------------------

    def _none(self, page: Page, words: Counter[str]) -> Iterator[Request]:
        search: SearchForm = self._checked(search_form, page)
        self._begin(page_record(page, "none", search.form))
        self.spider.logger.info(
            "%s: a search form without metadata; choices: %s; texts: %s",
            page.url,
            ", ".join(f"{choice.name} ({len(choice.element.values)})" for choice in search.choices) or "none",
            ", ".join(text.name for text in search.texts) or "none",
        )
        self.probe = Probe(
            search,
            words,
            min_new=self.spider.setting("SCOUT_FORMS_MIN_NEW"),
            max_queries=self.spider.setting("SCOUT_FORMS_MAX_QUERIES"),
        )
        yield from self._ask()

    def _known_words(self) -> Counter[str]:
        """Brands, categories and title words that the database knows; after a kill those from before, so that the same queries follow."""
        store = self.spider.context.store() if self.spider.setting("SCOUT_DATABASE") else None
        shops = [status.name for status in store.shops()] if store else []
        others = (name for name in shops if name != self.spider.shop or self.spider.context.earlier is None)
        offers = chain.from_iterable(store.offers(name) for name in others) if store else ()
        return known_words(islice(offers, MAX_KNOWN))

    def _ask(self) -> Iterator[Request]:
        """The next query that is likely to pay; one at a time, because its answer decides on the one after it."""
        assert self.probe is not None
        query = self.probe.next_query()
        if query is None:
            return
        search = self.probe.search
        asked = self._checked(search.form.request, [*search.presets, *query])
        same = self._answers.get(asked.url)
        if same is not None:  # such as the value that the untouched form has sent
            yield from self._over(Asking(query, dict(same.offers), requests=0, stated=same.stated))
            return
        self.count("queries")
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
        assert self.probe is not None
        page = Page(response.url, document_text(response))
        listed = self._lists.records(page)
        self.count("pages")
        new = asking.add(listed, self.probe, stated_count(page))
        yield from self._found([record for record in listed if record.href in new], asking)
        following = self._lists.next_url(page, asking)
        if following and following not in asking.pages and (new or asking.requests <= 1):
            asking.pages.add(following)
            yield self._search_page(following, asking)
            return
        yield from self._over(asking)

    def query_failed(self, failure: Failure) -> Iterator[Request]:
        """A query without an answer brought nothing; the next one may."""
        self.count("failed")
        asking: Asking = failure.request.cb_kwargs["asking"]  # type: ignore[attr-defined]
        asking.requests += 1
        yield from self._over(asking)

    def _over(self, asking: Asking) -> Iterator[Request]:
        assert self.probe is not None
        answer = asking.answer()
        search = self.probe.search
        self._answers[self._checked(search.form.request, [*search.presets, *asking.query]).url] = answer
        self.probe.record_answer(asking.query, answer)
        self.summary.add(asking.values)
        yield from self._ask()

    def _found(self, listed: Sequence[Record | OfferRow], asking: Asking) -> Iterator[Any]:
        """Rows that lead nowhere are offers themselves."""
        assert self.probe is not None
        known = asked_values(self.probe.search, asking.query)
        yield from self.record_offers((record for record in listed if isinstance(record, OfferRow)), known, asking)
        records = [record for record in listed if not isinstance(record, OfferRow)]
        yield from self._client.take_records(records, known, asking)

    def record_offers(
        self, records: Iterable[Record | OfferRow], known: Mapping[str, str], asking: Asking
    ) -> Iterator[Offer]:
        """Each record as an offer."""
        for record in records:
            offer = record_offer(record, known)
            asking.index({name: str(offer[name]) for name in INDEXED if name in offer})
            yield from self._items([offer])

    def _items(self, found: Iterable[Offer], *, is_declared: bool = False) -> Iterator[Offer]:
        for offer in found:
            self.products.add(offer["url"])
            offer["shop"], offer["urls"] = self.spider.shop, [offer["url"]]
            yield CrawledOffer.of(offer, is_declared=is_declared)

    # --- going on after a kill ----------------------------------------------------------------------------------------

    def _keep_values(self, response: TextResponse, values: Mapping[str, Sequence[str]]) -> None:
        """Keep the values of a page with the frontier's rows, as a request that is never made: it is written with the page's own."""
        body = b"values of " + (response.request.body if response.request else b"")  # no other request is like it
        self.spider.context.keep_for_later(Request(response.url, body=body, cb_kwargs={"values": values}))

    async def _is_form_known(self) -> bool:
        """The frontier hands out pages of an earlier run at once: wait until the form's own page has been read anew, or cannot be."""
        while self.record is None and not self.is_refused:
            if self.spider.context.failure is not None:
                raise CloseSpider("failed")
            await sleep(WAIT)
        return not self.is_refused

    # --- the end ------------------------------------------------------------------------------------------------------

    def _checked(self, act: Any, *args: Any) -> Any:
        """Do it; what is wrong with the form is said in one line."""
        try:
            return act(*args)
        except FormError as error:
            raise self._refuse(str(error)) from error

    def count(self, event: str) -> None:
        """Count something that happened to the form."""
        self.spider.stats.inc_value(f"scout/forms/{event}")

    def save_index(self) -> None:
        """Keep the attribute index with the form."""
        if self.spider.setting("SCOUT_DATABASE") and self.record is not None:
            self.spider.context.store().save_form(self.spider.shop, self.record, dict(self.summary.items()))


def unless_refused(found: Iterator[Any]) -> Iterator[Any]:
    """What is found, up to where the database turns out not to be usable."""
    try:
        yield from found
    except DatabaseRefused:
        return


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
