"""The price: what the page shows near its title, what its markup says, and which of them the buyer pays.

Markup is evidence, not truth: an amount that the page shows struck out is the list price, whatever the markup calls it, and an
amount in another product's box is not this product's. Every place of an amount has features (shown_amounts.py has those of shown places);
how much each counts is in `data/weights.yaml`, fitted by `bench.fit`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice, takewhile
from math import tanh

from lxml.html import HtmlElement

from scout.extraction.ballot import Candidate, Claim, Election, elected
from scout.extraction.lexicon import MAX_PHRASE, NAMED, Lexicon, label_key
from scout.extraction.shown_amounts import (
    CONTEXT_LEVELS,
    MAX_AMOUNT,
    MIN_SALE,
    ShownAmount,
    amounts,
    name_score,
    shown_currency,
    shows_currency,
    spots,
)
from scout.extraction.view import BEHIND_TITLE, DIGIT, NOT_SHOWN_HERE, View
from scout.extraction.weights import belief, bias, contributions
from scout.values import NumberLocale, page_locale, parse_price
from scout.values.numbers import format_amount
from scout.values.text import single_spaced

FULL_CLAIM = 6.0  # the weight of a claim that says outright what the price is
TOLD = 0.3  # belief from which a feature is worth a word
SAME_PLACE = (
    3.0  # log-odds by which a place of the same amount may be less likely than the best and still be the product's
)
FAR = 24  # texts between a price and what is no longer beside it
_MARKUP = frozenset({"json-ld", "microdata", "rdfa", "meta"})  # written by one hand
_MAY_COUNT_CENTS = frozenset({"state", "name"})  # what a program reads: scripts and data attributes
# what says that an amount is a former or a list price, and not just a higher one
_FORMER_SIGNS = (
    *("struck", "named_struck", "struck_block", "list_label"),
    *("above_discount", "above_paid_label", "above_sale_name", "above_full_name", "above_list_label"),
)
_ZERO = re.compile(r"^\D{0,3}0+(?:[.,]0+)?\D{0,3}$")
_PLAIN = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*$")
_INTEGER = re.compile(r"^\s*\d{3,}\s*$")
_MAY_BE_CENTS = re.compile(r"^\s*\d{4,}\s*$")
_GROUPED = re.compile(r"^\s*([1-9]\d{0,2}\.\d{3})(0?)\s*$")  # with a further 0 it is a number, and no text

Features = dict[str, float]


@dataclass(frozen=True)
class PriceFinding:
    """The price, the list price above it, and everything that was heard."""

    price: Election | None
    list_price: Election | None
    candidates: tuple[Candidate, ...]
    list_candidates: tuple[Candidate, ...]
    shown: tuple[ShownAmount, ...]
    locale: NumberLocale

    @property
    def circumstances(self) -> str | None:
        """What spoke for the price where the page shows it, and what against it, in log-odds: "near +2.4, named +1.9"."""
        shown = [c for c in self.price.winners if c.source == "text"] if self.price else []
        if not shown:
            return None
        best = max(shown, key=lambda candidate: candidate.weight)
        added = contributions("price", best.features)
        strong = (f"{name} {weight:+.1f}" for name, weight in added.items() if abs(weight) >= TOLD)
        return f"shown in {best.where}: " + ", ".join(strong)

    @property
    def currency(self) -> str | None:
        """The currency in which the page shows the price, or else, where they all agree, its other amounts."""
        if self.price is None:
            return None
        told = [s for s in self.shown if s.price.currency]
        same = [s for s in told if s.price.amount == Decimal(self.price.value)]
        signed = [s for s in told if shows_currency(s.raw)]
        is_agreed = len({s.price.currency for s in signed}) == 1
        best = [s for s in same if s in signed] or (signed if is_agreed else same)
        return best[0].price.currency if best else None


@dataclass(frozen=True)
class PriceBallot:
    """Everything on a page that may be its price or list price; bench.fit reads the same candidates as the election."""

    view: View
    claims: Sequence[Claim]
    shown: Sequence[ShownAmount]
    locale: NumberLocale
    page_features: Mapping[str, float]

    @classmethod
    def of(
        cls,
        view: View,
        claims: Sequence[Claim],
        lang: str,
        currency: str | None,
        page_score: float,
    ) -> PriceBallot:
        """The ballot of a page whose amounts are in `currency` by default; `page_score` are the log-odds that it is a product's."""
        found = spots(view)
        shown_in = shown_currency(spot.raw for spot in found) or currency
        locale = page_locale([spot.raw for spot in found] or [c.raw for c in claims], lang, shown_in)
        said = [claim for claim in claims if claim.field == "price"]
        sources, zeros = {c.source for c in said}, {c.source for c in said if _ZERO.match(c.raw)}
        features = {
            "product_page": tanh(page_score / 2),  # twice the probability, less 1
            "no_product_page": min(5.0, max(0.0, -page_score)),
            "marked_price": float(not sources.isdisjoint(_MARKUP)),
            "state_price": float("state" in sources),
            "zero": float(not zeros.isdisjoint(_MARKUP)),
            "zero_state": float("state" in zeros),
            "on_request": float(_is_price_on_request(view)),
        }
        return cls(view, claims, amounts(view, found, locale, shown_in), locale, features)

    def finding(self) -> PriceFinding:
        """The price that the page asks for its product, and the list price above it."""
        candidates = self.price_candidates()
        threshold = -bias("price") - belief("price", self.page_features)
        price = elected(candidates, threshold, repeated=0.0)
        if price is not None and _is_free(self.view, Decimal(price.value), self.shown):
            price = None
        higher = self.list_price_candidates(Decimal(price.value)) if price is not None else []
        listed = elected(higher, -bias("list_price"), repeated=0.0)
        return PriceFinding(price, listed, tuple(candidates), tuple(higher), tuple(self.shown), self.locale)

    def price_candidates(self) -> list[Candidate]:
        """Every place that may give the price."""
        shown = (_candidate(s, "price", {"shown": 1.0, **s.features}) for s in self.shown)
        return [*self._claimed_prices(), *shown]

    def _claimed_prices(self) -> Iterator[Candidate]:
        shown, plain = self._shown_values(), {s.price.amount for s in self.shown if not s.struck}
        for claim, amount in self._claimed("price"):
            features = {f"says_{claim.source}": claim.weight / FULL_CLAIM, claim.source: 1.0}
            is_whole = claim.source in _MAY_COUNT_CENTS and bool(_MAY_BE_CENTS.match(claim.raw))
            if amount not in shown:
                features |= {"unshown": float(bool(self.shown)), "unshown_whole": float(is_whole)}
            if amount in shown and amount not in plain:
                features["shown_struck"] = 1.0
            yield _claimed_candidate(claim, amount, "price", features)

    def list_price_candidates(self, price: Decimal) -> list[Candidate]:
        """Every place that may give what was asked before, or what the maker recommends, where the product costs `price` now."""
        own = _places_of_price(self.shown, price)
        inside = _amounts_by_block(self.shown)
        candidates = []
        for amount in self.shown:
            value = amount.price.amount if amount.price.amount > price else amount.price.old
            if value is not None and value > price:
                features = _list_features(self.view, amount, value, price, own, inside)
                candidates.append(_candidate(amount, "list_price", features, value))
        shown, struck = self._shown_values(), {s.price.amount for s in self.shown if s.struck}
        for claim, value in self._claimed("list_price"):
            if value > price:
                features = {f"says_{claim.source}": claim.weight / FULL_CLAIM, **_ratio_features(value, price)}
                features["unshown"] = float(value not in shown)
                features["claim_struck"] = float(value in struck)
                candidates.append(_claimed_candidate(claim, value, "list_price", features))
        return candidates

    def _shown_values(self) -> set[Decimal]:
        return {reading for s in self.shown for reading in s.price.readings}

    def _claimed(self, field: str) -> Iterator[tuple[Claim, Decimal]]:
        shown = self._shown_values()
        for claim in self.claims:
            if claim.field == field and claim.source != "label":  # what stands behind one is a shown amount
                amount = machine_amount(claim.raw, self.locale, shown, in_script=claim.source in _MAY_COUNT_CENTS)
                if amount is not None and 0 < amount < MAX_AMOUNT:
                    yield claim, amount


