"""An index of the texts and attributes of a page, in which known values are looked up.

All of them are squeezed (lower case, letters and digits only) into one long string, so that a look-up is one search in C, whatever
dashes, quotes and separators either side uses. The field's own equality then confirms what is found.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from lxml import etree
from lxml.html import HtmlElement

from scout.page import Page

TEXT, WHOLE, ATTRIBUTE = "text", "whole", "attribute"
MAX_WHOLE = 300  # characters: longer elements are paragraphs, not values
MAX_PIECES = 8  # texts that one value may be split into
MAX_ATTRIBUTE = 500  # characters
UNSEEN_TAGS = frozenset({"script", "style", "noscript", "template", "textarea", "select"})
ANCHORS = ("id", "class", "itemprop", "property", "name")  # attributes that say what an element is
LINKS = ("href", "src")
_SKIPPED = frozenset("id class style width height border align valign type rel target action method".split())
_NOT_ALNUM = re.compile(r"[^\w\x00]+|_+")
BLANK = " \t\r\n\f"
SITE_METAS = (
    "og:site_name",
    "application-name",
    "twitter:site",
    "apple-mobile-web-app-title",
)  # they name the shop, no product


class Place(NamedTuple):
    """A text or attribute: its element, which text node (by number) or attribute (by name), the raw text, its rank among all texts."""

    kind: str
    element: HtmlElement
    detail: int | str | None
    raw: str
    order: int


@lru_cache(maxsize=1024)
def _may_hold_value(attribute: str) -> bool:
    """True if an attribute may hold a value; links are looked up separately."""
    return attribute not in _SKIPPED and attribute not in LINKS and not attribute.startswith("on")


class PageIndex:
    """The places of one page, searchable by their content."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.places: list[Place] = []
        self.texts: list[Place] = []  # only the text nodes, in document order
        self.scripts: list[HtmlElement] = list(page.root.iter("script"))
        self.anchors: dict[tuple[str, str, str], int] = {}  # (tag, attribute, value) -> number of elements
        self._index_page(page.root)
        joined = _NOT_ALNUM.sub("", "\x00".join(place.raw for place in self.places).lower())
        self._squeezed = joined
        self._pieces = joined.split("\x00") if self.places else []
        self._starts = [0, *accumulate(len(piece) + 1 for piece in self._pieces)]

    # --- building -----------------------------------------------------------------------------------------------------
    def _index_page(self, root: HtmlElement) -> None:
        """Index the page in one pass, in document order. This is the largest part of learning, so it is written for speed."""
        texts, places, numbers = self.texts, self.places, dict[HtmlElement, int]()
        unseen = 0
        opened: list[int] = []
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                opened.append(len(texts))
                unseen += element.tag in UNSEEN_TAGS
                text, parent = element.text, element
                self._add_attributes(element)
            else:
                if event == "end":
                    unseen -= element.tag in UNSEEN_TAGS
                    first = opened.pop()
                    if 2 <= len(texts) - first <= MAX_PIECES:
                        self._add_whole(element, first)
                text, parent = element.tail, None
            if text and not unseen and (raw := text.strip(BLANK)):
                parent = element.getparent() if parent is None else parent
                if parent is not None:
                    number = numbers[parent] = numbers.get(parent, 0) + 1
                    place = Place(TEXT, parent, number, raw, len(texts))
                    texts.append(place)
                    places.append(place)

    def _add_whole(self, element: HtmlElement, first: int) -> None:
        """Add the text of an element that is split into several nodes as one place."""
        if element.tag not in ("html", "body"):
            raw = " ".join([place.raw for place in self.texts[first:]])
            if len(raw) <= MAX_WHOLE:
                self.places.append(Place(WHOLE, element, None, raw, first))

    def _add_attributes(self, element: HtmlElement) -> None:
        if element.tag == "meta" and (element.get("property") or element.get("name")) in SITE_METAS:
            return
        for name, value in element.items():
            if name in ANCHORS:
                key = element.tag, name, value
                self.anchors[key] = self.anchors.get(key, 0) + 1
            if _may_hold_value(name) and 0 < len(value) <= MAX_ATTRIBUTE:
                self.places.append(Place(ATTRIBUTE, element, name, value, len(self.texts)))

    # --- asking -------------------------------------------------------------------------------------------------------
    def places_containing(self, squeezed: str, limit: int) -> Iterator[tuple[Place, bool]]:
        """Up to `limit` places that contain a squeezed text, each with whether it is all they contain."""
        position = self._squeezed.find(squeezed) if squeezed else -1
        while position >= 0 and limit > 0:
            piece = bisect_right(self._starts, position) - 1
            yield self.places[piece], len(self._pieces[piece]) == len(squeezed)
            limit -= 1
            position = self._squeezed.find(squeezed, self._starts[piece + 1])

    def places_equal_to(self, raw: str, limit: int) -> list[Place]:
        """Up to `limit` places whose text is exactly `raw`, for values without letters and digits."""
        return [place for place in self.places if place.raw == raw][:limit]

    def link_places(self) -> Iterator[Place]:
        """The places of all link and image URLs."""
        for element in self.page.root.iter("a", "img", "link", "source"):
            for name in LINKS:
                if value := element.get(name):
                    yield Place(ATTRIBUTE, element, name, value, 0)
