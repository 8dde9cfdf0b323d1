"""TSAE as it was published (Zhao and Wang, 2017), read plainly: the baseline that `bench/specs.py` puts beside Scout's own.

Algorithm 1: the words of the title. Algorithm 2: tables, definition lists and lists that hold one of them and consist of little else than
cells, items and inline text. Algorithm 3: their pairs. Nothing more: no divs, no headings, no vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from scout.page import Page
from scout.specs.seed import headings, product_part, title_words

THRESHOLD = 0.8  # the paper's default for the ratio of structural descendants

STRUCTURE = frozenset(
    "tbody tr th td dl dd dt ul li i em b u strong sub".split()  # the three groups of step 5
)
_LINE = re.compile(r"^\s*([^:：]+)[:：]\s*(\S.*)$", re.S)


def seed(page: Page) -> set[str]:
    """Algorithm 1: the dictionary of values."""
    title = " ".join((page.root.findtext("head/title") or "").split())
    return set(title_words(product_part(title, headings(page))))


def region_elements(page: Page) -> list[HtmlElement]:
    """Algorithm 2: the roots of the regions, nested ones resolved in favour of the inner one."""
    found: dict[HtmlElement, None] = {}
    dictionary = seed(page)
    for element in page.root.iter("td", "dd", "li"):
        if not dictionary.isdisjoint(title_words(element.text_content()[:2000])):
            kind = {"td": "table", "dd": "dl", "li": "ul"}[element.tag]
            region = next(element.iterancestors(kind), None)
            if region is not None:
                found[region] = None
    inner = [
        region
        for region in found
        if not any(other is not region and region in other.iterancestors() for other in found)
    ]
    return [region for region in inner if _ratio(region) > THRESHOLD]


def _ratio(region: HtmlElement) -> float:
    tags = [element.tag for element in region.iterdescendants() if isinstance(element.tag, str)]
    return sum(tag in STRUCTURE for tag in tags) / max(1, len(tags))


def pairs(region: HtmlElement) -> Iterator[tuple[str, str]]:
    """Algorithm 3: dt and dd, th and td, td and td, li with a colon or with several children."""
    for name in region.iter("dt"):
        yield from _texts(name, name.getnext())
    for row in region.iter("tr"):
        yield from _row(row)
    for item in region.iter("li"):
        yield from _item(item)


def _row(row: HtmlElement) -> Iterator[tuple[str, str]]:
    heads = row.findall("th")
    for head in heads:
        yield from _texts(head, head.getnext())
    if not heads:
        cells = row.findall("td")
        for name, value in zip(cells[::2], cells[1::2], strict=False):
            yield from _texts(name, value)


def _item(item: HtmlElement) -> Iterator[tuple[str, str]]:
    parts = [" ".join(text.split()) for text in item.itertext() if text.strip()]
    if len(parts) == 1:
        if found := _LINE.match(parts[0]):
            yield found[1].strip(), found[2].strip()
    else:
        yield from zip(parts[::2], parts[1::2], strict=False)


def _texts(name: HtmlElement, value: HtmlElement | None) -> Iterator[tuple[str, str]]:
    if value is not None:
        pair = " ".join(name.text_content().split()), " ".join(value.text_content().split())
        if all(pair):
            yield pair


def specifications(page: Page) -> list[tuple[str, str]]:
    """The pairs of all regions."""
    return list(dict.fromkeys(pair for region in region_elements(page) for pair in pairs(region)))
