"""What a gatherer comes upon by itself: pages that lead to a database (Weber, 2001, section 3.2, figure 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scout.forms.content import is_content
from scout.forms.errors import FormError
from scout.forms.metadata import PREFIX
from scout.forms.search import search_form
from scout.page import Page
from scout.values.tracking import registrable_domain

Cooperation = Literal["full", "limited", "none"]


@dataclass(frozen=True)
class FoundDatabase:
    """A database that a page leads to."""

    url: str  # of the DBContent document, or of the form's page
    cooperation: Cooperation
    shown: str  # what the page says of it

    def __str__(self) -> str:
        return f"{self.shown}: scout crawl forms -a url={self.url}"


def declared_database(page: Page) -> FoundDatabase | None:
    """The database that the page itself describes to gatherers, the most cooperative way first."""
    hrefs = ((link.get("href") or "").strip() for link in page.root.iter("a", "link"))
    documents = (page.absolute(href) for href in hrefs if is_content(href, ""))
    site = registrable_domain(page.url)
    content = next((url for url in documents if registrable_domain(url) == site), None)
    if content is not None:
        return FoundDatabase(content, "full", f"{page.url} names a DBContent document")
    if any((meta.get("name") or "").strip().lower().startswith(PREFIX) for meta in page.root.iter("meta")):
        shown = f"{page.url} describes the database behind its form (DB.* metadata)"
        return FoundDatabase(page.url, "limited", shown)
    return None


def searchable_database(page: Page) -> FoundDatabase | None:
    """The database behind the page's search form."""
    try:
        search = search_form(page)
    except FormError:
        return None
    names = ", ".join(question.name for question in (*search.choices, *search.texts))
    return FoundDatabase(page.url, "none", f"{page.url} has a search form ({names})") if names else None


def database_behind(page: Page) -> FoundDatabase | None:
    """The database that the page leads to, and in what way; None if to none."""
    return declared_database(page) or searchable_database(page)
