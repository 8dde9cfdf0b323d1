"""Is this page one product's own? The evidence for and against it; page_type() in walk.py adds what else a page can be.

Decided by evidence, not by words in the URL: what the page says of itself (JSON-LD, microdata, Open Graph, the class that the shop's
software gives to <body>), and whether a price or a buy button stands beside the title rather than inside one of many records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, takewhile
from urllib.parse import urldefrag, urlsplit
from weakref import ref

from lxml.html import HtmlElement

from scout.extraction.buying import is_button_name, is_cart_address, is_product_button
from scout.extraction.lexicon import lexicon
from scout.extraction.single_product_data import lone_product_claims
from scout.page import Page
from scout.values import parse_availability
from scout.values.currency import amount_pattern
from scout.values.text import single_spaced
from scout.values.walk_words import name_words, walk_words

# How far each piece of evidence speaks for one product; one strong or two weak ones are needed.
WEIGHTS: Mapping[str, float] = {
    "markup": 3.0,
    "open_graph": 3.0,
    "body": 3.0,
    "data": 3.0,
    "body_plural": -3.0,
    "markup_many": -2.0,
    "buy": 2.0,
    "price": 2.0,
    "title": 0.5,
}
DETAIL_SCORE = 3.0
MIN_RECORDS = 2  # a list shows more than one thing
MAX_LOOKED_AT = 40  # evidence elements: a list of a thousand prices need not be read to the end
MIN_NAME = 4  # characters: what is shorter may stand anywhere
MAX_PIECES = 6  # elements of which one amount is made
MAX_LABEL = 40  # characters: what a button says is short
MAX_NAME = 400  # characters: what is longer is a text
NAMED = 4.0  # lexicon score from which an element is called a title
BESIDE = 2  # levels above a name in which its price stands

_MEMO = "product page evidence"
_PRODUCT_LD = re.compile(
    r'"@type"\s*:\s*(?:\[\s*)?"(?:https?://schema\.org/)?(Product|ProductGroup|IndividualProduct|ProductModel|Book|Vehicle|Car)"'
)
_LIST_LD = re.compile(r'"@type"\s*:\s*(?:\[\s*)?"(?:ItemList|CollectionPage|SearchResultsPage|OfferCatalog)"')
_BARE_NUMBER = re.compile(r"^[\s\xa0]*\d[\d.,'\s\xa0]*$")
_WORTH = re.compile(r"[1-9]")  # the total of an empty cart is no price
_IMAGE = re.compile(r"\.(?:jpe?g|png|gif|webp|svg|avif|bmp)(?:[?#].*)?$", re.IGNORECASE)
_BETWEEN = re.compile(r"\s+[|\-–—:»·•/]\s+")  # what parts the name of a page from that of its shop
_PRODUCT_KINDS = frozenset("product product.item og:product og:product.item book books.book".split())  # of Open Graph
_HEADINGS = ("h1", "h2", "h3", "h4")
_BOLD = ("b", "strong", "font", "big", "span", "td", "div", "p")  # what stands in their place


def names_of(element: HtmlElement) -> str:
    """The class and id of an element: what its author calls it."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def is_hidden(element: HtmlElement) -> bool:
    """Whether the element is written not to be shown: a template for scripts, not content."""
    style = element.get("style")
    return element.tag == "template" or bool(style and re.search(r"display\s*:\s*none", style, re.IGNORECASE))


def _same_page(href: str, page: Page) -> bool:
    return urldefrag(page.absolute(href))[0] == urldefrag(page.url)[0]


def leads_elsewhere(anchor: HtmlElement, page: Page) -> bool:
    """Whether the link shows another page of the site: no fragment, no script, no enlarged picture, not this page."""
    href = (anchor.get("href") or "").strip()
    if not href or href[0] == "#" or (":" in href[:11] and not href.lower().startswith(("http:", "https:"))):
        return False
    return not _IMAGE.search(href) and not _same_page(href, page)


_DIGITS = re.compile(r"\d+")
_TOO_LONG = 60  # characters: what is longer is generated


def template_names(page: Page) -> frozenset[str]:
    """The classes and ids in the page, digits aside."""
    return frozenset().union(*map(_words, page.names))


@lru_cache(maxsize=20_000)  # a shop's pages share most of them
def _words(value: str) -> frozenset[str]:
    return frozenset(_DIGITS.sub("", word) for word in value.split() if len(word) < _TOO_LONG)


