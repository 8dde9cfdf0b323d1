"""Where an offer's values stand on its page: the chosen places, those that agree, and those of the runners-up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree
from lxml.html import HtmlElement
from parsel.csstranslator import HTMLTranslator

from scout.correction.numbering import MAX_ELEMENTS, element_number
from scout.fields import Field, field
from scout.offer import Evidence, Offer
from scout.page import Page
from scout.values.text import alphanumeric

Role = Literal["value", "echo", "rival"]  # the chosen place; another that says the same; one that says something else
MAX_SHOWN = 200  # characters of a text that may be a value beside others
_RULE_VOTE = re.compile(r"(?P<weight>\d\.\d\d) (?P<value>.*) <- (?P<place>.+)", re.DOTALL)
_PAGE_VOTE = re.compile(r"(?P<value>.*) \((?P<weight>-?\d+\.\d), (?P<place>.*)\)?", re.DOTALL)
_translator = HTMLTranslator()


@dataclass(frozen=True)
class Mark:
    """A place on the page: the number of its element, the field, and what it is to it."""

    number: int
    field: str
    role: Role


def field_marks(page: Page, offer: Offer) -> list[Mark]:
    """The marks of all fields, each place once for a field."""
    found: dict[tuple[int, str], Mark] = {}
    for name, evidence in offer.evidence.items():
        for element, role in _places(page, field(name), offer.get(name), evidence):
            number = element_number(page, element)
            if number is not None:
                found.setdefault((number, name), Mark(number, name, role))
    return list(found.values())


def _places(page: Page, kind: Field, value: object, evidence: Evidence) -> Iterator[tuple[HtmlElement, Role]]:
    """The places of one field, the chosen one first."""
    chosen = None if evidence.selector is None else queried_element(page, evidence.selector, evidence.raw or "")
    if chosen is not None:
        yield chosen, "value"
    if not isinstance(value, str):
        return
    if chosen is None and (echo := shown_element(page, kind, value)) is not None:
        yield echo, "echo"
    for heard, place in heard_votes(evidence):
        is_rival = kind.keys(heard).isdisjoint(kind.keys(value))
        element = queried_element(page, place, heard)
        if element is None and is_rival:
            element = shown_element(page, kind, heard)
        if element is not None:
            yield element, "rival" if is_rival else "echo"


def heard_votes(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Value and place of every vote, and of the runner-up."""
    for vote in (*evidence.votes, *filter(None, [evidence.runner_up])):
        parts = _RULE_VOTE.fullmatch(vote) or _PAGE_VOTE.fullmatch(vote)
        yield (parts["value"], parts["place"]) if parts else (vote, "")


def queried_element(page: Page, query: str, raw: str) -> HtmlElement | None:
    """The element that a query of evidence leads to: of several the first that shows the text; None if it is no query.

    >>> page = Page("http://shop.example/", '<p class="old">9</p><p class="now">8</p>')
    >>> queried_element(page, "p.now::text", "8").get("class"), queried_element(page, "the shop's only currency", "EUR")
    ('now', None)
    """
    expression = _expression(query)
    if expression is None:
        return None
    try:
        found = etree.XPath(expression, smart_strings=True)(page.root)
    except etree.XPathError:
        return None
    wanted = alphanumeric(raw)
    holders = [element for one in (found if isinstance(found, list) else ()) if (element := _holder(one)) is not None]
    showing = (element for element in holders if wanted and wanted in alphanumeric(_all_text(element)))
    return next(showing, holders[0] if holders else None)


def _expression(query: str) -> str | None:
    """The query as XPath; None if it is the name of a place that is no element."""
    if query.startswith(("/", "(")):
        return query
    if query.startswith(("jsonpath ", "hel ")) or not query.strip():
        return None
    try:
        return str(_translator.css_to_xpath(query))
    except Exception:  # cssselect raises errors of four kinds for what is prose
        return None


def _holder(found: object) -> HtmlElement | None:
    """The element of a result: the element itself, or the one whose text or attribute it is."""
    if isinstance(found, HtmlElement):
        return found
    parent = getattr(found, "getparent", lambda: None)()
    if parent is not None and getattr(found, "is_tail", False):
        parent = parent.getparent()
    return parent if isinstance(parent, HtmlElement) else None


def _all_text(element: HtmlElement) -> str:
    return " ".join([*element.itertext(with_tail=False), *map(str, element.values())])


def shown_element(page: Page, kind: Field, value: str) -> HtmlElement | None:
    """The first element of the body whose own text says the value."""
    wanted, keys = alphanumeric(value), kind.keys(value)
    if not wanted:
        return None
    for text, element in page.outline.texts[page.outline.body[1] :][:MAX_ELEMENTS]:
        if len(text) <= MAX_SHOWN and wanted in alphanumeric(text) and not keys.isdisjoint(kind.keys(text)):
            return element if element.tag not in ("script", "style") else None
    return None
