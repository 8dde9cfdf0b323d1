"""next_url: the address of the page that continues this list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from urllib.parse import parse_qsl, urlencode

from lxml.html import HtmlElement

from scout.extraction.link_targets import address
from scout.extraction.view import names_of
from scout.page import Page
from scout.url_rules import is_page_number, is_rearranged_list
from scout.values.numbers import whole_number
from scout.values.regions import region_words
from scout.values.routes import is_route, split_url, with_query, without_fragment
from scout.values.text import single_spaced
from scout.values.walk_words import name_words, walk_words
from scout.walking.links import clickables

MAX_TEXT = 30  # characters: "next" buttons are short, a teaser that begins with "Next" is not
SCORE = 2.0  # one strong sign, or two weak ones
PAGE_ADDRESS = 1.0  # what an address that counts pages adds
PAGE_ATTRIBUTES = ("data-next-page", "data-page", "data-next", "data-paged")  # of a button: the page that comes next
FIRST_NEXT = 2  # what follows the first page
NOT_PAGES = frozenset(
    {"date", "month", "week", "year", "calendar", "slide", "slider", "carousel", "slick", "swiper"}
)  # these have a next one too
_ARROWS = re.compile(r"[›»>→⟩❯▶►▸⇨➔➜…\.\s\-–|]+$|^[…\.\s\-–|<‹«]+")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"^[\[\(]?\s*(\d{1,4})\s*[\]\)]?$")
_PAGE_IN_PATH = re.compile(
    r"(?:page|seite|pagina|strona|stranka|pag|p)[-_/+=]?\d+(?:[./]|$)|/\d{1,4}/?$|[-_]\d{1,3}(?:\.\w+)?/?$",
    re.IGNORECASE,
)

Sign = Callable[[str, frozenset[str], list[str]], bool]
SIGNS: Mapping[Sign, float] = {
    lambda label, named, relation: "next" in relation: 3.0,
    lambda label, named, relation: _says(label, "next_words"): 2.0,
    lambda label, named, relation: _says(label, "more_words"): 1.0,
    lambda label, named, relation: label in walk_words("next_symbols"): 1.0,
    lambda label, named, relation: "next" in named: 1.0,
    lambda label, named, relation: named >= {"page", "next"}: 1.0,
}


@dataclass(frozen=True)
class _Candidate:
    url: str
    score: float


def target(element: HtmlElement, page: Page) -> str | None:
    """Where a click leads, with the fragment as the page has it."""
    url = address(element, page)
    fragment = (element.get("href") or "").partition("#")[2]
    return f"{url}#{fragment}" if url and fragment and not is_route(url) else url


def counted(element: HtmlElement, page: Page) -> str | None:
    """The next page of a button that leads nowhere itself but knows the number of the page that a script would get.

    Which parameter the script would use is not known; where it is another one, the shop answers with the same page, and that is the end.
    """
    own, leads_to = without_fragment(page.url), address(element, page)
    if leads_to and (split_url(leads_to).path != split_url(own).path or has_page_number(leads_to, own)):
        return None
    number = next((n for name in PAGE_ATTRIBUTES if (n := whole_number(element.get(name))) is not None), None)
    return None if number is None or number < FIRST_NEXT else numbered_address(own, number)


def numbered_address(own: str, number: int) -> str:
    """The address of another page of the list at `own`, by the parameter that counts its pages, else by the usual one.

    >>> numbered_address("http://a.example/shoes?p=2&size=7", 3), numbered_address("http://a.example/#/shoes", 2)
    ('http://a.example/shoes?size=7&p=3', 'http://a.example/#/shoes?page=2')
    """
    named = parse_qsl(split_url(own).query, keep_blank_values=True)
    usual = next((name for name, _ in named if is_page_number(name)), "page")
    others = [(name, value) for name, value in named if name != usual]
    return with_query(own, urlencode([*others, (usual, str(number))]))


def next_numbered(own: str) -> str:
    """The address of the page after the one at `own`, of a list that shows no way there; the same guess.

    >>> next_numbered("http://a.example/shoes"), next_numbered("http://a.example/shoes?q=red&page=4")
    ('http://a.example/shoes?page=2', 'http://a.example/shoes?q=red&page=5')
    """
    named = parse_qsl(split_url(own).query)
    numbers = (whole_number(value) for name, value in named if is_page_number(name))
    return numbered_address(own, next((n + 1 for n in numbers if n is not None), FIRST_NEXT))


def has_page_number(url: str, own: str) -> bool:
    """Whether `url` differs from `own` by something that counts pages.

    >>> has_page_number("http://a.example/shoes?page=2", "http://a.example/shoes")
    True
    >>> has_page_number("http://a.example/shoes/page/3/", "http://a.example/shoes/"), has_page_number("http://a.example/boots", "http://a.example/shoes")
    (True, False)
    """
    mine, theirs = split_url(own), split_url(url)
    before = dict(parse_qsl(mine.query, keep_blank_values=True))
    if any(is_page_number(name) for name, value in parse_qsl(theirs.query) if before.get(name) != value):
        return True
    return theirs.path != mine.path and bool(_PAGE_IN_PATH.search(theirs.path))


def _label(element: HtmlElement) -> str:
    text = single_spaced(element.text_content())
    if not text:
        image = element.find(".//img")
        text = single_spaced(
            element.get("aria-label") or element.get("title") or (image.get("alt") if image is not None else "")
        )
    return text.casefold()


def _names(element: HtmlElement) -> str:
    """The class and id of the link, and of an element that holds nothing else."""
    parent = element.getparent()
    alone = parent is not None and len(parent) == 1 and parent.tag in ("li", "div", "span", "td", "p", "strong")
    return f"{names_of(element)} {names_of(parent)}" if alone and parent is not None else names_of(element)


@lru_cache(maxsize=20_000)  # the links of a shop are the same on most pages
def _points(label: str, rel: str, names: str) -> float:
    """What a link with this label says by itself, and what its surroundings are called."""
    relation = rel.split()
    if len(label) > MAX_TEXT or (label.isdecimal() and not relation):
        return 0.0
    named = name_words(names)
    if named & NOT_PAGES or "prev" in relation or _says(label, "prev_words") or named & {"prev", "previous"}:
        return 0.0
    return sum(weight for sign, weight in SIGNS.items() if sign(label, named, relation))


def _says(label: str, table: str) -> bool:
    return not walk_words(table).isdisjoint(_bare_labels(label))


def _bare_labels(label: str) -> tuple[str, str]:
    """A label without arrows, and without a number behind it as well."""
    bare = _ARROWS.sub("", label).strip()
    return bare, re.sub(r"\s*\d+$", "", bare)


_MEMO = "next url"


class Pager:
    """The links of one page that may lead on."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.own = without_fragment(page.url)

    @cached_property
    def candidates(self) -> list[_Candidate]:
        """All links that look like one to the next page, in document order."""
        found = []
        for element in clickables(self.page):
            score = self._score(element)
            url = (counted(element, self.page) or target(element, self.page)) if score > 0 else None
            if url is None or without_fragment(url) == self.own or is_rearranged_list(url):
                continue
            score += PAGE_ADDRESS if has_page_number(url, self.own) else 0.0
            if score >= SCORE:
                found.append(_Candidate(url, score))
        return found

    def _score(self, element: HtmlElement) -> float:
        score = _points(_label(element), (element.get("rel") or "").lower(), _names(element))
        return score + 1.0 if score and _in_pager(element) else score

    def numbered(self) -> str | None:
        """The number after the current one, where the pager shows numbers only."""
        leads = [target(element, self.page) for _, element in self._following if element.tag == "a"]
        return next((url for url in leads if url and without_fragment(url) != self.own), None)

    def pressed(self) -> str | None:
        """The number after the current one, where a script turns the pages: its link leads nowhere. As a guess, see `counted`."""
        still = (n for n, element in self._following if _in_pager(element) and not address(element, self.page))
        number = next(still, None)
        return None if number is None else numbered_address(self.own, number)

    @cached_property
    def _following(self) -> list[tuple[int, HtmlElement]]:
        """The numbers that come after the current one, each in the row of a pager."""
        rows = [(_current_number(row), row) for row in self._number_rows()]
        return [(n, element) for current, row in rows if current is not None for n, element in row if n == current + 1]

    def _number_rows(self) -> Iterator[list[tuple[int, HtmlElement]]]:
        rows: dict[HtmlElement, list[tuple[int, HtmlElement]]] = {}
        for element in self.page.root.iter("a", "button", "span", "b", "strong", "em", "font", "li", "td", "div"):
            if len(element) == 0:
                text = element.text or ""  # most have none, and nearly all others are no number
            elif element.tag in ("a", "button"):
                text = element.text_content()
            else:
                continue
            match = _NUMBER.match(single_spaced(text)) if _DIGIT.search(text) else None
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
    """The number that is marked, or the only one that is no link, in a row that counts upwards."""
    numbers = [number for number, _ in row]
    if numbers != sorted(set(numbers)):
        return None
    marked = [number for number, element in row if _marked(element)]
    plain = [number for number, element in row if element.tag != "a" or not element.get("href")]
    return next((found[0] for found in (marked, plain) if len(found) == 1), None)


def _marked(element: HtmlElement) -> bool:
    if element.get("aria-current", "false") != "false":
        return True
    parent = element.getparent()
    named = name_words(names_of(element)) | (
        name_words(names_of(parent)) if parent is not None and len(parent) == 1 else frozenset()
    )
    return bool(named & {"active", "current", "selected"})


def _in_pager(element: HtmlElement) -> bool:
    for count, ancestor in enumerate(element.iterancestors()):
        if count > 4 or ancestor.tag == "body":
            return False
        if name_words(names_of(ancestor)) & region_words("pager_words"):
            return True
    return False


def next_url(page: Page) -> str | None:
    """The address of the page that continues this list, absolute; None where it is the last one or no list."""
    if _MEMO not in page.memo:
        pager = Pager(page)
        best = max(pager.candidates, key=lambda c: c.score, default=None)
        page.memo[_MEMO] = best.url if best is not None else pager.numbered() or pager.pressed()
    found: str | None = page.memo[_MEMO]
    return found


def declared_next(page: Page) -> str | None:
    """<link rel=next>: what the page tells programs, also where people find no link."""
    for link in page.root.iter("link"):
        if "next" in (link.get("rel") or "").lower().split() and link.get("href"):
            return page.absolute(link.get("href")) or None
    return None
