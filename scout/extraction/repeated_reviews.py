"""Reviews by structure: blocks that repeat and each have a date, under a name or heading of reviews (Zhang, Lin and Liao, 2018, figure 9).

What each part is, is decided for all blocks together, as for a table: the column with the longest texts is what buyers say, the first
short one that differs from block to block is who they are. So 很好 ("very good") is a text beside a longer name.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, takewhile
from statistics import mean

from lxml import etree
from lxml.html import HtmlElement

from scout.extraction.titles import seen_text
from scout.page import Page
from scout.values.tables import table

MAX_LEVELS = 7  # from a date up to the block that it belongs to
MAX_BLOCK = 6_000  # characters: more is no review
MAX_AUTHOR = 40
MIN_SHARE = 0.6  # of the blocks that have a column
MIN_DISTINCT = 0.4  # names differ, labels such as "Reply" do not
CHARACTER_WEIGHT = 3  # letters that a Chinese or Japanese character is worth
_WORD = r"[^\W\d_]{3,12}\.?"
_DATE = re.compile(
    rf"(?:\d{{4}}\s*[-/.年]\s*\d{{1,2}}\s*[-/.月]\s*\d{{1,2}}日?|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}|\d{{1,2}}\.?\s+(?:de\s+)?{_WORD}\s+(?:de\s+)?\d{{4}}"
    rf"|{_WORD}\s+\d{{1,2}},?\s+\d{{4}})(?:[\sT,]+\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?"
)
_HAS_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)").search  # rules out nearly all texts, fast
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_AROUND = " \t\n-–—|·,:：•/()（）"
_HEADINGS = frozenset(
    {"h1", "h2", "h3", "h4", "h5", "h6", "strong", "b", "legend", "caption", "a", "span", "div", "p", "li"}
)
_LONG = frozenset({"script", "style"})
_SKIPPED = frozenset({etree.Comment, "script", "style", "button", "textarea", "select", "option", "form"})
_NAME_WORD = re.compile(r"[a-z]+")

Place = tuple[tuple[str, str | int], ...]


def text_weight(text: str) -> int:
    """The length of a text in letters; a character of scripts without letters counts for several."""
    return len(text) + (CHARACTER_WEIGHT - 1) * len(_WIDE.findall(text))


def without_date(text: str) -> tuple[str, str | None]:
    """A text without the date that is glued to its beginning or end, and that date.

    >>> without_date("很好 2016-09-17 15:21")
    ('很好', '2016-09-17 15:21')
    """
    for found in _DATE.finditer(text):
        before, after = text[: found.start()].strip(_AROUND), text[found.end() :].strip(_AROUND)
        if not before or not after:
            return before or after, found[0]
    return text, None


def repeated_blocks(page: Page) -> list[HtmlElement]:
    """The blocks of the page's reviews: of all elements alike that each hold a date, the most; empty if nothing calls them reviews."""
    called = _words("review_names") | _words("review_headings")
    if not _has_dates(page) or not any(word in page.html for word in called):
        return []
    groups: defaultdict[tuple[HtmlElement | None, str, str], dict[HtmlElement, None]] = defaultdict(dict)
    for element in _dated_elements(page):
        for block in islice((element, *element.iterancestors()), MAX_LEVELS):
            groups[block.getparent(), str(block.tag), (block.get("class") or " ").split(" ")[0]][block] = None
    ranked = sorted(map(list, groups.values()), key=len, reverse=True)
    return next((group for group in ranked if len(group) > 1 and _are_reviews(group)), [])


def _has_dates(page: Page) -> bool:
    """Whether more than one text of the page has a date: a quick test, as hardly a page without reviews does."""
    dated = (
        text
        for text, element in page.outline.texts
        if element.tag not in _LONG and _HAS_YEAR(text) and _DATE.search(text[:MAX_BLOCK])
    )
    return len([*islice(dated, 2)]) == 2


def _dated_elements(page: Page) -> Iterator[HtmlElement]:
    for element in page.root.iter():
        text, tail = element.text, element.tail
        if text and _HAS_YEAR(text) and element.tag not in _SKIPPED and _DATE.search(text[:MAX_BLOCK]):
            yield element
        if tail and _HAS_YEAR(tail) and _DATE.search(tail[:MAX_BLOCK]):
            yield element.getparent()


