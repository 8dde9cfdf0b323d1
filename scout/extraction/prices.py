"""The price: what the page shows near its title, what its markup says, and which of them the buyer pays.

Markup is evidence, not truth: an amount that the page shows struck out is the list price, whatever the markup calls it, and an
amount in another product's box is not this product's. How much each circumstance counts is in `data/weights.yaml`, fitted by
`bench.fit`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice

from lxml.html import HtmlElement

from scout.extraction.ballot import Candidate, Claim, Election, elected
from scout.extraction.lexicon import Lexicon, label_key
from scout.extraction.shown_amounts import (
    CONTEXT_LEVELS,
    MAX_AMOUNT,
    MIN_SALE,
    ShownAmount,
    amounts,
    name_score,
    shows_currency,
    spots,
)
from scout.extraction.view import Region, View
from scout.extraction.weights import belief, bias, contributions
from scout.values import NumberLocale, page_locale, parse_price
from scout.values.numbers import format_amount

FULL_CLAIM = 6.0  # the weight of a claim that says outright what the price is
MAX_TOLD = 40  # amounts from which the page's way of writing numbers is told
LIST_THRESHOLD = 1.0
SAME_PLACE = 0.75  # share of the best place's score from which another of the same amount is the product's as well
STRUCK_CLAIM = 0.4  # what a claim still counts when the page shows its amount struck out

NAMED_PRICE = 4.0  # lexicon score from which an element is named for prices
MAX_BLOCK_TEXTS = 30  # of a block that shows the price
TOLD = 0.3  # weight from which a circumstance is worth a word
MAX_UNTOLD = 50  # characters of a text that says so
UNTOLD_TEXTS = 40  # texts behind the title that are asked
PROSE = 1.0  # "wordy" from which an amount stands in a sentence, and is no price tag
_AWAY = Region.ELSEWHERE | Region.REVIEW | Region.HIDDEN | Region.SKIP
_FORMER_KINDS = ("struck", "former_label", "list_label")  # circumstances that make an amount a former or a list price
_ZERO = re.compile(r"^\D{0,3}0+(?:[.,]0+)?\D{0,3}$")
_PLAIN = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*$")
_INTEGER = re.compile(r"^\s*\d{3,}\s*$")
_GROUPED = re.compile(r"^\s*[1-9]\d{0,2}\.\d{3}\s*$")


@dataclass(frozen=True)
class PriceFinding:
    """The price, the list price above it, and everything that was heard."""

    price: Election | None
    list_price: Election | None
    candidates: tuple[Candidate, ...]
    shown: tuple[ShownAmount, ...]
    locale: NumberLocale

    @property
    def circumstances(self) -> str | None:
        """What spoke for the price where the page shows it, and what against it, with its weight: "near +2.4, named +1.9"."""
        if self.price is None:
            return None
        places = [s for s in self.shown if s.price.amount == Decimal(self.price.value)]
        if not places:
            return None
        best = max(places, key=score)
        added = contributions("price", best.features)
        strong = (f"{name} {weight:+.1f}" for name, weight in added.items() if abs(weight) >= TOLD)
        return f"shown in {best.where}: " + ", ".join(strong)

    @property
    def currency(self) -> str | None:
        """The currency in which the page shows the price, or else, where they all agree, its other amounts."""
        if self.price is None:
            return None
        amount = Decimal(self.price.value)
        signed = [s for s in self.shown if s.price.currency and shows_currency(s.raw)]
        own = [s.price.currency for s in signed if s.price.amount == amount]
        others = {s.price.currency for s in signed}
        if own or len(others) == 1:
            return own[0] if own else others.pop()
        return next((s.price.currency for s in self.shown if s.price.amount == amount and s.price.currency), None)


def price_finding(view: View, claims: Sequence[Claim], lang: str, currency: str | None) -> PriceFinding:
    """The price that the page asks for its product."""
    found = spots(view)
    locale = page_locale([spot.raw for spot in found[:MAX_TOLD]] or [c.raw for c in claims], lang, currency)
    shown = amounts(view, found, locale, currency)
    candidates = list(claimed(claims, "price", locale, shown))
    if not _is_price_on_request(view, claims):
        candidates += _from_shown(shown)
    price = elected(candidates, -bias("price"), repeated=0.0)
    if price is not None and _is_free(view, Decimal(price.value), shown):
        price = None
    own = _amounts_of_this_product(shown, price)
    others = {a.price.amount for a in shown if a not in own} - {a.price.amount for a in own}
    told = (c for c in claimed(claims, "list_price", locale, shown) if c.source != "label" or c.same not in others)
    listed = [*told, *_struck_candidates(own)]
    return PriceFinding(price, _above(price, listed), tuple(candidates), tuple(shown), locale)


def _is_price_on_request(view: View, claims: Iterable[Claim]) -> bool:
    """Whether the page says that it does not tell a price: by a price of zero in its data, or in words behind its title."""
    if any(claim.field == "price" and _ZERO.match(claim.raw) for claim in claims):
        return True
    start = view.anchor_order
    if start is None:
        return False
    behind = (t for t in view.texts if t.order > start and len(t.text) <= MAX_UNTOLD)
    return any(
        _untold(t.text, view.template) and not view.region(t.element) & _AWAY for t in islice(behind, UNTOLD_TEXTS)
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
    named = [element for element in around if name_score(element, view.template) >= NAMED_PRICE]
    return named[-1] if named else None


def _says_free(block: HtmlElement, template: Lexicon) -> bool:
    pictures = (image.get(name) or "" for image in block.iter("img") for name in ("title", "alt"))
    if any(_is_free_phrase(said, template) or _untold(said, template) for said in pictures if said):
        return True
    texts = [text for part in islice(block.itertext(), MAX_BLOCK_TEXTS) if (text := " ".join(part.split()))]
    for before, text, behind in zip(["", *texts], texts, [*texts[1:], ""], strict=False):
        is_alone = (not before or any(map(str.isdigit, before))) and not behind  # "Shipping: free", "free shipping"
        if is_alone and _is_free_phrase(text, template):
            return True
    return False


def _is_free_phrase(text: str, template: Lexicon) -> bool:
    return label_key(text).strip("!. ") in template.free_phrases


def _untold(text: str, template: Lexicon) -> bool:
    key = label_key(text) if " " in text or not text.isascii() else ""
    return any(phrase in key for phrase in template.no_price_phrases) if key else False


def _above(price: Election | None, listed: Iterable[Candidate]) -> Election | None:
    """A list price only is one when it is more than the price."""
    if price is None:
        return None
    return elected([c for c in listed if Decimal(c.value) > Decimal(price.value)], LIST_THRESHOLD)


# --- what markup and scripts claim ---


def claimed(
    claims: Iterable[Claim], field: str, locale: NumberLocale, shown: Sequence[ShownAmount]
) -> Iterator[Candidate]:
    """The claims for a field that can be read as an amount, weighed by their source."""
    readings = {reading for s in shown for reading in s.price.readings}
    struck = _struck_amounts(shown)
    for claim in claims:
        if claim.field != field:
            continue
        amount = machine_amount(claim.raw, locale, readings, in_script=claim.source == "state")
        if amount is None or not 0 < amount < MAX_AMOUNT:
            continue
        share = STRUCK_CLAIM if field == "price" and amount in struck else 1.0
        weight = belief("price", {f"says_{claim.source}": claim.weight / FULL_CLAIM * share})
        yield Candidate(format_amount(amount), claim.raw, claim.source, claim.where, weight, amount, claim.element)


def _struck_amounts(shown: Sequence[ShownAmount]) -> set[Decimal]:
    """Amounts whose best place on the page is a struck one."""
    best: dict[Decimal, tuple[float, bool]] = {}
    for amount in shown:
        plainly = score(amount) - (belief("price", {"struck": 1.0}) if amount.struck else 0.0)
        best[amount.price.amount] = max(best.get(amount.price.amount, (-99.0, False)), (plainly, amount.struck))
    return {value for value, (_, struck) in best.items() if struck}


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
    if _GROUPED.match(raw):
        return _grouped(raw.strip(), locale, known)
    if _PLAIN.match(raw):
        try:
            amount = Decimal(raw.strip())
        except InvalidOperation:  # digits of a script that Decimal does not read
            return None
        in_cents = in_script and bool(_INTEGER.match(raw)) and amount not in known and amount / 100 in known
        return amount / 100 if in_cents else amount
    price = parse_price(raw, locale)
    return price.amount if price else None


def _grouped(raw: str, locale: NumberLocale, shown: set[Decimal]) -> Decimal:
    as_decimal, as_thousands = Decimal(raw), Decimal(raw.replace(".", ""))
    if as_decimal in shown or as_thousands in shown:
        return as_decimal if as_decimal in shown else as_thousands
    is_padded = raw.endswith("0") and locale.decimal != ","  # programs pad ("34.500"); no price ends in thousandths
    return as_decimal if is_padded else as_thousands


# --- what the page shows ---


def price_features(claims: Iterable[Claim], found: PriceFinding) -> dict[str, list[tuple[str, Mapping[str, float]]]]:
    """amount -> (author, features) of every place that gives it, for fitting the weights."""
    places: dict[str, list[tuple[str, Mapping[str, float]]]] = {}
    for candidate in claimed(claims, "price", found.locale, found.shown):
        name = f"says_{candidate.source}"
        strength = candidate.weight / belief("price", {name: 1.0})
        places.setdefault(candidate.value, []).append((candidate.source, {name: strength}))
    for amount in found.shown:
        if not amount.struck and amount.features["wordy"] < PROSE:
            features = {"shown": 1.0, **amount.features}
            places.setdefault(format_amount(amount.price.amount), []).append(("text", features))
    return places


def score(amount: ShownAmount) -> float:
    """How much the circumstances of a shown amount speak for it."""
    return belief("price", {"shown": 1.0, **amount.features})


def _from_shown(shown: Sequence[ShownAmount]) -> Iterator[Candidate]:
    for amount in shown:
        weight = score(amount)
        if weight > 0 and not amount.struck and amount.features["wordy"] < PROSE:
            value = amount.price.amount
            yield Candidate(format_amount(value), amount.raw, "text", amount.where, weight, value, amount.element)


def _amounts_of_this_product(shown: Sequence[ShownAmount], price: Election | None) -> Sequence[ShownAmount]:
    """The amounts without the former prices of other products: those that stand nearest to a lower amount that is not this price.

    Another product may cost the same: a place counts as this price's only where it is about as likely as the best.
    """
    asked = [amount for amount in shown if not _is_former(amount)]
    paid = [a for a in asked if price is not None and a.price.amount == Decimal(price.value)]
    if not paid:
        return shown
    best = max(map(score, paid))
    own = {a for a in paid if score(a) >= SAME_PLACE * best}
    inside: dict[HtmlElement, set[ShownAmount]] = {}
    for amount in asked:
        for element in (amount.element, *amount.element.iterancestors()):
            inside.setdefault(element, set()).add(amount)
    return [a for a in shown if not _is_former(a) or _is_reduced_to(a, own, inside)]


def _is_reduced_to(former: ShownAmount, own: Set[ShownAmount], inside: Mapping[HtmlElement, set[ShownAmount]]) -> bool:
    """Whether the smallest block around a former price that shows a reduction of it shows the product's own."""
    high = former.price.amount
    for element in (former.element, *former.element.iterancestors()):
        lower = {a for a in inside.get(element, ()) if MIN_SALE * high < a.price.amount < high}
        if lower:
            return not lower.isdisjoint(own)
    return True


def _is_former(amount: ShownAmount) -> bool:
    return any(amount.features[kind] for kind in _FORMER_KINDS)


def _struck_candidates(shown: Sequence[ShownAmount]) -> Iterator[Candidate]:
    for amount in shown:
        kinds = [kind for kind in _FORMER_KINDS if amount.features[kind]]
        weight = score(amount) - belief("price", dict.fromkeys(kinds, 1.0))
        value = amount.price.amount if kinds else amount.price.old
        if value is not None and weight > 0:
            yield Candidate(format_amount(value), amount.raw, "text", amount.where, weight, value, amount.element)
