"""The links of a page, each with the part it plays: menu, breadcrumb, pager, facet, sort order, language, or plain content."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from lxml.html import HtmlElement

from scout.extraction.link_targets import address
from scout.extraction.queries import query
from scout.extraction.view import names_of
from scout.page import Page
from scout.values.regions import region_words
from scout.values.routes import without_fragment
from scout.values.text import single_spaced
from scout.values.walk_words import name_words

Role = Literal["crumb", "pager", "sort", "facet", "language", "menu", "content"]

# In this order: a pager inside a filter form is a pager, a language switch inside the menu a language switch.
ROLES: Mapping[Role, str] = {
    "crumb": "crumb_words",
    "pager": "pager_words",
    "sort": "sort_words",
    "facet": "facet_words",
    "language": "language_words",
    "menu": "menu_words",
}
_MEMO = "clickables"
PICTURE_ATTRIBUTES = ("data-src", "data-original", "src")  # of an image: where it comes from
WRAPPER_PICTURES = 3  # so many pictures with links inside: this element holds the page's records, whatever it is called
_SCRIPTED_SIGNS = ("location", "data-href", "data-link")  # without one of them, the query need not be asked
_SCRIPTED = query(  # by its attributes, of which a page has a few: to ask every element takes five times as long
    "(//@data-href | //@data-link | //@onclick[contains(., 'location')])/parent::*[not(self::a or self::area or self::button)]"
    " | //select[contains(@onchange, 'location')]//option[starts-with(@value, '/') or starts-with(@value, 'http')]"
)
_ALTERNATES = query("//link[@hreflang][contains(@rel, 'alternate')]")
_CANONICAL = query("//link[@rel = 'canonical'][@href]")
_NOT_PAGES = re.compile(
    r"\.(?:jpe?g|png|gif|webp|svg|avif|bmp|ico|pdf|zip|gz|rar|7z|exe|dmg|apk|mp[34]|avi|mov|webm|wav|css|js|json|xml|rss|atom|docx?|xlsx?|pptx?|csv|txt|ttf|woff2?|eot)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Link:
    """A link to another page of whatever host; `nofollow` where the shop asks not to follow it."""

    url: str
    text: str
    role: Role = "content"
    nofollow: bool = False
    picture: str | None = None  # the address of the one it shows; "" where a script is to load it


def is_file(url: str) -> bool:
    """Whether the address is that of a picture, a document or the like rather than of a page.

    >>> is_file("http://a.example/lamp.JPG?w=300"), is_file("http://a.example/lamp?picture=3.jpg")
    (True, False)
    """
    return _NOT_PAGES.search(url.partition("?")[0]) is not None


def clickables(page: Page) -> list[HtmlElement]:
    """What leads elsewhere when it is clicked or chosen: links and buttons, then whatever else a script has made one."""
    if _MEMO not in page.memo:
        is_scripted = any(sign in page.html for sign in _SCRIPTED_SIGNS)
        page.memo[_MEMO] = [*page.root.iter("a", "area", "button"), *(_SCRIPTED(page.root) if is_scripted else ())]
    found: list[HtmlElement] = page.memo[_MEMO]
    return found


def alternates(page: Page) -> tuple[str, ...]:
    """The addresses of this page in other languages, as it declares them (rel=alternate hreflang=…).

    None where the page is not among them itself, as it has to be: then they were written for another page.
    https://developers.google.com/search/docs/specialty/international/localized-versions
    """
    if "hreflang" not in page.html:
        return ()
    declared = _ALTERNATES(page.root)
    urls = {without_fragment(page.absolute(link.get("href"))) for link in declared if link.get("href")}
    own = {without_fragment(page.url), *(page.absolute(link.get("href")) for link in _CANONICAL(page.root))}
    return tuple(sorted(urls - own)) if urls & own else ()


class Roles:
    """Which part each link of one page plays, told by the names of the elements around it."""

    def __init__(self, title: HtmlElement | None) -> None:
        self._above_title = frozenset() if title is None else frozenset(title.iterancestors())
        self._known: dict[HtmlElement, Role] = {}

    def of(self, element: HtmlElement) -> Role:
        """The role of the nearest named element around (or at) this one."""
        asked: list[HtmlElement] = []  # in a loop: a page may be thousands of levels deep
        role: Role | None = None
        for around in (element, *element.iterancestors()):
            role = self._known.get(around)
            if role is not None:
                break
            asked.append(around)
            role = self._own(around)
            if role is not None:
                break
        self._known.update(dict.fromkeys(asked, role or "content"))
        return role or "content"

    def _own(self, element: HtmlElement) -> Role | None:
        if element.tag in ("body", "html", "main"):
            return None
        named = name_words(names_of(element)) | ({"nav"} if element.tag == "nav" else frozenset())
        role = next((role for role, table in ROLES.items() if named & region_words(table)), None)
        return None if role and self._is_wrapper(element) else role

    def _is_wrapper(self, element: HtmlElement) -> bool:
        if element in self._above_title:
            return True
        pictures = (a for a in element.iter("a") if a.find(".//img") is not None)
        return sum(1 for _, _ in zip(pictures, range(WRAPPER_PICTURES), strict=False)) == WRAPPER_PICTURES


def links(
    page: Page,
    title: HtmlElement | None = None,
    is_known: Callable[[str], bool] = lambda url: False,
    categories: frozenset[HtmlElement] = frozenset(),
) -> Iterator[Link]:
    """Every link of the page to another document, in the order of the page, except to those that are known.

    `title` is the heading that names the page's subject; `categories` are the links that an earlier walk knows to lead to categories.
    """
    roles = Roles(title)
    for element in clickables(page):
        url = address(element, page)
        if url is None or is_known(url) or is_file(url):
            continue
        yield Link(
            url=url,
            text=single_spaced(element.text_content())[:200]
            or single_spaced(element.get("title") or element.get("aria-label")),
            role="menu" if element in categories else roles.of(element),
            nofollow="nofollow" in (element.get("rel") or "").lower().split(),
            picture=_picture(element),
        )


def _picture(link: HtmlElement) -> str | None:
    image = link.find(".//img")
    if image is None:
        return None
    named = (image.get(name) or "" for name in PICTURE_ATTRIBUTES)
    return next((source for source in named if source and not source.startswith("data:")), "")


def forbids_following(page: Page) -> bool:
    """Whether the page asks robots not to follow its links."""
    metas = (meta for meta in page.root.iter("meta") if (meta.get("name") or "").lower() == "robots")
    asked = {word.strip().lower() for meta in metas for word in (meta.get("content") or "").split(",")}
    return bool(asked & {"nofollow", "none"})