@dataclass(frozen=True)
class PageEvidence:
    """What was found on a page that says which type it is; `score` sums the weights."""

    found: frozenset[str]

    @property
    def score(self) -> float:
        """The weights of what was found, summed."""
        return sum(WEIGHTS[name] for name in self.found)


class ProductPageEvidence:
    """Reads one page for evidence; each property is one question. `of(page)` asks each of them once, for all who want to know."""

    def __init__(self, page: Page) -> None:
        self._page = ref(page)  # which holds its evidence: a cycle would leave the tree to the garbage collector
        self.root = page.root
        self._records: dict[HtmlElement, bool] = {}  # the same blocks stand around many prices

    @classmethod
    def of(cls, page: Page) -> ProductPageEvidence:
        """The evidence of this page, kept with it."""
        found: ProductPageEvidence = page.memo.get(_MEMO) or page.memo.setdefault(_MEMO, cls(page))
        return found

    @property
    def page(self) -> Page:
        page = self._page()
        assert page is not None, "the page is gone"
        return page

    @cached_property
    def body(self) -> HtmlElement:
        body = self.root.find(".//body")
        return self.root if body is None else body

    @cached_property
    def names(self) -> frozenset[str]:
        """The classes and ids in the page: what its template writes."""
        return template_names(self.page)

    @cached_property
    def document_title(self) -> str:
        return single_spaced(self.root.findtext(".//title")).casefold()

    @cached_property
    def title(self) -> HtmlElement | None:
        """What names the page's subject: its heading, and where there is none at all, a text in its place."""
        found = self._title_without_heading() if self._heading is None else self._heading
        return self.name_beside_price if found is None else found

    @cached_property
    def _heading(self) -> HtmlElement | None:
        """An <h1> of which <title> speaks, else the first such heading, else the first <h1>."""
        first = None
        for heading in (h for tag in _HEADINGS for h in self.body.iter(tag)):
            text = single_spaced(heading.text_content())
            is_named = self._is_in_document_title(text)
            may_be_first = first is None and heading.tag == "h1" and text
            if not (is_named or may_be_first) or self._is_linked(heading):
                continue
            if is_named:
                return heading
            first = heading
        return first

    def _title_without_heading(self) -> HtmlElement | None:
        """Old shops have no headings: the first text that is the longest part of <title>; a shorter part may be the shop's name."""
        name = max(_BETWEEN.split(self.document_title), key=len)
        if len(name) < MIN_NAME:
            return None
        elements = (element for element in self.body.iter(*_BOLD) if element.text)
        return next((e for e in elements if single_spaced(e.text).casefold() == name and not self._is_linked(e)), None)

    @cached_property
    def name_beside_price(self) -> HtmlElement | None:
        """The one element with a price beside it that is called a name or title, where neither <title> nor a heading tells the name.

        Pages that scripts write often have one <title> for all. Where several are called so there is none: these are records.
        """
        scored = ((e, _name_score(e)) for e in self.body.iter(*_BOLD, *_HEADINGS) if e.get("class") or e.get("id"))
        named = [(e, score) for e, score in scored if score >= NAMED and self._may_be_name(e)]
        best = max((score for _, score in named), default=0.0)
        likeliest = [e for e, score in named if score == best]
        return likeliest[0] if len(likeliest) == 1 else None

    def _may_be_name(self, element: HtmlElement) -> bool:
        text = single_spaced(element.text_content())
        if not MIN_NAME <= len(text) <= MAX_NAME or amount_pattern().search(text) or self._is_linked(element):
            return False
        around = [e for e in islice(element.iterancestors(), BESIDE) if e is not self.body]
        return any(next(prices(block), None) is not None for block in around)

    def _is_in_document_title(self, text: str) -> bool:
        return len(text.casefold()) > 2 and text.casefold()[:60] in self.document_title

    def _is_linked(self, heading: HtmlElement) -> bool:
        """A heading that is a link names another page."""
        anchors = [*heading.iter("a"), *heading.iterancestors("a")]
        return any(leads_elsewhere(a, self.page) for a in anchors)

    @cached_property
    def _above_title(self) -> frozenset[HtmlElement]:
        return frozenset() if self.title is None else frozenset(self.title.iterancestors())

    def is_own(self, element: HtmlElement) -> bool:
        """Whether `element` belongs to the page's subject rather than to one record among others.

        A record links to the page of its product, by its picture, more than once, or as others of the same make beside it do; the block
        around a product's own price does not. What is itself a link to another page speaks of that page.
        """
        block = element
        if is_hidden(element) or self._is_link(element):
            return False
        for ancestor in element.iterancestors():
            if ancestor is self.body or ancestor in self._above_title:
                break
            if is_hidden(ancestor) or self._is_link(ancestor):
                return False
            block = ancestor
            if self._links_as_record(ancestor) or self._is_record(ancestor, element):
                return False
        return not self._is_repeated(block, element)

    def _is_link(self, element: HtmlElement) -> bool:
        return element.tag == "a" and leads_elsewhere(element, self.page)

    def _links_as_record(self, block: HtmlElement) -> bool:
        if block not in self._records:
            self._records[block] = self._links_by_picture(block) or self._links_twice(block)
        return self._records[block]

    def _links_twice(self, block: HtmlElement) -> bool:
        """Whether all that a block links to is one other page, more than once: by picture and name, by name and button."""
        first = None
        is_twice = False
        for anchor in block.iter("a"):
            if leads_elsewhere(anchor, self.page):
                target = urldefrag(self.page.absolute(anchor.get("href") or ""))[0]
                if first not in (None, target):
                    return False
                is_twice, first = first is not None, target
        return is_twice

    def _links_by_picture(self, block: HtmlElement) -> bool:
        return any(leads_elsewhere(a, self.page) for a in block.iter("a") if a.find(".//img") is not None)

    def _is_record(self, block: HtmlElement, element: HtmlElement) -> bool:
        return self._is_repeated(block, element) and any(leads_elsewhere(a, self.page) for a in block.iter("a"))

    def _is_repeated(self, block: HtmlElement, element: HtmlElement) -> bool:
        """Blocks of the same make beside it that hold the same kind of element: a list whose records have no pictures."""
        parent = block.getparent()
        if parent is None or block is element or not block.get("class"):
            return False
        twins = (c for c in parent if c.tag == block.tag and c.get("class") == block.get("class") and c is not block)
        alike = (1 for twin in twins if any(names_of(e) == names_of(element) for e in twin.iter(element.tag)))
        return len([*islice(alike, MIN_RECORDS)]) == MIN_RECORDS

    # --- what the page says of itself ---------------------------------------------------------------------------------
    def markup(self) -> Iterator[str]:
        """JSON-LD or microdata of exactly one product."""
        scripts = [s.text or "" for s in self.root.iter("script") if "ld+json" in (s.get("type") or "")]
        products = sum(len(_PRODUCT_LD.findall(text)) for text in scripts)
        lists = any(_LIST_LD.search(text) for text in scripts)
        if products and not lists:
            yield "markup"
            return
        items = self.root.xpath("//*[@itemscope][contains(@itemtype, 'schema.org/Product')]")
        own = [item for item in items[:MAX_LOOKED_AT] if self._is_own_item(item)]
        if own:
            yield "markup"
        elif len(items) > 1:
            yield "markup_many"

    def _is_own_item(self, item: HtmlElement) -> bool:
        if item is self.body or item in self._above_title or item.tag == "html":
            return True
        return not self._names_by_link(item) and not self._links_by_picture(item) and self.is_own(item)

    def _names_by_link(self, item: HtmlElement) -> bool:
        naming = item.xpath(".//a[@itemprop='url' or .//*[@itemprop='name'] or ancestor::*[@itemprop='name']]")
        return any(leads_elsewhere(a, self.page) for a in naming)

    def open_graph(self) -> Iterator[str]:
        """og:type says product."""
        kinds = self.root.xpath("//meta[@property='og:type']/@content")
        if any(kind.strip().lower() in _PRODUCT_KINDS for kind in kinds):
            yield "open_graph"

    def body_names(self) -> Iterator[str]:
        """The shop's software names the kind of page in the class or id of <body>."""
        said = {kind for name in names_of(self.body).split() if (kind := _body_kind(name))}
        if len(said) == 1:  # some software gives its lists and its products one name, and tells them apart by another
            yield from said

    def data(self) -> Iterator[str]:
        """No heading, but data of exactly one product: a frame that the browser fills, or the answer of an API."""
        if self._heading is None and lone_product_claims(self.page, lexicon()):
            yield "data"

    # --- what stands beside the title ---------------------------------------------------------------------------------
    def buy_box(self) -> Iterator[str]:
        """A button or form that buys the page's own subject."""
        if self._own_button is not None:
            yield "buy"

    @cached_property
    def _own_button(self) -> HtmlElement | None:
        return next(filter(self.is_own, islice(self._buyers(), MAX_LOOKED_AT)), None)

    def _buyers(self) -> Iterator[HtmlElement]:
        return filter(_buys, self.body.iter("button", "input", "a", "form"))

    def price(self) -> Iterator[str]:
        """A price of the page's own subject."""
        if self.title is not None and self._own_price is not None:
            yield "price"

    @cached_property
    def _own_price(self) -> HtmlElement | None:
        return next(filter(self.is_own, islice(prices(self.body), MAX_LOOKED_AT)), None)

    def headline(self) -> Iterator[str]:
        """The title of the document is the first heading of the page."""
        title = self.title
        text = single_spaced(title.text_content()) if title is not None and title.tag == "h1" else ""
        if self._is_in_document_title(text):
            yield "title"

    def evidence(self) -> PageEvidence:
        """All questions asked; once."""
        return self._evidence

    @cached_property
    def _evidence(self) -> PageEvidence:
        asked = (self.markup, self.open_graph, self.body_names, self.data, self.buy_box, self.price, self.headline)
        found = frozenset(name for ask in asked for name in ask())
        if {"body_plural", "buy", "price"} <= found and self._sells_its_subject():
            found -= {"body_plural"}  # a template that gives its products the name of its lists
        return PageEvidence(found)

    def _sells_its_subject(self) -> bool:
        """Whether no link to another page stands before the button that buys, in the block that holds the price too.

        The only record of a list links to its product there.
        """
        price, button = self._own_price, self._own_button
        if price is None or button is None:
            return False
        above = frozenset((price, *price.iterancestors()))
        block = next(e for e in (button, *button.iterancestors()) if e in above)
        before = takewhile(lambda element: element is not button, block.iter())
        return not any(element.tag == "a" and leads_elsewhere(element, self.page) for element in before)


