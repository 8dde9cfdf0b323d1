"""Is this page one product's own? The evidence for and against it; page_type() in walk.py adds what else a page can be.

Decided by evidence, not by words in the URL: what the page says of itself (JSON-LD, microdata, Open Graph, the class that the shop's
software gives to <body>), what stands beside its heading (a price, a button that sells, a picture of the same name, labels such as
"SKU"), and what a list has: records that lead elsewhere, and pagers. The features are weighed by the section `page` of
scout/data/weights.yaml; a score is in log-odds, so 0 is as likely as not and +3 means that twenty such pages are products for one that
is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice, takewhile
from math import log10
from weakref import ref

from lxml.html import HtmlElement

from scout.extraction.buying import is_button_name, is_cart_address, is_product_button
from scout.extraction.lexicon import MAX_PHRASE, label_key, lexicon
from scout.extraction.markup import name_similarity
from scout.extraction.reading import PageReading
from scout.extraction.shown_amounts import says_other_role
from scout.extraction.titles import seen_text
from scout.extraction.view import NEAR, leads_elsewhere, names_of
from scout.extraction.weights import Features, belief, bias, contributions
from scout.page import Page, Row, collector_paused
from scout.url_rules import is_forbidden
from scout.values import parse_availability
from scout.values.regions import region_words
from scout.values.routes import split_url
from scout.values.text import single_spaced
from scout.values.walk_words import name_words, walk_words

DETAIL_SCORE = 0.0  # as likely a product as not
MAX_LOOKED_AT = 40  # evidence elements: a list of a thousand prices need not be read to the end

_MEMO = "product page evidence"
_LD_TYPE = re.compile(r'"@type"\s*:\s*(?:\[\s*)?"(?:https?://schema\.org/)?(\w+)"')
_LD_PRODUCTS = frozenset("Product ProductGroup IndividualProduct ProductModel Book Vehicle Car".split())
_LD_LISTS = frozenset("ItemList CollectionPage SearchResultsPage OfferCatalog".split())
_LD_ARTICLES = frozenset("Article BlogPosting NewsArticle Blog FAQPage AboutPage ContactPage HowTo Recipe".split())
_PRODUCT_KINDS = frozenset("product product.item og:product og:product.item book books.book".split())  # of Open Graph
_ARTICLE_KINDS = frozenset("article blog".split())


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
    """The features of a page that say whether it is one product's own; `score` is what they make of it, in log-odds."""

    features: Features

    @cached_property
    def score(self) -> float:
        """Log-odds that the page is a product's own."""
        return belief("page", self.features) + bias("page")

    def reasons(self) -> dict[str, float]:
        """What each feature adds to the score, the strongest first."""
        return contributions("page", self.features)


class ProductPageEvidence:
    """What speaks for and against a page being one product's own. `of(page)` reads it once, for all who want to know."""

    def __init__(self, page: Page) -> None:
        self._page = ref(page)  # which holds its evidence: a cycle would leave the tree to the garbage collector

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
    def names(self) -> frozenset[str]:
        """The classes and ids in the page: what its template writes."""
        return template_names(self.page)

    @cached_property
    def _read(self) -> tuple[HtmlElement | None, PageEvidence]:
        with collector_paused():
            reader = _EvidenceReader(self.page)
            return reader.title, reader.evidence()

    @property
    def title(self) -> HtmlElement | None:
        """The element that names the page's subject."""
        return self._read[0] if self.page.known_title is None else self.page.known_title

    def evidence(self) -> PageEvidence:
        """The features of the page and their score."""
        return self._read[1]


