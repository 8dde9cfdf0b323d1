"""Pairs within one text: what a line begins with, and what stands between a name and its value."""

from __future__ import annotations

import re

MAX_LINE_NAME = 50  # in running text only a separator marks a name, so it is shorter than in a cell
MAX_VALUE = 1_500  # a value may be a paragraph, not a page
MAX_SHORT = 60  # characters of a value that only a dash or a bold name tells from prose
MIN_LINES = 3  # of one text: two could be anything
MOST_LINES = 0.75  # of the lines of a text: with fewer that are pairs, it is prose

COLONS = ":："
_COLONS = frozenset(COLONS)  # a set, because "" is in every string
_TRAILING = " \n\t\xa0\u200e\u200f\u200b"  # shops for several scripts put direction marks around the colon
_OPENING = "\\[［【"  # for a set in a pattern
_BULLET = re.compile(rf"[^\w({_OPENING}]*")  # dashes, boxes, ticks, emoji
_NAME = rf"^{_BULLET.pattern}([^{COLONS}]{{1,{MAX_LINE_NAME}}}?)"
_LINE = re.compile(rf"{_NAME}\s*[{COLONS}](?!//)\s*(\S.*)$", re.S)
_BRACKETED_LINE = re.compile(
    rf"^{_BULLET.pattern}[{_OPENING}]([^】\]］]{{1,{MAX_LINE_NAME}}})[】\]］]\s*[{COLONS}]?\s*(\S.*)$", re.S
)
_WEAK_LINE = re.compile(rf"{_NAME}(?:\s+[-–—=]\s+|\s*／\s*)(\S.*)$", re.S)
_SEPARATORS = ("\n", "|", ";", "；")  # between several pairs in one text
_HAS_COLON = re.compile(f"[{COLONS}]").search
has_letter = re.compile(r"[^\W\d_]").search
has_word = re.compile(r"\w").search
_CLOCK = re.compile(r"\d\s*[:：]\s*\d")  # 12:30, 16:9: not a name before a colon


def split_line(text: str) -> tuple[str, str] | None:
    """A text split behind a name in brackets, or at its first colon; None if the colon belongs to a time, a URL or a sentence.

    >>> split_line("• Art. no.: 4711"), split_line("【Size】 30 cm"), split_line("Open: 9:30"), split_line("at 9:30")
    (('Art. no.', '4711'), ('Size', '30 cm'), ('Open', '9:30'), None)
    """
    if _BULLET.sub("", text, count=1)[:1] in _OPENING:
        return _split_by(_BRACKETED_LINE, text)
    return _split_by(_LINE, text) if _HAS_COLON(text) else None


def split_weak_line(text: str) -> tuple[str, str] | None:
    """A text split at a dash, an equals sign or a wide slash, which prose has as well.

    >>> split_weak_line("Colour – white")
    ('Colour', 'white')
    """
    pair = _split_by(_WEAK_LINE, text)
    return pair if pair and may_be_name(pair[0]) else None


def _split_by(line: re.Pattern[str], text: str) -> tuple[str, str] | None:
    found = line.match(text)
    if found is None or _CLOCK.search(text, found.start(1), found.start(2) + 1):
        return None
    name, value = " ".join(found[1].split()), " ".join(found[2].split()).rstrip(";；")
    # before a separator, a full stop is that of an abbreviation
    return (name, value) if value and len(value) <= MAX_VALUE and may_be_name(name.removesuffix(".")) else None


def may_be_name(name: str) -> bool:
    """True if a text has letters and is no sentence."""
    return has_letter(name) is not None and not name.endswith((".", "!", "?", "…"))


def ends_with_colon(text: str) -> bool:
    """True for a name with its colon, whatever invisible marks follow."""
    return text.rstrip(_TRAILING)[-1:] in _COLONS


def is_short(value: str) -> bool:
    """True for a value, False for a sentence: without a colon, "Luna – a lamp for every room." looks like a pair, too."""
    return len(value) <= MAX_SHORT and not value.endswith((".", "!"))


def pair_lines(text: str) -> list[str]:
    """The pairs in a text whose lines, or parts between semicolons or bars, are nearly all pairs."""
    if sum(map(text.count, COLONS)) < MIN_LINES:
        return []
    for separator in _SEPARATORS:
        lines = [line for line in text.split(separator) if line.strip()]
        pairs = [line for line in lines if split_line(line)]
        if len(pairs) >= max(MIN_LINES, MOST_LINES * len(lines)):
            return pairs
    return []


def bullet_of(text: str) -> str:
    """The sign that a line begins with: a bracket around a name, a box, a tick; empty if it begins with its text.

    >>> bullet_of("■ Size"), bullet_of("【Size】"), bullet_of("Size")
    ('■', '【', '')
    """
    start = text.lstrip()[:1]
    return "" if start.isalnum() else start


def without_bullet(text: str) -> str:
    """A line without its bullet or the brackets around it.

    >>> without_bullet("■ Size"), without_bullet("【Size】")
    ('Size', 'Size')
    """
    return _BULLET.sub("", text, count=1).strip(f"{_OPENING}】]］ ")
