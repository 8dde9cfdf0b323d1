"""Learn a shop's number locale and currency from its raw and known prices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from scout.fields import field
from scout.page import Page
from scout.rules.model import ShopRules
from scout.values import NumberLocale, page_locale, parse_currency, parse_price

DECIMAL_POINT = NumberLocale(decimal=".", thousands=",")
DECIMAL_COMMA = NumberLocale(decimal=",", thousands=".")
MIN_CURRENCY_SHARE = 0.5  # of the prices must show a currency for it to be the shop's


def learn_locale(
    rules: ShopRules, pages: Sequence[Page], offers: Sequence[Mapping[str, Sequence[str]]]
) -> tuple[NumberLocale | None, str | None]:
    """How the shop writes amounts, and its currency; None if the prices do not tell."""
    pairs = [
        pair
        for name in rules.fields
        if field(name).kind.is_money
        for pair in _raw_and_known(name, rules, pages, offers)
    ]
    raws = [raw for raw, _ in pairs]
    currency = _catalogue_currency(offers) or _shown_currency(raws)
    return _elect_locale(pairs, raws) if pairs else None, currency


def _raw_and_known(
    name: str, rules: ShopRules, pages: Sequence[Page], offers: Sequence[Mapping[str, Sequence[str]]]
) -> list[tuple[str, Sequence[str]]]:
    """(raw text, known values) of an amount on each page, by the field's best rule."""
    best = rules.fields[name].rules[:1]
    return [
        (raw, offer[name])
        for rule in best
        for page, offer in zip(pages, offers, strict=True)
        if name in offer and (raw := rule.selector.find(page))
    ]


def _unambiguous_amounts(values: Sequence[str]) -> set[Decimal]:
    """The known amounts that can be read in only one way."""
    found = set()
    for value in values:
        try:
            found.add(Decimal(value))
        except InvalidOperation:
            price = parse_price(value)
            if price and len(price.readings) == 1:
                found.add(price.amount)
    return found


def _elect_locale(pairs: Sequence[tuple[str, Sequence[str]]], raws: Sequence[str]) -> NumberLocale | None:
    """The locale in which most raw prices equal the known ones; if that does not tell, guessed from the raw prices alone."""
    votes: Counter[NumberLocale] = Counter()
    for raw, values in pairs:
        wanted = _unambiguous_amounts(values)
        matching = [
            locale
            for locale in (DECIMAL_POINT, DECIMAL_COMMA)
            if (price := parse_price(raw, locale)) and price.amount in wanted
        ]
        if len(matching) == 1:
            votes[matching[0]] += 1
    if votes and votes.most_common(1)[0][1] > sum(votes.values()) / 2:
        return votes.most_common(1)[0][0]
    guess = page_locale(raws)
    return guess if guess.decimal else None


def _catalogue_currency(offers: Sequence[Mapping[str, Sequence[str]]]) -> str | None:
    """The currency of the known offers, if they have only one."""
    codes = {parse_currency(value) for offer in offers for value in offer.get("currency", ())}
    return codes.pop() if len(codes) == 1 else None


def _shown_currency(raws: Sequence[str]) -> str | None:
    """The currency that most raw prices show."""
    counts = Counter(code for raw in raws if (code := parse_currency(raw)))
    if not counts:
        return None
    code, count = counts.most_common(1)[0]
    return code if count >= MIN_CURRENCY_SHARE * len(raws) else None
