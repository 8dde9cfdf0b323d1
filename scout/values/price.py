"""Prices: amount, currency, range, base price. Decimal throughout; where only the shop's locale can tell, both readings are given.

Read without a library, because those that exist guess at ",89 €", "1.299", "1 299,-", numerals of other scripts, base prices,
percentages, dates, and at which of several numbers is the price.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from scout.values.amounts import Amount, BasePrice, find_amounts, is_from_price, prepare_for_amounts
from scout.values.currency import (
    choose_currency,
    currencies_after_number,
    currencies_before_number,
    has_no_decimals,
    has_three_decimals,
)
from scout.values.numbers import UNKNOWN_LOCALE, NumberLocale, NumberReading

MAX_LENGTH = 250  # a price stands in a short text; in prose of this length a number may be anything
HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Price:
    """What a text says about a price.

    `amount` is the price to pay: the lower end of a range up to `high`, or the lowest of several (`is_from`). `other` is the second
    reading of an amount like "3.350" if nothing shows which is meant. `currency` is None if currencies share the symbol ("$", "kr")
    and no context was given. `old` is a former or list price in the same text, `base` the price of a quantity. `role` says what the
    amount is if the text shows no price but another sort of amount: "old", "saving", "shipping", "part" (a rate), "condition"
    (for members), "dealer" (what the shop pays), "prior" (the lowest of the last thirty days).
    """

    amount: Decimal
    currency: str | None = None
    high: Decimal | None = None
    is_from: bool = False
    other: Decimal | None = None
    old: Decimal | None = None
    base: BasePrice | None = None
    role: str = "price"

    @property
    def readings(self) -> tuple[Decimal, ...]:
        """Every amount that the text may mean."""
        return (self.amount,) if self.other is None else (self.amount, self.other)


_RANGE = re.compile(r"^\s*(?:-|~|to|bis|à|a|al|até|hasta|do|до|至|から|and)\s*$", re.I)


def _ranges(text: str, in_order: list[Amount]) -> dict[int, Amount]:
    """Position of an amount -> the amount it reaches up to: "10 - 20 €", "$10 to $20"."""
    ranges = {}
    for low, high in pairwise(in_order):
        between = text[low.end : high.start]
        words = between if not (low.candidates or high.candidates) else _without_currency(between)
        if _RANGE.match(words) and low.reading.value <= high.reading.value:
            ranges[low.start] = high
    return ranges


def _without_currency(text: str) -> str:
    words = text.split()
    return " ".join(w for w in words if not (currencies_before_number(w) or currencies_after_number(w)) or w == "a")


def _has_currency(amount: Amount, upper: Amount | None) -> bool:
    return bool(amount.candidates or (upper and upper.candidates))


_MAX_LENGTH_WITHOUT_CURRENCY = 60


def _amounts_without_currency(text: str, found: list[Amount]) -> list[Amount]:
    """Amounts that look like prices although no currency stands beside them."""
    return [amount for amount in found if amount.bare] if len(text) <= _MAX_LENGTH_WITHOUT_CURRENCY else []


def _reading_in_currency(amount: Amount, code: str | None) -> NumberReading:
    """The reading, given the currency. A price shown with its currency never has three decimals, unless the currency has."""
    reading = amount.reading
    if reading.other is None:
        return reading
    if has_three_decimals(code):
        return NumberReading(reading.other)
    return NumberReading(reading.value) if amount.candidates or has_no_decimals(code) else reading


@lru_cache(maxsize=16384)
def _parse_price(text: str, locale: NumberLocale, hint: str | None) -> Price | None:
    text = prepare_for_amounts(text)
    found = find_amounts(text, locale)
    ranges = _ranges(text, found)
    pool = [a for a in found if _has_currency(a, ranges.get(a.start))] or _amounts_without_currency(text, found)
    offered = [a for a in pool if a.role == "price"] or [a for a in pool if a.role != "base"]
    if not offered:
        return None
    chosen = offered[0]
    upper = ranges.get(chosen.start)
    named = chosen.candidates or (upper.candidates if upper else ())
    code = choose_currency(named, hint) if named else hint
    reading = _reading_in_currency(chosen, code)
    return Price(
        amount=reading.value,
        currency=code,
        high=_reading_in_currency(upper, code).value if upper else None,
        is_from=is_from_price(text, chosen),
        other=reading.other,
        old=next((a.reading.value for a in pool if a.role == "old" and a is not chosen), None),
        base=next((a.base for a in found if a.base), None),
        role=chosen.role,
    )


def parse_price(text: str | None, locale: NumberLocale | None = None, currency: str | None = None) -> Price | None:
    """The price that `text` shows, or None. A base price alone ("4,99 € / 100 ml") is not a price.

    `locale` is how the shop writes numbers; `currency`, the page's currency, decides between those that share a symbol.

    >>> price = parse_price("ab 1.299,00 €")
    >>> price.amount, price.currency, price.is_from
    (Decimal('1299.00'), 'EUR', True)
    >>> parse_price("3.350").readings, parse_price("3.350", NumberLocale(decimal=",")).amount
    ((Decimal('3350'), Decimal('3.350')), Decimal('3350'))
    """
    if not text or len(text) > MAX_LENGTH or not HAS_DIGIT.search(text):
        return None
    return _parse_price(text, locale or UNKNOWN_LOCALE, currency)


def parse_base_price(text: str | None, locale: NumberLocale | None = None) -> BasePrice | None:
    """The base price in `text`: "12,99 € (25,98 € / l)" has one of 25.98 for 1 l.

    >>> parse_base_price("4,99 € / 100 ml")
    BasePrice(amount=Decimal('4.99'), currency='EUR', quantity=Decimal('100'), unit='ml')
    """
    if not text or len(text) > MAX_LENGTH or not HAS_DIGIT.search(text):
        return None
    found = find_amounts(prepare_for_amounts(text), locale or UNKNOWN_LOCALE)
    return next((amount.base for amount in found if amount.base), None)
