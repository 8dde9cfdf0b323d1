"""How a shop writes numbers, guessed from many of its amounts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from scout.values.amounts import amounts, normalised
from scout.values.currency import country_of, has_no_decimals, has_three_decimals
from scout.values.numbers import UNKNOWN, NumberLocale
from scout.values.price import HAS_DIGIT, MAX_LENGTH
from scout.values.tables import table


def written_decimal(lang: str | None, url: str | None = None) -> str | None:
    """The decimal separator of a language and country, or None where they do not tell."""
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


def _votes(texts: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    """How often each separator stands before decimals for certain, and how often before a lone group of three digits."""
    decimals, groups = {".": 0, ",": 0}, {".": 0, ",": 0}
    for text in texts:
        if HAS_DIGIT.search(text) and len(text) <= MAX_LENGTH:
            for is_certain, separator in _told(text):
                (decimals if is_certain else groups)[separator] += 1
    return decimals, groups


@lru_cache(maxsize=4096)
def _told(text: str) -> tuple[tuple[bool, str], ...]:
    """What each amount of a text tells: (True, the decimal separator) or (False, what stands before a lone group).

    Remembered: a page repeats its amounts, and a shop those of its menus and boxes on every page.
    """
    plain = normalised(text)
    written = (
        plain[amount.start : amount.end].strip(" ,.-:")
        for amount in amounts(plain, UNKNOWN)
        if amount.candidates or amount.bare
    )
    return tuple(vote for number in written if (vote := _vote(number)))


def _vote(written: str) -> tuple[bool, str] | None:
    if found := _DECIMALS.search(written):
        return True, found[1]
    if found := _LONE_GROUP.match(written):
        return False, found[1]
    if _TWO_GROUPS.match(written):  # 1.299.000
        return True, _OTHER[written[-4]]
    return None


def page_locale(texts: Iterable[str], lang: str | None = None, currency: str | None = None) -> NumberLocale:
    """How a shop writes numbers, from many of its amounts; from its language and currency where the amounts do not tell.

    >>> page_locale(["12,99 €", "3.350 €"]).decimal, page_locale(["3.350"], lang="de-DE").thousands, page_locale(["3.350"]).decimal
    (',', '.', None)
    """
    decimals, groups = _votes(texts)
    point, comma = decimals["."], decimals[","]
    if point != comma:
        decimal = "." if point > comma else ","
        return NumberLocale(decimal=decimal, thousands=_OTHER[decimal])
    if has_three_decimals(currency):
        return NumberLocale(decimal=".", thousands=",")
    if groups[","] > groups["."]:  # "$1,600": three decimals are never shown, so this groups
        return NumberLocale(decimal=".", thousands=",")
    if groups["."] and has_no_decimals(currency):
        return NumberLocale(decimal=",", thousands=".")
    usual = written_decimal(lang)
    return NumberLocale(decimal=usual, thousands=_OTHER[usual]) if usual else UNKNOWN
