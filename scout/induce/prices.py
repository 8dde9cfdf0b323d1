"""The price: what the page shows near its title, what its markup says, and which of them the buyer pays.

Markup is evidence, not truth: an amount that the page shows struck out is the list price, whatever the markup calls it, and an
amount in another product's box is not this product's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import lxml.html

from scout.induce.ballot import Candidate, Claim, Election, elected
from scout.induce.template import Template, label_key
from scout.induce.view import Region, Text, View
from scout.values import NumberLocale, Price, page_locale, parse_price
from scout.values.currency import currencies, symbol_pattern

Element = lxml.html.HtmlElement

MAX_PRICE_TEXT = 60  # characters of an element that shows one price
MAX_SHOWN = 400  # amounts of one page that are weighed
MAX_AMOUNT = Decimal(10) ** 10
CONTEXT_LEVELS = 4  # ancestors whose names still speak for a price

_DIGIT = re.compile(r"\d")
_CENTS = re.compile(r"^\d{2}(?!\d)")
_PLAIN = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*$")
_GROUPED = re.compile(r"^\s*[1-9]\d{0,2}\.\d{3}\s*$")
_LETTERS = re.compile(r"[^\W\d_]{2,}\.?")


@dataclass(frozen=True)
class Weights:
    """What each circumstance adds to an amount that the page shows. Found on shops that are not in the tests; see bench/."""

    currency: float = 1.5
    named: float = 2.5  # at most, for price words in the names of its element and the blocks around it
    near: float = 3.0  # in the title's own block; less with every level further out
    level: float = 0.35
    after_title: float = 0.5
    far: float = 1.5  # at most, for the texts between title and amount
    elsewhere: float = -5.0
    review: float = -3.0
    hidden: float = -3.0
    struck: float = -4.0
    link: float = -1.5
    repeated: float = -1.5
    labelled: float = 1.0


WEIGHTS = Weights()
REPEATS = 4  # amounts in equally named elements from which they are taken for a list
SHOWN_LIMIT = 7.0  # a shown amount weighs at most this: less than two witnesses in the markup


@dataclass(frozen=True)
class Shown:
    """An amount as the page shows it."""

    price: Price
    raw: str
    element: Element
    order: int
    score: float
    struck: bool

    @property
    def where(self) -> str:
        """Its element, as tag and first name."""
        name = self.element.get("id") or (self.element.get("class") or "").split(" ")[0]
        return f"{self.element.tag}{'#' if self.element.get('id') else '.' if name else ''}{name}"


@dataclass(frozen=True)
class PriceFinding:
    """The price, the list price above it, and everything that was heard."""

    price: Election | None
    list_price: Election | None
    candidates: tuple[Candidate, ...]
    shown: tuple[Shown, ...]
    locale: NumberLocale

    @property
    def currency(self) -> str | None:
        """The currency in which the page shows the price."""
        if self.price is None:
            return None
        amount = Decimal(self.price.value)
        return next((s.price.currency for s in self.shown if s.price.amount == amount and s.price.currency), None)


def price_finding(view: View, claims: Sequence[Claim], lang: str, currency: str | None) -> PriceFinding:
    """The price that the page asks for its product."""
    spots = list(_spots(view))[:MAX_SHOWN]
    locale = page_locale([raw for raw, _, _ in spots] or [c.raw for c in claims], lang, currency)
    shown = _scored(view, spots, locale, currency)
    amounts = {reading for s in shown for reading in s.price.readings}
    struck = {s.price.amount for s in shown if s.struck} - {
        s.price.amount for s in shown if not s.struck and s.score > 0
    }
    candidates = [*_claimed(claims, "price", locale, amounts, struck), *_from_shown(shown)]
    price = elected(candidates, threshold=3.0)
    listed = [*_claimed(claims, "list_price", locale, amounts, frozenset()), *_struck_candidates(shown)]
    return PriceFinding(price, _above(price, listed), tuple(candidates), tuple(shown), locale)


def _above(price: Election | None, listed: Iterable[Candidate]) -> Election | None:
    """A list price only is one when it is more than the price."""
    if price is None:
        return None
    return elected([c for c in listed if Decimal(c.value) > Decimal(price.value)], threshold=2.0)


# --- what markup and scripts claim ---


def _claimed(
    claims: Iterable[Claim], field: str, locale: NumberLocale, amounts: set[Decimal], struck: Iterable[Decimal]
) -> Iterator[Candidate]:
    for claim in claims:
        if claim.field != field:
            continue
        amount = machine_amount(claim.raw, locale, amounts)
        if amount is None or not 0 < amount < MAX_AMOUNT:
            continue
        weight = claim.weight * (0.4 if amount in struck else 1.0)
        yield Candidate(plain(amount), claim.raw, claim.source, claim.where, weight, amount)


def machine_amount(raw: str, locale: NumberLocale, shown: Iterable[Decimal] = ()) -> Decimal | None:
    """An amount in markup: plain decimals as they are, "34.000" as the page's own amounts and locale tell.

    >>> machine_amount("34.000", NumberLocale(), {Decimal(34000)}), machine_amount("34.5", NumberLocale())
    (Decimal('34000'), Decimal('34.5'))
    """
    if _GROUPED.match(raw):
        return _grouped(raw, locale, set(shown))
    if _PLAIN.match(raw):
        try:
            return Decimal(raw.strip())
        except InvalidOperation:  # digits of a script that Decimal does not read
            return None
    price = parse_price(raw, locale)
    return price.amount if price else None


def _grouped(raw: str, locale: NumberLocale, shown: set[Decimal]) -> Decimal:
    as_decimal = Decimal(raw.strip())
    as_thousands = Decimal(raw.strip().replace(".", ""))
    if as_decimal in shown or as_thousands in shown:
        return as_decimal if as_decimal in shown else as_thousands
    is_padded = raw.strip().endswith("0")  # programs pad ("34.000", "34.500"); no price ends in thousandths
    return as_decimal if is_padded and locale.decimal != "," else as_thousands if not is_padded else as_decimal


def plain(amount: Decimal) -> str:
    """A plain decimal string: no exponent, no more places than cents need."""
    text = f"{amount:f}"
    if "." in text:
        whole, cents = text.split(".")
        cents = cents.rstrip("0")
        return f"{whole}.{cents.ljust(2, '0')}" if cents else f"{whole}.00" if len(text.split(".")[1]) >= 2 else whole
    return text


# --- what the page shows ---


def _spots(view: View) -> Iterator[tuple[str, Element, Text]]:
    """(text, element, first text node) of everything that looks like one amount of money."""
    seen: set[Element] = set()
    symbol = symbol_pattern()
    for text in view.texts:
        if not _DIGIT.search(text.text) or len(text.text) > MAX_PRICE_TEXT or text.element in seen:
            continue
        if not (symbol.search(text.text) or _names_currency(text.text) or _is_named_price(view, text.element)):
            continue
        raw, element = _grown(text, symbol)
        if element not in seen:
            seen.update(element.iter())
            yield raw, element, text


def _names_currency(text: str) -> bool:
    return any(currencies(word) for word in _LETTERS.findall(text))


def _is_named_price(view: View, element: Element) -> bool:
    names = [element, element.getparent()]
    return any(e is not None and _name_score(e, view.template) >= 4 for e in names)


def _grown(text: Text, symbol: re.Pattern[str]) -> tuple[str, Element]:
    """The largest element around a text that still shows one amount: "12", "99" and "€" may each have their own."""
    element, raw = text.element, joined(text.element)
    if len(raw) > MAX_PRICE_TEXT:  # the text stands among others: take it alone
        return text.text, text.element
    while True:
        parent = element.getparent()
        if parent is None or parent.tag == "body":
            return raw, element
        whole = joined(parent)
        if len(whole) > MAX_PRICE_TEXT or _amount_count(whole, symbol) > 1:
            return raw, element
        element, raw = parent, whole


def _amount_count(text: str, symbol: re.Pattern[str]) -> int:
    return max(len(symbol.findall(text)), len(re.findall(r"\d+(?:[.,'·\s]\d+)*", text)))


def joined(element: Element) -> str:
    """An element's text, where cents in an element of their own are set off by a decimal point."""
    pieces: list[str] = []
    for piece in element.itertext():
        piece = " ".join(piece.split())
        if not piece:
            continue
        if pieces and pieces[-1][-1].isdigit() and piece[0].isdigit():
            pieces.append("·" if _CENTS.match(piece) else " ")
        elif pieces:
            pieces.append("" if pieces[-1][-1] in ".," or piece[0] in ".,-–" else " ")
        pieces.append(piece)
        if sum(map(len, pieces)) > 2 * MAX_PRICE_TEXT:
            break
    return "".join(pieces)


