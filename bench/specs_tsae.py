"""TSAE as it was published (Zhao and Wang, 2017), read literally: the baseline that `bench/specs.py` puts beside Scout's own.

Nothing of Scout's is in it but the parser and the segmenter: its own seed, regions and pairs, overlapping ones of list items included.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lxml.html import HtmlElement

from scout.page import Page
from scout.specs.segment import kept_words, segmenter

THRESHOLD = 0.8  # the paper's default for the share of structural descendants
CHINESE = re.compile(r"[\u4E00-\u9FA5\uF900-\uFA2D]+")
STRUCTURE = frozenset("tbody tr th td dl dd dt ul li i em b u strong sub".split())  # the three groups of step 5
REGIONS = {"td": "table", "dd": "dl", "li": "ul"}
_LINE = re.compile(r"^(\S+?)[:：]\s*(\S.*)", re.S)


def seed(page: Page) -> set[str]:
    """Algorithm 1: the words of the longest part of the title that the rest of the page repeats."""
    title = " ".join((page.root.findtext("head/title") or "").split())
    body = page.root.find("body")
    shared = longest_common_part(title, _text(body) if body is not None else "")
    return set(kept_words(shared, segmenter("rjieba"))) if CHINESE.search(shared) else set(shared.split())


def longest_common_part(title: str, text: str) -> str:
    """The longest common substring, by characters."""
    best, start = "", 0
    for end in range(1, len(title) + 1):
        while title[start:end] not in text:
            start += 1
        best = max(best, title[start:end], key=len)
    return best.strip()


def region_elements(page: Page) -> list[HtmlElement]:
    """Algorithm 2: the roots of the regions; of nested ones, the outer one."""
    dictionary = seed(page)
    found: dict[HtmlElement, None] = {}
    for element in page.root.iter("td", "dd", "li"):
        if any(word in text for text in _own_texts(element) for word in dictionary):
            region = next(element.iterancestors(REGIONS[str(element.tag)]), None)
            if region is not None:
                found[region] = None
    outer = [region for region in found if found.keys().isdisjoint(region.iterancestors())]
    return [region for region in outer if _structural_share(region) > THRESHOLD]


def _own_texts(element: HtmlElement) -> Iterator[str]:
    """The texts whose nearest cell, definition or item is this element."""
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and child.tag not in REGIONS:
            yield from _own_texts(child)
        yield child.tail or ""


def _structural_share(region: HtmlElement) -> float:
    tags = [element.tag for element in region.iterdescendants() if isinstance(element.tag, str)]
    return sum(tag in STRUCTURE for tag in tags) / max(1, len(tags))


def pairs(region: HtmlElement) -> Iterator[tuple[str, str]]:
    """Algorithm 3: dt and dd, th and td, td and td, li with a colon or with several children."""
    for name in region.iter("dt"):
        yield from _pair(name, name.xpath("following-sibling::dd[1]"))
    for row in region.iter("tr"):
        yield from _row_pairs(row)
    for item in region.iter("li"):
        yield from _item_pairs(item)


def _row_pairs(row: HtmlElement) -> Iterator[tuple[str, str]]:
    for head in row.findall("th"):
        yield from _pair(head, head.xpath("following-sibling::td[1]"))
    if row.find("th") is None:
        cells = row.findall("td")
        for name, value in zip(cells[::2], cells[1::2], strict=False):
            yield from _pair(name, [value])


def _item_pairs(item: HtmlElement) -> Iterator[tuple[str, str]]:
    """Steps 7 and 8: one text with a colon; or every child with the next one, so that pairs overlap."""
    nodes = [text for node in item.xpath("node()[not(self::comment())]") if (text := _text(node))]
    if len(nodes) == 1 and len(item) == 0:
        if found := _LINE.match(nodes[0]):
            yield found[1], found[2]
    else:
        yield from pairwise(nodes)


def _pair(name: HtmlElement, following: list[HtmlElement]) -> Iterator[tuple[str, str]]:
    pair = _text(name), _text(following[0]) if following else ""
    if all(pair):
        yield pair


def _text(node: HtmlElement | str) -> str:
    return " ".join((node if isinstance(node, str) else str(node.text_content())).split())


def specifications(page: Page) -> list[tuple[str, str]]:
    """The pairs of all regions."""
    return list(dict.fromkeys(pair for region in region_elements(page) for pair in pairs(region)))
