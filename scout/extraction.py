"""extract: the one door to an offer, whether its rules were learned, induced, written by hand, or there are none."""

from __future__ import annotations

from scout.induce.metas import canonical_url
from scout.induce.zero_shot import zero_shot
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules, apply
from scout.urls import clean_url


def extract(page: Page, rules: ShopRules | None = None) -> Offer:
    """The offer on a product page: by `rules` only what they give, without them what the page itself lets see."""
    offer = zero_shot(page) if rules is None else apply(page, rules)
    offer["url"] = clean_url(page.url)
    offer.evidence["url"] = Evidence("url", raw=page.url, origin="crawl")
    canonical = canonical_url(page)
    if canonical:
        offer["canonical"] = canonical
        offer.evidence["canonical"] = Evidence("link[rel=canonical]", raw=canonical, origin="structured")
    return offer
