"""The databases behind forms that a shop crawl comes upon (Weber, 2001, section 3.2): how each is asked is in `scout.spiders.databases`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from scout.crawl.context import EarlierRuns
from scout.crawl.failure_reasons import rejection
from scout.forms.discovery import FoundDatabase, declared_database
from scout.page import Page
from scout.spiders.databases import AT_START, DatabaseRefused, DatabaseSearch
from scout.spiders.form_results import Asking
from scout.walking.records import Record

if TYPE_CHECKING:
    from scout.spiders.shop import ShopSpider


class Gatherer:
    """Asks the first database that a page describes; where a search box is all that leads to products, it is that box."""

    def __init__(self, spider: ShopSpider) -> None:
        self._spider = spider
        self.search = DatabaseSearch(spider, self, spider.products)
        self.found: FoundDatabase | None = None  # the first one that a page leads to
        self.has_lists = False  # beside the front page: a shop without any is searched
        self._asked: str | None = None  # the address of the one that is asked

    def notice(self, found: FoundDatabase | None) -> None:
        """Say what a page leads to, the first time."""
        if found is not None and (self.found is None or self.found.cooperation == "none"):
            self.found = found
            self._spider.logger.info("%s", found)

    def declared(self, page: Page) -> Iterator[Request]:
        """A request for the first database that a page describes to gatherers."""
        found = declared_database(page)
        self.notice(found)
        if found is not None and self._asked is None and self._may_ask:
            yield self._request(found.url)

    @property
    def _may_ask(self) -> bool:
        """Not where only a part of the shop, or only what a list names, is to be crawled."""
        args = self._spider.args
        return not args.scope and "walk" in args.discover and not args.part

    def _request(self, url: str) -> Request:
        """Asked anew by every run, and not kept in the frontier: that it has to be asked is."""
        self._asked = url
        kept = Request(url, body=b"the database behind it", cb_kwargs={"database": url})
        self._spider.context.keep_for_later(kept)
        return Request(url, self.search.parse, errback=self.search.failed, meta=dict(AT_START), dont_filter=True)

    def resume(self, earlier: EarlierRuns) -> Iterator[Request]:
        """Go on with what earlier runs of the crawl have left."""
        self.has_lists = earlier.has_lists
        for about in (request.cb_kwargs for request in earlier.kept):
            self._asked = about.get("database", self._asked)
            self.search.summary.add(about.get("values", {}))
        if self._asked is not None and not self._spider.args.scope:
            yield self._request(self._asked)

    @property
    def is_search_due(self) -> bool:
        """Whether there is nothing but a search box that leads to products."""
        is_new = self._asked is None and self.found is not None
        return (
            is_new and self._may_ask and not self.has_lists and self._spider.pages > 0 and not self._spider.is_at_limit
        )

    def begin_search(self, response: Response) -> Iterator[Request]:
        """Ask the database that was found."""
        assert self.found is not None
        self.search.count("searched_shops")
        yield self._request(self.found.url)

    # --- what becomes of the database ---------------------------------------------------------------------------------

    def refuse_database(self, said: str) -> Exception:
        """The rest of the shop can be crawled nevertheless."""
        self.search.count("refused")
        self._spider.logger.warning("The database at %s cannot be asked: %s", self._asked, said)
        return DatabaseRefused(said)

    def database_failed(self, failure: Failure) -> None:
        """As when it is of no use."""
        self.refuse_database(rejection(failure.value))

    def take_records(self, records: Sequence[Record], known: dict[str, str], asking: Asking) -> Iterator[Any]:
        """The products of an answer: their pages are read as those of any list."""
        category = (known["category"],) if "category" in known else ()
        yield from self._spider.follow(self._spider.walk.answer_steps(records, category))

    @property
    def is_unproven(self) -> bool:
        """Whether a database that the shop leads to was not read, or may hold more than was found."""
        probe = self.search.probe
        return self._asked is not None and (self.search.is_refused or (probe is not None and not probe.is_proven))

    def describe(self) -> str:
        """What came of a database behind a form."""
        if self._asked is None:
            return f". Not asked: {self.found}" if self.found and self.found.cooperation != "none" else ""
        said = f"; {self.search.probe.completeness}" if self.search.probe is not None else ""
        return f". The database at {self._asked} was asked{said}"