def _candidate(amount: ShownAmount, decision: str, features: Features, value: Decimal | None = None) -> Candidate:
    value = amount.price.amount if value is None else value
    weight = belief(decision, features)
    return Candidate(
        format_amount(value), amount.raw, "text", amount.where, weight, value, amount.element, features=features
    )


def _claimed_candidate(claim: Claim, amount: Decimal, decision: str, features: Features) -> Candidate:
    author = "markup" if claim.source in _MARKUP else claim.source
    weight = belief(decision, features)
    return Candidate(
        format_amount(amount), claim.raw, claim.source, claim.where, weight, amount, claim.element, author, features
    )


# --- what says that there is no price ---


def _is_price_on_request(view: View) -> bool:
    """Whether words behind the title say that the page does not tell a price."""
    start = view.anchor_order
    if start is None:
        return False
    behind = (t for t in view.texts if t.order > start and len(t.text) <= MAX_PHRASE)
    return any(
        _untold(t.text, view.template) and not view.region(t.element) & NOT_SHOWN_HERE
        for t in islice(behind, BEHIND_TITLE)
    )


def _is_free(view: View, price: Decimal, shown: Iterable[ShownAmount]) -> bool:
    """Whether a block that shows the price says that it is not asked: in words of their own, or by a picture."""
    blocks = {
        block
        for amount in shown
        if amount.price.amount == price and not amount.struck and (block := _price_block(view, amount)) is not None
    }
    return any(_says_free(block, view.template) for block in blocks)


