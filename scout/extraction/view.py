"""What a reader sees of a page: its texts in order, each with the block it stands in and how near that is to the title.

Computed in one pass and remembered per element, because the cost of everything here is counted in parse times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache, reduce
from itertools import islice, takewhile
from operator import or_
from typing import NamedTuple
from weakref import ref

from lxml.html import HtmlElement as Element

from scout.extraction.buying import is_button_name, is_cart_button_name, is_cart_phrase, says_cart
from scout.extraction.lexicon import MAX_PHRASE, Lexicon, attribute_words
from scout.extraction.queries import query
from scout.page import Page, Row
from scout.values.currency import amount_pattern
from scout.values.regions import region_tags, region_words
from scout.values.routes import is_route, without_fragment
from scout.values.text import single_spaced, text_key

MAX_TEXTS = 60_000  # texts of a page that are looked at; a page with more is a dump, and its product stands at its top

BEHIND_TITLE = 80  # texts behind the title in which the page may speak of the product's stock or price
MIN_RECORDS = 2  # a list shows more than one thing
MAX_CRUMBS = 60  # elements of a breadcrumb
BESIDE = 2  # levels above a name in which its price stands
NEAR = 4  # levels above the title, or above the button that sells, in which a text or link is about the product
MAX_PIECES = 6  # elements of which one amount is made
_TEXT = 2
_CONTROLS = {"button": 0, "input": 0, "a": 1}  # how sure it is that an element of this kind is a button
_ITEM_NAMES = query("descendant-or-self::*/@itemprop")  # a condition would take ten times as long
_NO_AMOUNTS = frozenset({"script", "style", "option", "noscript"})
_BARE_NUMBER = re.compile(r"^[\s\xa0]*\d[\d.,'\s\xa0]*$")
DIGIT = re.compile(r"\d")
_WORTH = re.compile(r"[1-9]")  # the total of an empty cart is no price
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
    HEADER = 2048


NOT_SHOWN_HERE = Region.ELSEWHERE | Region.REVIEW | Region.HIDDEN | Region.SKIP
_REGION_FEATURES = {
    "elsewhere": Region.ELSEWHERE,
    "review": Region.REVIEW,
    "hidden": Region.HIDDEN,
    "link": Region.LINK,
    "list": Region.LIST,
    "product": Region.PRODUCT,
}
_TAG_REGIONS = {
    **dict.fromkeys(region_tags("frame"), Region.ELSEWHERE),
    **dict.fromkeys((*region_tags("code", "controls"), "head", "iframe"), Region.SKIP),
    **dict.fromkeys(region_tags("struck"), Region.STRUCK),
    **dict.fromkeys(("article", "main"), Region.PRODUCT),
    "a": Region.LINK,
    "header": Region.ELSEWHERE | Region.HEADER,
}
# elements that hold a line of text: no part of a page's frame, though style sheets call large texts "header"
_INLINE = frozenset("a b big del em font i ins label p s small span strong sub sup u h1 h2 h3 h4 h5 h6".split())
_HIDDEN_CLASSES = region_words("hidden_classes")
_SHOWN_AT_SIZE = re.compile(
    r"[:-](?:block|flex|grid|inline|inline-block|inline-flex|table|table-cell|contents|visible)$"
)  # "hidden md:flex"
_NO_REGION = 0
_IMAGE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif|bmp)(?:[?#].*)?$", re.IGNORECASE)


def names_of(element: Element) -> str:
    """The class and id of an element: what its author calls it."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def is_hidden(element: Element) -> bool:
    """Whether the element is written not to be shown: a template for scripts, not content."""
    style = element.get("style")
    return element.tag == "template" or bool(style and re.search(r"display\s*:\s*none", style, re.IGNORECASE))


def _same_page(href: str, page: Page) -> bool:
    own = without_fragment(page.url)
    end = href.partition("#")[0][-6:]
    if end.isalnum() and end.isascii() and not own.endswith(end):  # joining them takes 20 times as long
        return False
    return without_fragment(page.absolute(href)) == own


def leads_elsewhere(anchor: Element, page: Page) -> bool:
    """Whether the link shows another page of the site: no fragment, no script, no enlarged picture, not this page."""
    href = anchor.get("href")
    if not href:
        return False
    known: dict[str, bool] = page.memo.setdefault("links that lead elsewhere", {})
    if href not in known:
        known[href] = _is_address_of_another(href.strip(), page)
    return known[href]


