"""The facts that a page holds for a crawl: a product's fields, or the pages that a list leads to. What rendering must not add to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lxml import etree
from lxml.html import HtmlElement

from scout.induce.links import address
from scout.induce.pagination import next_url
from scout.induce.zero_shot import zero_shot
from scout.page import Page
from scout.render.content import content_elements

MIN_SAID = 0.9  # of the rendered page's words
_WORDS = etree.XPath("//body//text()[not(parent::script or parent::style or parent::noscript)]", smart_strings=False)
FIELDS = ("title", "price", "brand", "sku", "ean", "han")  # not availability or stock: they tick while the page is open


def page_facts(page: Page, level: str, *, everywhere: bool = False) -> Mapping[str, frozenset[str]]:
    """Field values on a detail page; links of the content and the next page on any other. Only what is there.

    With `everywhere` the links of the whole page: what a rendered page's content leads to is not gained where the plain page leads
    there as well, only from a block that does not look like content before its scripts have run.
    """
    if level == "detail":
        offer = zero_shot(page)
        return {name: frozenset({str(offer[name])}) for name in FIELDS if offer.get(name)}
    following = next_url(page)
    elements = page.root.iter("a") if everywhere else content_elements(page)
    listed = {"links": frozenset(_links(page, elements)), "next": frozenset([following] if following else [])}
    return {name: values for name, values in listed.items() if values}


def says_as_much(plain: Page, rendered: Page) -> bool:
    """Whether the plain page has the words of the rendered one already, wherever they stand: it is no frame that waits for them."""
    return _letters(plain) >= MIN_SAID * _letters(rendered)


def _letters(page: Page) -> int:
    return sum(len(text.strip()) for text in _WORDS(page.root))  # type: ignore[misc, union-attr]


def shown_currency(page: Page) -> str | None:
    """The currency of a product's price, where the page says it."""
    found = zero_shot(page).get("currency")
    return str(found) if found else None


def _links(page: Page, elements: Iterable[HtmlElement]) -> Iterator[str]:
    """Where the elements lead to; advertising and recommendations change with every visit and are no content."""
    for element in elements:
        if element.tag == "a" and (url := address(element, page)):
            yield url
