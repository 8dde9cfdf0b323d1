"""The category path: marked-up breadcrumbs first, then those that the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile
from urllib.parse import urlsplit

from lxml import etree
from lxml.html import HtmlElement
from rapidfuzz import fuzz

from scout.extraction.link_targets import address
from scout.extraction.markup import scalar
from scout.extraction.queries import query
from scout.extraction.structured_data import MarkupItem, Node, as_list, prop
from scout.page import Page
from scout.rules.element_query import element_path
from scout.url_rules import is_same_subject, page_key
from scout.values.numbers import whole_number
from scout.values.regions import region_words
from scout.values.text import single_spaced, text_key
from scout.values.walk_words import walk_words

CategoryPath = tuple[str, ...]
MAX_NAME = 80  # characters: what is longer is no category's name
MAX_DEPTH = 10
_BLOCKS = frozenset("nav ul ol div p span td section".split())
_COUNT = re.compile(r"\s*[\[(]\s*\d[\d.,\s]*[\])]\s*$")
_SEPARATORS = re.compile(r"^[\s/|>»›→·•:\-–—\\]+|[\s/|>»›→·•:\-–—\\]+$")
_ARROW = re.compile(r"[>»›→/\\]")
_CRUMBS = (  # what the page's text must hold for the query to be worth its while, and the query
    ("BreadcrumbList", query("//@itemtype[contains(., 'schema.org/BreadcrumbList')]/..")),
    ("aria-label", query("//@aria-label[contains(translate(., 'BREADCUM', 'breadcum'), 'breadcrumb')]/..")),
)


def category_name(text: str | None) -> str:
    """A category's name as people say it: without separators and the number of its products.

    >>> category_name(" » Shoes (12) ")
    'Shoes'
    """
    return _SEPARATORS.sub("", _COUNT.sub("", single_spaced(text)))


def breadcrumb(page: Page, title: str | None = None) -> CategoryPath:
    """The path that the page itself shows, without the shop's home and without the page's own `title`."""
    return _shown_path(page, title)[0]


def _shown_path(page: Page, title: str | None) -> tuple[CategoryPath, HtmlElement | None]:
    """The path that the page shows, and the block that shows it."""
    named = ((_shown_names(block, page, single_spaced(title)), block) for block in _crumb_blocks(page))
    return next(((tuple(names[:MAX_DEPTH]), block) for names, block in named if names), ((), None))


def _shown_names(block: HtmlElement, page: Page, title: str) -> list[str]:
    crumbs = [(name, e) for name, e in _crumbs(block) if 0 < len(name) <= MAX_NAME and not _is_current(e)]
    names = list(dict.fromkeys(_below_home([(name, _link(e, page)) for name, e in crumbs])))
    return names[:-1] if names and names[-1].casefold() == title.casefold() else names


def _is_current(step: HtmlElement | None) -> bool:
    """Whether a step says that it is the page itself, which may be called by its model number there.

    https://www.w3.org/WAI/ARIA/apg/patterns/breadcrumb/
    """
    return step is not None and any(element.get("aria-current") == "page" for element in step.iter())


def _below_home(path: Sequence[tuple[str, str | None]]) -> list[str]:
    """The names of a path of names and addresses without the shop's home, which has one name: "Home > Shop > Lamps" is "Shop > Lamps"."""
    rest = path[1:] if path and is_home(*path[0]) else path
    return [name for name, _ in dropwhile(lambda step: _is_front(step[1]), rest)]


def _crumb_blocks(page: Page) -> Iterator[HtmlElement]:
    for sign, marked in _CRUMBS:
        if sign in page.html:
            yield from marked(page.root)
    sure, likely = (_blocks_named(page, kind) for kind in ("crumb_words", "path_words"))
    yield from sure
    yield from (element for element in likely if _begins_at_home(element, page))
    yield from _unnamed_blocks(page)


def _blocks_named(page: Page, words: str) -> Iterator[HtmlElement]:
    rows = page.rows_named(page.names_with(region_words(words)))
    return (element for element, tag, *_ in rows if tag in _BLOCKS)


def _unnamed_blocks(page: Page) -> Iterator[HtmlElement]:
    """What begins with a link to the front page and a separator, whatever it is called."""
    for link in page.root.iter("a"):
        after = link.getnext()
        following = single_spaced(link.tail) or (single_spaced(after.text) if after is not None else "")
        block = link.getparent()
        if _ARROW.match(following) and block is not None and _begins_at_home(block, page):
            yield block


