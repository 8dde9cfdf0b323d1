"""extract: the one door to an offer, whether its rules were learned, induced, written by hand, or there are none."""

from __future__ import annotations

from typing import Any

from scout.extraction.document_head import canonical_url
from scout.extraction.induction import completed, is_induced
from scout.extraction.lexicon import Lexicon
from scout.extraction.reviews import marked_reviews, shown_reviews
from scout.extraction.structured_data import things
from scout.extraction.zero_shot import zero_shot
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules, apply_rules
from scout.specs import Specs, specifications
from scout.urls import clean_url


def extract(
    page: Page, rules: ShopRules | None = None, template: Lexicon | None = None, *, complete: bool = False
) -> Offer:
    """The offer on a product page.

    By rules that were learned or written, only what they give: their owner chose the fields. By induced rules, what they give, completed
    by what the page's markup says. Without rules, what the page itself lets see. `template` replaces the built-in words. With `complete`
    the specification, the reviews that are only shown, and the fields that no rule reads are added, at about the cost of all the rest;
    where a rule abstains, its field stays empty.
    """
    offer = zero_shot(page, template) if rules is None else apply_rules(page, rules)
    if rules is not None and is_induced(rules):
        offer = completed(page, offer, template, rules)
        if "price" in offer and "currency" not in offer.evidence:
            _add(offer, "currency", rules.currency, "the shop's only currency")
    elif rules is not None and complete:
        _fill_in(offer, zero_shot(page, template), rules)
    if complete:
        _add(offer, "specs", Specs(specifications(page, rules.specs if rules else None)), "the page's specification")
        _add(offer, "reviews", shown_reviews(page), "the reviews on the page")
    _add(offer, "url", clean_url(page.url), "url", origin="crawl")
    _add(offer, "canonical", canonical_url(page), "link[rel~=canonical]::attr(href)", origin="structured")
    return offer


def reviews(page: Page) -> list[dict[str, str]]:
    """The reviews on any page, marked up or only shown: for the pages that a shop has of them alone."""
    return marked_reviews(things(page)) or shown_reviews(page)


def _fill_in(offer: Offer, seen: Offer, rules: ShopRules) -> None:
    """Add what the page shows in fields that the rules do not read at all."""
    for name in seen:
        is_read = name in rules.fields and rules.fields[name].rules
        if name not in offer and not is_read and not rules.has_given_up(name):
            offer[name], offer.evidence[name] = seen[name], seen.evidence[name]


def _add(offer: Offer, name: str, value: Any, where: str, *, origin: str = "induced") -> None:
    if value and name not in offer:
        offer[name] = value
        offer.evidence[name] = Evidence(where, origin=origin)
