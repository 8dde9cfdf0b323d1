"""Currencies from codes, symbols and words; the page's country or currency decides between those that share a symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from urllib.parse import urlsplit

from scout.values.tables import table

CODES = frozenset(table("currencies")["codes"].split())
WORDLIKE = frozenset(table("currencies")["wordlike"])  # codes that are everyday words in small letters
_MAX_NAMING_TEXT = 60  # characters: longer texts do not just name a currency
_PUNCTUATION = " :;*()[]+~=|\"'-"


@cache
def _candidates() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {code.lower(): (code,) for code in CODES if code.lower() not in WORDLIKE}
    known.update({symbol: tuple(codes) for symbol, codes in table("currencies")["symbols"].items()})
    return known


@cache
def symbol_pattern() -> re.Pattern[str]:
    """Any single character that is a currency symbol: a quick test for texts that may hold a price."""
    return re.compile("[" + "".join(re.escape(s) for s in _candidates() if len(s) == 1 and not s.isalnum()) + "]")


_DIGIT = re.compile(r"\d")


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
    letters = rf"\b(?:{_either(known['only_before_decimals'])})\s?\d[\d ,.]*[.,]\d\d"
    after = rf"\d[\d.,' ]*\s*(?:{signs}|{_either(known['only_after'])}|(?:{_either(named)})\b|{unspaced})"
    return re.compile(f"{before}|{after}|{letters}")


def shows_amount(text: str) -> bool:
    """Whether a text shows an amount of money. Most texts of a page have no digit, which is seen ten times as fast."""
    return _DIGIT.search(text) is not None and amount_pattern().search(text) is not None


def _either(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, texts))


@lru_cache(maxsize=4096)
def possible_currencies(written: str) -> tuple[str, ...]:
    """Every currency that `written` ("€", "kr", "US$", "CHF", "euros") may stand for, the most common first.

    >>> possible_currencies("US$"), possible_currencies("kr")[:3], possible_currencies("All")
    (('USD',), ('SEK', 'NOK', 'DKK'), ())
    """
    written = written.strip(_PUNCTUATION)
    if written in CODES:
        return (written,)
    lower = written.lower()
    return _candidates().get(lower) or _candidates().get(lower.rstrip(".,")) or ()


@lru_cache(maxsize=4096)
def currencies_before_number(text: str) -> tuple[str, ...]:
    """The possible currencies at the end of `text`, right before a number."""
    word = (text.rstrip(_PUNCTUATION).rsplit(None, 1) or [""])[-1]
    if word.lower().rstrip(".") in _symbols_on_one_side("after_only"):
        return ()
    return possible_currencies(word) or _glued_symbol(word, from_end=True)


@lru_cache(maxsize=4096)
def currencies_after_number(text: str) -> tuple[str, ...]:
    """The possible currencies at the start of `text`, right after a number."""
    word = (text.lstrip(_PUNCTUATION).split(None, 1) or [""])[0]
    if word.lower() in _symbols_on_one_side("before_only"):
        return ()
    return possible_currencies(word) or _glued_symbol(word, from_end=False)


@cache
def _symbols_on_one_side(side: str) -> frozenset[str]:
    return frozenset(table("currencies")[side])


_LONGEST_SYMBOL = 5


def _glued_symbol(word: str, *, from_end: bool) -> tuple[str, ...]:
    """The currencies of a symbol joined to other text ("Price:$", "€/kg", "€inkl."); letters must not touch letters."""
    for length in range(min(_LONGEST_SYMBOL, len(word) - 1), 0, -1):
        piece, beyond = (word[-length:], word[-length - 1]) if from_end else (word[:length], word[length])
        touching = piece[0] if from_end else piece[-1]
        is_apart = not (touching.isalpha() and beyond.isalpha()) or touching > "\u2e80"
        if is_apart and (found := possible_currencies(piece)):
            return found
    return ()


def country_of(lang: str | None = None, url: str | None = None) -> str | None:
    """The country named by a language tag ("de-CH") or by the shop's domain (shop.co.uk), or None."""
    region = _country_in_language_tag(lang)
    if region:
        return region
    host = urlsplit(url).hostname if url else None
    domain = host.rsplit(".", 1)[-1].upper() if host else ""
    return domain if domain in table("currencies")["country"] and domain not in _GENERIC_DOMAINS else None


