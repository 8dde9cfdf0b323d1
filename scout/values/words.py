"""Values that shops put into words: shipping, delivery time, condition, VAT, category paths. See `scout/data/value_words.yaml`."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache, lru_cache

from scout.values.amounts import find_amounts, prepare_for_amounts
from scout.values.numbers import UNKNOWN_LOCALE, NumberLocale, with_plain_signs
from scout.values.tables import table
from scout.values.text import any_word_pattern, clean_text, text_key
from scout.values.walk_words import walk_words

MAX_LENGTH = 160  # characters: longer texts are prose


@cache
def _words_pattern(kind: str, value: str) -> re.Pattern[str]:
    return re.compile(any_word_pattern(map(text_key, table("value_words")[kind][value])))


def _first_matching_value(kind: str, text: str) -> str | None:
    """The first value of the table with a word in the text; surer values come first in the table."""
    if len(text) > MAX_LENGTH:
        return None
    key = text_key(text)
    return next((value for value in table("value_words")[kind] if _words_pattern(kind, value).search(key)), None)


@lru_cache(maxsize=2048)
def parse_condition(text: str) -> str | None:
    """ "New", "Used", "Refurbished" or "Damaged" (schema.org's words, without "Condition").

    >>> parse_condition("https://schema.org/NewCondition"), parse_condition("generalüberholt"), parse_condition("Red")
    ('New', 'Refurbished', None)
    """
    return _first_matching_value("condition", re.sub(r"(?i)^.*schema\.org/(\w+?)condition/?$", r"\1", text.strip()))


@lru_cache(maxsize=2048)
def parse_vat(text: str) -> str | None:
    """ "included" or "excluded" if the text says whether a price includes the tax, else None."""
    return _first_matching_value("vat", text)


def parse_shipping(text: str, locale: NumberLocale | None = None) -> Decimal | None:
    """The cost of shipping: an amount, or 0 if the text says that it is free.

    >>> parse_shipping("zzgl. 4,95 € Versand"), parse_shipping("Versandkostenfrei"), parse_shipping("zzgl. Versand")
    (Decimal('4.95'), Decimal('0'), None)
    """
    if _first_matching_value("shipping", text) == "free":
        # "free from 50 €" is a condition, not a price
        return None if re.search(r"\d", text) else Decimal(0)
    if len(text) > MAX_LENGTH:
        return None
    found = find_amounts(prepare_for_amounts(text), locale or UNKNOWN_LOCALE)
    shipping = [amount for amount in found if amount.role == "shipping"] or found
    is_one = len(shipping) == 1 and shipping[0].role != "base" and shipping[0].reading.other is None
    return shipping[0].reading.value if is_one else None


_AROUND_VALUES = " :*•·-–."


def _value_key(text: str) -> str:
    return text_key(text).strip(_AROUND_VALUES)


@cache
def _no_values(*kinds: str) -> frozenset[str]:
    return frozenset({"", *(_value_key(text) for kind in kinds for text in table("value_words")[kind])})


def is_no_value(text: str, *, is_specified: bool = False) -> bool:
    """Whether a text only says that there is no value; `is_specified` if it is the value of a specification.

    >>> is_no_value("N/A"), is_no_value("--"), is_no_value("k. A."), is_no_value("Acme")
    (True, True, True, False)
    """
    more = ("no_specified_value",) if is_specified else ()
    return _value_key(text) in _no_values("no_value", "no_value_data", *more)


def is_no_option(text: str) -> bool:
    """Whether a text stands for an option that the product does not have, such as Shopify's "Default Title"."""
    return not text or text.lower() in table("value_words")["no_option"]


_DAYS = re.compile(r"(\d{1,3})(?:\s*(?:-|–|bis|to|à|a|до|do|~|至)\s*(\d{1,3}))?\s*[- ]?(?P<unit>[^\W\d_]+)")


@cache
def _day_units() -> dict[str, int]:
    return {word: days for days, words in table("value_words")["day_units"].items() for word in words}


@lru_cache(maxsize=2048)
def parse_delivery_days(text: str) -> str | None:
    """The days until delivery, as "2" or "2-4".

    >>> parse_delivery_days("Lieferzeit: 2-4 Werktage"), parse_delivery_days("ships in 1 week"), parse_delivery_days("Tomorrow")
    ('2-4', '7', '1')
    """
    if len(text) > MAX_LENGTH:
        return None
    key = text_key(with_plain_signs(text))
    for found in _DAYS.finditer(key):
        days = next((_day_units()[w] for w in (found["unit"], found["unit"][:1]) if w in _day_units()), None)
        if days is not None:
            bounds = [str(int(number) * days) for number in found.groups()[:2] if number]
            return "-".join(dict.fromkeys(bounds))
    return _first_matching_value("delivery", text)


# Separators between the steps of a path, the surest first: "PC / Phone > Cables" has two steps, not three.
_STEPS = tuple(
    re.compile(rf"\s*(?:{marks})\s*") for marks in (r">>|»|›|→|❯|＞|>|⟩|▸|►", r"\||::|•|\n|\\", r" / | - ", r"/")
)


@lru_cache(maxsize=2048)
def category_path(text: str) -> tuple[str, ...]:
    """The steps of a category path or breadcrumb, without the home page.

    >>> category_path("Home > Books » Crime")
    ('Books', 'Crime')
    """
    marks = next((marks for marks in _STEPS if marks.search(text)), _STEPS[0])
    steps = [step for part in marks.split(text) if (step := clean_text(part).strip("/ "))]
    return tuple(steps[1:] if len(steps) > 1 and text_key(steps[0]) in walk_words("home_words") else steps)
