"""The words of an offer's text, for matching: without case and accents, codes whole and in parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from scout.matching.columns import without_accents
from scout.specs.units import units
from scout.values.tables import table

_WORD = re.compile(r"[^\W_]+(?:[-./+][^\W_]+)*")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CJK_OR_NOT = re.compile(f"{_CJK.pattern}+|[^\\W{_CJK.pattern[1:-1]}]+")
_JOINT = re.compile(r"[-./+]")
_COUNT = re.compile(
    r"\b(?:pack|box|case|set|lot|bundle|karton|lote|caja|boite)(?: of| de|-)? ?(\d{1,3})\b|(?<![\w.,])(\d{1,2}) ?x ?(?=\d)"
)
_QUANTITY = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)[ -]?([^\W\d_]+|[\"″])")
_SIZE = re.compile(r"(?<![\w.,/+-])\d{1,4}(?:[.,]\d{1,2})?(?![\w/+-]|[.,]\d)")
_MEASURE = re.compile(r"\d+(?:[.,]\d+)?([^\W\d_]+)")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_THOUSANDS = re.compile(r"^(\d{1,3})[.,](?=000$)")
_LETTERS = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_STEM = re.compile(r"(\w{3,}\d)[^\W\d]{1,5}")  # a code whose last letters only state the colour or the country
_CODE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{3,}|\d{4,}")  # a model number: letters and digits, or a long number
_GLUED = re.compile(r"[^\W\d]{4,}(?=\d)")  # a name that runs into a number
_FRACTION = re.compile(r"\d+[./]\d+|\d+(?:/\d+)+")
_MIN_CODE = 6  # characters of a code that is unlikely to be shared by two products
_MIN_PART = 4  # characters of a code that may be part of a longer one
_LONG_NUMBER = re.compile(r"\d{5,}")
_MIXED = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w+")
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


def part_numbers(text: str) -> set[str]:
    """The model and part numbers of a folded text, whole: "m79733n-0008" is another product than "m79733n-0006".

    A number with a unit, a fraction and a list of plain numbers ("10/100/1000") are none. Where a name runs into a number
    ("hanowa06-5161.2"), both are given.

    >>> sorted(part_numbers("sony ps-lx350h 64gb 160mb/s 10/100/1000 2.5 800017-201"))
    ['800017201', 'pslx350h']
    """
    found = set()
    for word in _WORD.findall(text):
        code = _JOINT.sub("", word)
        if len(code) >= _MIN_CODE and _is_part_number(word, code):
            found.add(code)
            if (glued := _GLUED.match(word)) and len(code) - len(glued[0]) > _MIN_CODE:
                found.add(code[len(glued[0]) :])
    return found


def _is_part_number(word: str, code: str) -> bool:
    """Whether a word, and the same without its joints, is written like a part number."""
    if code.isdigit():
        return len(code) > _MIN_CODE and not _FRACTION.fullmatch(word)
    return bool(_CODE.fullmatch(code)) and not _is_quantity(code) and not _is_quantity(word.partition("/")[0])


def code_families(text: str) -> set[str]:
    """What the part numbers of a family have in common: their first two thirds, and their length.

    >>> code_families("tudor m79733n-0008") == code_families("m79733n-0006")
    True
    """
    return {f"{code[: -(len(code) // 3)]} {len(code)}" for code in part_numbers(text)}


def short_codes(text: str) -> set[str]:
    """The words and parts of compounds in a folded text that mix letters and digits and are no amounts, and the long numbers in it.

    >>> sorted(short_codes("pny cs900-120 120gb t692400"))
    ['692400', 'cs900', 'cs900120', 't692400']
    """
    parts = {part for word in _WORD.findall(text) for part in (_JOINT.sub("", word), *_JOINT.split(word))}
    mixed = {part for part in parts if len(part) >= _MIN_PART and _MIXED.fullmatch(part) and not _is_quantity(part)}
    return mixed.union(_LONG_NUMBER.findall(text))


def _is_quantity(word: str) -> bool:
    """Whether a word is a number with its unit."""
    found = _MEASURE.fullmatch(word)
    return bool(found and found[1] in _unit_factors())


def names_in(text: str, names: frozenset[str], longest: int = 3) -> set[str]:
    """Which of the names, written without spaces, are in a folded text.

    >>> sorted(names_in("park tool aws-10", frozenset({"parktool", "tool"})))
    ['parktool', 'tool']
    """
    found = words(text)
    runs = {"".join(found[k : k + n]) for n in range(1, longest + 1) for k in range(len(found) - n + 1)}
    return runs & names


def numbered_words(text: str) -> set[tuple[str, str]]:
    """The words beside a number, and the number: "calibre 12" is another product than "calibre 11", "2000 prints" than "3000 prints".

    >>> sorted(numbered_words("ribbon series 3 2,000 prints"))
    [('before prints', '2000'), ('series', '3')]
    """
    found = set()
    tokens = _TOKEN.findall(text)
    for one, other in pairwise(tokens):
        if one[0].isdigit() == other[0].isdigit():
            continue
        if other[0].isdigit():
            found.add((one, _normal_number(other)))
        else:
            found.add((f"before {other}", _normal_number(one)))
    return found


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


def sizes(text: str) -> set[str]:
    """The short numbers that stand alone: they distinguish the variants of a model, and are not article numbers.

    >>> sorted(sizes("rise desk 120, 1.5 m - 981-000040 x200"))
    ['1.5', '120']
    """
    return {_normal_number(number) for number in _SIZE.findall(text)}


def _normal_number(text: str) -> str:
    """A number with a decimal point and without trailing zeros."""
    whole, _, decimals = _THOUSANDS.sub(r"\1", text).replace(",", ".").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def skeleton(text: str) -> str:
    """The words of a folded title without numbers, units, colours and editions, sorted: what the variants of a model have in common.

    >>> skeleton("rise desk 120 oak, black") == skeleton("rise desk 160cm, oak")
    True
    """
    said = _synonyms("colours").keys() | _synonyms("editions").keys() | _unit_factors().keys()
    return " ".join(sorted(set(_LETTERS.findall(text)) - said))


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


def named(kind: str, text: str) -> set[str]:
    """The colours, editions, platforms or licences in a folded text, each by the first word of its line in the table.

    >>> named("colours", "mug navy-blue"), named("colours", "tasse schwarz"), named("editions", "krimi, taschenbuch")
    ({'blue'}, {'black'}, {'paperback'})
    >>> sorted(named("platforms", "typing tutor (win 98 xp/mac)")), named("licences", "office suite 11 upg")
    (['mac', 'windows'], {'upgrade'})
    """
    names = _synonyms(kind)
    return {names[word] for word in words(text) if word in names}


@cache
def _unit_factors() -> Mapping[str, tuple[str, float]]:
    """For each spelling of a unit, the kind of amount and its factor."""
    kinds = table("matching")["units"].items()
    factors = {unit: (kind, factor) for kind, named in kinds for unit, factor in named.items()}
    spelled = {folded(spelling): factors[unit] for spelling, unit in units().items() if unit in factors}
    return {folded(unit): factor for unit, factor in factors.items()} | spelled


def quantities(text: str) -> set[tuple[str, str]]:
    """The amounts in a folded title as (kind, amount), in one unit for each kind.

    >>> sorted(quantities("ssd 1 tb, 2.5 inch")), quantities("ssd 1000gb"), quantities("case of 6")
    ([('length', '63.5'), ('storage', '1000')], {('storage', '1000')}, {('count', '6')})
    """
    factors = _unit_factors()
    found = {("count", number) for pair in _COUNT.findall(text) for number in pair if number}
    for number, unit in _QUANTITY.findall(text):
        if unit in factors:
            kind, factor = factors[unit]
            found.add((kind, f"{float(number.replace(',', '.')) * factor:.4g}"))
    return found