_GENERIC_DOMAINS = frozenset({"CO", "ME", "TV", "IO", "AI", "LA", "CC"})  # registered by shops of all countries


def _country_in_language_tag(lang: str | None) -> str | None:
    for part in re.split(r"[-_]", lang or "")[1:]:
        if len(part) == 2 and part.upper() in table("currencies")["country"]:
            return part.upper()
    return None


def country_currency(lang: str | None = None, url: str | None = None) -> str | None:
    """The currency of the page's country, or of the main country of its language. A hint, not evidence."""
    tables = table("currencies")
    country = country_of(lang, url) or tables["language"].get(re.split(r"[-_]", lang or "")[0].lower())
    code: str | None = tables["country"].get(country)
    return code


_CODE = re.compile(r"(?<![\w-])[A-Z]{3}(?![\w-])")  # not that of an article, as in "MDL-2123"
_BESIDE_SIGN = re.compile(r"[\d.,'\s]+")


def named_currency(texts: Iterable[str]) -> str | None:
    """The only currency that a page names, by code or name, of those that the sign beside its amounts may stand for.

    >>> named_currency(["$12.00", "CAD, taxes at checkout"]), named_currency(["$12.00", "CAD", "AUD"])
    ('CAD', None)
    >>> named_currency(["$12.00", "€ Euro", "£ Pound Sterling", "$ Australian Dollar"]), named_currency(["$12.00", "MDL"])
    ('AUD', None)
    """
    short = [text for text in texts if len(text) <= _MAX_NAMING_TEXT]
    named = {code for text in short for code in _codes_in(text)}
    signs = set(currency_signs(short)) if named else ()
    meant = {code for sign in signs if len(codes := possible_currencies(sign)) > 1 for code in codes} & named
    return meant.pop() if len(meant) == 1 else None


def currency_signs(texts: Iterable[str]) -> Iterator[str]:
    """What stands beside the amounts in these texts.

    >>> list(currency_signs(["from 12,99 €", "size 12", "$1.00 - $2.00"]))
    ['€', '$', '$']
    """
    amounts = (found[0] for text in texts if shows_amount(text) for found in amount_pattern().finditer(text))
    return (_BESIDE_SIGN.sub("", amount) for amount in amounts)


def _codes_in(text: str) -> Iterator[str]:
    """The currencies that a text names by code or in full."""
    yield from _CODE.findall(text)
    names = table("currencies")["names"]
    yield from (names[name.lower()] for name in _name_pattern().findall(text))


@cache
def _name_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_either(table('currencies')['names'])})", re.IGNORECASE)


def choose_currency(candidates: tuple[str, ...], hint: str | None) -> str | None:
    """The only candidate, or the one that `hint` names; None rather than a guess."""
    if len(candidates) == 1:
        return candidates[0]
    if hint in candidates:
        return hint
    # British pounds: the other currencies with this symbol put it after the number, or use Arabic
    return "GBP" if candidates[:1] == ("GBP",) else None


def parse_currency(text: str, hint: str | None = None) -> str | None:
    """The ISO 4217 code that `text` ("€", "EUR", "kr", "US$ 12") names; `hint` decides between several.

    >>> parse_currency("€"), parse_currency("kr", "NOK"), parse_currency("$")
    ('EUR', 'NOK', None)
    """
    found = possible_currencies(text)
    for word in () if found else re.findall(r"[^\s\d]+", text):
        found = found or possible_currencies(word) or _glued_symbol(word, from_end=False)
        found = found or _glued_symbol(word, from_end=True)
    return choose_currency(found, hint)


def has_no_decimals(code: str | None) -> bool:
    """Whether shops write amounts of this currency without decimals."""
    return code in table("currencies")["no_decimals"]


def has_three_decimals(code: str | None) -> bool:
    """Whether this currency has thousandths, so that "3.350" is a plain price in it."""
    return code in table("currencies")["three_decimals"]


def minor_digits(code: str) -> int | None:
    """How many decimals an amount in minor units of this currency has; None for what is no currency.

    >>> minor_digits("EUR"), minor_digits("JPY"), minor_digits("KWD"), minor_digits("points")
    (2, 0, 3, None)
    """
    if code not in CODES:
        return None
    return next((digits for digits, codes in table("currencies")["minor_units"].items() if code in codes), 2)
