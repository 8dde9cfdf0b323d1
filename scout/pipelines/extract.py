"""PageItem in, offer out: by the spider's rules where it has some, else from the page alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler

from scout.crawl.component import Component
from scout.crawl.configuration import shop_rules
from scout.extraction.extractor import extract
from scout.extraction.lexicon import lexicon
from scout.fields import CATEGORY_STEP
from scout.items import PageItem, Visit, context_of
from scout.offer import Evidence, Offer
from scout.store.identity import digest

WALKED = "the way to the page"  # what the evidence of a walked category names as its place
SPIDER = "the spider"  # and that of a value which the spider itself gave


class ExtractPipeline(Component):
    """Turns each page into the offer on it; whatever is not a page passes untouched."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.keeps_pages = self.setting("SCOUT_KEEP_PAGES")
        self.template = lexicon(Path(self.setting("SCOUT_RULES_DIR")))

    def process_item(self, item: Any) -> Any:
        if not isinstance(item, PageItem):
            return item
        rules = shop_rules(self.crawler)
        self.count(f"scout/extract/{'rules' if rules else 'zero_shot'}")
        offer = offer_of(item, extract(item.page, rules, self.template, complete=True))
        context_of(offer).visit = visit_of(item, keep=self.keeps_pages)
        return offer


def offer_of(item: PageItem, found: Offer) -> Offer:
    """What was found on the page together with what the walk knows: addresses, shop, category, the spider's own values."""
    offer = Offer(found, evidence=found.evidence)
    context = context_of(offer)
    context.token, context.alternates = item.token, item.alternates
    offer["urls"] = list(dict.fromkeys([offer["url"], *item.urls]))
    offer["shop"] = item.shop
    if item.category and not offer.get("category"):
        path = CATEGORY_STEP.join(item.category)
        offer["category"] = path
        offer.evidence["category"] = Evidence(WALKED, raw=path, origin="crawl")
    for name, value in item.values.items():
        offer[name] = value
        raw = None if name == "reviews" else str(value)  # they name people, who are to be forgotten in time
        offer.evidence[name] = Evidence(SPIDER, raw=raw, origin="crawl")
    return offer


def visit_of(item: PageItem, *, keep: bool) -> Visit:
    """The visit to remember, with the page's text where pages are kept."""
    html = item.page.html
    return Visit(
        url=item.page.url,
        level=item.level,
        referer=item.referer,
        status=item.status,
        digest=digest(html),
        html=html if keep else None,
        headers=item.headers if keep else None,
        known=item.known if keep else {},
    )
