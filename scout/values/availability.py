"""Availability: phrases in thirty languages and schema.org's terms, read as one of three states."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from scout.values.tables import table
from scout.values.text import any_word_pattern, text_key

STATES = ("OutOfStock", "PreOrder", "InStock")  # in the order they are tried: "not in stock" contains "in stock"
MAX_LENGTH = 160  # characters: longer texts are prose about deliveries
_COUNT_DIGITS = 7  # of a stock count: longer numbers are codes
_SCHEMA_URL = re.compile(r"^(?:(?:(?:https?:)?//?)?(?:www\.)?schema\.org[/#]+|schema:)?([a-z_\- ]+)/?$", re.IGNORECASE)


@cache
def _phrases(kind: str) -> re.Pattern[str]:
    """Any of the phrases of a kind, in which # stands for a number above zero."""
    phrases = map(text_key, table("availability")[kind])
    return re.compile(any_word_pattern(phrases).replace(r"\#", r"[1-9]\d*"))


_UNSPACED = re.compile("[\u2e80-\uffdc]")  # Chinese, Japanese, Korean: no spaces between words
_LETTERS = re.compile(r"[^\W\d_]+")


@cache
def _key_words() -> frozenset[str]:
    """The longest word of each phrase: a text without any of them says nothing about availability."""
    phrases = [text_key(phrase) for kind in (*STATES, "counted") for phrase in table("availability")[kind]]
    return frozenset(max(words, key=len) for phrase in phrases if (words := _LETTERS.findall(phrase)))


def _may_state_availability(text: str) -> bool:
    """A quick test, because the patterns are long and nearly every text of a page is about something else."""
    if _UNSPACED.search(text):
        return True
    return not _key_words().isdisjoint(_LETTERS.findall(text.casefold()))


_IN_DAYS = r"\d[\d\s/-]*(?:h\b|d[aií]|t[ae]g|werk|stund|jou?r|heure|hour|hor|gior|ore\b|dni|godz|week|woch|sem|sett)"  # "in 3-5 giorni"


@cache
def _phrases_to_ignore() -> re.Pattern[str]:
    stores = "|".join(table("availability")["where_it_is"])
    return re.compile(f"(?:{_phrases('unsaid').pattern})(?! (?:{stores}|{_IN_DAYS}))")


@cache
def _stock_count_pattern() -> re.Pattern[str]:
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
    """ "InStock", "OutOfStock" or "PreOrder" if the text says so, else None.

    >>> parse_availability("http://schema.org/SoldOut"), parse_availability("Sofort lieferbar"), parse_availability("Red")
    ('OutOfStock', 'InStock', None)
    """
    if not text or len(text) > MAX_LENGTH:
        return None
    state = _schema_state(text)
    if state:
        return state
    if not _may_state_availability(text):
        return None
    key = text_key(text).replace("_", " ")
    count = _stock_count_pattern().match(key)
    if count:
        return "InStock" if int(count[1]) else "OutOfStock"
    key = _phrases_to_ignore().sub(" ", key)
    return next((state for state in STATES if _phrases(state).search(key)), None)


def is_delivery_promise(text: str) -> bool:
    """Whether a text that reads as InStock only says how soon the product is delivered.

    >>> is_delivery_promise("Usually ships in 24 hours"), is_delivery_promise("In stock, ships in 24 hours")
    (True, False)
    """
    rest, promises = _phrases("promised").subn(" ", text_key(text).replace("_", " "))
    return promises > 0 and parse_availability(rest) is None


def labelled_availability(text: str) -> str | None:
    """The availability stated by the value of a label such as "In stock:", where "yes", "brak" and a count are clear.

    >>> labelled_availability("Yes"), labelled_availability("Brak"), labelled_availability("Red"), parse_availability("Yes")
    ('InStock', 'OutOfStock', None, None)
    >>> labelled_availability("17"), labelled_availability("0")
    ('InStock', 'OutOfStock')
    """
    key = text_key(text).strip(" .!:")
    if key.isdecimal() and len(key) <= _COUNT_DIGITS:
        return "InStock" if int(key) else "OutOfStock"
    return parse_availability(text) or next(
        (s for s, said in table("availability")["labelled"].items() if key in said), None
    )
