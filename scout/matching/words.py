"""The words of an offer's text, for matching: without case and accents, codes whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from scout.matching.columns import without_accents
from scout.values.tables import table

_WORD = re.compile(r"[^\W_]+(?:[-./+][^\W_]+)*")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CJK_OR_NOT = re.compile(f"{_CJK.pattern}+|[^\\W{_CJK.pattern[1:-1]}]+")
_JOINT = re.compile(r"[-./+]")
_QUANTITY = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)[ -]?([^\W\d_]+)")
_SIZE = re.compile(r"(?<![\w.,/+-])\d{1,4}(?:[.,]\d{1,2})?(?![\w/+-]|[.,]\d)")
_MEASURE = re.compile(r"\d+([^\W\d_]+)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_STEM = re.compile(r"(\w{3,}\d)[^\W\d]{1,5}")  # a code whose last letters only state the colour or the country
_CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{3,}|\d{4,}")  # a model number: letters and digits, or a long number
_MIN_MODEL = 6  # characters of a code that is unlikely to be shared by two products
_MIN_STEM = 5  # characters of a code that cannot be mistaken for a quantity
MAX_TEXT = 2000  # characters of a description: what distinguishes products comes first


def folded(text: str) -> str:
    """The text in lower case without accents."""
    return text.casefold() if text.isascii() else without_accents(text.casefold())


def words(text: str) -> list[str]:
    """The words of a folded text; a compound gives its parts, and itself without the hyphens.

    >>> words("sony ps-lx350h, 33.5 cm")
    ['sony', 'ps', 'lx350h', 'pslx350h', '33', '5', '335', 'cm']
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        if _CJK.search(word):
            found += _cjk_words(word)
            continue
        parts = _JOINT.split(word)
        found += parts
        if len(parts) > 1:
            found.append("".join(parts))
    return found


def _cjk_words(text: str) -> list[str]:
    """The words of a script without spaces, as overlapping pairs of characters; other words in between are kept.

    >>> _cjk_words("华为蓝牙p60")
    ['华为', '为蓝', '蓝牙', 'p60']
    """
    found: list[str] = []
    for run in _CJK_OR_NOT.findall(text):
        found += map("".join, pairwise(run)) if _CJK.match(run) and len(run) > 1 else [run]
    return found


def codes(text: str) -> set[str]:
    """The words of a folded text that look like model numbers; "64gb" is a quantity.

    >>> sorted(codes("sony ps-lx350h 12 cm 2007 64gb"))
    ['2007', 'lx350h', 'pslx350h']
    """
    return {word for word in words(text) if _CODE.fullmatch(word) and not _is_quantity(word)}


def long_codes(text: str) -> set[str]:
    """The codes that are long enough to identify a product."""
    return {code for code in codes(text) if len(code) >= _MIN_MODEL}


def _is_quantity(word: str) -> bool:
    """Whether a word is a number with its unit."""
    found = _MEASURE.fullmatch(word)
    return bool(found and found[1] in _unit_factors())


def _stems(found: Iterable[str]) -> list[str]:
    """The codes among the words without their last letters, marked so that they match only each other.

    >>> _stems(["wfw8300swh", "wfw8300", "black"])
    ['~wfw8300', '~wfw8300']
    """
    codes_only = [word for word in found if len(word) >= _MIN_STEM and _CODE.fullmatch(word)]
    cuts = [(word, _STEM.fullmatch(word)) for word in codes_only]
    return [f"~{cut[1] if cut and len(cut[1]) >= _MIN_STEM else word}" for word, cut in cuts]


def title_words(text: str) -> list[str]:
    """The words of a folded title, and the stems of its codes."""
    found = words(text)
    return found + _stems(found)


def findable_words(title: str, text: str) -> list[str]:
    """Every word in an offer's texts that a word of another title may equal, including two words written as one."""
    found = words(title)
    return [*found, *map("".join, pairwise(found)), *_stems(found), *words(text)]


def numbers(text: str) -> set[str]:
    """The numbers of a folded text in one notation, except amounts, which are compared with their units.

    >>> sorted(numbers("40gb 5,50 dpi v10.0"))
    ['10', '5.5']
    """
    factors = _unit_factors()
    bare = _QUANTITY.sub(lambda amount: " " if amount[2] in factors else amount[0], text)
    return {_normal_number(number) for number in _NUMBER.findall(bare)}


def sizes(text: str) -> set[str]:
    """The short numbers that stand alone: they distinguish the variants of a model, and are not article numbers.

    >>> sorted(sizes("rise desk 120, 1.5 m - 981-000040 x200"))
    ['1.5', '120']
    """
    return {_normal_number(number) for number in _SIZE.findall(text)}


def _normal_number(text: str) -> str:
    """A number with a decimal point and without trailing zeros."""
    whole, _, decimals = text.replace(",", ".").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def skeleton(text: str) -> str:
    """The words of a folded title without numbers, sorted: what the variants of a model have in common.

    >>> skeleton("rise desk 120 oak") == skeleton("rise desk 160, oak")
    True
    """
    return " ".join(sorted({word for word in _NUMBER.sub(" ", text).split() if word.isalpha()}))


def text_of(value: Any) -> str:
    """A value of a row as one line of text: lists joined, None empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(f"{key} {text_of(inner)}" for key, inner in value.items())
    return " ".join(map(text_of, value)) if isinstance(value, Iterable) else str(value)


@cache
def _synonyms(name: str) -> Mapping[str, str]:
    """For each word in a list of synonyms, the first word of its line."""
    return {folded(word): line.split()[0] for line in table("matching")[name] for word in line.split()}


def _named(name: str, text: str) -> set[str]:
    """What the words of a text mean by a list of synonyms."""
    names = _synonyms(name)
    return {names[word] for word in words(text) if word in names}


@cache
def _unit_factors() -> Mapping[str, tuple[str, float]]:
    """For each unit, the kind of amount and its factor."""
    kinds = table("matching")["units"].items()
    return {folded(unit): (kind, factor) for kind, units in kinds for unit, factor in units.items()}


def colours(text: str) -> set[str]:
    """The colours in a folded title.

    >>> colours("mug navy-blue"), colours("tasse schwarz")
    ({'blue'}, {'black'})
    """
    return _named("colours", text)


def editions(text: str) -> set[str]:
    """The editions in a folded title.

    >>> editions("office suite std"), editions("krimi, taschenbuch")
    ({'standard'}, {'paperback'})
    """
    return _named("editions", text)


def quantities(text: str) -> set[tuple[str, str]]:
    """The amounts in a folded title as (kind, amount), in one unit for each kind.

    >>> sorted(quantities("ssd 1 tb, 2.5 inch")), quantities("ssd 1000gb")
    ([('length', '63.5'), ('storage', '1000')], {('storage', '1000')})
    """
    factors = _unit_factors()
    found = set()
    for number, unit in _QUANTITY.findall(text):
        if unit in factors:
            kind, factor = factors[unit]
            found.add((kind, f"{float(number.replace(',', '.')) * factor:.4g}"))
    return found