def _price_block(view: View, amount: ShownAmount) -> HtmlElement | None:
    """The outermost of the nearest elements around an amount that is named for prices."""
    around = [amount.element, *islice(amount.element.iterancestors(), CONTEXT_LEVELS)]
    named = [element for element in around if name_score(element, view.template) >= NAMED]
    return named[-1] if named else None


def _says_free(block: HtmlElement, template: Lexicon) -> bool:
    pictures = (image.get(name) or "" for image in block.iter("img") for name in ("title", "alt"))
    if any(_is_free_phrase(said, template) or _untold(said, template) for said in pictures):
        return True
    before, text = ["", "", *filter(None, map(single_spaced, block.itertext()))][-2:]
    is_alone = not before or DIGIT.search(before) is not None  # not "Shipping: free"
    return is_alone and _is_free_phrase(text, template)


def _is_free_phrase(text: str, template: Lexicon) -> bool:
    return label_key(text).strip("!. ") in template.free_phrases


def _untold(text: str, template: Lexicon) -> bool:
    key = label_key(text) if " " in text or not text.isascii() else ""
    return any(phrase in key for phrase in template.no_price_phrases) if key else False


# --- the list price ---


def _places_of_price(shown: Sequence[ShownAmount], price: Decimal) -> list[ShownAmount]:
    """Where the page shows the product's price, the likeliest place first; another product may cost the same."""
    places = [(belief("price", amount.features), amount) for amount in shown if amount.price.amount == price]
    best = max((score for score, _ in places), default=0.0)
    own = [(score, amount) for score, amount in places if score >= best - SAME_PLACE]
    return [amount for _, amount in sorted(own, key=lambda pair: -pair[0])]


def _amounts_by_block(shown: Sequence[ShownAmount]) -> dict[HtmlElement, list[ShownAmount]]:
    inside: dict[HtmlElement, list[ShownAmount]] = {}
    for amount in shown:
        for element in (amount.element, *amount.element.iterancestors()):
            inside.setdefault(element, []).append(amount)
    return inside


