"""The category tree: from breadcrumbs and from the menu, every category with its parents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from lxml.html import HtmlElement

from scout.extraction.breadcrumbs import MAX_DEPTH, MAX_NAME, CategoryPath, breadcrumb, category_name
from scout.extraction.link_targets import address
from scout.extraction.view import names_of
from scout.page import Page
from scout.url_rules import page_key
from scout.values.regions import region_words
from scout.values.text import single_spaced
from scout.values.walk_words import name_words, walk_words
from scout.walking.same_products import Sign, signs_in


def is_everything(path: CategoryPath) -> bool:
    """Whether a path only names a list of all products, which says nothing of one of them.

    >>> is_everything(("All Products",)), is_everything(("Products", "Lamps")), is_everything(())
    (True, False, False)
    """
    return len(path) == 1 and path[0].casefold() in walk_words("everything_words")


def names_no_category(path: CategoryPath) -> bool:
    """Whether a path is none, as that of the front page, or that of a list of everything."""
    return not path or is_everything(path)


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
    shop_name: str = ""  # what the front page calls itself, as some shops head all their pages
    _of: dict[str | Sign, tuple[CategoryPath, ...]] = field(
        default_factory=dict
    )  # a product, by address and signs -> all that show it

    def learn_menu(self, page: Page, title: str | None = None) -> None:
        """Take over the tree that the menu of the front page shows, and its name; what is known stays."""
        self.shop_name = self.shop_name or category_name(title)
        self.paths = menu_paths(page) | self.paths

    def path_of(self, page: Page, title: str | None, came: CategoryPath, *, is_continued: bool) -> CategoryPath:
        """The path of a list: its breadcrumb with its own name, else its place in the menu, else its own name.

        A further page of a list or a part of it (`is_continued`) belongs where the list does, and a list where the link that led to it
        places its name: after a kill the menu may not have been read yet. What else leads to a list says little: front pages, overviews
        and products link to all kinds of them.
        """
        shown = breadcrumb(page, title)
        name = category_name(title)
        own = (name,) if name and len(name) <= MAX_NAME and name != self.shop_name else ()
        in_menu = () if is_everything(own) else self.paths.get(page_key(page.url), ())
        is_placed = is_continued or (bool(own) and came[-1:] == own)
        path = (*shown, *own) if shown else in_menu or (came if is_placed else ()) or own or came
        self.paths.setdefault(page_key(page.url), path)
        return path

    def count(self, path: CategoryPath, products: Collection[str], stated: int | None) -> None:
        """A page of the category was read: these products are on it, and this is the number it says there are."""
        self.seen.setdefault(path, set()).update(products)
        if not names_no_category(path):
            names: Iterator[str | Sign] = chain(products, *map(signs_in, products))
            for name in names:
                known = self._of.get(name, ())
                self._of[name] = known if path in known else (*known, path)
        if stated is not None:
            self.stated[path] = max(stated, self.stated.get(path, 0))

    def category_of(self, url: str, signs: Iterable[Sign] = ()) -> CategoryPath:
        """Of the categories whose lists show this product, here or at other addresses with one of these signs, the narrowest.

        () where only the front page and lists of everything show it.
        """
        names: tuple[str | Sign, ...] = (url, *signs)
        shown_in = chain.from_iterable(self._of.get(name, ()) for name in names)
        return min(shown_in, key=lambda path: (-len(path), len(self.seen[path]), path), default=())