def _name_score(element: HtmlElement) -> float:
    return max(lexicon().word_score("title", element.get(name) or "") for name in ("class", "id"))


def _body_kind(name: str) -> str | None:
    found = name_words(name)
    if not found & walk_words("product_words"):
        return "body_plural" if name in ("archive", "category", "search", "blog") else None
    if found & walk_words("plural_words"):
        return "body_plural"
    return "body" if found & walk_words("single_words") or found == {"product"} else None


def _buys(element: HtmlElement) -> bool:
    if element.tag == "form":
        action = element.get("action") or ""
        return is_cart_address(action) and "add" in name_words(f"{action} {names_of(element)}")
    label = single_spaced(element.get("value") if element.tag == "input" else element.text_content())
    if 0 < len(label) <= MAX_LABEL:
        is_gone = _is_button(element) and parse_availability(label) == "OutOfStock"
        if is_gone or is_product_button(label):
            return True
    return {"add", "cart"} <= name_words(f"{names_of(element)} {element.get('name') or ''}")


def _is_button(element: HtmlElement) -> bool:
    return element.tag != "a" or is_button_name(names_of(element))


def _is_amount(text: str) -> bool:
    return len(text) <= MAX_LABEL and bool(_WORTH.search(text) and amount_pattern().search(text))


