"""zero_shot: an offer from one product page of a shop that nobody has seen before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from scout.induce.addresses import address_claims
from scout.induce.ballot import Candidate, Claim, abstention, elected
from scout.induce.headings import anchor, headings, title_election
from scout.induce.labels import label_claims, prose_claims
from scout.induce.markup import SYNTAX_WEIGHT, Markup, claims, subjects
from scout.induce.metas import Head, compact
from scout.induce.prices import PriceFinding, price_finding
from scout.induce.state import state_claims, state_products
from scout.induce.structured import things
from scout.induce.template import Template, template
from scout.induce.view import View
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.specs.tree import collector_paused
from scout.values import country_currency, normal_gtin, parse_availability, parse_currency
from scout.values.text import clean_text

IN_TITLE = 1.0  # what the title adds to a brand that it names
GTIN_AS_CODE = 0.5  # what a GTIN counts where an article number is wanted
_GTIN_KEY = re.compile(r"\"(?:gtin\d*|ean|upc|barcode|isbn)\"")
THRESHOLD = 2.0  # less than one clear statement is no evidence


def zero_shot(page: Page, words: Template | None = None, *, markup_only: bool = False) -> Offer:
    """The offer that this page shows, from this page alone, with evidence for every value and every abstention.

    With `markup_only` the visible page is left aside: for fields that rules do not cover, at a fraction of the cost.
    """
    with collector_paused():
        reading = Reading(page, words or template())
        return reading.marked_offer() if markup_only else reading.offer()


class Reading:
    """One page's way from claims to an offer."""

    def __init__(self, page: Page, words: Template) -> None:
        self.page, self.words = page, words
        self.head = Head(page, words)
        self.shown = headings(page, words, self.head.title)
        names = [self.head.title, *(h.text for h in self.shown if h.rank >= 4)]
        self.markup: Markup = subjects(things(page), [n for n in names if n])
        self.claims: list[Claim] = [c for thing in self.markup.subjects for c in claims(thing)] + list(
            self.head.claims()
        )
        self._only_shown = False  # whether nothing but the heading itself says the title
        self.values: dict[str, Any] = {}
        self.evidence: dict[str, Evidence] = {}

    def offer(self) -> Offer:
        """All fields, the title first: the others are looked for from where it stands."""
        view = self._view()
        self._price(view)
        for name, read in _READERS.items():
            self._decide(name, read)
        self._name_without_brand(view)
        if "sku" not in self.values and "ean" in self.values:  # shops of books and records go by it
            self.values["sku"], self.evidence["sku"] = self.values["ean"], self.evidence["ean"]
        return Offer(self.values, evidence=self.evidence)

    def marked_offer(self) -> Offer:
        """The fields that markup and meta elements name."""
        self._title()
        for name, read in _READERS.items():
            self._decide(name, read)
        return Offer(self.values, evidence=self.evidence)

    def price_evidence(self) -> tuple[View, list[Claim], PriceFinding]:
        """What the price is decided from, for fitting the weights."""
        view = self._view()
        return view, self.claims, self._price(view)

    def _view(self) -> View:
        """The page as seen from its title, with everything that is said about the product collected."""
        title = self._title()
        view = View(self.page, self.words, anchor(title, self.shown) if title else None)
        self.claims += label_claims(view)
        self.claims += address_claims(self.page.url)
        self.claims += prose_claims({"title": self.head.title, "meta[description]": self.head.meta("description")})
        if title and self._needs_state():
            self.claims += state_claims(state_products(self.page, title), self.words)
        return view

    def _needs_state(self) -> bool:
        """Scripts cost the most to read: they are asked where the markup leaves something open."""
        said = {c.field for c in self.claims if c.source in SYNTAX_WEIGHT}
        return not {"price", "sku", "brand"} <= said or ("ean" not in said and bool(_GTIN_KEY.search(self.page.html)))

    def _of(self, name: str) -> list[Claim]:
        return [c for c in self.claims if c.field == name]

    def _title(self) -> str | None:
        election = title_election(self.head, self.shown, self._of("title"), self.words.title_prefixes)
        if election is None:
            self.evidence["title"] = abstention("no heading that names more than the shop")
            return None
        self.values["title"], self.evidence["title"] = election.value, election.evidence()
        self._only_shown = {c.source for c in election.winners} == {"text"}
        return election.value

    def _price(self, view: View) -> PriceFinding:
        hint = country_currency(self.head.lang, self.page.url)
        self._decide("currency", lambda raw: parse_currency(raw, hint))
        found = price_finding(view, self.claims, self.head.lang, self.values.get("currency") or hint)
        for name, election in (("price", found.price), ("list_price", found.list_price)):
            if election is None:
                self.evidence[name] = abstention("no amount that is clearly the product's own", found.candidates)
            else:
                self.values[name], self.evidence[name] = election.value, election.evidence()
        if "currency" not in self.values and found.currency and "price" in self.values:
            self.values["currency"] = found.currency
            self.evidence["currency"] = Evidence(found.price.winners[0].where, raw=found.price.winners[0].raw)
        return found

    def _decide(self, name: str, read: Callable[[str], str | None]) -> None:
        candidates = [self._doubted(name, c) for c in _read(self._of(name), read)]
        election = elected(candidates, THRESHOLD)
        if election is None:
            self.evidence[name] = abstention("nothing on the page names it clearly", candidates)
        else:
            self.values[name], self.evidence[name] = election.value, election.evidence()

    def _name_without_brand(self, view: View) -> None:
        """A heading that sets the brand apart in an element of its own says what the name is: the rest, unless others say it whole."""
        title, brand = self.values.get("title"), self.values.get("brand")
        if not title or not brand or view.anchor is None or len(view.anchor) == 0 or not self._only_shown:
            return
        rest = title[len(brand) :].strip(" -–:|")
        if (
            compact(view.anchor[0].text_content()) == compact(brand)
            and compact(title).startswith(compact(brand))
            and len(rest) > 3
        ):
            self.values["title"] = rest
            self.evidence["title"] = replace(
                self.evidence["title"], note=f"the brand {brand!r} stands apart in the heading"
            )

    def _doubted(self, name: str, candidate: Candidate) -> Candidate:
        """A GTIN is seldom what a shop calls its article number by; a brand that the title names is likely the product's."""
        if name == "brand" and candidate.same in compact(self.values.get("title") or ""):
            return replace(candidate, weight=candidate.weight + IN_TITLE)
        if name != "sku" or candidate.source == "url" or normal_gtin(candidate.value) is None:
            return candidate
        return replace(candidate, weight=candidate.weight * GTIN_AS_CODE)