def _is_address_of_another(href: str, page: Page) -> bool:
    if (
        not href
        or (href[0] == "#" and not is_route(href))
        or (":" in href[:11] and not href.lower().startswith(("http:", "https:")))
    ):
        return False
    return not _IMAGE.search(href) and not _same_page(href, page)


def _has_digit(text: str | None) -> bool:
    return text is not None and DIGIT.search(text) is not None


@lru_cache(maxsize=20_000)  # the menus of a shop are the same on all pages
def _is_amount(text: str) -> bool:
    return 1 < len(text) <= MAX_PHRASE and bool(_WORTH.search(text) and amount_pattern().search(text))


def _shown_amount(element: Element, text: str, tail: str) -> Element | None:
    """The element that shows an amount of money, if its `text` is one or a part of one.

    The number and its currency may each have an element of their own.
    """
    if _is_amount(text):
        return element
    whole = element.getparent()
    if _is_amount(tail.strip()):
        return whole
    is_number = _BARE_NUMBER.match(text) or _BARE_NUMBER.match(tail)
    is_small = is_number and whole is not None and len(whole) <= MAX_PIECES
    return whole if is_small and _is_amount(single_spaced(whole.text_content())) else None


def _is_made_alike(one: Element, other: Element) -> bool:
    """Whether two elements have a class in common, or none at all."""
    classes, others = ((element.get("class") or "").split() for element in (one, other))
    return one.tag == other.tag and (classes == others or not set(classes).isdisjoint(others))


class Text(NamedTuple):
    """A text node: its place in the document's order, its words, the element whose text (or whose child's tail) it is."""

    order: int
    text: str
    element: Element


_SHARED = (
    *("body", "rows", "item_names", "_by_tag", "texts", "prices", "_beside_prices"),
    *("crumbs", "picture_names", "_pictured_links", "_cart_controls", "cart_texts"),
)  # what a view does not see from its title


