"""What becomes of a product page: extraction, the spider's own values, normal forms, checks, reviewers' names, variants.

The pipelines, re-extraction and Spark all call this one function. It does no I/O and keeps no state.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scout.extraction.extractor import extract
from scout.extraction.lexicon import Lexicon
from scout.extraction.normalise import SPIDER, normalise
from scout.extraction.offer_checks import drop_reason, looks_like_product, remove_wrong_values
from scout.extraction.product_page import is_detail
from scout.extraction.reviews import without_authors
from scout.extraction.variant_offers import variant_offers
from scout.fields import CATEGORY_STEP, category_names
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.rules import ShopRules
from scout.values import NumberLocale
from scout.values.text import text_key

_PRODUCT_NAMES = ("title", "sku", "han", "ean")
_WALKED = "the way to the page"  # what the evidence of a walked category names as its place


@dataclass(frozen=True)
class ProductKnowledge:
    """What the crawl knows of a product besides its page: the path that led there, further addresses, the spider's own values."""

    shop: str
    category: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PageOffers:
    """The offer of a page with those of its variants, or the reason (a name in DROP_REASONS) why it is none.

    `unreadable` and `wrong` are the fields whose values had to go; the evidence says why.
    """

    offer: Offer
    variants: tuple[Offer, ...] = ()
    reason: str | None = None
    unreadable: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The offers that are worth storing: the product's own first."""
        return () if self.reason else (self.offer, *self.variants)


def process_page(
    page: Page,
    rules: ShopRules | None,
    known: ProductKnowledge,
    *,
    template: Lexicon | None = None,
    may_name_reviewers: bool = True,
) -> PageOffers:
    """The offers of a product page, by the shop's rules or from the page alone."""
    offer = _with_knowledge(extract(page, rules, template, complete=True), known)
    # A catalogue may show a name and a text only: then it is the page's own evidence that speaks for a product.
    is_declared = not looks_like_product(offer) and is_detail(page)
    return process_offer(
        offer, rules.locale if rules else None, is_declared=is_declared, may_name_reviewers=may_name_reviewers
    )


def process_offer(
    offer: Offer, locale: NumberLocale | None = None, *, is_declared: bool = False, may_name_reviewers: bool = True
) -> PageOffers:
    """The same for an offer that somebody has read already; its values are changed in place.

    `is_declared`: its provider says that it is an offer, so it need not look like a product.
    """
    unreadable, wrong = tuple(normalise(offer, locale)), tuple(remove_wrong_values(offer))
    reason = drop_reason(offer, is_declared=is_declared)
    if reason is not None:
        return PageOffers(offer, (), reason, unreadable, wrong)
    if offer.get("reviews") and not may_name_reviewers:
        offer["reviews"] = without_authors(offer["reviews"])
    return PageOffers(offer, tuple(_valid_variants(offer, locale)), None, unreadable, wrong)


def _valid_variants(offer: Offer, locale: NumberLocale | None) -> Iterator[Offer]:
    for variant in variant_offers(offer):
        normalise(variant, locale)
        remove_wrong_values(variant)
        if drop_reason(variant) is None:
            yield variant


def _place(offer: Offer, walked: tuple[str, ...]) -> None:
    """A category path ends above the product, which some shops call by its number there; a brand says less than a way there without it."""
    steps = [*category_names(offer.pop("category", None))]
    own, brand = ({text_key(str(offer.get(name))) for name in names} for names in (_PRODUCT_NAMES, ("brand",)))
    while steps and text_key(steps[-1]) in own:
        steps.pop()
    ends_with_brand = bool(steps) and text_key(steps[-1]) in brand - set(map(text_key, walked))
    is_walked = bool(walked) and (not steps or ends_with_brand)
    if path := CATEGORY_STEP.join(walked if is_walked else steps):
        offer["category"] = path
    if is_walked:
        offer.evidence["category"] = Evidence(_WALKED, raw=offer["category"], origin="crawl")


def _with_knowledge(extracted: Offer, known: ProductKnowledge) -> Offer:
    """A copy of the offer with what the crawl knows: the spider's own values win, the walked category fills in."""
    offer = Offer(extracted, evidence=extracted.evidence)
    offer["urls"] = list(dict.fromkeys([offer["url"], *known.urls]))
    offer["shop"] = known.shop
    _place(offer, known.category)
    for name, value in known.values.items():
        offer[name] = value
        raw = None if name == "reviews" else str(value)  # they name people, who are to be forgotten in time
        offer.evidence[name] = Evidence(SPIDER, raw=raw, origin="crawl")
    return offer
