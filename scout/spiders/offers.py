"""OffersSpider: fetches the pages of known offers, politely, and learns the shop's rules from them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from itertools import accumulate
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field
from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.utils.asyncio import run_in_thread
from twisted.python.failure import Failure

from scout.crawl.configuration import pages_to_keep
from scout.crawl.context import ShopRef
from scout.errors import UsageError
from scout.fetch import FetchState
from scout.handlers.address_guard import common_target
from scout.learning.learner import Sample, learn
from scout.learning.sampling import choose_offers
from scout.matching.facts import read_facts
from scout.matching.ids import id_pairs
from scout.page import Page
from scout.rules import DEFAULT_THRESHOLD, ShopRules
from scout.spiders.arguments import SpiderArguments
from scout.spiders.base import ShopCrawlSpider, failure_reason
from scout.spiders.rules_store import load_rules, save_rules
from scout.store import Store
from scout.urls import clean_url

MAX_CHARACTERS = 40_000_000  # of all pages: their trees, ten times as large, are held while learning
NOT_LEARNED = frozenset({"id", "url", "urls", "shop", "parent", "canonical"})  # of an offer, but not read from its page


class OffersArguments(SpiderArguments):
    """What `scrapy crawl offers -a NAME=VALUE` accepts."""

    shop: str = Field(description="the shop whose known offers are in the database")
    limit: int | None = Field(None, gt=0, description="offers to learn from at most; otherwise SCOUT_LEARN_MAX_OFFERS")
    threshold: float = Field(DEFAULT_THRESHOLD, ge=0, le=1, description="the least quality of a selector")
    write: bool = Field(True, description="write the rules; otherwise only fetch the pages")
    fresh: bool = Field(False, description="fetch all pages anew, also those that are kept")


class OffersSpider(ShopCrawlSpider):
    """Fetch the pages of a shop's known offers and learn its rules from them: `-a shop=NAME`."""

    name = "offers"
    room = "learn"
    arguments = OffersArguments
    custom_settings = {"ITEM_PIPELINES": {}}  # the pages are learned from, not stored as offers

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offers: dict[str, Mapping[str, Any]] = {}  # clean address -> known offer
        self.pages: dict[str, Page] = {}
        self.gone: dict[str, str] = {}  # clean address -> why its page is left out
        self.rules: ShopRules | None = None  # that were learned
        self.known = 0

    def _asked_shop(self) -> ShopRef:
        return ShopRef(self.args.shop)

    def _load(self) -> None:
        """Choose the offers to learn from."""
        store = self.context.store()
        rows = offers_with_pages(store, self.shop)
        address = next((status.url for status in store.shops() if status.name == self.shop), None)
        if not rows:
            raise UsageError(
                f"the page of no known offer of {self.shop} is known: scout learn {self.shop} --offers FILE"
            )
        self.known = len(rows)
        named = address or common_target(str(row["url"]) for row in rows)
        # The shop may be local; nothing else becomes so because a row of the catalogue says it.
        self.context.shop = ShopRef(self.shop, named_urls=(named,) if named else ())
        limit = self.args.limit or self.setting("SCOUT_LEARN_MAX_OFFERS")
        self.offers = {clean_url(str(row["url"])): row for row in choose_offers(rows, limit)}

    async def start(self) -> AsyncIterator[Any]:
        """The pages, kept as they come: where learning is interrupted, the next run reads from there what this one was sent."""
        is_kept = pages_to_keep(self.settings) != "none"
        for url in self.offers:
            about, level = {"asked": url}, {"level": "detail"}
            request = Request(url, self.parse, errback=self.page_failed, meta=level, cb_kwargs=about, dont_filter=True)
            state = FetchState.of(request)
            state.is_kept_to_resume, state.conditions = is_kept, "never" if self.args.fresh else None
            yield request

    def parse(self, response: Response, asked: str) -> None:
        """A page that may be the offer's."""
        if not isinstance(response, TextResponse):
            return self._leave_out(asked, "not a web page")
        if urlsplit(response.url).path in ("", "/") and urlsplit(asked).path not in ("", "/"):
            return self._leave_out(asked, "redirected to the front page")
        self.pages[asked] = Page(response.url, response.text)  # its tree is large, and not needed yet
        self.count_event("pages")
        return None

    def page_failed(self, failure: Failure) -> None:
        """The offer's page is gone: it is left out."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self._leave_out(request.cb_kwargs["asked"], failure_reason(failure))

    def _leave_out(self, url: str, reason: str) -> None:
        self.gone[url] = reason
        self.count_event("gone")
        self.logger.warning("%s is left out: %s", url, reason)

    # --- learning -----------------------------------------------------------------------------------------------------
    async def _on_closed(self, reason: str) -> None:
        """All pages are there: learn. An interrupted run keeps its pages and learns the next time."""
        if reason == "finished" and self.pages and self.args.write:
            await run_in_thread(self._learn)

    def _learn(self) -> None:
        directory, store = self.setting("SCOUT_RULES_DIR"), self.context.store()
        self.rules = learned = learn(self.samples(), threshold=self.args.threshold, shop=self.shop)
        if not has_selectors(learned):  # no reason to forget what was learned before
            return
        old = load_rules(self.shop, directory, store)
        self.rules = old.merged_with(learned) if old else learned
        self.context.knowledge.add_marks(self.rules)  # a crawl must see the pages that were learned from
        save_rules(self.rules, directory, store)

    def samples(self) -> list[Sample]:
        """(page, known values) of the offers whose page is there, in the order they were chosen, as far as memory reaches."""
        there = [(self.pages[url], known_values(offer)) for url, offer in self.offers.items() if url in self.pages]
        sizes = accumulate(len(page.html) for page, _ in there)
        return [sample for sample, size in zip(there, sizes, strict=True) if size <= MAX_CHARACTERS]


def offers_with_pages(store: Store, shop: str) -> list[Mapping[str, Any]]:
    """The known offers with an address: their own, or that of a crawled offer which an identifier proves to be the same."""
    known = store.known_offers(shop)
    bare = [row for row in known if not has_address(row)]
    crawled = list(store.offers(shop)) if bare else []
    proven = id_pairs(read_facts(bare), read_facts(crawled))
    found = [{**bare[row], "url": crawled[offer]["url"]} for row, offer, _ in sorted(proven)]
    return [*(row for row in known if has_address(row)), *found]


def has_address(row: Mapping[str, Any]) -> bool:
    """Whether a catalogue's row says where the offer's page is."""
    return str(row.get("url") or "").lower().startswith(("http://", "https://"))


def has_selectors(rules: ShopRules) -> bool:
    """Whether the rules can read any field."""
    return any(field.rules for field in rules.fields.values())


def known_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """What of a catalogue's row can stand on the offer's page."""
    return {name: value for name, value in row.items() if name not in NOT_LEARNED and not isinstance(value, Mapping)}
