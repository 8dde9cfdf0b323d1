"""The content of a page as a structure tree: what a visitor came for, without navigation, advertising, link lists and footer.

After section 2 of the structuring crawler (Zhang, Lin and Liao, 2018): the body text is extracted, noise is filtered, and
what remains becomes a tree whose tags are compared level by level, by Bloom filters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, zip_longest

from lxml import etree
from lxml.html import HtmlElement

from scout.page import Page
from scout.values.regions import content_words, region_tags
from scout.walking.records import Record, records

_NO_CONTENT = region_tags("code", "documents") | {"nav"}
MIN_LINK_LIST = 5  # fewer links in a row are content: a title with its brand, an author with his other books
BITS = 4096  # of a fingerprint: a level of 600 different tags sets at most a quarter of them, so that few collide
HASHES = 2
Fingerprint = tuple[int, ...]
_WORD = re.compile(r"[a-z]+")
# What a page has once, so that no menu or row of recommendations has it; a card may have a footer of its own.
_FRAME = etree.XPath("boolean(.//h1 | .//main | .//footer[not(ancestor::article or ancestor::li)])")


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


def bloom_filter(features: Iterable[str]) -> int:
    """The features as bits of one number, in which each of them is found again; one that it does not have seldom is."""
    bits = 0
    for feature in features:  # not hash(): that differs from process to process
        digest = blake2b(feature.encode(), digest_size=4 * HASHES).digest()
        for i in range(0, len(digest), 4):
            bits |= 1 << int.from_bytes(digest[i : i + 4], "big") % BITS
    return bits


def fingerprint(levels: Sequence[Counter[str]]) -> Fingerprint:
    """One Bloom filter per level. A tag that stands there n times counts about log n times: fifty records resemble sixty."""
    return tuple(
        bloom_filter(f"{name}#{i}" for name, count in level.items() for i in range(count.bit_length()))
        for level in levels
    )


def similarity(a: Fingerprint, b: Fingerprint) -> float:
    """The share of bits that both have among those that either has, over all levels: 1.0 for the same structure."""
    levels = list(zip_longest(a, b, fillvalue=0))
    either = sum((one | other).bit_count() for one, other in levels)
    return sum((one & other).bit_count() for one, other in levels) / either if either else 1.0


def content_elements(page: Page) -> Iterator[HtmlElement]:
    """The elements of the page's content."""
    return (element for _, _, element in _content(page))


def tab_panels(page: Page) -> list[HtmlElement]:
    """What the tabs of a page show when they are pressed."""
    tabs = page.root.xpath("//*[@role='tab']")
    named = {tab.get("aria-controls") or (tab.get("href") or "").removeprefix("#") for tab in tabs} - {""}
    return [element for element in page.root.iter() if element.get("id") in named] if named else []


def _content(page: Page) -> Iterator[tuple[int, HtmlElement, HtmlElement]]:
    body = page.root.find("body")
    if body is None:
        return
    waiting: list[tuple[int, HtmlElement]] = [(0, body)]
    while waiting:  # no recursion: a page may be two thousand levels deep
        depth, element = waiting.pop()
        for child in element.iterchildren():
            if isinstance(child.tag, str) and not _is_noise(child, page):
                yield depth, element, child
                waiting.append((depth + 1, child))


def _is_noise(element: HtmlElement, page: Page) -> bool:
    if element.tag in _NO_CONTENT:
        return True
    if _is_called(element, "noise"):
        return not (_holds_records(element, page) and _FRAME(element))
    is_aside = element.tag in content_words("places", "tags") or _is_called(element, "places")
    if is_aside or element.get("aria-hidden") == "true":
        return not _holds_records(element, page)
    return _is_link_list(element)


def _is_called(element: HtmlElement, kind: str) -> bool:
    """Whether its role, class or id is one of this kind of block."""
    named = _WORD.findall(f"{element.get('class') or ''} {element.get('id') or ''}".lower())
    return element.get("role") in content_words(kind, "roles") or not content_words(kind, "names").isdisjoint(named)


def _holds_records(element: HtmlElement, page: Page) -> bool:
    """Whether the page's own list is in there, whatever its author calls the element."""
    if "records held by" not in page.memo:
        page.memo["records held by"] = _holders(page)
    return element in page.memo["records held by"]


def _holders(page: Page) -> frozenset[HtmlElement]:
    """The elements around more than half of the page's records; none where these are but links, as those of a footer are."""
    found = records(page) or ()
    if not found or sum(map(_tells, found)) <= len(found) / 2:
        return frozenset()
    held = Counter(chain.from_iterable((r.elements[0], *r.elements[0].iterancestors()) for r in found))
    return frozenset(element for element, count in held.items() if count > len(found) / 2)


def _tells(record: Record) -> bool:
    """A record that is more than a link, or than a picture: it says something, and shows a picture or a price."""
    has_picture = any(element.find(".//img") is not None for element in record.elements)
    return bool(record.text) and (has_picture or record.price is not None)


def _is_link_list(element: HtmlElement) -> bool:
    """Many links and nothing else: a menu that does not say so. A product list has pictures or prices beside its links."""
    if element.tag not in ("ul", "ol", "div", "table") or len(element) < MIN_LINK_LIST:
        return False
    return all(_is_bare_link(child) for child in element.iterchildren())


def _is_bare_link(element: HtmlElement) -> bool:
    if element.tag == "a":
        return not len(element)
    return len(element) == 1 and not (element.text or "").strip() and _is_bare_link(element[0])
