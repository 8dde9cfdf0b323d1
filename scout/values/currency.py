"""Currencies: from codes, symbols and words, with the page's country or currency where a symbol alone does not tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from urllib.parse import urlsplit

from scout.values.tables import table

CODES = frozenset(table("currencies")["codes"].split())
WORDLIKE = frozenset(table("currencies")["wordlike"])  # codes that are everyday words in small letters
MAX_NAMING = 60  # characters of a text that says in which currency a shop asks
_PUNCTUATION = " :;*()[]+~=|\"'-"


@cache
def _candidates() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {code.lower(): (code,) for code in CODES if code.lower() not in WORDLIKE}
    known.update({symbol: tuple(codes) for symbol, codes in table("currencies")["symbols"].items()})
    return known


@cache
def symbol_pattern() -> re.Pattern[str]:
    """Any character that is a currency symbol by itself: a cheap screen for texts that may hold a price."""
    return re.compile("[" + "".join(re.escape(s) for s in _candidates() if len(s) == 1 and not s.isalnum()) + "]")


@cache
def amount_pattern() -> re.Pattern[str]:
    """A number with a currency beside it: a quick test whether a text shows an amount of money; `parse_price` reads it.

    >>> [bool(amount_pattern().search(text)) for text in ("from 12,99 €", "Rs. 500", "TOP 10", "12 pieces")]
    [True, True, False, False]
    """
    known = table("currencies")["beside_numbers"]
    signs, unspaced = symbol_pattern().pattern, _either(known["unspaced"])
    named = [*known["codes"].split(), *known["spellings"]]
    before = rf"(?:{signs}|\b(?:{_either([*named, *known['only_before']])})(?![^\W\d_])\.?|{unspaced})\s*\d"
    after = rf"\d[\d.,' ]*\s*(?:{signs}|{_either(known['only_after'])}|(?:{_either(named)})\b|{unspaced})"
    return re.compile(f"{before}|{after}")


def _either(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, texts))


@lru_cache(maxsize=4096)
def currencies(written: str) -> tuple[str, ...]:
    """Every currency that `written` ("€", "kr", "US$", "CHF", "euros") may stand for; the commonest first.

    >>> currencies("US$"), currencies("kr")[:3], currencies("All")
    (('USD',), ('SEK', 'NOK', 'DKK'), ())
    """
    written = written.strip(_PUNCTUATION)
    if written in CODES:
        return (written,)
    lower = written.lower()
    return _candidates().get(lower) or _candidates().get(lower.rstrip(".,")) or ()


@lru_cache(maxsize=4096)
def before_number(text: str) -> tuple[str, ...]:
    """The currencies that the end of `text`, right before a number, may name."""
    word = _last_word(text)
    if word.lower().rstrip(".") in _only("after_only"):
        return ()
    return currencies(word) or _inner(word, from_end=True)


@lru_cache(maxsize=4096)
def after_number(text: str) -> tuple[str, ...]:
    """The currencies that the beginning of `text`, right after a number, may name."""
    word = _first_word(text)
    if word.lower() in _only("before_only"):
        return ()
    return currencies(word) or _inner(word, from_end=False)


@cache
def _only(side: str) -> frozenset[str]:
    return frozenset(table("currencies")[side])


def _last_word(text: str) -> str:
    words = text.rstrip(_PUNCTUATION).rsplit(None, 1)
    return words[-1] if words else ""


def _first_word(text: str) -> str:
    words = text.lstrip(_PUNCTUATION).split(None, 1)
    return words[0] if words else ""


_LONGEST_SYMBOL = 5


def _inner(word: str, *, from_end: bool) -> tuple[str, ...]:
    """A symbol glued to other text: "Price:$", "€/kg", "€inkl."; letters must not be glued to letters."""
    for length in range(min(_LONGEST_SYMBOL, len(word) - 1), 0, -1):
        piece, beyond = (word[-length:], word[-length - 1]) if from_end else (word[:length], word[length])
        touching = piece[0] if from_end else piece[-1]
        if (not (touching.isalpha() and beyond.isalpha()) or touching > "\u2e80") and (found := currencies(piece)):
            return found
    return ()


def country_of(lang: str | None = None, url: str | None = None) -> str | None:
    """The country that a language tag ("de-CH") or a shop's domain (shop.co.uk) names; None where neither does."""
    region = _region(lang)
    if region:
        return region
    host = urlsplit(url).hostname if url else None
    domain = host.rsplit(".", 1)[-1].upper() if host else ""
    return domain if domain in table("currencies")["country"] and domain not in _GENERIC_DOMAINS else None


_GENERIC_DOMAINS = frozenset(
    {"CO", "ME", "TV", "IO", "AI", "LA", "CC"}
)  # sold to everybody, whatever country they belong to


def _region(lang: str | None) -> str | None:
    for part in re.split(r"[-_]", lang or "")[1:]:
        if len(part) == 2 and part.upper() in table("currencies")["country"]:
            return part.upper()
    return None


def country_currency(lang: str | None = None, url: str | None = None) -> str | None:
    """The currency of the page's country, or of the country its language is mostly spoken in; a hint, not a finding."""
    tables = table("currencies")
    country = country_of(lang, url) or tables["language"].get(re.split(r"[-_]", lang or "")[0].lower())
    code: str | None = tables["country"].get(country)
    return code


_CODE = re.compile(r"\b[A-Z]{3}\b")


def named_currency(texts: Iterable[str]) -> str | None:
    """The one code among the texts of a page of a currency that shares its sign with others; None where there are several.

    >>> named_currency(["$12.00", "CAD, taxes at checkout"]), named_currency(["CAD", "USD", "AUD"])
    ('CAD', None)
    """
    shared = {code for codes in table("currencies")["symbols"].values() if len(codes) > 1 for code in codes}
    found = {code for text in texts if len(text) <= MAX_NAMING for code in _CODE.findall(text)} & shared
    return found.pop() if len(found) == 1 else None


def choose(candidates: tuple[str, ...], hint: str | None) -> str | None:
    """The one currency of `candidates`: the only one, or the one the page's context names; None rather than a guess."""
    if len(candidates) == 1:
        return candidates[0]
    if hint in candidates:
        return hint
    # The pound of the United Kingdom: the others that share its symbol write it after the number, or use Arabic
    return "GBP" if candidates[:1] == ("GBP",) else None


def parse_currency(text: str, hint: str | None = None) -> str | None:
    """The ISO 4217 code that `text` ("€", "EUR", "kr", "US$ 12") names; `hint` decides between several.

    >>> parse_currency("€"), parse_currency("kr", "NOK"), parse_currency("$")
    ('EUR', 'NOK', None)
    """
    found = currencies(text)
    for word in () if found else re.findall(r"[^\s\d]+", text):
        found = found or currencies(word) or _inner(word, from_end=False) or _inner(word, from_end=True)
    return choose(found, hint)


def has_no_decimals(code: str | None) -> bool:
    """Whether amounts of this currency are written without decimals in shops."""
    return code in table("currencies")["no_decimals"]


def has_three_decimals(code: str | None) -> bool:
    """Whether this currency has thousandths, so that "3.350" is a plain price in it."""
    return code in table("currencies")["three_decimals"]
