"""The content of a page as a structure tree: what a visitor came for, without navigation, advertising, link lists and footer.

After section 2 of the structuring crawler (Zhang, Lin and Liao, 2018): the body text is extracted, noise is filtered, and
what remains becomes a tree whose tags are compared level by level.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lxml.html import HtmlElement

from scout.page import Page

NO_CONTENT = frozenset("script style noscript template svg iframe object link meta nav footer aside".split())
NOISE_ROLES = frozenset("navigation contentinfo banner search complementary dialog alertdialog".split())
NOISE_WORDS = frozenset(
    "nav navbar navigation menu megamenu footer cookie cookies consent ad ads advert adverts advertisement banner sponsored "
    "promo newsletter recommendations recommended recommendation related upsell crosssell "
    "breadcrumb breadcrumbs popup modal overlay social share".split()
)
MIN_LINK_LIST = 5  # fewer links in a row are content: a title with its brand, an author with his other books
_WORD = re.compile(r"[a-z]+")


def structure(page: Page) -> list[Counter[str]]:
    """The tags of each level of the page's content, outermost first; empty where the page shows nothing.

    A tag is named with its parent's (`ul>li`), so that a list of five and a list of fifty differ, and so do a list and a table.
    """
    levels: list[Counter[str]] = []
    for depth, parent, element in _content(page):
        while len(levels) <= depth:
            levels.append(Counter())
        levels[depth][f"{parent.tag}>{element.tag}"] += 1
    return levels


def content_elements(page: Page) -> Iterator[HtmlElement]:
    """The elements of the page's content."""
    return (element for _, _, element in _content(page))


def _content(page: Page) -> Iterator[tuple[int, HtmlElement, HtmlElement]]:
    body = page.root.find("body")
    if body is None:
        return
    waiting: list[tuple[int, HtmlElement]] = [(0, body)]
    while waiting:  # no recursion: a page may be two thousand levels deep
        depth, element = waiting.pop()
        for child in element.iterchildren():
            if isinstance(child.tag, str) and not _is_noise(child):
                yield depth, element, child
                waiting.append((depth + 1, child))


def _is_noise(element: HtmlElement) -> bool:
    if element.tag in NO_CONTENT or element.get("role") in NOISE_ROLES or element.get("aria-hidden") == "true":
        return True
    named = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
    return not NOISE_WORDS.isdisjoint(_WORD.findall(named)) or _is_link_list(element)


def _is_link_list(element: HtmlElement) -> bool:
    """Many links and nothing else: a menu that does not say so. A product list has pictures or prices beside its links."""
    if element.tag not in ("ul", "ol", "div", "table") or len(element) < MIN_LINK_LIST:
        return False
    return all(_is_bare_link(child) for child in element.iterchildren())


def _is_bare_link(element: HtmlElement) -> bool:
    if element.tag == "a":
        return not len(element)
    return len(element) == 1 and not (element.text or "").strip() and _is_bare_link(element[0])