def _read(found: Iterable[Claim], read: Callable[[str], str | None]) -> Iterable[Candidate]:
    for claim in found:
        value = read(claim.raw)
        if value:
            yield Candidate(value, claim.raw, claim.source, claim.where, claim.weight, compact(value))


MAX_BRAND = 60
MAX_CODE = 40
_CODE = re.compile(
    r"^(?:(?=.*\d)[^\s<>{}$][^<>{}]*|[^\s<>{}$]{2,})$"
)  # words without a digit are a code only when they are one
_NOT_A_NAME = re.compile(r"[.!?]\s|[<>{}|$]|https?:|\d{6}")


def _brand(raw: str) -> str | None:
    text = clean_text(raw).strip(" :-–|,")
    if not 1 < len(text) <= MAX_BRAND or _NOT_A_NAME.search(text) or text.lower() in _NO_VALUE:
        return None
    return text


def _code(raw: str) -> str | None:
    text = clean_text(raw).strip(" :#")
    if not 1 < len(text) <= MAX_CODE or not _CODE.match(text) or text.count(" ") > 3 or text.lower() in _NO_VALUE:
        return None
    return text


_NO_VALUE = frozenset(
    "n/a|na|none|null|undefined|-|--|unknown|false|true|no brand|not applicable|does not apply|nicht zutreffend|tbd|0".split(
        "|"
    )
)

_READERS: Mapping[str, Callable[[str], str | None]] = {
    "availability": parse_availability,
    "brand": _brand,
    "sku": _code,
    "ean": normal_gtin,
    "han": _code,
    "description": clean_text,
}