class _EvidenceReader:
    """Reads one page for evidence; each method is one question."""

    def __init__(self, page: Page) -> None:
        self.page, self.root = page, page.root
        self.reading = PageReading.of(page, lexicon())
        self.view, self._title_election = self.reading.view, self.reading.title

    @cached_property
    def title(self) -> HtmlElement | None:
        """The element that names the page's subject."""
        best = self._title_election.best
        return None if best is None or best.shown is None else best.shown.element

    def evidence(self) -> PageEvidence:
        """All questions asked."""
        asked = (
            self.markup,
            self.head,
            self.body_names,
            self.data,
            self.buy_box,
            self.heading,
            self.lists,
            self.words,
            self.address,
        )
        found = {name: float(value) for ask in asked for name, value in ask() if value}
        return PageEvidence(found if found.keys() & _OFFER_SIGNS else {**found, "no_offer": 1.0})

    # --- what the page says of itself ---------------------------------------------------------------------------------
    def markup(self) -> Iterator[tuple[str, float]]:
        """JSON-LD or microdata of one product, of several, of a list or an article; whether one is named like the page."""
        best, about = self._title_election.best, self.reading.markup.subjects
        names = [name for name in (self.reading.head.title, best.text if best else "") if name]
        yield "markup_named", max((name_similarity(thing, names) for thing in about), default=0.0)
        types = [kind for text in self._linked_data for kind in _LD_TYPE.findall(text)]
        products = sum(kind in _LD_PRODUCTS for kind in types)
        is_list = not _LD_LISTS.isdisjoint(types)
        yield "article_data", not _LD_ARTICLES.isdisjoint(types)
        yield "list_data", is_list
        if products and not is_list:
            yield "markup", True
            yield "markup_many", products > MANY_PRODUCTS
        else:
            items = self._marked_products
            has_own = any(map(self._is_own_item, items[:MAX_LOOKED_AT]))
            yield "markup", has_own
            yield "markup_many", not has_own and len(items) > 1

    @property
    def _linked_data(self) -> Iterator[str]:
        return (text for script, text in self.page.scripts if "ld+json" in (script.get("type") or ""))

    @property
    def _marked_products(self) -> list[HtmlElement]:
        if "itemscope" not in self.page.html:
            return []
        found: list[HtmlElement] = self.root.xpath("//*[@itemscope][contains(@itemtype, 'schema.org/Product')]")
        return found

    def _is_own_item(self, item: HtmlElement) -> bool:
        if item is self.view.body or self.view.holds_title(item) or item.tag == "html":
            return True
        return not self._names_by_link(item) and not self.view.links_by_picture(item) and self.view.is_own(item)

    def _names_by_link(self, item: HtmlElement) -> bool:
        naming = item.xpath(".//a[@itemprop='url' or .//*[@itemprop='name'] or ancestor::*[@itemprop='name']]")
        return any(leads_elsewhere(a, self.page) for a in naming)

    def head(self) -> Iterator[tuple[str, float]]:
        """What og:type and other meta elements say."""
        metas = {name: content.lower() for name, content, _ in self._title_election.head.metas}
        kind = metas.get("og:type", "")
        yield "open_graph", kind in _PRODUCT_KINDS
        yield "open_graph_list", kind == "product.group"
        yield "article_meta", kind in _ARTICLE_KINDS or "article:published_time" in metas
        yield "price_meta", bool(metas.keys() & {"product:price:amount", "og:price:amount"})

    def body_names(self) -> Iterator[tuple[str, float]]:
        """The shop's software names the kind of page in the class or id of <body>."""
        said = {kind for name in names_of(self.view.body).split() if (kind := _body_kind(name))}
        if len(said) == 1:  # some software gives its lists and its products one name, and tells them apart by another
            kind = said.pop()
            yield kind, not (kind == "body_plural" and self._sells_its_subject())

    def data(self) -> Iterator[tuple[str, float]]:
        """No heading, but data of exactly one product: a frame that the browser fills, or the answer of an API."""
        yield "data", bool(self.reading.lone_product)

    # --- what stands beside the title ---------------------------------------------------------------------------------
    def buy_box(self) -> Iterator[tuple[str, float]]:
        """A button or form that buys the page's own subject, its price, a field for the quantity."""
        button, price = self._own_button, self._own_price
        yield "buy", button is not None
        yield "price", price is not None and self.title is not None
        yield "price_and_buy", price is not None and button is not None
        yield "price_alike", 0.0 if price is None else self._twins_of(price)
        yield "price_near", 0.0 if price is None or self.title is None else 0.85 ** self.view.distance(price)
        yield "sells", self._sells_its_subject()
        fields = self.view.by_tag("input", "select")
        yield "quantity", any(name_words(f"{e.get('name') or ''} {names_of(e)}") & _QUANTITY for e in fields)
        yield "password", any(e.get("type") == "password" for e in fields)

    @cached_property
    def _buyers(self) -> list[HtmlElement]:
        rows = self.view.rows_by_tag("button", "input", "a", "form")
        return [*(row[0] for row in rows if _buys(row)), *self.view.cart_texts]

    @cached_property
    def _own_button(self) -> HtmlElement | None:
        return next(filter(self.view.is_own, self._buyers[:MAX_LOOKED_AT]), None)

    @cached_property
    def _own_price(self) -> HtmlElement | None:
        """The amount nearest to the title that is neither another product's nor shipping, a saving or a rate."""
        amounts = (e for e in islice(self.view.prices, MAX_LOOKED_AT) if not says_other_role(seen_text(e)))
        own = (e for e in amounts if self.view.is_own(e) and not self.view.is_listed(e))
        return min(own, key=self.view.distance, default=None)

    def _twins_of(self, price: HtmlElement) -> float:
        """How many other prices are written like this one: those of a list's records are, a product's own stands out."""
        make = price.tag, names_of(price)
        return _many(sum((other.tag, names_of(other)) == make for other in self.view.prices) - 1)

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

    def heading(self) -> Iterator[tuple[str, float]]:
        """How the page names its subject: confirmed by the <title>, the address, a picture, the end of the breadcrumb."""
        election = self._title_election
        features = next((f for name, f in election.candidates if name is election.best), None)
        if features is None or self.title is None:
            yield "no_heading", True
            return
        yield "title", "h1" in features and "in_title" in features
        for name in ("pictured", "slug_covered", "address_has_all", "near_cart", "beside_price"):
            yield f"title_{name}", features.get(name, 0.0)
        yield "title_words", min(1.0, len(election.best.text.split()) / 8) if election.best else 0.0

    # --- what lists and articles have ---------------------------------------------------------------------------------
    def lists(self) -> Iterator[tuple[str, float]]:
        """Buttons and pictured links of other products; a pager."""
        pictured = {
            a.get("href") for a in self.view.by_tag("a") if self.view.has_picture(a) and leads_elsewhere(a, self.page)
        }
        yield "pictured_links", _many(len(pictured))
        yield "links", _many(len(self.view.by_tag("a")) / 10)
        yield "cart_buttons", _many(sum(1 for b in self._buyers if b.tag in ("button", "input")))
        words = self.page.name_words
        yield "pager", not words.isdisjoint(region_words("pager_words"))
        yield "sorting", not words.isdisjoint(region_words("sort_words"))
        yield "facets", not words.isdisjoint(region_words("facet_words"))

    def words(self) -> Iterator[tuple[str, float]]:
        """Labels that products have, names of a product page's parts."""
        labels = lexicon().by_label
        short = {text for _, _, text, _, _, _ in self.view.rows if text and len(text) <= MAX_PHRASE}
        said = {field for text in short if _may_be_label(text) for field, _ in labels.get(label_key(text), ())}
        yield "labels", min(1.0, len(said & _LABELLED) / 3)
        yield "part_names", min(1.0, len(self.page.name_words & _PARTS) / 4)
        yield "dated", bool(self.view.by_tag("time"))
        yield "sold_out", self._is_sold_out()

    def _is_sold_out(self) -> bool:
        """Whether a text near the title says that the product cannot be had."""
        if self.title is None:
            return False
        around = [self.title, *islice(self.title.iterancestors(), NEAR)][-1]
        said = (e for e in islice(around.iter(), MAX_AROUND) if e.text and 2 < len(e.text) <= MAX_PHRASE)
        gone = (e for e in said if isinstance(e.tag, str) and parse_availability(e.text) == "OutOfStock")
        return any(map(self.view.is_own, gone))

    def address(self) -> Iterator[tuple[str, float]]:
        """What the address says: a product's, a list's, the shop's own pages."""
        parts = split_url(self.page.url)
        pieces = name_words(parts.path)
        yield "address_product", not pieces.isdisjoint(walk_words("product_words") | _PRODUCT_PIECES)
        yield "address_list", not pieces.isdisjoint(walk_words("plural_words") | _LIST_PIECES)
        yield "address_article", not pieces.isdisjoint(_ARTICLE_PIECES)
        yield "address_number", any(c.isdigit() for c in parts.path.rstrip("/").rpartition("/")[2] + parts.query)
        yield "address_paged", "page" in name_words(parts.query)
        yield "address_depth", min(1.0, parts.path.strip("/").count("/") / 3)
        yield "address_home", parts.path in ("", "/") and not parts.query
        yield "address_forbidden", is_forbidden(self.page.url)


