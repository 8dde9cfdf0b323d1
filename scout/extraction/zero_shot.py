"""zero_shot: an offer from one product page of a shop that nobody has seen before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from lxml.html import HtmlElement

from scout.extraction.availability import availability_claims
from scout.extraction.ballot import Candidate, Claim, Election, abstention, data_place
from scout.extraction.breadcrumbs import category_path
from scout.extraction.embedded_state import StateProduct, currency_claims, state_claims, state_products
from scout.extraction.field_ballot import FieldBallot
from scout.extraction.field_parsers import OWN_WAYS, READERS, Reader, text
from scout.extraction.images import description_claims, images
from scout.extraction.labels import prose_claims, specification_claims
from scout.extraction.lexicon import Lexicon, lexicon
from scout.extraction.markup import SYNTAX_WEIGHT, all_offers
from scout.extraction.named_elements import (
    beside_title_claims,
    data_claims,
    is_called,
    linked_brand_claims,
    named_claims,
    own_claims,
    price_data_claims,
)
from scout.extraction.prices import PriceBallot, PriceFinding, machine_amount
from scout.extraction.product_page import ProductPageEvidence
from scout.extraction.reading import PageReading
from scout.extraction.reviews import marked_reviews, rating
from scout.extraction.titles import appended_code
from scout.extraction.url_codes import address_claims
from scout.extraction.variants import Sources, variants
from scout.offer import Evidence, Offer
from scout.page import Page, collector_paused
from scout.values import NumberLocale, country_currency, parse_currency
from scout.values.currency import country_of, named_currency
from scout.values.text import alphanumeric_key

THRESHOLD = 2.0  # less than one clear statement is no evidence
APPENDED = 2.5  # what a code in the heading counts: less than one that is labelled

_GTIN_SIGNS = ('"gtin', '"ean', '"barcode')
_IDENTIFYING = ("brand", "sku", "ean", "han")
_VARIANTS_SIGNS = ('"variants"', '"variations"', '"skus"')


def zero_shot(page: Page, words: Lexicon | None = None) -> Offer:
    """The offer that this page shows, from this page alone, with evidence for every value and every abstention."""
    with collector_paused():
        return PageExtraction(page, words or lexicon()).offer()


def marked_offer(page: Page, words: Lexicon | None = None, known: Mapping[str, Any] | None = None) -> Offer:
    """What complements the `known` values of rules, at a fraction of the cost: the visible page is left aside as far as it goes."""
    with collector_paused():
        return PageExtraction(page, words or lexicon()).marked_offer(known or {})


class PageExtraction:
    """One page's way from claims to an offer."""

    def __init__(self, page: Page, words: Lexicon) -> None:
        self.page, self.words = page, words
        self.reading = PageReading.of(page, words)
        self.head, self.markup, self.view = self.reading.head, self.reading.markup, self.reading.view
        self.claims = self.reading.claims()
        self.values: dict[str, Any] = {}
        self.evidence: dict[str, Evidence] = {}
        self.title: str | None = None

    # --- the two ways through a page ---

    def offer(self) -> Offer:
        """All fields, the title first: the others are looked for from where it stands."""
        self.title = self._title()
        self.collect()
        found = self._price()
        self._decide_all()
        self._name_without_brand()
        han, sku = (alphanumeric_key(self.values.get(name) or "") for name in ("han", "sku"))
        if "han" in self.values and han == sku:
            del self.values["han"]
            self.evidence["han"] = abstention("the same as the article number: the shop repeats its own")
        if "sku" not in self.values and "ean" in self.values:  # shops of books and records go by it
            self.values["sku"], self.evidence["sku"] = self.values["ean"], self.evidence["ean"]
        self._surroundings(found.locale, {a for s in found.shown for a in s.price.readings})
        return Offer(self.values, evidence=self.evidence)

    def marked_offer(self, known: Mapping[str, Any]) -> Offer:
        """The fields that markup and meta elements name, and the page's stock and surroundings.

        A brand that only some products have may be on none of the pages that the rules come from, so it is also looked for by name.
        """
        self.title = known["title"] if "title" in known else self._title()
        if "brand" not in known and not self._of("brand") and is_called(self.page, "brand", self.words):
            self.claims += named_claims(self.view, ("brand",))
        self.claims += (claim for claim in self.reading.labels if claim.field == "availability")
        self.claims += availability_claims(self.view, ())
        if "description" not in known:
            self._collect_description()
        hint = country_currency(self.head.lang, self.page.url)
        self._decide("currency", lambda raw: parse_currency(raw, hint))
        self._decide_all()
        self._surroundings(NumberLocale(), set())
        return Offer(self.values, evidence=self.evidence)

    @cached_property
    def price_ballot(self) -> PriceBallot:
        """What price and list price are decided from."""
        hint = self._expected_currency
        self._decide("currency", lambda raw: parse_currency(raw, hint))
        currency = self.values.get("currency") or hint
        score = ProductPageEvidence.of(self.page).evidence().score
        return PriceBallot.of(self.view, self.claims, self.head.lang, currency, score)

    # --- what is said ---

    def _mentions(self, keys: Collection[str]) -> bool:
        """Whether the page's data has one of the keys that make its scripts worth reading; asked last, for a page takes long to search."""
        return any(key in self.page.html for key in keys)

    @cached_property
    def states(self) -> list[StateProduct]:
        """The product's objects in scripts."""
        return state_products(self.page, self.title) if self.title else []

    def collect(self) -> None:
        """Everything that the visible page, its address and, where the markup leaves something open, its scripts say."""
        head, description = self.head, 'meta[name="description"]::attr(content)'
        self.claims += self.reading.labels
        self.claims += own_claims(self.view)
        self.claims += address_claims(self.page.url)
        self.claims += _appended_claims(self.view.anchor)
        self.claims += prose_claims({"title": head.title, description: head.meta("description")})
        if self._needs_state():
            self.claims += state_claims(self.states, self.words)
        if not self._of("currency"):
            self.claims += currency_claims(self.page)
        said = {c.field for c in self.claims if c.weight >= THRESHOLD and not self.ballot.is_aside(c)}
        self._collect_unsaid([name for name in _IDENTIFYING if name not in said])
        if "price" not in said:
            self.claims += price_data_claims(self.view)
        self.claims += availability_claims(self.view, self._of("availability"))
        self._collect_description()

    def _collect_unsaid(self, unsaid: Sequence[str]) -> None:
        """Brand and numbers in places that are dearer to read."""
        if not {"brand", "sku"}.isdisjoint(unsaid):
            self.claims += named_claims(self.view, unsaid)
            self.claims += data_claims(self.view, unsaid)
        if "brand" in unsaid:
            self.claims += linked_brand_claims(self.view)
            self.claims += beside_title_claims(self.view, [self.title or "", self.head.title])
            self.claims += specification_claims(self.view, frozenset(unsaid) - {"sku"})

    def _collect_description(self) -> None:
        """The description that is shown, where the markup has none: a meta element has a line for search engines."""
        if not any(claim.source in SYNTAX_WEIGHT for claim in self._of("description")):
            self.claims += description_claims(self.view)

    def _needs_state(self) -> bool:
        """Scripts cost the most to read: they are asked where the markup leaves something open."""
        said = {c.field for c in self.claims if c.source in SYNTAX_WEIGHT}
        return not {"price", "sku", "brand"} <= said or ("ean" not in said and self._mentions(_GTIN_SIGNS))

    def _of(self, name: str) -> list[Claim]:
        return [c for c in self.claims if c.field == name]

    # --- what is believed ---

    def _settle(self, name: str, election: Election | None, why_not: str, heard: Iterable[Candidate] = ()) -> None:
        if election is None:
            self.evidence[name] = abstention(why_not, list(heard))
        else:
            self.values[name], self.evidence[name] = election.value, election.evidence()

    def _title(self) -> str | None:
        election = self.reading.title.election
        self._settle("title", election, "no heading that names more than the shop")
        return election.value if election else None

    def _price(self) -> PriceFinding:
        found = self.price_ballot.finding()
        self._settle("price", found.price, "no amount that is clearly the product's own", found.candidates)
        if found.price:
            self.evidence["price"] = replace(self.evidence["price"], note=found.circumstances)
        why_not = "no higher amount that is struck out or called a former price"
        self._settle("list_price", found.list_price, why_not, found.list_candidates)
        if found.price is None and "currency" in self.values:
            del self.values["currency"]
            self.evidence["currency"] = abstention("no price that it is the currency of")
        if "currency" not in self.values and found.price:
            best = found.price.winners[0]
            code = found.currency or parse_currency(best.raw, self._expected_currency)
            if code:
                self.values["currency"], self.evidence["currency"] = code, Evidence(best.selector, raw=best.raw)
        return found

    @cached_property
    def _expected_currency(self) -> str | None:
        """The currency of the page's country; where only its language is known, the one code that the page names, before the language's."""
        named = None if country_of(self.head.lang, self.page.url) else named_currency(t.text for t in self.view.texts)
        return named or country_currency(self.head.lang, self.page.url)

    def _decide_all(self) -> None:
        for name in dict.fromkeys([*READERS, *self.words.fields]):
            if name not in OWN_WAYS:
                self._decide(name, READERS.get(name, text))

    @cached_property
    def ballot(self) -> FieldBallot:
        """What all fields but the title and the prices are decided from, as far as it is collected."""
        is_one = all(len(all_offers(thing.data)) <= 1 for thing in self.markup.subjects)
        return FieldBallot(self.view, self.head, self.title or "", self.claims, is_one)

    def _decide(self, name: str, read: Reader) -> None:
        candidates = self.ballot.candidates(name, read)
        self._settle(name, self.ballot.election(name, candidates), "nothing on the page names it clearly", candidates)

    def _name_without_brand(self) -> None:
        """A heading that sets the brand apart says what the name is: the rest, unless other places say it whole."""
        brand, heading = alphanumeric_key(self.values.get("brand") or ""), self.view.anchor
        election = self.reading.title.election
        if not brand or not self.title or heading is None or len(heading) == 0 or election is None:
            return
        if {candidate.source for candidate in election.winners} != {"text"}:
            return
        rest = self.title[len(self.values["brand"]) :].strip(" -–:|")
        is_apart = alphanumeric_key(heading[0].text_content()) == brand
        if is_apart and rest and alphanumeric_key(self.title).startswith(brand):
            self.values["title"] = rest
            note = f"the brand {self.values['brand']!r} stands apart in the heading"
            self.evidence["title"] = replace(self.evidence["title"], note=note)

    # --- what stands around ---

    def _surroundings(self, locale: NumberLocale, shown: set[Any]) -> None:
        """Category, images, rating, reviews and variants: lists, and not elected."""
        path = category_path(self.markup.everything, self.page, self.title)
        self._list("category", path[0] if path else [], path[1] if path else "")
        said = [c.raw for c in sorted(self._of("images"), key=lambda c: -c.weight)]
        pictures = images(self.view, said, self.title)
        self._list("images", pictures, "the markup, meta elements and pictures named like the title")
        for name, value in rating(self.markup.subjects).items():
            self.values[name] = value
            self.evidence[name] = Evidence("the markup's aggregateRating", raw=value, origin="structured")
        self._list("reviews", marked_reviews(self.markup.everything), "the marked-up reviews")
        self._list("variants", self._variants(locale, shown), "the variants in the page's data")

    def _variants(self, locale: NumberLocale, shown: set[Any]) -> list[dict[str, Any]]:
        states = self.states if self._mentions(_VARIANTS_SIGNS) else []
        said = (machine_amount(c.raw, locale) for c in self._of("price") if c.source != "state")
        marked = {amount for amount in said if amount is not None}
        return variants(Sources(self.markup.subjects, states, self.view, self.title), locale, shown | marked)

    def _list(self, name: str, value: list[Any] | dict[str, str], where: str) -> None:
        if value:
            self.values[name], self.evidence[name] = value, Evidence(data_place(where))


def _appended_claims(heading: HtmlElement | None) -> Iterable[Claim]:
    code_behind = None if heading is None else appended_code(heading)
    return [Claim("sku", code_behind, "text", "in brackets behind the title", APPENDED, heading)] if code_behind else []