def _are_reviews(blocks: Sequence[HtmlElement]) -> bool:
    """True for blocks of some text under a name or heading of reviews, and in no list at the side of the page."""
    around = [blocks[0], *blocks[0].iterancestors()]
    names = [_names(element) for element in around]
    if any(name & _words("review_elsewhere") for name in names) or any(
        len(seen_text(block)) > MAX_BLOCK for block in blocks[:3]
    ):
        return False
    return any(name & _words("review_names") for name in names[:MAX_LEVELS]) or _is_headed(around[1 : MAX_LEVELS + 1])


def _names(element: HtmlElement) -> set[str]:
    return set(_NAME_WORD.findall(f"{element.get('class') or ''} {element.get('id') or ''} {element.tag}".lower()))


def _is_headed(around: Iterable[HtmlElement]) -> bool:
    """True if a short text before the blocks, or before what holds them, says what they are."""
    for element in around:
        for before in (*element.itersiblings(preceding=True), *element[:1]):
            text = seen_text(before).lower() if before.tag in _HEADINGS else ""
            if len(text) <= MAX_AUTHOR and any(word in text for word in _words("review_headings")):
                return True
    return False


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("regions")[name].split())


def block_parts(blocks: Sequence[HtmlElement]) -> list[dict[str, str]]:
    """Author, date and text of each block, decided for all blocks together."""
    dates, columns = _columns(blocks)
    kept = {place: column for place, column in columns.items() if len(column) >= MIN_SHARE * len(blocks)}
    said = max(kept, key=lambda place: mean(map(text_weight, kept[place].values())), default=None)
    who = next((place for place in kept if place != said and _are_names(kept[place])), None)
    texts, authors = (kept[place] if place is not None else {} for place in (said, who))
    _cut_label(authors, " :：")
    _cut_label(texts, ":：")
    parts = ({"author": authors.get(at), "date": date, "text": texts.get(at)} for at, date in enumerate(dates))
    return [{part: value for part, value in each.items() if value} for each in parts]


def _columns(blocks: Sequence[HtmlElement]) -> tuple[list[str | None], dict[Place, dict[int, str]]]:
    """The date of each block, and by their place the texts of all blocks without dates."""
    dates: list[str | None] = [None] * len(blocks)
    columns: defaultdict[Place, dict[int, str]] = defaultdict(dict)
    for number, block in enumerate(blocks):
        for place, text in _leaves(block):
            rest, date = without_date(text)
            dates[number] = dates[number] or date
            if text_weight(rest) > 1 and not rest.isdigit():
                columns[place].setdefault(number, rest)
    return dates, columns


def _cut_label(column: dict[int, str], ends: str) -> None:
    """Cut what all values of a column begin with, such as "Reviewed by ", up to the last of these signs."""
    letters = zip(*column.values(), strict=False) if len(set(column.values())) > 1 else ()
    prefix = "".join(first for first, *others in takewhile(lambda each: len(set(each)) == 1, letters))
    end = max(prefix.rfind(sign) for sign in ends) + 1
    column.update({number: value[end:].strip() for number, value in column.items()})


def _are_names(column: Mapping[int, str]) -> bool:
    values = list(column.values())
    is_short = (
        mean(map(text_weight, values)) <= CHARACTER_WEIGHT * MAX_AUTHOR / 2 and max(map(len, values)) <= MAX_AUTHOR
    )
    return (
        is_short
        and len(set(values)) >= max(2, MIN_DISTINCT * len(values))
        and not any("★" in value for value in values)
    )


def _leaves(block: HtmlElement, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """The texts of a block, each with its place: an element that has text of its own is one text with all it holds."""
    if any(text and not text.isspace() for text in (block.text, *(child.tail for child in block))):
        yield place, seen_text(block)
        return
    inner = ((at, child) for at, child in enumerate(block) if isinstance(child.tag, str) and child.tag not in _SKIPPED)
    for at, child in inner:
        yield from _leaves(child, (*place, (child.tag, (child.get("class") or "").split(" ")[0] or at)))
