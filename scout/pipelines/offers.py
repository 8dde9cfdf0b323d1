"""A page goes in, the offer on it comes out: with its reviews, in normal form, checked, its variants nested in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler

from scout.crawl.component import Component
from scout.crawl.configuration import pages_to_keep
from scout.crawl.failure_reasons import NOT_AN_OFFER
from scout.extraction.lexicon import lexicon
from scout.extraction.offer_checks import looks_like_product
from scout.extraction.process_page import PageOffers, process_offer, process_page
from scout.items import CrawledOffer, PageItem, Visit, anonymous_knowledge
from scout.offer import Offer
from scout.pipelines.review_pages import ReviewPages
from scout.specs.segment import choose_segmenter
from scout.store.identity import digest


class OfferPipeline(Component):
    """Turns pages into offers by `process_page`, and checks offers that a spider yields itself; other items pass untouched.

    With `-a reviews=1`, a product's page waits here until the pages of its reviews are read.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.keeps_pages = pages_to_keep(crawler.settings) != "none"
        self.may_name_reviewers = self.setting("SCOUT_REVIEW_AUTHOR_DAYS") > 0
        choose_segmenter(self.setting("SCOUT_SEGMENTER"))
        self.template = lexicon(Path(self.setting("SCOUT_RULES_DIR")))
        self.review_pages = ReviewPages(crawler) if self.context.wants_reviews else None

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem):
            return await self._offer_of_page(item)
        return self._checked_offer(CrawledOffer.of(item)) if isinstance(item, Offer) else item

    async def _offer_of_page(self, item: PageItem) -> CrawledOffer:
        if self.review_pages is not None and "reviews" not in item.values:
            reviews = await self.review_pages.read_all(item.page)
            item.values = {**item.values, **({"reviews": reviews} if reviews else {})}
        rules = self.context.knowledge.rules
        self.count(f"scout/extract/{'rules' if rules else 'zero_shot'}")
        result = process_page(
            item.page, rules, item.product, template=self.template, may_name_reviewers=self.may_name_reviewers
        )
        is_nameless = self.may_name_reviewers or not result.offer.get("reviews")
        visit = self._visit_of(item, keep=self.keeps_pages and "noarchive" not in item.directives and is_nameless)
        offer = CrawledOffer.of(result.offer, token=item.token, alternates=item.alternates, visit=visit)
        return self._accepted(offer, result)

    def _checked_offer(self, offer: CrawledOffer) -> CrawledOffer:
        rules = self.context.knowledge.rules
        result = process_offer(
            offer,
            rules.locale if rules else None,
            is_declared=offer.is_declared,
            may_name_reviewers=self.may_name_reviewers,
        )
        if result.reason is None and not looks_like_product(offer):
            self.count("scout/validate/declared")
        return self._accepted(offer, result)

    def _accepted(self, offer: CrawledOffer, result: PageOffers) -> CrawledOffer:
        """The offer with its variants, counted; raises NotAnOffer for what is none."""
        for name in result.unreadable:
            self.count(f"scout/normalise/unreadable/{name}")
        for name in result.wrong:
            self.count(f"scout/validate/wrong/{name}")
        self.count(f"scout/validate/{result.reason or 'valid'}")
        if result.reason is not None:
            raise NOT_AN_OFFER[result.reason](offer)
        if result.variants:
            self.count("scout/variants/offers", len(result.variants))
        offer.variant_offers = tuple(CrawledOffer.of(variant, token=offer.token) for variant in result.variants)
        return offer

    def _visit_of(self, item: PageItem, *, keep: bool) -> Visit:
        """The visit to remember, with the page's text where pages are kept."""
        html = item.page.html
        known = item.known if self.may_name_reviewers else anonymous_knowledge(item.known)
        return Visit(
            url=item.page.url,
            level=item.level,
            referer=item.referer,
            status=item.status,
            digest=digest(html),
            html=html if keep else None,
            headers=item.headers if keep else None,
            known=known if keep else {},
        )
