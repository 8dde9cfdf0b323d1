"""The elements of a page by number, in the order of the document: how the browser's frame and the server name the same place."""

from __future__ import annotations

from lxml import etree
from lxml.html import HtmlElement

from scout.page import Page

MAX_ELEMENTS = 12_000  # that are shown of a page: a browser lays out as many in a second; product pages have a tenth
_KEY = "numbered elements"


def _elements(page: Page) -> list[HtmlElement]:
    if _KEY not in page.memo:
        page.memo[_KEY] = list(page.root.iter(etree.Element))
    found: list[HtmlElement] = page.memo[_KEY]
    return found


def is_huge(page: Page) -> bool:
    """Whether a page has more elements than are shown of it."""
    return len(_elements(page)) > MAX_ELEMENTS


def numbered_element(page: Page, number: int) -> HtmlElement | None:
    """The element with this number.

    >>> numbered_element(Page("http://shop.example/", "<p>A <b>chair</b></p>"), 3).text
    'chair'
    """
    elements = _elements(page)
    return elements[number] if 0 <= number < len(elements) else None


def element_number(page: Page, element: HtmlElement) -> int | None:
    """The number of an element of this page."""
    key = f"{_KEY} inverse"
    if key not in page.memo:
        page.memo[key] = {one: number for number, one in enumerate(_elements(page))}
    numbers: dict[HtmlElement, int] = page.memo[key]
    return numbers.get(element)
