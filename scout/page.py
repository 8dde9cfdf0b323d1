"""Page: a URL and its HTML, parsed once. Everything that reads a page reads it through this class."""

from __future__ import annotations

import gc
import re
from collections.abc import Collection, Iterable, Iterator, Set
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin

import lxml.html
from lxml import etree
from w3lib.encoding import html_to_unicode
from w3lib.html import get_base_url

from scout.values.walk_words import name_words

if TYPE_CHECKING:
    from parsel import Selector, SelectorList

MAX_HEAD = 200  # characters of a text that can be a label
MAX_DEPTH = 2_000  # libxml2 silently cuts at about 2,048 levels, so deeper pages are reported as truncated

_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>", re.IGNORECASE)
_BY_ID = etree.XPath("id($name)")
_TEXTS = etree.XPath(
    "/html/body//text()[normalize-space()][not(parent::script or parent::style or parent::option or parent::textarea)]",
    smart_strings=False,
)
_TITLE = etree.XPath("string(/html/head/title)")
_EMPTY = "<html><body></body></html>"


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause garbage collection, for work that makes thousands of objects and leaves none behind.

    The collector would scan them, and sometimes the whole heap, several times per page, which costs more than the work itself.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _element_classes() -> etree.ElementNamespaceClassLookup:
    """lxml.html's element classes, looked up in C: its own lookup is Python code that runs for every element used."""
    lookup = etree.ElementNamespaceClassLookup(
        etree.ElementDefaultClassLookup(
            element=lxml.html.HtmlElement,
            comment=lxml.html.HtmlComment,
            pi=lxml.html.HtmlProcessingInstruction,
            entity=lxml.html.HtmlEntity,
        )
    )
    lookup.get_namespace(None).update(lxml.html.HtmlElementClassLookup._default_element_classes)
    return lookup


_ELEMENT_CLASSES = _element_classes()


def _parser() -> lxml.html.HTMLParser:
    # huge_tree: without it lxml.html silently cuts at depth 254
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, recover=True)
    parser.set_element_class_lookup(_ELEMENT_CLASSES)
    return parser


# element, tag, text, class, id, tail
Row = tuple[lxml.html.HtmlElement, str, "str | None", "str | None", "str | None", "str | None"]


class Outline(NamedTuple):
    """What one pass over a tree finds: the elements, and the texts with the element that each stands in, in the order of the document.

    `body` are the numbers of the first row and the first text of <body>.
    """

    rows: list[Row]
    texts: list[tuple[str, lxml.html.HtmlElement]]
    body: tuple[int, int]

    @classmethod
    def of(cls, root: lxml.html.HtmlElement) -> Outline:
        """The outline of a document."""
        rows: list[Row] = []
        texts: list[tuple[str, lxml.html.HtmlElement]] = []
        body = 0, 0
        is_open: list[tuple[Any, str | None, Any]] = []  # elements whose end has not come, with the text behind it
        for element in root.iter():
            parent = element.getparent()
            while is_open and is_open[-1][0] is not parent:
                _, behind, around = is_open.pop()
                if behind:
                    texts.append((behind, around))
            tag, tail = element.tag, element.tail
            if tag.__class__ is str:  # no comment
                if tag == "body" and not body[0]:
                    body = len(rows), len(texts)
                text, read = element.text, element.get
                rows.append((element, tag, text, read("class"), read("id"), tail))
                if text:
                    texts.append((text, element))
            is_open.append((element, tail, parent))
        texts += [(behind, around) for _, behind, around in reversed(is_open) if behind and around is not None]
        return cls(rows, texts, body)


