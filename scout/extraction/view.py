"""What a reader sees of a page: its texts in order, each with the block it stands in and how near that is to the title.

Computed in one pass and remembered per element, because the cost of everything here is counted in parse times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

from lxml.html import HtmlElement as Element

from scout.extraction.buying import is_button_name, is_cart_button_name, says_cart
from scout.extraction.lexicon import Lexicon, attribute_words
from scout.extraction.queries import query
from scout.page import Page
from scout.values.regions import region_tags, region_words

MAX_TEXTS = 60_000  # texts of a page that are looked at; a page with more is a dump, and its product stands at its top

_TEXTS = query("descendant::text()")  # sorted out in Python: XPath takes twice as long to do it
_BLANK = " \t\r\n"  # XML's white space: what else looks blank still has its place in the order of texts
_NOT_READ = frozenset({"script", "style", "option"})  # elements whose own texts nobody reads
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_STRUCK_STYLE = re.compile(r"line-through", re.IGNORECASE)


class Region:
    """What the blocks around a text say about it, as bits, inherited from every ancestor. Plain integers: IntFlag is ten times slower."""

    ELSEWHERE = 1
    HIDDEN = 2
    STRUCK = 4
    REVIEW = 8
    PRODUCT = 16
    LINK = 32
    SKIP = 64
    LIST = 128
    NAMED_STRUCK = 256
    OWN = 512
    FRAME = 1024


_TAG_REGIONS = {
    **dict.fromkeys(region_tags("frame"), Region.ELSEWHERE),
    **dict.fromkeys((*region_tags("code", "controls"), "head", "iframe"), Region.SKIP),
    **dict.fromkeys(("del", "s", "strike"), Region.STRUCK),
    **dict.fromkeys(("article", "main"), Region.PRODUCT),
    "a": Region.LINK,
}
# elements that hold a line of text: no part of a page's frame, though style sheets call large texts "header"
_INLINE = frozenset("a b big del em font i ins label p s small span strong sub sup u h1 h2 h3 h4 h5 h6".split())
_HIDDEN_CLASSES = region_words("hidden_classes")
_NO_REGION = 0


class Text(NamedTuple):
    """A text node: its place in the document's order, its words, the element whose text (or whose child's tail) it is."""

    order: int
    text: str
    element: Element


class View:
    """The visible side of a page, seen from `anchor`, the element that shows the title (None where there is none)."""

    def __init__(self, page: Page, template: Lexicon, anchor: Element | None = None) -> None:
        self.page = page
        self.template = template
        self.anchor = anchor
        self._regions: dict[Element, tuple[int, int]] = {}
        self._anchors = [anchor, *anchor.iterancestors()] if anchor is not None else []
        self._anchor_index = {element: i for i, element in enumerate(self._anchors)}

    @cached_property
    def body(self) -> Element:
        """The <body>, or the whole document where there is none."""
        body = self.page.root.find("body")
        return body if body is not None else self.page.root

    @cached_property
    def texts(self) -> list[Text]:
        """Every text that is not only white space, in the order of the document."""
        return list(self._texts())

    def _texts(self) -> Iterator[Text]:
        order = 0
        for node in _TEXTS(self.body):
            owner = node.getparent()
            element = owner.getparent() if node.is_tail else owner
            if element.tag in _NOT_READ:  # first: scripts are long, and splitting them takes longer than all the rest
                continue
            words = node.split()
            if words:
                yield Text(order, " ".join(words), element)
            elif not node.strip(_BLANK):
                continue
            order += 1
            if order == MAX_TEXTS:
                return

    @cached_property
    def anchor_order(self) -> int | None:
        """The place of the title in the order of texts."""
        if self.anchor is None:
            return None
        own = set(self.anchor.iter())
        return next((t.order for t in self.texts if t.element in own), None)

    def region(self, element: Element) -> int:
        """The kinds of all blocks around `element`."""
        return self._known(element)[0]

    def distance(self, element: Element) -> int:
        """How many levels above the title the first block is that also holds `element`; 0 inside the title itself."""
        return self._known(element)[1]

    def holds_title(self, element: Element) -> bool:
        """Whether the title stands inside `element`."""
        return element in self._anchor_index

    def is_named_struck(self, element: Element) -> bool:
        """Whether an element's own names (old-price, was) say that it shows a former price. Not inherited: a box names both."""
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        return bool(_named_region(names, self.template) & Region.NAMED_STRUCK)

    @cached_property
    def cart(self) -> Element | None:
        """The button that puts the product into the cart: the first behind the title, or the first at all."""
        buttons = self._cart_buttons("button", "input") or self._cart_buttons("a")
        if self.anchor is None or len(buttons) < 2:
            return buttons[0] if buttons else None
        return min(buttons, key=self.distance)

    def says_cart(self, text: str) -> bool:
        """Whether a text is what a button says that puts a product into the cart."""
        return says_cart(text, self.template)

    def _cart_buttons(self, *tags: str) -> list[Element]:
        controls = self.body.iter(*tags)
        return [b for b in controls if _is_cart_button(b, self.template) and not self.region(b) & Region.ELSEWHERE]

    @cached_property
    def _cart_index(self) -> dict[Element, int]:
        return {} if self.cart is None else {e: i for i, e in enumerate([self.cart, *self.cart.iterancestors()])}

    def cart_distance(self, element: Element) -> int | None:
        """How many levels above the cart button the first block is that also holds `element`; None without a button."""
        index = self._cart_index
        while index and element is not None:
            if element in index:
                return index[element]
            element = element.getparent()
        return None

    def _known(self, element: Element) -> tuple[int, int]:
        chain = []
        while element is not None and element not in self._regions:
            chain.append(element)
            element = element.getparent()
        region, distance = self._regions[element] if element is not None else (_NO_REGION, len(self._anchors))
        for own in reversed(chain):
            region, distance = self._extended(own, region, distance)
            self._regions[own] = region, distance
        return region, distance

    def _extended(self, element: Element, region: int, distance: int) -> tuple[int, int]:
        own = self._own(element)
        if element in self._anchor_index:  # whatever its class says: the block that holds the title is the product's
            return (region | own) & ~(Region.ELSEWHERE | Region.HIDDEN | Region.REVIEW), self._anchor_index[element]
        return region | own, distance

    def _own(self, element: Element) -> int:
        read = element.get
        region = _TAG_REGIONS.get(element.tag, _NO_REGION)
        css_class, name = read("class"), read("id")
        if css_class or name:
            named = _named_region(f"{css_class or ''} {name or ''}", self.template)
            if named & Region.FRAME and element.tag not in _INLINE:
                named |= Region.ELSEWHERE
            region = (region & ~Region.ELSEWHERE if named & Region.OWN else region) | named
        if read("hidden") is not None:
            region |= Region.HIDDEN
        style = read("style")
        if style:
            region |= _style_region(style)
        return region


