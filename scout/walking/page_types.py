"""What a page is by itself: a product's own, a list, an overview of categories, the front page."""

from __future__ import annotations

from lxml.html import HtmlElement

from scout.extraction.breadcrumbs import CategoryPath
from scout.extraction.product_page import ProductPageEvidence, is_detail, is_home, is_home_address
from scout.page import Page
from scout.url_rules import url_pieces
from scout.values.text import single_spaced, text_key
from scout.values.walk_words import walk_words
from scout.walking.records import RecordList, records
from scout.walking.steps import Level

MIN_CHILDREN = 4  # records without picture or price: fewer are no overview of categories
MAX_BRIEF = 80  # characters
PRODUCT_RECORDS = 0.5  # of a list's records have a picture or a price: then they are products


def page_type(page: Page) -> Level:
    """home | category | list | detail | other, from this page alone."""
    if not is_home(page) and is_detail(page):
        return "detail"
    return level_of(page, records(page))


def level_of(page: Page, records: RecordList | None) -> Level:
    """The level of a page that is no product's own: by what it repeats."""
    if is_home(page):
        return "home"
    if shows_products(records):
        return "list"
    return "category" if records and len(records) >= MIN_CHILDREN and is_brief(records) else "other"


def is_brief(records: RecordList) -> bool:
    """Whether the records are names with a link, as in an overview of categories, rather than texts."""
    return sum(1 for r in records if len(r.text) <= MAX_BRIEF) >= PRODUCT_RECORDS * len(records)


def shows_products(records: RecordList | None) -> bool:
    """Whether the records are products: most have a picture or a price."""
    if not records:
        return False
    return sum(1 for r in records if r.image or r.price) >= PRODUCT_RECORDS * len(records)


def title_of(witness: ProductPageEvidence) -> str | None:
    """What the page calls its subject."""
    return None if witness.title is None else shown_text(witness.title)


def shown_text(element: HtmlElement) -> str:
    """The text of an element."""
    return single_spaced(element.text_content())


def is_home_link(url: str, category: CategoryPath = ()) -> bool:
    """Whether the front page is meant, by address or name.

    >>> is_home_link("http://s.example/hem"), is_home_link("http://s.example/c/1", ("Start",)), is_home_link("http://s.example/c/1")
    (True, True, False)
    """
    names = {*map(text_key, category[-1:]), *url_pieces(url)[-1:]}
    return is_home_address(url) or not names.isdisjoint(walk_words("home_words"))
