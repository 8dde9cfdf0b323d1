"""Availability: the words of thirty languages and schema.org's terms, as three states."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from scout.values.tables import table
from scout.values.text import text_key

STATES = ("OutOfStock", "PreOrder", "InStock")  # the order in which they are tried: a denial contains what it denies
MAX_LENGTH = 160  # longer texts are prose about deliveries, not a statement about this product
_SCHEMA_URL = re.compile(r"^(?:https?://(?:www\.)?schema\.org/|schema:)?([a-z_\- ]+)/?$", re.IGNORECASE)


def _phrase_pattern(phrase: str) -> str:
    pattern = re.escape(text_key(phrase)).replace(r"\#", r"[1-9]\d*")
    if phrase[0] > "\u3000":  # Chinese, Japanese and Korean are written without spaces
        return pattern
    return rf"(?<!\w){pattern}(?!\w)"


def _alternatives(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(_phrase_pattern(phrase) for phrase in sorted(phrases, key=len, reverse=True)))


_UNSPACED = re.compile("[\u2e80-\uffdc]")  # Chinese, Japanese, Korean: words cannot be told apart by spaces
_LETTERS = re.compile(r"[^\W\d_]+")


@cache
def _telling_words() -> frozenset[str]:
    """One word of each phrase, its longest: a text that has none of them says nothing about availability."""
    phrases = [text_key(phrase) for kind in (*STATES, "counted") for phrase in table("availability")[kind]]
    return frozenset(max(words, key=len) for phrase in phrases if (words := _LETTERS.findall(phrase)))


def _may_tell(text: str) -> bool:
    """A quick screen: the patterns are long, and nearly every text of a page is about something else."""
    if _UNSPACED.search(text):
        return True
    return not _telling_words().isdisjoint(_LETTERS.findall(text.casefold()))


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {state: _alternatives(table("availability")[state]) for state in STATES}


_IN_DAYS = r"\d[\d\s/-]*(?:h\b|d[aií]|t[ae]g|werk|stund|jou?r|heure|hour|hor|gior|ore\b|dni|godz|week|woch|sem|sett)"  # "in 3-5 giorni"


@cache
def _unsaid() -> re.Pattern[str]:
    stores = "|".join(table("availability")["where_it_is"])
    return re.compile(f"(?:{_alternatives(table('availability')['unsaid']).pattern})(?! (?:{stores}|{_IN_DAYS}))")


@cache
def _counted() -> re.Pattern[str]:
    """ "Stock: 12", "库存 0 件"."""
    labels = "|".join(re.escape(text_key(label)) for label in table("availability")["counted"])
    return re.compile(rf"^(?:{labels})\s*[:=]?\s*\(?(\d+)\+?\)?(?:\s*[^\W\d_]{{1,6}}\.?)?$")


def _schema_state(text: str) -> str | None:
    found = _SCHEMA_URL.match(text.strip())
    term = re.sub(r"[_\- ]", "", found[1]).lower() if found else ""
    state: str | None = table("availability")["schema"].get(term)
    return state


@lru_cache(maxsize=4096)
def parse_availability(text: str) -> str | None:
    """ "InStock", "OutOfStock" or "PreOrder" where the text says so; None where it does not.

    >>> parse_availability("http://schema.org/SoldOut"), parse_availability("Sofort lieferbar"), parse_availability("Red")
    ('OutOfStock', 'InStock', None)
    """
    if not text or len(text) > MAX_LENGTH:
        return None
    state = _schema_state(text)
    if state:
        return state
    if not _may_tell(text):
        return None
    key = text_key(text).replace("_", " ")
    count = _counted().match(key)
    if count:
        return "InStock" if int(count[1]) else "OutOfStock"
    key = _unsaid().sub(" ", key)
    return next((state for state, pattern in _patterns().items() if pattern.search(key)), None)


@cache
def _promised() -> re.Pattern[str]:
    return _alternatives(table("availability")["promised"])


def is_promise(text: str) -> bool:
    """Whether a text that says InStock only says how soon the product comes.

    >>> is_promise("Usually ships in 24 hours"), is_promise("In stock, ships in 24 hours"), is_promise("Sold out")
    (True, False, False)
    """
    rest, promises = _promised().subn(" ", text_key(text).replace("_", " "))
    return promises > 0 and parse_availability(rest) is None


def labelled_availability(text: str) -> str | None:
    """What a text says about stock behind a label that asks for it: "yes" and "brak" are clear there.

    >>> labelled_availability("Yes"), labelled_availability("Brak"), labelled_availability("Red"), parse_availability("Yes")
    ('InStock', 'OutOfStock', None, None)
    """
    key = text_key(text).strip(" .!:")
    return parse_availability(text) or next(
        (s for s, said in table("availability")["labelled"].items() if key in said), None
    )