def _scored(
    view: View, spots: Sequence[tuple[str, Element, Text]], locale: NumberLocale, currency: str | None
) -> list[Shown]:
    names = Counter(_signature(element) for _, element, _ in spots)
    found = []
    for raw, element, text in spots:
        price = parse_price(raw, locale, currency)
        if price is None or not 0 < price.amount < MAX_AMOUNT or view.region(element) & Region.SKIP:
            continue
        is_repeated = names[_signature(element)] >= REPEATS
        score, struck = _score(view, raw, element, text, price, is_repeated)
        found.append(Shown(price, raw, element, text.order, score, struck))
    return found


def _signature(element: Element) -> tuple[str, str, str]:
    parent = element.getparent()
    return element.tag, element.get("class") or "", (parent.get("class") or parent.tag) if parent is not None else ""


def _score(view: View, raw: str, element: Element, text: Text, price: Price, is_repeated: bool) -> tuple[float, bool]:
    region = view.region(element)
    inner = view.region(text.element)
    struck = bool((region | inner) & Region.STRUCK)
    score = WEIGHTS.currency if price.currency or symbol_pattern().search(raw) or _names_currency(raw) else 0.0
    score += _named(view, element)
    score += _nearness(view, element, text.order)
    score += WEIGHTS.elsewhere if region & Region.ELSEWHERE else 0.0
    score += WEIGHTS.review if region & Region.REVIEW else 0.0
    score += WEIGHTS.hidden if region & Region.HIDDEN else 0.0
    score += WEIGHTS.struck if struck else 0.0
    score += WEIGHTS.link if region & Region.LINK else 0.0
    score += WEIGHTS.repeated if is_repeated else 0.0
    return score, struck