class View:
    """The visible side of a page, seen from `anchor`, the element that shows the title (None where there is none)."""

    def __init__(self, page: Page, template: Lexicon, anchor: Element | None = None) -> None:
        self._page = ref(page)  # which keeps its views: a cycle would leave the tree to the garbage collector
        self.template = template
        self.anchor = anchor
        self._views: dict[Element | None, View] = {}  # by anchor
        self._regions: dict[Element, tuple[int, int]] = {}
        self._records: dict[Element, bool] = {}  # the same blocks stand around many prices
        self._pictured: dict[Element, bool] = {}
        self._linking: dict[Element, bool] = {}
        self._anchors = [anchor, *anchor.iterancestors()] if anchor is not None else []
        self._anchor_index = {element: i for i, element in enumerate(self._anchors)}

    def seen_from(self, anchor: Element | None) -> View:
        """The same page seen from its title: what does not depend on it is not looked for again."""
        if anchor not in self._views:
            seen = self._views[anchor] = View(self.page, self.template, anchor)
            seen.__dict__.update({name: self.__dict__[name] for name in _SHARED if name in self.__dict__})
        return self._views[anchor]

    @property
    def page(self) -> Page:
        """The page that is seen."""
        page = self._page()
        assert page is not None, "the page is gone"
        return page

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
        outline = self.page.outline
        order = 0
        for raw, element in islice(outline.texts, outline.body[1], None):
            if element.tag in _NOT_READ:  # first: scripts are long, and splitting them takes longer than all the rest
                continue
            words = raw.split()
            if words:
                yield Text(order, " ".join(words), element)
            elif not raw.strip(_BLANK):
                continue
            order += 1
            if order == MAX_TEXTS:
                return

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the body's elements in the order of the document."""
        outline = self.page.outline
        return outline.rows[outline.body[0] :]

    @cached_property
    def item_names(self) -> dict[Element, str]:
        """The elements of the body that microdata names, with their names."""
        return {name.getparent(): str(name) for name in _ITEM_NAMES(self.body)}

    @cached_property
    def _by_tag(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            if row[1] in found:
                found[row[1]].append(row)
            else:
                found[row[1]] = [row]
        return found

    def rows_by_tag(self, *tags: str) -> list[Row]:
        """The rows of the elements with one of these tags, tag by tag in the order of the document."""
        return [row for tag in tags for row in self._by_tag.get(tag, ())]

    def by_tag(self, *tags: str) -> list[Element]:
        """The elements with one of these tags, tag by tag in the order of the document."""
        return [row[0] for row in self.rows_by_tag(*tags)]

    def links_in(self, element: Element) -> list[Element]:
        """The parts of the element that lead to another page."""
        return [a for a in element.iter("a") if leads_elsewhere(a, self.page)]

    def is_linked(self, element: Element, links: Sequence[Element]) -> bool:
        """Whether the element is, stands in or mostly consists of one of its `links`: then it names that page."""
        if any(leads_elsewhere(a, self.page) for a in element.iterancestors("a")):
            return True
        size = len(element.text_content().strip()) if links else 0
        return any(2 * len(a.text_content().strip()) >= size for a in links)

    @cached_property
    def crumbs(self) -> frozenset[str]:
        """The keys of what the page's breadcrumbs say."""
        called = self.page.names_with(region_words("crumb_words"))
        steps = (step for row in self.page.rows_named(called) for step in islice(row[0].iter(), MAX_CRUMBS))
        said = (text for step in steps if isinstance(step.tag, str) for text in (step.text, step.tail))
        return frozenset(text_key(text) for text in said if text)

    @cached_property
    def prices(self) -> list[Element]:
        """The innermost elements that show an amount of money, in the order of the document."""
        return [element for element in self._prices() if element is not None]

    def _prices(self) -> Iterator[Element | None]:
        items = self.item_names.items()
        marked = {element for element, name in items if name == "price" and element.tag != "meta"}
        for element, tag, own, _, _, tail in self.rows:
            text = (tail if tag == "br" else own) or ""  # a line break stands for its own line
            if tag not in _NO_AMOUNTS and element in marked and len(text) <= MAX_PHRASE:
                yield element
            elif tag not in _NO_AMOUNTS and (_has_digit(text) or _has_digit(tail)):
                yield _shown_amount(element, text, tail or "")

    @cached_property
    def picture_names(self) -> frozenset[str]:
        """The keys of what the page's pictures are called."""
        said = {image.get("alt") or image.get("title") or "" for image in self.by_tag("img")}
        return frozenset(map(text_key, said))

    @cached_property
    def _pictured_links(self) -> frozenset[Element]:
        return frozenset(a for image in self.page.root.iter("img") for a in image.iterancestors("a"))

    def has_picture(self, link: Element) -> bool:
        """Whether the link shows a picture."""
        return link in self._pictured_links

    @cached_property
    def _beside_prices(self) -> frozenset[Element]:
        blocks = (islice(price.iterancestors(), BESIDE + 1) for price in self.prices)
        return frozenset(block for around in blocks for block in around if block is not self.body)

    def is_beside_price(self, element: Element) -> bool:
        """Whether a price stands in one of the blocks right around the element."""
        return any(block in self._beside_prices for block in islice(element.iterancestors(), BESIDE))

    def is_own(self, element: Element) -> bool:
        """Whether `element` belongs to the page's subject rather than to one record among others.

        A record links to the page of its product, by its picture, more than once, or as others of the same make beside it do; the block
        around a product's own price does not. What is itself a link to another page speaks of that page.
        """
        block = element
        if is_hidden(element) or self._is_link(element):
            return False
        for ancestor in element.iterancestors():
            if ancestor is self.body or ancestor in self._anchor_index:
                break
            if is_hidden(ancestor) or self._is_link(ancestor):
                return False
            block = ancestor
            if self._links_as_record(ancestor) or self._is_record(ancestor, element):
                return False
        return not self._is_repeated(block, element)

    def _is_link(self, element: Element) -> bool:
        """Whether a click on the element leads to another page; rows of a table may have the address as data."""
        return bool(element.get("data-href")) or (element.tag == "a" and leads_elsewhere(element, self.page))

    def _links_as_record(self, block: Element) -> bool:
        if block not in self._records:
            self._records[block] = self.links_by_picture(block) or self._links_twice(block)
        return self._records[block]

    def _links_twice(self, block: Element) -> bool:
        """Whether all that a block links to is one other page, more than once: by picture and name, by name and button."""
        first = None
        is_twice = False
        for anchor in block.iter("a"):
            if leads_elsewhere(anchor, self.page):
                target = without_fragment(self.page.absolute(anchor.get("href") or ""))
                if first not in (None, target):
                    return False
                is_twice, first = first is not None, target
        return is_twice

    def links_by_picture(self, block: Element) -> bool:
        """Whether a picture in the block leads to another page."""
        return any(self.has_picture(a) and leads_elsewhere(a, self.page) for a in block.iter("a"))

    def block_of_another(self, element: Element) -> Element | None:
        """The block around the element that shows another product, by a picture that leads to its page."""
        for block in (element, *element.iterancestors()) if self.anchor is not None else ():
            if self.holds_title(block):
                return None
            if self._is_pictured(block):
                return block
        return None

    def is_in_record(self, element: Element) -> bool:
        """Whether the element stands in the link to another product, or in its block beside those of others with their prices."""
        block = self.block_of_another(element)
        if block is None or block.tag == "a":
            return block is not None and bool(block.text_content().strip())  # a logo leads to the maker
        around = takewhile(lambda one: not self.holds_title(one), (block, *block.iterancestors()))
        return any(map(self._is_among_records, islice(around, NEAR)))

    def is_listed(self, element: Element) -> bool:
        """Whether the smallest block around the element that links to another page stands among others of its make with their prices."""
        around = takewhile(lambda one: not self.holds_title(one), (element, *element.iterancestors()))
        block = (
            next((one for one in islice(around, NEAR) if self._is_linking(one)), None)
            if self.anchor is not None
            else None
        )
        if block is None:
            return False
        beside = [*islice(block.itersiblings(), MIN_RECORDS), *islice(block.itersiblings(preceding=True), MIN_RECORDS)]
        alike = (b for b in beside if b in self._priced and _is_made_alike(b, block) and self._is_linking(b))
        return len(list(alike)) >= MIN_RECORDS

    def _is_linking(self, block: Element) -> bool:
        if block not in self._linking:
            self._linking[block] = isinstance(block.tag, str) and bool(self.links_in(block))
        return self._linking[block]

    def _is_among_records(self, block: Element) -> bool:
        """Whether blocks of the same make stand beside it that show other products with their prices."""
        beside = [*islice(block.itersiblings(), MIN_RECORDS), *islice(block.itersiblings(preceding=True), MIN_RECORDS)]
        alike = (b for b in beside if b in self._priced and self._is_pictured(b) and _is_made_alike(b, block))
        return len(list(alike)) >= MIN_RECORDS

    @cached_property
    def _priced(self) -> frozenset[Element]:
        """The blocks that hold a price."""
        return frozenset(block for price in self.prices for block in (price, *price.iterancestors()))

    def _is_pictured(self, block: Element) -> bool:
        if block not in self._pictured:
            self._pictured[block] = isinstance(block.tag, str) and self.links_by_picture(block)
        return self._pictured[block]

    def _is_record(self, block: Element, element: Element) -> bool:
        return self._is_repeated(block, element) and any(leads_elsewhere(a, self.page) for a in block.iter("a"))

    def _is_repeated(self, block: Element, element: Element) -> bool:
        """Blocks of the same make beside it that hold the same kind of element: a list whose records have no pictures."""
        parent, name = block.getparent(), block.get("class")
        if parent is None or block is element or not name:
            return False
        make = names_of(element)
        twins = (c for c in parent.iterchildren(block.tag) if c.get("class") == name and c is not block)
        alike = (twin for twin in twins if make in map(names_of, twin.iter(element.tag)))
        return len([*islice(alike, MIN_RECORDS)]) == MIN_RECORDS

    def nearness_to_cart(self, element: Element) -> float:
        """1 where the element stands right beside the button that sells, less by each level between them, 0 far away or without one."""
        index = self._first_cart
        climbed = 0
        while index and element is not None and climbed <= 6:
            if element in index:
                return max(0.0, 1 - (climbed + index[element]) / 12)
            element = element.getparent()
            climbed += 1
        return 0.0

    @cached_property
    def _first_cart(self) -> dict[Element, int]:
        buttons = self._cart_buttons
        return {e: i for i, e in enumerate([buttons[0], *buttons[0].iterancestors()])} if buttons else {}

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

    def region_features(self, element: Element) -> dict[str, float]:
        """The kinds of blocks around `element` as features, each 1."""
        region = self.region(element)
        return {name: 1.0 for name, flag in _REGION_FEATURES.items() if region & flag}

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
        return min(self._cart_buttons, key=self.distance, default=None)

    def says_cart(self, text: str) -> bool:
        """Whether a text is what a button says that puts a product into the cart."""
        return says_cart(text, self.template)

    @cached_property
    def _cart_buttons(self) -> list[Element]:
        """What puts this product into the cart, of the surest kind that there is: buttons, links drawn as such, else texts that say so."""
        # its own name, such as add-to-basket, is that of boxes elsewhere as well
        own = [
            control
            for control in self._cart_controls
            if not self.region(control.getparent()) & Region.ELSEWHERE and not self.is_in_record(control)
        ]
        surest = min((_CONTROLS.get(control.tag, _TEXT) for control in own), default=_TEXT)
        return [control for control in own if _CONTROLS.get(control.tag, _TEXT) == surest]

    @cached_property
    def _cart_controls(self) -> dict[Element, None]:
        found = (row[0] for row in self.rows if _is_cart_button(row, self.template))
        return dict.fromkeys([*found, *self.cart_texts])

    @cached_property
    def cart_texts(self) -> list[Element]:
        """Elements that say what such a button says, and nothing else: a script makes buttons of them."""
        short = (row for row in self.rows if row[2] and len(row[2]) <= MAX_PHRASE and row[1] not in _NOT_READ)
        return [row[0] for row in short if is_cart_phrase(row[2] or "", self.template)]

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
        own = self._own(element, region)
        if element in self._anchor_index:  # whatever its class says: the block that holds the title is the product's
            return (region | own) & ~(Region.ELSEWHERE | Region.HIDDEN | Region.REVIEW), self._anchor_index[element]
        return region | own, distance

    def _own(self, element: Element, around: int) -> int:
        """What an element's own tag, names and style say; `around` is the region it stands in."""
        region = self._named(element, _TAG_REGIONS.get(element.tag, _NO_REGION))
        if region & Region.HEADER and region & Region.ELSEWHERE and _is_content_header(element, around):
            region &= ~Region.ELSEWHERE
        if element is self.body:
            region &= ~(Region.PRODUCT | Region.LIST)  # names of the kind of page, which say nothing of a part of it
        style = element.get("style")
        hidden = _NO_REGION if element.get("hidden") is None else Region.HIDDEN
        return region | hidden | (_style_region(style) if style else _NO_REGION)

    def _named(self, element: Element, region: int) -> int:
        """The region of an element's tag, with what its names add to it or take from it."""
        css_class, name = element.get("class"), element.get("id")
        if not css_class and not name:
            return region
        named = _named_region(f"{css_class or ''} {name or ''}", self.template)
        if named & Region.FRAME and element.tag not in _INLINE:
            named |= Region.ELSEWHERE
        return (region & ~Region.ELSEWHERE if named & Region.OWN else region) | named


def _is_content_header(element: Element, around: int) -> bool:
    """Whether a header is the product's own: it stands in the product's block, or holds the page's content."""
    return bool(around & Region.PRODUCT) or next(element.iter("main", "article"), None) is not None


def _is_cart_button(row: Row, template: Lexicon) -> bool:
    control, tag, _, css_class, own_id, _ = row
    read = control.get
    if tag not in _CONTROLS or (tag == "input" and read("type") not in ("submit", "button", "image")):
        return False
    names = " ".join(filter(None, (css_class, own_id, read("name"))))
    if tag == "a" and not is_button_name(names):
        return False
    said = read("value") or read("title") or read("aria-label") or ""
    return is_cart_button_name(names) or says_cart(f"{said} {' '.join(control.itertext())}"[:120], template)


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
    kinds = (flag for kind, flag in _REGION_WORDS.items() if not words.isdisjoint(template.regions[kind]))
    region = reduce(or_, kinds, _NO_REGION)
    if region & Region.ELSEWHERE and all(_is_acting(name, template) for name in names.split()):
        region &= ~Region.ELSEWHERE
    if any(_is_frame(name, template) for name in names.split()):
        region |= Region.HEADER if "header" in words and not region & Region.ELSEWHERE else _NO_REGION
        region |= Region.FRAME
    if not template.struck_words.isdisjoint(naming_words(names)):
        region = (region | Region.NAMED_STRUCK) & ~(Region.ELSEWHERE | Region.FRAME)  # "compare-price": its own
    return region | _hidden_region(names.lower().split())


def _hidden_region(classes: Sequence[str]) -> int:
    is_hidden_somewhere = not _HIDDEN_CLASSES.isdisjoint(classes)
    return Region.HIDDEN if is_hidden_somewhere and not any(map(_SHOWN_AT_SIZE.search, classes)) else _NO_REGION