class Page:
    """A page as served: `url`, `html` (decoded text) and its tree, which is parsed when first used.

    Bytes are decoded as a browser would (BOM, charset of the `content_type` header, meta, guess).

    >>> page = Page("http://shop.example/a", "<h1>A <b>chair</b></h1>")
    >>> page.root.xpath("string(//h1)")
    'A chair'
    >>> page.css("h1 ::text").getall()
    ['A ', 'chair']
    """

    def __init__(self, url: str, html: str | bytes, *, content_type: str | None = None) -> None:
        self.url = url
        self.html = html if isinstance(html, str) else html_to_unicode(content_type, html)[1]
        self.memo: dict[str, Any] = {}  # results about this page that may be needed again
        self.known_title: lxml.html.HtmlElement | None = None  # the element that shows it, where the template says so

    def __repr__(self) -> str:
        return f"Page({self.url!r}, {len(self.html)} characters)"

    @cached_property
    def root(self) -> lxml.html.HtmlElement:
        """The <html> element; a page without any markup is an empty document."""
        text = _XML_DECLARATION.sub("", self.html.replace("\x00", "") if "\x00" in self.html else self.html)
        data = text.encode("utf-8", "replace")
        try:
            root = lxml.html.document_fromstring(data, parser=_parser())
        except (etree.ParserError, etree.XMLSyntaxError):  # only white space or comments
            root = lxml.html.document_fromstring(_EMPTY, parser=_parser())
        return root

    # --- queries for users and for hooks of subclasses ------------------------------------------------------------------
    @cached_property
    def selector(self) -> Selector:
        """The same tree as a parsel selector. Scout itself reads `root`, which is faster."""
        from parsel import Selector  # only those who ask pay for the import

        return Selector(root=self.root, type="html")

    def css(self, query: str) -> SelectorList[Selector]:
        """What a CSS selector finds, with parsel's `::text` and `::attr(name)`."""
        return self.selector.css(query)

    def xpath(self, query: str, **variables: Any) -> SelectorList[Selector]:
        """What an XPath expression finds; `variables` are its $names."""
        return self.selector.xpath(query, **variables)

    @cached_property
    def base_url(self) -> str:
        """The URL that relative links are resolved against: a valid <base href>, else the page's own."""
        head = self.html[:8192]
        try:
            return str(get_base_url(head, self.url)) if "<base" in head.lower() else self.url
        except ValueError:  # "http://[" and the like
            return self.url

    def absolute(self, link: str) -> str:
        """`link` as an absolute URL, or "" if it is not valid."""
        try:
            return urljoin(self.base_url, link.strip())
        except ValueError:  # "http://[" and the like
            return ""

    # --- look-ups that many rules share, each made in one pass over the page --------------------------------------------
    def element_by_id(self, name: str) -> lxml.html.HtmlElement | None:
        """The first element with that id, from the parser's own index."""
        found: list[lxml.html.HtmlElement] = _BY_ID(self.root, name=name)  # type: ignore[assignment]
        return found[0] if found else None

    @cached_property
    def outline(self) -> Outline:
        """All elements and texts: read once, because to ask an element for anything takes longer than most of what is done with it."""
        return Outline.of(self.root)

    @cached_property
    def scripts(self) -> list[tuple[lxml.html.HtmlElement, str]]:
        """The scripts of the page with their texts."""
        return [(row[0], row[2] or "") for row in self.outline.rows if row[1] == "script"]

    @cached_property
    def names(self) -> frozenset[str]:
        """Every `class` and `id` value in the page, as written."""
        rows = self.outline.rows
        return frozenset(name for name in {row[3] for row in rows} | {row[4] for row in rows} if name)

    @cached_property
    def _names_by_word(self) -> dict[str, list[str]]:
        """word -> the single names that have it: values repeat the same few names in ever new combinations."""
        found: dict[str, list[str]] = {}
        for name in self._values_by_name:
            for word in name_words(name):
                found.setdefault(word, []).append(name)
        return found

    @cached_property
    def _values_by_name(self) -> dict[str, list[str]]:
        """single name -> the values that have it."""
        found: dict[str, list[str]] = {}
        for value in self.names:
            for name in value.split():
                found.setdefault(name, []).append(value)
        return found

    @property
    def name_words(self) -> Set[str]:
        """The words of all values of `class` and `id`."""
        return self._names_by_word.keys()

    def names_with(self, words: Iterable[str]) -> set[str]:
        """The values of `class` and `id` that have one of the words."""
        having = {name for word in words for name in self._names_by_word.get(word, ())}
        return {value for name in having for value in self._values_by_name[name]}

    def rows_named(self, values: Collection[str]) -> Iterator[Row]:
        """The rows of the elements whose class or id is one of `values`, in page order."""
        return (row for row in self.outline.rows if row[3] in values or row[4] in values) if values else iter(())

    def elements_by_attribute(self, tag: str, attribute: str) -> dict[str, list[lxml.html.HtmlElement]]:
        """The elements of that tag by the value of the attribute, in page order."""
        key = f"named {tag} {attribute}"
        if key not in self.memo:
            index: dict[str, list[lxml.html.HtmlElement]] = {}
            having = (
                f"/descendant::{tag}[@{attribute}]"  # most elements have none, and making objects of them is what costs
            )
            for element in self.root.xpath(having):
                if value := element.get(attribute):
                    index.setdefault(value, []).append(element)
            self.memo[key] = index
        names: dict[str, list[lxml.html.HtmlElement]] = self.memo[key]
        return names

    def elements_by_first_text(self, tag: str) -> dict[str, list[lxml.html.HtmlElement]]:
        """The elements of that tag by their first text, with white space collapsed."""
        key = f"headed {tag}"
        if key not in self.memo:
            index: dict[str, list[lxml.html.HtmlElement]] = {}
            for element in self.root.iter(tag):
                if (text := element.text) and len(text) <= MAX_HEAD and (head := " ".join(text.split())):
                    index.setdefault(head, []).append(element)
            self.memo[key] = index
        heads: dict[str, list[lxml.html.HtmlElement]] = self.memo[key]
        return heads

    # --- texts in page order, for what knows neither tags nor names -----------------------------------------------------
    @cached_property
    def texts(self) -> list[str]:
        """The texts of the body, with white space collapsed."""
        texts: list[str] = _TEXTS(self.root)  # type: ignore[assignment]
        return [" ".join(text.split()) for text in texts]

    @cached_property
    def text_numbers(self) -> dict[str, int]:
        """The number of each text, of equal ones the first."""
        return {text: number for number, text in reversed(list(enumerate(self.texts)))}

    @cached_property
    def heading_number(self) -> int | None:
        """The number of the longest text that <title> repeats."""
        title = " ".join(str(_TITLE(self.root)).split()).casefold()
        repeated = [number for number, text in enumerate(self.texts) if text.casefold() in title]
        return max(repeated, key=lambda number: len(self.texts[number]), default=None)

    def text_at(self, number: int | None, after: int) -> str | None:
        """The text `after` so many others; None if there is none."""
        return None if number is None else next(iter(self.texts[number + after :][:1]), None)
