"""next_url: the address of the page that continues this list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urldefrag

from lxml.html import HtmlElement

from scout.induce.links import address
from scout.induce.page_types import names_of, squeezed
from scout.induce.words import tokens, words
from scout.page import Page

MAX_TEXT = 30  # characters: "next" buttons are short, a teaser that begins with "Next" is not
SCORE = 2.0  # one strong sign, or two weak ones
_ARROWS = re.compile(r"[›»>→⟩❯▶►▸⇨➔➜…\.\s\-–|]+$|^[…\.\s\-–|]+")
_NUMBER = re.compile(r"^[\[\(]?\s*(\d{1,4})\s*[\]\)]?$")


@dataclass(frozen=True)
class _Candidate:
    element: HtmlElement
    url: str
    score: float


def _label(element: HtmlElement) -> str:
    text = squeezed(element.text_content())
    if not text:
        image = element.find(".//img")
        text = squeezed(
            element.get("aria-label") or element.get("title") or (image.get("alt") if image is not None else "")
        )
    return text.casefold()


def _says(label: str, table: str) -> bool:
    bare = _ARROWS.sub("", label).strip()
    return bare in words(table) or re.sub(r"\s*\d+$", "", bare) in words(table)


class Pager:
    """The links of one page that may lead on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.own = urldefrag(page.url)[0]

    @cached_property
    def head_next(self) -> str | None:
        """<link rel=next>: what the page itself declares."""
        for link in self.page.root.iter("link"):
            if "next" in (link.get("rel") or "").lower().split() and link.get("href"):
                return urldefrag(self.page.absolute(link.get("href")))[0]
        return None

    @cached_property
    def candidates(self) -> list[_Candidate]:
        """All links that look like one to the next page, in document order."""
        found = []
        for element in self.page.root.iter("a", "button"):
            url = address(element, self.page)
            if url is None or url == self.own:
                continue
            score = self._score(element)
            if score >= SCORE:
                found.append(_Candidate(element, url, score))
        return found

    def _score(self, element: HtmlElement) -> float:
        label = _label(element)
        if len(label) > MAX_TEXT:
            return 0.0
        named = tokens(names_of(element))
        score = 3.0 if "next" in (element.get("rel") or "").lower().split() else 0.0
        score += 2.0 if _says(label, "next_words") else 0.0
        score += 1.0 if label in words("next_symbols") else 0.0
        score += 1.0 if "next" in named else 0.0
        score += 1.0 if _in_pager(element) else 0.0
        if _says(label, "prev_words") or named & {"prev", "previous"} or "prev" in (element.get("rel") or ""):
            return 0.0
        return score if score > 1.0 else 0.0

    def numbered(self) -> str | None:
        """The number after the current one, where the pager shows numbers only."""
        for pager in self._number_rows():
            current = _current_number(pager)
            if current is None:
                continue
            for number, element in pager:
                url = address(element, self.page) if element.tag == "a" else None
                if number == current + 1 and url and url != self.own:
                    return url
        return None

    def _number_rows(self) -> Iterator[list[tuple[int, HtmlElement]]]:
        rows: dict[HtmlElement, list[tuple[int, HtmlElement]]] = {}
        for element in self.page.root.iter("a", "span", "b", "strong", "em", "font", "li", "td", "div"):
            if len(element) and element.tag != "a":
                continue
            match = _NUMBER.match(squeezed(element.text_content()))
            if match:
                rows.setdefault(_row_of(element), []).append((int(match[1]), element))
        return iter([row for row in rows.values() if len(row) >= 2])


def _row_of(element: HtmlElement) -> HtmlElement:
    parent = element.getparent()
    while parent is not None and len(parent) == 1 and parent.getparent() is not None:
        parent = parent.getparent()
    if parent is not None and parent.tag in ("li", "td", "b", "strong", "span") and parent.getparent() is not None:
        parent = parent.getparent()
    return element if parent is None else parent


def _current_number(row: list[tuple[int, HtmlElement]]) -> int | None:
    """The number that is not a link, in a row that counts upwards."""
    numbers = [number for number, _ in row]
    plain = [number for number, element in row if element.tag != "a" or not element.get("href") or _marked(element)]
    if len(plain) != 1 or numbers != sorted(set(numbers)):
        return None
    return plain[0]


def _marked(element: HtmlElement) -> bool:
    parent = element.getparent()
    named = tokens(names_of(element)) | (
        tokens(names_of(parent)) if parent is not None and len(parent) == 1 else frozenset()
    )
    return bool(named & {"active", "current", "selected"})


def _in_pager(element: HtmlElement) -> bool:
    for count, ancestor in enumerate(element.iterancestors()):
        if count > 4 or ancestor.tag == "body":
            return False
        if tokens(names_of(ancestor)) & words("pager_words"):
            return True
    return False


def next_url(page: Page) -> str | None:
    """The address of the page that continues this list, absolute; None where it is the last one or no list."""
    pager = Pager(page)
    best = max(pager.candidates, key=lambda c: c.score, default=None)
    if best is not None:
        return best.url
    return pager.numbered() or pager.head_next