_OFFER_SIGNS = frozenset({"price", "buy", "sold_out", "markup", "data", "price_meta"})
MANY_PRODUCTS = 3
MAX_BUTTON_PARTS = 4  # elements in a button
MAX_AROUND = 300  # elements around the title that may speak of stock
_QUANTITY = frozenset("qty quantity menge anzahl quantite cantidad quantita amount kolicestvo ilosc antal".split())
_LABELLED = frozenset({"sku", "ean", "han", "brand", "availability"})
_PARTS = frozenset(
    "gallery zoom thumbnail thumbnails thumb thumbs sku qty quantity description desc specification specifications specs spec attributes "
    "wishlist related upsell crosssell addtocart review reviews rating variations variation swatch attachment".split()
)
_PRODUCT_PIECES = frozenset("p dp item items goods detail details prod product products".split())
_LIST_PIECES = frozenset(
    "c cat category categories collection collections search tag tags brand brands page pages list".split()
)
_ARTICLE_PIECES = frozenset(
    "blog blogs news article articles post posts author learn magazine guide guides faq about contact kontakt help service services info "
    "information story stories careers press".split()
)


def _many(count: float) -> float:
    """0 for none, 0.5 for ten, 1 for a hundred and more."""
    return min(1.0, log10(1 + count) / 2)