def _is_cart_button(control: Element, template: Lexicon) -> bool:
    read = control.get
    tag = control.tag
    if tag == "input" and read("type") not in ("submit", "button", "image"):
        return False
    names = f"{read('class') or ''} {read('id') or ''} {read('name') or ''}"
    if tag == "a" and not is_button_name(names):
        return False
    if is_cart_button_name(names):
        return True
    said = read("value") or read("title") or read("aria-label") or ""
    return says_cart(f"{said} {' '.join(control.itertext())}"[:120], template)


@lru_cache(maxsize=4096)
def _style_region(style: str) -> int:
    hidden = Region.HIDDEN if _HIDDEN_STYLE.search(style) else _NO_REGION
    return hidden | (Region.STRUCK if _STRUCK_STYLE.search(style) else _NO_REGION)


_REGION_WORDS = {
    "elsewhere": Region.ELSEWHERE,
    "own": Region.OWN,
    "product": Region.PRODUCT,
    "review": Region.REVIEW,
    "list": Region.LIST,
}


# "has-old-price": a box that shows both
_STATE_NAMES = tuple("with- has- without- no- with_ has_ without_ no_".split())


def naming_words(names: str) -> list[str]:
    """The words of those names that say what an element is, and not what else is in it."""
    return attribute_words(" ".join(name for name in names.split() if not name.lower().startswith(_STATE_NAMES)))


def _is_acting(name: str, template: Lexicon) -> bool:
    """Whether a name is no other block's: none at all, or that of a button of this one."""
    words = set(attribute_words(name))
    return not words & template.regions["elsewhere"] or bool(words & template.regions["acting"])


def _is_frame(name: str, template: Lexicon) -> bool:
    words = set(attribute_words(name))
    return bool(words & template.regions["frame"]) and not words & template.regions["own"]


@lru_cache(maxsize=20_000)  # a shop uses the same few hundred names on all pages
def _named_region(names: str, template: Lexicon) -> int:
    words = set(attribute_words(names))
    region = _NO_REGION
    for kind, flag in _REGION_WORDS.items():
        if words & template.regions[kind]:
            region |= flag
    if region & Region.ELSEWHERE and all(_is_acting(name, template) for name in names.split()):
        region &= ~Region.ELSEWHERE
    if any(_is_frame(name, template) for name in names.split()):
        region |= Region.FRAME
    if words & template.struck_words and not template.struck_words.isdisjoint(naming_words(names)):
        region = (region | Region.NAMED_STRUCK) & ~(Region.ELSEWHERE | Region.FRAME)  # "compare-price": its own
    if not _HIDDEN_CLASSES.isdisjoint(names.lower().split()):
        region |= Region.HIDDEN
    return region
