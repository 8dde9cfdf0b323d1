"""What a page is to a walk through its shop: its level, its records and its pager, and which other pages are built like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml.html import HtmlElement

from scout.correction.marks import Mark
from scout.correction.numbering import element_number
from scout.extraction.product_page import ProductPageEvidence
from scout.page import Page
from scout.rules import ShopRules
from scout.walking.page_types import page_type, shows_products, title_of
from scout.walking.pagination import next_url
from scout.walking.records import Record, RecordList, records
from scout.walking.stated_counts import stated_count
from scout.walking.steps import Level
from scout.walking.templates import MARK, PageSummary, TemplateGroup, Templates

RECORD, PAGER = "record", "next page"  # what is marked on the page


@dataclass(frozen=True)
class PageStructure:
    """A page by itself: its level, the list on it, and what continues the list."""

    level: Level
    records: RecordList | None
    shows_products: bool  # most records have a picture or a price
    next_url: str | None
    stated: int | None  # products that the list says it has
    marks: tuple[Mark, ...]

    @property
    def shown_records(self) -> list[Record]:
        return list(self.records or ())


def page_structure(page: Page) -> PageStructure:
    """What can be told from the page alone."""
    found, following = records(page), next_url(page)
    marks = (Mark(number, name, "value") for name, number in _places(page, found, following))
    stated = stated_count(page) if shows_products(found) else None
    return PageStructure(page_type(page), found, shows_products(found), following, stated, tuple(marks))


def _places(page: Page, found: RecordList | None, following: str | None) -> Iterator[tuple[str, int]]:
    elements: list[tuple[str, HtmlElement]] = [
        (RECORD, element) for record in found or () for element in record.elements
    ]
    if following is not None:
        links = (link for link in page.root.iter("a") if page.absolute(link.get("href") or "#") == following)
        elements += [(PAGER, link) for link in links]
    for name, element in elements:
        number = element_number(page, element)
        if number is not None:
            yield name, number


# --- pages built alike ------------------------------------------------------------------------------------------------
@dataclass
class BuiltAlike:
    """The pages of one template: what a mark on one of them holds for."""

    group: TemplateGroup
    row: Mapping[str, Any]  # what marks them in the rule file; the person's answer is to be filled in
    pages: list[str] = field(default_factory=list)  # addresses


def pages_built_alike(pages: Iterable[Page], one: Page, rules: ShopRules | None) -> BuiltAlike:
    """The template of this page among these, by the marks that the rules have; `one` is among the pages."""
    templates = Templates.known(row for row in _rows(rules) if MARK in row)
    addresses: dict[int, list[str]] = {}
    own: TemplateGroup | None = None
    for page in pages:
        group = templates.add(_summary(page))
        addresses.setdefault(id(group), []).append(page.url)
        own = group if page.url == one.url else own
    own = own or templates.add(_summary(one))
    names = own.known or templates.own_names(own, (group for group in templates if group.pages)) or own.core
    row = TemplateGroup(own.place, names).marked_row(mark=True)
    return BuiltAlike(own, row, addresses.get(id(own), [one.url]))


def with_mark(rules: ShopRules, row: Mapping[str, Any], is_product: bool | None) -> dict[str, Any]:
    """The shop's structure where this template is marked as products or not; None takes the mark away."""
    structure = dict(rules.structure) if isinstance(rules.structure, Mapping) else {}
    kept = [one for one in _rows(rules) if not (MARK in one and _is_same(one, row))]
    marked = [] if is_product is None else [{**row, MARK: is_product}]
    return {**structure, "templates": [*marked, *kept]}


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one["title"] == other["title"] and list(one["names"]) == list(other["names"])


def _rows(rules: ShopRules | None) -> list[Mapping[str, Any]]:
    structure = rules.structure if rules is not None else None
    return list(structure.get("templates") or ()) if isinstance(structure, Mapping) else []


def _summary(page: Page) -> PageSummary:
    witness = ProductPageEvidence.of(page)
    return PageSummary.of(witness, title_of(witness))
