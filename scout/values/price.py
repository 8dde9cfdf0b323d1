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

from scout.values.amounts import Amount, BasePrice, amounts, is_from, normalised
from scout.values.currency import after_number, before_number, choose, has_no_decimals, has_three_decimals
from scout.values.numbers import UNKNOWN, NumberLocale, NumberReading

MAX_LENGTH = 250  # a price stands in a short text; in prose of this length a number may be anything
HAS_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Price:
    """What a text says about a price.

    `amount` is the price to pay, or the lowest one of a range up to `high`, or the one it begins `is_from`. `other` is the second reading
    of an amount like "3.350" where nothing told which is meant. `currency` is None where a symbol is shared ("$", "kr") and
    no context was given. `old` is a former or list price in the same text, `base` the price of a quantity. `role` says what the amount is
    where the text shows no price but another sort of amount: "old", "saving", "shipping", "part" (a rate), "condition" (for members),
    "prior" (the lowest of the last thirty days).
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
        """Every amount that may be meant."""
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
    return " ".join(word for word in text.split() if not (before_number(word) or after_number(word)) or word == "a")


def _is_money(amount: Amount, upper: Amount | None) -> bool:
    return bool(amount.candidates or (upper and upper.candidates))


_MAX_LENGTH_WITHOUT_CURRENCY = 60


def _without_sign(text: str, found: list[Amount]) -> list[Amount]:
    """Amounts that look like prices although no currency stands beside them."""
    return [amount for amount in found if amount.bare] if len(text) <= _MAX_LENGTH_WITHOUT_CURRENCY else []


def _settled(amount: Amount, code: str | None) -> NumberReading:
    """The reading once the currency is known. A price shown with its currency never has three decimals, unless the currency has them."""
    reading = amount.reading
    if reading.other is None:
        return reading
    if has_three_decimals(code):
        return NumberReading(reading.other)
    return NumberReading(reading.value) if amount.candidates or has_no_decimals(code) else reading


@lru_cache(maxsize=16384)
def _parse(text: str, locale: NumberLocale, hint: str | None) -> Price | None:
    text = normalised(text)
    found = amounts(text, locale)
    ranges = _ranges(text, found)
    pool = [a for a in found if _is_money(a, ranges.get(a.start))] or _without_sign(text, found)
    offered = [a for a in pool if a.role == "price"] or [a for a in pool if a.role != "base"]
    if not offered:
        return None
    chosen = offered[0]
    upper = ranges.get(chosen.start)
    code = choose(chosen.candidates or (upper.candidates if upper else ()), hint) if _is_money(chosen, upper) else hint
    reading = _settled(chosen, code)
    return Price(
        amount=reading.value,
        currency=code,
        high=_settled(upper, code).value if upper else None,
        is_from=is_from(text, chosen),
        other=reading.other,
        old=next((a.reading.value for a in pool if a.role == "old" and a is not chosen), None),
        base=next((a.base for a in found if a.base), None),
        role=chosen.role,
    )


def parse_price(text: str | None, locale: NumberLocale | None = None, currency: str | None = None) -> Price | None:
    """The price that `text` shows, or None where it shows none. A base price ("4,99 € / 100 ml") alone is no price.

    `locale` is the shop's way to write numbers, `currency` the page's currency: it decides between those that share a symbol.

    >>> price = parse_price("ab 1.299,00 €")
    >>> price.amount, price.currency, price.is_from
    (Decimal('1299.00'), 'EUR', True)
    >>> parse_price("3.350").readings, parse_price("3.350", NumberLocale(decimal=",")).amount
    ((Decimal('3350'), Decimal('3.350')), Decimal('3350'))
    """
    if not text or len(text) > MAX_LENGTH or not HAS_DIGIT.search(text):
        return None
    return _parse(text, locale or UNKNOWN, currency)


def parse_base_price(text: str | None, locale: NumberLocale | None = None) -> BasePrice | None:
    """The base price in `text`: "12,99 € (25,98 € / l)" has one of 25.98 for 1 l.

    >>> parse_base_price("4,99 € / 100 ml")
    BasePrice(amount=Decimal('4.99'), currency='EUR', quantity=Decimal('100'), unit='ml')
    """
    if not text or len(text) > MAX_LENGTH or not HAS_DIGIT.search(text):
        return None
    return next((amount.base for amount in amounts(normalised(text), locale or UNKNOWN) if amount.base), None)
