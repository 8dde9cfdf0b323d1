"""extract: the one door to an offer, whether its rules were learned, induced, written by hand, or there are none."""

from __future__ import annotations

from scout.induce.induction import completed, is_induced
from scout.induce.metas import canonical_url
from scout.induce.template import Template
from scout.induce.zero_shot import zero_shot
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules, apply
from scout.urls import clean_url


def extract(page: Page, rules: ShopRules | None = None, template: Template | None = None) -> Offer:
    """The offer on a product page.

    By rules that were learned or written, only what they give: their owner chose the fields. By induced rules, what they give, completed
    by what the page's markup says. Without rules, what the page itself lets see. `template` replaces the built-in words.
    """
    offer = zero_shot(page, template) if rules is None else apply(page, rules)
    if rules is not None and is_induced(rules):
        offer = completed(page, offer, template)
    offer["url"] = clean_url(page.url)
    offer.evidence["url"] = Evidence("url", raw=page.url, origin="crawl")
    canonical = canonical_url(page)
    if canonical:
        offer["canonical"] = canonical
        offer.evidence["canonical"] = Evidence("link[rel=canonical]", raw=canonical, origin="structured")
    return offer
