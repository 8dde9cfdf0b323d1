"""How a shop writes numbers, inferred from many of its amounts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from scout.values.amounts import find_amounts, prepare_for_amounts
from scout.values.currency import country_of, has_no_decimals, has_three_decimals
from scout.values.numbers import UNKNOWN_LOCALE, NumberLocale
from scout.values.price import HAS_DIGIT, MAX_LENGTH
from scout.values.tables import table


def _usual_decimal_separator(lang: str | None, url: str | None = None) -> str | None:
    """The usual decimal separator of a language and country, or None if there is no usual one."""
    tables, country = table("currencies"), country_of(lang, url)
    if country in tables["point_regions"] or country in tables["comma_regions"]:
        return "." if country in tables["point_regions"] else ","
    language = re.split(r"[-_]", lang or "")[0].lower()
    separators = {**dict.fromkeys(tables["comma_languages"], ","), **dict.fromkeys(tables["point_languages"], ".")}
    return separators.get(language)


_OTHER = {".": ",", ",": "."}
_DECIMALS = re.compile(r"([.,])\d{2}$")
_LONE_GROUP = re.compile(r"^[1-9]\d{0,2}([.,])\d{3}$")
_TWO_GROUPS = re.compile(r"^\d{1,3}([.,])\d{3}\1\d{3}$")


def _count_separators(texts: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    """How often each separator certainly precedes decimals, and how often it precedes a single group of three digits."""
    decimals, groups = {".": 0, ",": 0}, {".": 0, ",": 0}
    for text in texts:
        if HAS_DIGIT.search(text) and len(text) <= MAX_LENGTH:
            for is_certain, separator in _separator_votes(text):
                (decimals if is_certain else groups)[separator] += 1
    return decimals, groups


@lru_cache(maxsize=4096)
def _separator_votes(text: str) -> tuple[tuple[bool, str], ...]:
    """One vote per amount of a text: (True, the decimal separator) or (False, the separator before a single group).

    Cached, because a page repeats its amounts, and a shop repeats those of its menus on every page.
    """
    plain = prepare_for_amounts(text)
    written = (
        plain[amount.start : amount.end].strip(" ,.-:")
        for amount in find_amounts(plain, UNKNOWN_LOCALE)
        if amount.candidates or amount.bare
    )
    return tuple(vote for number in written if (vote := _separator_vote(number)))


def _separator_vote(written: str) -> tuple[bool, str] | None:
    if found := _DECIMALS.search(written):
        return True, found[1]
    if found := _LONE_GROUP.match(written):
        return False, found[1]
    if _TWO_GROUPS.match(written):  # 1.299.000
        return True, _OTHER[written[-4]]
    return None


def page_locale(texts: Iterable[str], lang: str | None = None, currency: str | None = None) -> NumberLocale:
    """How a shop writes numbers: inferred from many of its amounts, else from its language and currency.

    >>> page_locale(["12,99 €", "3.350 €"]).decimal, page_locale(["3.350"], lang="de-DE").thousands, page_locale(["3.350"]).decimal
    (',', '.', None)
    """
    decimals, groups = _count_separators(texts)
    point, comma = decimals["."], decimals[","]
    if point != comma:
        decimal = "." if point > comma else ","
        return NumberLocale(decimal=decimal, thousands=_OTHER[decimal])
    if has_three_decimals(currency):
        is_comma = groups[","] > groups["."] and _usual_decimal_separator(lang) == ","
        return NumberLocale(decimal=",", thousands=".") if is_comma else NumberLocale(decimal=".", thousands=",")
    if groups[","] > groups["."]:  # "$1,600": three decimals are never shown, so this groups
        return NumberLocale(decimal=".", thousands=",")
    if groups["."] and has_no_decimals(currency):
        return NumberLocale(decimal=",", thousands=".")
    usual = _usual_decimal_separator(lang)
    return NumberLocale(decimal=usual, thousands=_OTHER[usual]) if usual else UNKNOWN_LOCALE