def _named(view: View, element: Element) -> float:
    """Price words in the names of the element and the blocks around it, the inner ones counting more."""
    total, share = 0.0, 1.0
    while element is not None and share > 1 / (CONTEXT_LEVELS + 1):
        total += share * _name_score(element, view.template)
        element, share = element.getparent(), share * 0.7
    return min(WEIGHTS.named, total / 4)


def _name_score(element: Element, template: Template) -> float:
    """The template's score of one element's names for a price."""
    total = 0.0
    for attribute, value in element.attrib.items():
        weight = template.attributes.get("data" if attribute.startswith("data-") else attribute)
        if weight and len(value) < 200:
            total += weight * template.word_score("price", value)
    return total


def _nearness(view: View, element: Element, order: int) -> float:
    start = view.anchor_order
    if start is None:
        return 0.0
    near = max(-1.0, WEIGHTS.near - WEIGHTS.level * view.distance(element))
    after = WEIGHTS.after_title if order > start else 0.0
    return near + after - min(WEIGHTS.far, abs(order - start) / 150)


def _from_shown(shown: Sequence[Shown]) -> Iterator[Candidate]:
    for s in shown:
        if s.score > 0 and not s.struck:
            weight = min(SHOWN_LIMIT, s.score)
            yield Candidate(plain(s.price.amount), s.raw, "text", s.where, weight, s.price.amount)


def _struck_candidates(shown: Sequence[Shown]) -> Iterator[Candidate]:
    for s in shown:
        weight = s.score - WEIGHTS.struck
        if s.struck and weight > 0:
            yield Candidate(plain(s.price.amount), s.raw, "text", s.where, weight, s.price.amount)
        elif s.price.old is not None and s.score > 0:
            yield Candidate(plain(s.price.old), s.raw, "text", s.where, s.score, s.price.old)


def label_weight(template: Template, text: str, field: str) -> float:
    """How much a text, taken as a label, speaks for a field."""
    return max((weight for name, weight in template.by_label.get(label_key(text), ()) if name == field), default=0.0)
