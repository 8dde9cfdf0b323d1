"""The category tree: from breadcrumbs and from the menu, every category with its parents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import dropwhile
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scout.induce.links import address
from scout.induce.page_types import names_of, squeezed
from scout.induce.queries import query
from scout.induce.traps import plain
from scout.induce.words import tokens, words
from scout.page import Page

Path = tuple[str, ...]

MAX_NAME = 80  # characters: what is longer is no category's name
MAX_DEPTH = 10
_COUNT = re.compile(r"\s*[\[(]\s*\d[\d.,\s]*[\])]\s*$")
_SEPARATORS = re.compile(r"^[\s/|>»›→·•:\-–\\]+|[\s/|>»›→·•:\-–\\]+$")
_CRUMBS = (  # what the page's text must hold for the query to be worth its while, and the query
    ("BreadcrumbList", query("//@itemtype[contains(., 'schema.org/BreadcrumbList')]/..")),
    ("aria-label", query("//@aria-label[contains(translate(., 'BREADCUM', 'breadcum'), 'breadcrumb')]/..")),
)


def category_name(text: str | None) -> str:
    """A category's name as people say it: without separators and the number of its products.

    >>> category_name(" » Shoes (12) ")
    'Shoes'
    """
    return _SEPARATORS.sub("", _COUNT.sub("", squeezed(text)))


def breadcrumb(page: Page, title: str | None = None) -> Path:
    """The path that the page itself shows, without the shop's home and without the page's own `title`."""
    for block in _crumb_blocks(page):
        found = [(category_name(e.text_content()), e) for e in _crumbs(block)]
        path = [(name, e) for name, e in found if name and len(name) <= MAX_NAME]
        path = [*dropwhile(lambda step: is_home(step[0], _link(step[1], page)), path)]  # "Home > Shop > Lamps"
        names = list(dict.fromkeys(name for name, _ in path))
        if names and title and names[-1].casefold() == squeezed(title).casefold():
            names = names[:-1]
        if names:
            return tuple(names[:MAX_DEPTH])
    return ()


def _crumb_blocks(page: Page) -> Iterator[HtmlElement]:
    for sign, marked in _CRUMBS:
        if sign in page.html:
            yield from marked(page.root)
    likely = []
    for element in page.root.iter("nav", "ul", "ol", "div", "p", "span", "td", "section"):
        names = names_of(element)
        found = tokens(names) if names != " " else frozenset()
        if found & words("crumb_words"):
            yield element
        elif found & words("path_words"):
            likely.append(element)
    yield from (element for element in likely if _begins_at_home(element, page))


def _begins_at_home(block: HtmlElement, page: Page) -> bool:
    steps = list(_crumbs(block))
    return 1 < len(steps) <= MAX_DEPTH and is_home(category_name(steps[0].text_content()), _link(steps[0], page))


def _crumbs(block: HtmlElement) -> Iterable[HtmlElement]:
    """The steps of the path: list items where it is a list, else its links."""
    items = [li for li in block.iter("li") if squeezed(li.text_content())]
    return items if len(items) > 1 else list(block.iter("a"))


def is_home(name: str, url: str | None) -> bool:
    """Whether the first step of a path is the shop itself, by its name or because it leads to the front page."""
    if name.casefold() in words("home_words"):
        return True
    return url is not None and urlsplit(plain(url)).path in ("", "/") and not urlsplit(url).query


def is_everything(path: Path) -> bool:
    """Whether a path only names a list of all products, which says nothing of one of them.

    >>> is_everything(("All Products",)), is_everything(("Products", "Lamps")), is_everything(())
    (True, False, False)
    """
    return len(path) == 1 and path[0].casefold() in words("everything_words")


def _link(element: HtmlElement, page: Page) -> str | None:
    link = element if element.tag == "a" else element.find(".//a")
    return None if link is None else address(link, page)


def menu_paths(page: Page) -> dict[str, Path]:
    """For every link in nested lists its path of names: what stands in an item below an item is its child."""
    paths: dict[str, Path] = {}
    for anchor in page.root.iter("a"):
        url = address(anchor, page)
        if url is None or plain(url) in paths:
            continue
        items = list(anchor.iterancestors("li"))
        if not items or not any(_is_menu(e) for e in anchor.iterancestors()):
            continue
        names = [category_name(_item_name(item)) for item in reversed(items)]
        path = tuple(
            name for name in names if name and len(name) <= MAX_NAME and name.casefold() not in words("home_words")
        )
        if path:
            paths[plain(url)] = path[:MAX_DEPTH]
    return paths


def _is_menu(element: HtmlElement) -> bool:
    return element.tag == "nav" or bool(tokens(names_of(element)) & words("menu_words"))


def _item_name(item: HtmlElement) -> str:
    """What a menu item says itself: its own first link or text, not that of the items below it."""
    for element in item.iter("a", "span", "button", "h3", "h4", "h5"):
        if next(element.iterancestors("li"), None) is item and squeezed(element.text_content()):
            return str(element.text_content())
    return str(item.text or "")


@dataclass
class Categories:
    """What is known of a shop's categories: the path of each address, and how many products were stated and seen in each."""

    paths: dict[str, Path] = field(default_factory=dict)
    stated: dict[Path, int] = field(default_factory=dict)
    seen: dict[Path, set[str]] = field(default_factory=dict)

    def learn_menu(self, page: Page) -> None:
        """Take over the tree that the menu of `page` shows; what is known stays."""
        self.paths = menu_paths(page) | self.paths

    def path_of(self, page: Page, title: str | None, came: Path) -> Path:
        """The path of a list: its breadcrumb with its own name, else its place in the menu, else the way that led here."""
        shown = breadcrumb(page, title)
        name = category_name(title)
        own = (name,) if name and len(name) <= MAX_NAME else ()
        path = (*shown, *own) if shown else self.paths.get(plain(page.url)) or came or own
        self.paths.setdefault(plain(page.url), path)
        return path

    def count(self, path: Path, products: Iterable[str], stated: int | None) -> None:
        """A page of the category was read: these products are on it, and this is the number it says there are."""
        self.seen.setdefault(path, set()).update(products)
        if stated is not None:
            self.stated[path] = max(stated, self.stated.get(path, 0))
