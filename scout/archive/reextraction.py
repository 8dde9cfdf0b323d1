"""Extracts the offers of a kept page with the crawl's own functions, in any process on any machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

from scout.crawl.page_limits import limit_broken
from scout.crawl.parse_sandbox import ParseSandbox
from scout.extraction.lexicon import Lexicon
from scout.extraction.process_page import ProductKnowledge, process_page
from scout.extraction.product_page import is_detail
from scout.kept_page import DETAIL, KeptPage
from scout.offer import Offer
from scout.page import Page
from scout.rules import ShopRules
from scout.settings import SCOUT_TRIAL_SECONDS, SCOUT_TRIAL_SIZE
from scout.urls import shop_name

BROKEN = "broken"  # begins the reason if extraction itself failed
NOT_A_PRODUCT_PAGE = "not a product page"
OTHER_SHOP = "of another shop"


@dataclass(frozen=True)
class Outcome:
    """The offers of a page, or the reason why it has none. `shop` is empty if unknown."""

    url: str
    shop: str
    offers: tuple[Offer, ...] = ()
    reason: str | None = None

    @property
    def is_broken(self) -> bool:
        """Whether extraction failed, which should not happen on any page."""
        return self.reason is not None and self.reason.startswith(BROKEN)

    @property
    def kind(self) -> str | None:
        """The reason to count by, without the details of a failure."""
        return BROKEN if self.is_broken else self.reason


@dataclass(frozen=True)
class PageReader:
    """Reads pages by the rules of their shops; can be pickled for other processes."""

    rules: Mapping[str, ShopRules | None] = field(default_factory=dict)  # pages of other shops are read without rules
    template: Lexicon | None = None
    only: frozenset[str] | None = None  # read only these shops; None: all
    hosts: Mapping[str, str] = field(default_factory=dict)  # host -> shop, for pages without a shop
    author_days: int = 0  # SCOUT_REVIEW_AUTHOR_DAYS; 0: never name reviewers
    trial_size: int = SCOUT_TRIAL_SIZE
    trial_seconds: float = SCOUT_TRIAL_SECONDS

    def read(self, pages: Iterable[KeptPage]) -> Iterator[Outcome]:
        """The outcome of each page."""
        with closing(self.sandbox()) as sandbox:
            for kept in pages:
                yield self.outcome(kept, sandbox)

    def sandbox(self) -> ParseSandbox:
        """A sandbox that parses large pages first; its process starts with the first of them."""
        return ParseSandbox(self.trial_seconds)

    def outcome(self, kept: KeptPage, sandbox: ParseSandbox | None = None) -> Outcome:
        """The offers of the page, or why it has none. A failure is part of the outcome, so that it does not stop other pages."""
        shop = kept.shop or ""
        if kept.defect is not None and not shop:
            return broken_outcome(kept, kept.defect)  # reported, whichever shop it belongs to
        try:
            shop = shop or self._shop_of(kept.url)
            if self.only is not None and shop not in self.only:
                return Outcome(kept.url, shop, reason=OTHER_SHOP)
            return self._outcome(kept, shop, sandbox)
        except Exception as error:  # it is in the outcome, and so in the exit code
            return broken_outcome(kept, f"{type(error).__name__}: {error}", shop)

    def _outcome(self, kept: KeptPage, shop: str, sandbox: ParseSandbox | None) -> Outcome:
        if kept.defect is not None:
            return broken_outcome(kept, kept.defect, shop)
        reason = limit_broken(kept.html)
        if reason is None and sandbox is not None and len(kept.html) > self.trial_size:
            reason = sandbox.verdict(kept.html)
        page = Page(kept.url, kept.html)
        if reason is None and not (is_detail(page) if kept.level is None else kept.level == DETAIL):
            reason = NOT_A_PRODUCT_PAGE
        if reason is not None:
            return Outcome(kept.url, shop, reason=reason)
        known = kept.known
        product = ProductKnowledge(shop, tuple(known.get("category", ())), values=known.get("values", {}))
        result = process_page(
            page,
            self.rules.get(shop),
            product,
            template=self.template,
            may_name_reviewers=self._may_name_reviewers(kept.fetched_at),
        )
        return Outcome(kept.url, shop, result.offers, result.reason)

    def _may_name_reviewers(self, fetched_at: datetime | None) -> bool:
        """Whether a page fetched then may still name reviewers."""
        limit = timedelta(days=self.author_days)
        return bool(limit) and (fetched_at is None or datetime.now(timezone.utc) - fetched_at < limit)

    def _shop_of(self, url: str) -> str:
        host = shop_name(url)
        return self.hosts.get(host, host)


def broken_outcome(kept: KeptPage, error: str, shop: str = "") -> Outcome:
    """The outcome of a page on which extraction failed."""
    return Outcome(kept.url, shop or kept.shop or "", reason=f"{BROKEN}: {error}")