def _body_kind(name: str) -> str | None:
    found = name_words(name)
    if not found & walk_words("product_words"):
        return "body_plural" if name in ("archive", "category", "search", "blog") else None
    if found & walk_words("plural_words"):
        return "body_plural"
    return "body" if found & walk_words("single_words") or found == {"product"} else None


def _may_be_label(text: str) -> bool:
    """Whether a text may be a known label, by how it begins: a tenth of the price of looking it up."""
    start = text.lstrip()[:2]
    is_plain = len(start) == 2 and start.isascii() and start.isalnum()
    return bool(start) and (not is_plain or start.lower() in lexicon().label_beginnings)


def _buys(row: Row) -> bool:
    element, tag, text, css_class, own_id, _ = row
    names = f"{css_class or ''} {own_id or ''}"
    if tag == "form":
        action = element.get("action") or ""
        return is_cart_address(action) and "add" in name_words(f"{action} {names}")
    label = element.get("value") if tag == "input" else _brief_text(element, text)
    return _sells(tag, names, element.get("name") or "", single_spaced(label)[: MAX_PHRASE + 1])


@lru_cache(maxsize=20_000)  # the links and buttons of a shop are the same on most pages
def _sells(tag: str, names: str, name: str, label: str) -> bool:
    """Whether a link or button with this class and id, this name and this label buys something."""
    if 0 < len(label) <= MAX_PHRASE:
        is_button = tag != "a" or is_button_name(names)
        if (is_button and parse_availability(label) == "OutOfStock") or is_product_button(label):
            return True
    return {"add", "cart"} <= name_words(f"{names} {name}")


def _brief_text(element: HtmlElement, own: str | None) -> str | None:
    """The text of an element that is small enough to be a button; `own` is what stands before its first part."""
    parts = len(element)
    if not parts:
        return own
    return element.text_content() if parts <= MAX_BUTTON_PARTS else ""


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
    parts = split_url(url)
    return not parts.query and bool(
        re.fullmatch(r"/?(?:[a-z]{2}(?:[-_][a-z]{2})?/?)?(?:(?:index|home|default)\.\w+)?", parts.path, re.IGNORECASE)
    )