def _list_features(
    view: View,
    amount: ShownAmount,
    value: Decimal,
    price: Decimal,
    own: Sequence[ShownAmount],
    inside: Mapping[HtmlElement, list[ShownAmount]],
) -> Features:
    """The features of a shown amount as the list price of a product that costs `price`, which stands at `own`."""
    features = {"shown": 1.0, **_ratio_features(value, price), **_reduction_features(amount, own)}
    features |= {name: said for name, said in amount.features.items() if not name.startswith(("above_", "below_"))}
    features["struck_block"] = float(bool(own) and _is_in_struck_block(view, amount, own))
    features["unsaid"] = float(not any(features.get(name) for name in _FORMER_SIGNS))
    if own:
        best, nearest = own[0], min(own, key=lambda place: abs(place.order - amount.order))
        features["beside_price"] = 1 - min(1.0, abs(amount.order - best.order) / FAR)
        features["beside_any"] = 1 - min(1.0, abs(amount.order - nearest.order) / FAR)
        features["same_text"] = float(amount.element is best.element)
        features["of_another"] = float(_is_of_another(amount, value, own, inside))
    return features


def _reduction_features(amount: ShownAmount, own: Sequence[ShownAmount]) -> Features:
    """What an amount and the price beside it, wherever the page shows it, say about each other."""
    found: Features = {}
    for place in own:
        for name, value in amount.above.get(place.order, {}).items():
            found[f"above_{name}"] = max(value, found.get(f"above_{name}", 0.0))
    return found


def _is_in_struck_block(view: View, amount: ShownAmount, own: Sequence[ShownAmount]) -> bool:
    """Whether a block named for a former price holds an amount, and none of the places that show the price."""
    outside = {element for place in own for element in (place.element, *place.element.iterancestors())}
    blocks = takewhile(lambda element: element not in outside, amount.element.iterancestors())
    return any(map(view.is_named_struck, blocks))


def _ratio_features(value: Decimal, price: Decimal) -> Features:
    share = price / value
    return {"share": float(share), "too_low": float(share < MIN_SALE)}


def _is_of_another(
    amount: ShownAmount, value: Decimal, own: Sequence[ShownAmount], inside: Mapping[HtmlElement, list[ShownAmount]]
) -> bool:
    """Whether the smallest block around an amount that shows a reduction of it does not show the product's price: another product's."""
    for element in (amount.element, *amount.element.iterancestors()):
        lower = [a for a in inside.get(element, ()) if MIN_SALE * value < a.price.amount < value]
        paid = [a for a in lower if not a.features["excludes_tax"]]
        if paid:
            return not any(a in own for a in paid)
    return False


# --- amounts in markup and scripts ---


def machine_amount(
    raw: str, locale: NumberLocale, shown: Iterable[Decimal] = (), *, in_script: bool = False
) -> Decimal | None:
    """An amount in markup: plain decimals as they are, "34.000" as the page's own amounts and locale tell.

    A whole number in a script may count cents: it does where the page shows the hundredth part of it, and not it.

    >>> machine_amount("34.000", NumberLocale(), {Decimal(34000)}), machine_amount("34.5", NumberLocale())
    (Decimal('34000'), Decimal('34.5'))
    >>> machine_amount("2295", NumberLocale(), {Decimal("22.95")}, in_script=True)
    Decimal('22.95')
    """
    known = set(shown)
    if grouped := _GROUPED.match(raw):
        return _grouped(grouped[1], locale, known, is_number=bool(grouped[2]))
    if _PLAIN.match(raw):
        try:
            amount = Decimal(raw.strip())
        except InvalidOperation:  # digits of a script that Decimal does not read
            return None
        in_cents = in_script and bool(_INTEGER.match(raw)) and amount not in known and amount / 100 in known
        return amount / 100 if in_cents else amount
    price = parse_price(raw, locale)
    return price.amount if price else None


def _grouped(raw: str, locale: NumberLocale, shown: set[Decimal], *, is_number: bool) -> Decimal:
    as_decimal, as_thousands = Decimal(raw), Decimal(raw.replace(".", ""))
    if as_decimal in shown or as_thousands in shown:
        return as_decimal if as_decimal in shown else as_thousands
    is_padded = raw.endswith("0") and locale.decimal != ","  # programs pad ("34.500"); no price ends in thousandths
    return as_decimal if is_number or is_padded else as_thousands
