"""The words of an offer's text as matching sees them: without case and accents, codes whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from scout.matching.columns import without_accents
from scout.values.tables import table

WORD = re.compile(r"[^\W_]+(?:[-./+][^\W_]+)*")
CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
CJK_OR_NOT = re.compile(f"{CJK.pattern}+|[^\\W{CJK.pattern[1:-1]}]+")
JOINT = re.compile(r"[-./+]")
QUANTITY = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)[ -]?([^\W\d_]+)")
SIZE = re.compile(r"(?<![\w.,/+-])\d{1,4}(?:[.,]\d{1,2})?(?![\w/+-]|[.,]\d)")
MEASURE = re.compile(r"\d+([^\W\d_]+)")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
STEM = re.compile(r"(\w{3,}\d)[^\W\d]{1,5}")  # a code whose last letters only name the colour or the country
CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{3,}|\d{4,}")  # a model number: letters and digits, or a long number
MIN_MODEL = 6  # characters of a code that hardly two products share
MIN_STEM = 5  # characters of a code that are enough to tell it from a quantity
MAX_TEXT = 2000  # characters of a description: what tells products apart stands at its beginning


def plain(text: str) -> str:
    """The text in small letters without accents."""
    return text.casefold() if text.isascii() else without_accents(text.casefold())


def words(text: str) -> list[str]:
    """The words of a plain text; a compound gives its parts and, written as one, itself.

    >>> words("sony ps-lx350h, 33.5 cm")
    ['sony', 'ps', 'lx350h', 'pslx350h', '33', '5', '335', 'cm']
    """
    found: list[str] = []
    for word in WORD.findall(text):
        if CJK.search(word):
            found += cjk_words(word)
            continue
        parts = JOINT.split(word)
        found += parts
        if len(parts) > 1:
            found.append("".join(parts))
    return found


def cjk_words(text: str) -> list[str]:
    """The words of a script that puts no spaces between them, as overlapping pairs of characters; what stands between as it is.

    >>> cjk_words("华为蓝牙p60")
    ['华为', '为蓝', '蓝牙', 'p60']
    """
    found: list[str] = []
    for run in CJK_OR_NOT.findall(text):
        found += map("".join, pairwise(run)) if CJK.match(run) and len(run) > 1 else [run]
    return found


def codes(text: str) -> set[str]:
    """The words of a plain text that look like model numbers; "64gb" is a quantity.

    >>> sorted(codes("sony ps-lx350h 12 cm 2007 64gb"))
    ['2007', 'lx350h', 'pslx350h']
    """
    return {word for word in words(text) if CODE.fullmatch(word) and not is_quantity(word)}


def long_codes(text: str) -> set[str]:
    """The codes that hardly two products share."""
    return {code for code in codes(text) if len(code) >= MIN_MODEL}


def is_quantity(word: str) -> bool:
    """Whether a word is a number with its unit."""
    found = MEASURE.fullmatch(word)
    return bool(found and found[1] in unit_factors())


def stems(found: Iterable[str]) -> list[str]:
    """The codes among words without their last letters, marked so that they meet only each other.

    >>> stems(["wfw8300swh", "wfw8300", "black"])
    ['~wfw8300', '~wfw8300']
    """
    codes_only = [word for word in found if len(word) >= MIN_STEM and CODE.fullmatch(word)]
    return [
        f"~{cut[1]}" if (cut := STEM.fullmatch(word)) and len(cut[1]) >= MIN_STEM else f"~{word}" for word in codes_only
    ]


def telling_words(text: str) -> list[str]:
    """The words of a plain title, and the stems of its codes."""
    found = words(text)
    return found + stems(found)


def findable_words(title: str, text: str) -> list[str]:
    """Everything in an offer's texts in which a word of another title may be found: also two words written as one."""
    found = words(title)
    return [*found, *map("".join, pairwise(found)), *stems(found), *words(text)]


def numbers(text: str) -> set[str]:
    """The free-standing and attached numbers of a plain text, written in one way; not those of amounts, which have units to compare.

    >>> sorted(numbers("40gb 5,50 dpi v10.0"))
    ['10', '5.5']
    """
    factors = unit_factors()
    bare = QUANTITY.sub(lambda amount: " " if amount[2] in factors else amount[0], text)
    return {plain_number(number) for number in NUMBER.findall(bare)}


def sizes(text: str) -> set[str]:
    """The short numbers that stand by themselves: what the variants of a model differ in, and no article number.

    >>> sorted(sizes("rise desk 120, 1.5 m - 981-000040 x200"))
    ['1.5', '120']
    """
    return {plain_number(number) for number in SIZE.findall(text)}


def plain_number(text: str) -> str:
    """A number with a point for its decimals, and none that say nothing."""
    whole, _, decimals = text.replace(",", ".").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def skeleton(text: str) -> str:
    """The words of a plain title without numbers, in one order: what the variants of a model have in common.

    >>> skeleton("rise desk 120 oak") == skeleton("rise desk 160, oak")
    True
    """
    return " ".join(sorted({word for word in NUMBER.sub(" ", text).split() if word.isalpha()}))


def text_of(value: Any) -> str:
    """A value of a row as one line of text: lists joined, absence empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(f"{key} {text_of(inner)}" for key, inner in value.items())
    return " ".join(map(text_of, value)) if isinstance(value, Iterable) else str(value)


@cache
def colour_names() -> Mapping[str, str]:
    """Each word for a colour and the colour's name."""
    return {plain(word): line.split()[0] for line in table("matching")["colours"] for word in line.split()}


@cache
def edition_names() -> Mapping[str, str]:
    """Each word for an edition and the edition's name."""
    return {plain(word): line.split()[0] for line in table("matching")["editions"] for word in line.split()}


@cache
def unit_factors() -> Mapping[str, tuple[str, float]]:
    """Each unit, what it measures and its factor."""
    return {
        plain(unit): (kind, factor)
        for kind, units in table("matching")["units"].items()
        for unit, factor in units.items()
    }


def colours(text: str) -> set[str]:
    """The colours that a plain title names.

    >>> colours("mug navy-blue"), colours("tasse schwarz")
    ({'blue'}, {'black'})
    """
    names = colour_names()
    return {names[word] for word in words(text) if word in names}


def editions(text: str) -> set[str]:
    """The editions that a plain title names.

    >>> editions("office suite std"), editions("krimi, taschenbuch")
    ({'standard'}, {'paperback'})
    """
    names = edition_names()
    return {names[word] for word in words(text) if word in names}


def quantities(text: str) -> set[tuple[str, str]]:
    """What a plain title measures, as (kind, amount) in one unit of each kind.

    >>> sorted(quantities("ssd 1 tb, 2.5 inch")), quantities("ssd 1000gb")
    ([('length', '63.5'), ('storage', '1000')], {('storage', '1000')})
    """
    factors = unit_factors()
    found = set()
    for number, unit in QUANTITY.findall(text):
        if unit in factors:
            kind, factor = factors[unit]
            found.add((kind, f"{float(number.replace(',', '.')) * factor:.4g}"))
    return found