def prices(block: HtmlElement) -> Iterator[HtmlElement]:
    """The innermost elements whose short text is an amount of money, or which are marked as one; a line break, for its own line.

    The number and its currency may each have an element of their own.
    """
    for element in block.iter():
        if not isinstance(element.tag, str) or element.tag in ("script", "style", "option", "noscript"):
            continue
        text = (element.tail if element.tag == "br" else element.text) or ""
        if _is_amount(text) or (
            element.get("itemprop") == "price" and element.tag != "meta" and len(text) <= MAX_LABEL
        ):
            yield element
        elif _BARE_NUMBER.match(text) or (element.tail and _BARE_NUMBER.match(element.tail)):
            whole = element.getparent()
            if whole is not None and len(whole) <= MAX_PIECES and _is_amount(single_spaced(whole.text_content())):
                yield whole


def evidence(page: Page) -> PageEvidence:
    """What speaks for and against `page` being one product's own page."""
    return ProductPageEvidence.of(page).evidence()


def is_detail(page: Page, hint: float = 0.0) -> bool:
    """Whether `page` is one product's own page. `hint` is evidence from elsewhere, such as the record of a list that led here."""
    return evidence(page).score + hint >= DETAIL_SCORE


def is_home(page: Page) -> bool:
    """Whether the page's address is the root of a site (or of one language of it)."""
    return is_home_address(page.url)


def is_home_address(url: str) -> bool:
    """Whether the address is the root of a site (or of one language of it)."""
    parts = urlsplit(url)
    return not parts.query and bool(
        re.fullmatch(r"/?(?:[a-z]{2}(?:[-_][a-z]{2})?/?)?(?:(?:index|home|default)\.\w+)?", parts.path, re.IGNORECASE)
    )
