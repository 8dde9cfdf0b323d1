"""The offer on a kept page as a crawl would have it: the crawl's own functions, in any process on any machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from scout.crawl.page_limits import limit_broken
from scout.crawl.parse_sandbox import ParseSandbox
from scout.extraction.extractor import extract
from scout.extraction.lexicon import Lexicon
from scout.extraction.product_page import is_detail
from scout.items import OfferItem, PageItem
from scout.kept_page import DETAIL, KeptPage
from scout.page import Page
from scout.pipelines.extract import offer_of
from scout.pipelines.normalise import normalise
from scout.pipelines.reviews import forget_reviewers
from scout.pipelines.validate import DROPS, take_out_wrong_values
from scout.pipelines.variants import variant_offers
from scout.rules import ShopRules
from scout.settings import SCOUT_TRIAL_SECONDS, SCOUT_TRIAL_SIZE
from scout.urls import shop_name

BROKEN = "broken"  # the reason begins so where extraction itself failed
NO_PRODUCT_PAGE = "no product page"
OTHER_SHOP = "of another shop"


@dataclass(frozen=True)
class Outcome:
    """What became of a page: the offers on it, or the reason why there is none. `shop` is empty where that could not be told."""

    url: str
    shop: str
    offers: tuple[OfferItem, ...] = ()
    reason: str | None = None

    @property
    def is_broken(self) -> bool:
        """Whether the page could not be read at all, which no page should do."""
        return self.reason is not None and self.reason.startswith(BROKEN)

    @property
    def kind(self) -> str | None:
        """The reason to count by: what breaks says something else on every page."""
        return BROKEN if self.is_broken else self.reason


@dataclass(frozen=True)
class PageReader:
    """Reads pages by the rules of their shops; travels to other processes as data."""

    rules: Mapping[str, ShopRules | None] = field(default_factory=dict)  # pages of other shops are read without
    template: Lexicon | None = None
    only: frozenset[str] | None = None  # these shops; None: all
    hosts: Mapping[str, str] = field(default_factory=dict)  # host -> shop, for pages that do not say theirs
    author_days: int = 0  # SCOUT_REVIEW_AUTHOR_DAYS: with 0 no reviewer is named
    trial_size: int = SCOUT_TRIAL_SIZE
    trial_seconds: float = SCOUT_TRIAL_SECONDS

    def read(self, pages: Iterable[KeptPage]) -> Iterator[Outcome]:
        """One outcome for each page."""
        with closing(self.trial()) as trial:
            for kept in pages:
                yield self.outcome(kept, trial)

    def trial(self) -> ParseSandbox:
        """Who reads large pages first, in a process that can be killed; it starts with the first of them."""
        return ParseSandbox(self.trial_seconds)

    def outcome(self, kept: KeptPage, trial: ParseSandbox | None = None) -> Outcome:
        """The offers on the page, or why there is none. What breaks on one page is told and does not take the others with it."""
        shop = kept.shop or ""
        if kept.flaw is not None and not shop:
            return broken(kept, kept.flaw)  # whoever's it is: it must be told
        try:
            shop = shop or self._shop_of(kept.url)
            if self.only is not None and shop not in self.only:
                return Outcome(kept.url, shop, reason=OTHER_SHOP)
            return self._outcome(kept, shop, trial)
        except Exception as error:  # told in the outcome, and so in the exit code
            return broken(kept, f"{type(error).__name__}: {error}", shop)

    def _outcome(self, kept: KeptPage, shop: str, trial: ParseSandbox | None) -> Outcome:
        if kept.flaw is not None:
            return broken(kept, kept.flaw, shop)
        reason = limit_broken(kept.html)
        if reason is None and trial is not None and len(kept.html) > self.trial_size:
            reason = trial.verdict(kept.html)
        page = Page(kept.url, kept.html)
        if reason is None and not (is_detail(page) if kept.level is None else kept.level == DETAIL):
            reason = NO_PRODUCT_PAGE
        if reason is not None:
            return Outcome(kept.url, shop, reason=reason)
        known = kept.known
        item = PageItem(page=page, shop=shop, category=tuple(known.get("category", ())), values=known.get("values", {}))
        return self._checked(item, may_name=self._may_name(kept.fetched_at))

    def _may_name(self, fetched_at: datetime | None) -> bool:
        """Whether reviewers on a page of this time may still be named."""
        time = timedelta(days=self.author_days)
        return bool(time) and (fetched_at is None or datetime.now(timezone.utc) - fetched_at < time)

    def _checked(self, item: PageItem, *, may_name: bool) -> Outcome:
        """The steps of the pipelines from the page to the database."""
        rules = self.rules.get(item.shop)
        offer = offer_of(item, extract(item.page, rules, self.template, complete=True))
        reason = self._dropped(offer)
        if reason is not None:
            return Outcome(item.page.url, item.shop, reason=reason)
        if not may_name:
            forget_reviewers(offer)
        variants = [variant for variant in variant_offers(offer) if self._dropped(variant) is None]
        return Outcome(item.page.url, item.shop, (offer, *variants))

    def _dropped(self, offer: OfferItem) -> str | None:
        """Why the offer is none, after its values were normalised and checked in place."""
        rules = self.rules.get(offer["shop"])
        normalise(offer, locale=rules.locale if rules else None, unreadable=lambda name: None)
        take_out_wrong_values(offer)
        return next((error.__name__ for error, holds in DROPS if holds(offer)), None)

    def _shop_of(self, url: str) -> str:
        host = shop_name(url)
        return self.hosts.get(host, host)


def broken(kept: KeptPage, what: str, shop: str = "") -> Outcome:
    """The outcome of a page that could not be read."""
    return Outcome(kept.url, shop or kept.shop or "", reason=f"{BROKEN}: {what}")
