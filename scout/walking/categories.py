"""The category tree: from breadcrumbs and from the menu, every category with its parents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from scout.extraction.breadcrumbs import MAX_DEPTH, MAX_NAME, CategoryPath, breadcrumb, category_name
from scout.extraction.link_targets import address
from scout.extraction.view import names_of
from scout.page import Page
from scout.url_rules import page_key
from scout.values.regions import region_words
from scout.values.text import single_spaced
from scout.values.walk_words import name_words, walk_words


def is_everything(path: CategoryPath) -> bool:
    """Whether a path only names a list of all products, which says nothing of one of them.

    >>> is_everything(("All Products",)), is_everything(("Products", "Lamps")), is_everything(())
    (True, False, False)
    """
    return len(path) == 1 and path[0].casefold() in walk_words("everything_words")


def menu_paths(page: Page) -> dict[str, CategoryPath]:
    """For every link in nested lists its path of names: what stands in an item below an item is its child."""
    paths: dict[str, CategoryPath] = {}
    for anchor in page.root.iter("a"):
        url = address(anchor, page)
        if url is None or page_key(url) in paths:
            continue
        items = list(anchor.iterancestors("li"))
        if not items or not any(_is_menu(e) for e in anchor.iterancestors()):
            continue
        names = [category_name(_item_name(item)) for item in reversed(items)]
        path = tuple(
            name for name in names if name and len(name) <= MAX_NAME and name.casefold() not in walk_words("home_words")
        )
        if path:
            paths[page_key(url)] = path[:MAX_DEPTH]
    return paths


def _is_menu(element: HtmlElement) -> bool:
    return element.tag == "nav" or bool(name_words(names_of(element)) & region_words("menu_words"))


def _item_name(item: HtmlElement) -> str:
    """What a menu item says itself: its own first link or text, not that of the items below it."""
    for element in item.iter("a", "span", "button", "h3", "h4", "h5"):
        if next(element.iterancestors("li"), None) is item and single_spaced(element.text_content()):
            return str(element.text_content())
    return str(item.text or "")


@dataclass
class Categories:
    """What is known of a shop's categories: the path of each address, and how many products were stated and seen in each."""

    paths: dict[str, CategoryPath] = field(default_factory=dict)
    stated: dict[CategoryPath, int] = field(default_factory=dict)
    seen: dict[CategoryPath, set[str]] = field(default_factory=dict)

    def learn_menu(self, page: Page) -> None:
        """Take over the tree that the menu of `page` shows; what is known stays."""
        self.paths = menu_paths(page) | self.paths

    def path_of(self, page: Page, title: str | None, came: CategoryPath) -> CategoryPath:
        """The path of a list: its breadcrumb with its own name, else its place in the menu, else the way that led here."""
        shown = breadcrumb(page, title)
        name = category_name(title)
        own = (name,) if name and len(name) <= MAX_NAME else ()
        path = (*shown, *own) if shown else self.paths.get(page_key(page.url)) or came or own
        self.paths.setdefault(page_key(page.url), path)
        return path

    def count(self, path: CategoryPath, products: Iterable[str], stated: int | None) -> None:
        """A page of the category was read: these products are on it, and this is the number it says there are."""
        self.seen.setdefault(path, set()).update(products)
        if stated is not None:
            self.stated[path] = max(stated, self.stated.get(path, 0))