def _begins_at_home(block: HtmlElement, page: Page) -> bool:
    steps = [step for step in _crumbs(block) if step[0]]
    return 1 < len(steps) <= MAX_DEPTH and is_home(steps[0][0], _link(steps[0][1], page))


def _crumbs(block: HtmlElement) -> list[tuple[str, HtmlElement | None]]:
    """The steps of the path: list items where it is a list, else its links and what stands between them."""
    items = [li for li in block.iter("li") if single_spaced(li.text_content())]
    if len(items) > 1:
        return [(category_name(li.text_content()), li) for li in items]
    pieces = list(_pieces(block))
    linked = [index for index, (_, link) in enumerate(pieces) if link is not None]
    return pieces[linked[0] : linked[-1] + 1] if linked else []  # before them is a label, behind them the page itself


def _pieces(block: HtmlElement) -> Iterator[tuple[str, HtmlElement | None]]:
    """The names in a block in their order, those in links with their link."""
    link = None
    for event, element in etree.iterwalk(block, events=("start", "end")):
        if event == "start" and link is None:
            link = element if element.tag == "a" else None
            yield category_name(element.text_content() if link is not None else element.text), link
        elif event == "end" and link in (None, element):
            link = None
            if element is not block:
                yield category_name(element.tail), None


def is_home(name: str, url: str | None) -> bool:
    """Whether the first step of a path is the shop itself, by its name or because it leads to the front page."""
    return name.casefold() in walk_words("home_words") or _is_front(url)


def _is_front(url: str | None) -> bool:
    return url is not None and urlsplit(page_key(url)).path in ("", "/") and not urlsplit(url).query


def _link(element: HtmlElement | None, page: Page) -> str | None:
    link = element if element is None or element.tag == "a" else element.find(".//a")
    return None if link is None else address(link, page)


def category_path(found: Sequence[MarkupItem], page: Page, title: str | None) -> tuple[list[str], str] | None:
    """The category path without home and product, and where it stands: markup first, then what the page shows, or shows more of."""
    shown, block = _shown_path(page, title)
    short = None
    for thing in found:
        steps = _steps(_marked_steps(thing.data, page), title) if "breadcrumblist" in thing.types else []
        place = thing.path if thing.element is None else element_path(thing.element)
        if steps and _says_enough(steps, list(shown)):
            return steps, place
        short = short or ((steps, place) if steps else None)
    return (list(shown), element_path(block)) if block is not None else short


def _says_enough(steps: list[str], shown: list[str]) -> bool:
    """Whether the page shows no more of a marked-up path, which may say only "Shop", or begin with a home that no address tells."""
    goes_on = len(shown) > len(steps) and shown[: len(steps)] == steps
    names_home = bool(shown) and steps[1:] == shown
    return not goes_on and not names_home and not (len(steps) == 1 and is_home(steps[0], None))


def _marked_steps(node: Node, page: Page) -> list[str]:
    """The names of the steps in their order, without those that are the shop itself."""
    listed = (i for i in as_list(prop(node, "itemlistelement")) if isinstance(i, dict))
    items = sorted(listed, key=lambda item: whole_number(scalar(item.get("position"))) or 0)
    if len(items) > 1 and prop(items[0], "item", "url") and _is_own(items[-1], page):
        items.pop()
    named = [
        (category_name(scalar(prop(item, "name")) or scalar(prop(item, "item"))), _address(item, page))
        for item in items
    ]
    return [
        name
        for name in _below_home([step for step in named if step[0]])
        if not name.startswith(("http:", "https:", "/"))
    ]


def _is_own(item: Node, page: Page) -> bool:
    """Whether a step is the page itself: only that needs no address, and else has the page's, on whatever host."""
    url = _address(item, page)
    return not prop(item, "item", "url") or (url is not None and not _is_front(url) and is_same_subject(url, page.url))


def _address(item: Node, page: Page) -> str | None:
    target = prop(item, "item", "url")
    link = scalar(prop(target, "@id", "url") if isinstance(target, dict) else target)
    return page.absolute(link) if link else None


def _steps(names: Iterable[str], title: str | None) -> list[str]:
    steps = [name for name in names if name]
    if steps and title and fuzz.ratio(text_key(steps[-1]), text_key(title)) > 90:
        steps = steps[:-1]
    return steps[:MAX_DEPTH]
