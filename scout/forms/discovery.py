"""What a gatherer comes upon by itself: pages that lead to a database (Weber, 2001, section 3.2, figure 3)."""

from __future__ import annotations

from scout.forms.content import is_content
from scout.forms.errors import FormError
from scout.forms.metadata import PREFIX
from scout.forms.search import search_form
from scout.page import Page
from scout.values.tracking import registrable_domain


def database_behind(page: Page) -> str | None:
    """What the page says of a database, the most cooperative way first, and the command that asks it; None if nothing."""
    site = registrable_domain(page.url)
    links = (page.absolute(link.get("href") or "") for link in page.root.iter("a", "link"))
    content = next((url for url in links if is_content(url, "") and registrable_domain(url) == site), None)
    if content is not None:
        return f"{page.url} names a DBContent document: scout crawl forms -a url={content}"
    if any((meta.get("name") or "").strip().lower().startswith(PREFIX) for meta in page.root.iter("meta")):
        return f"{page.url} describes the database behind its form (DB.* metadata): scout crawl forms -a url={page.url}"
    try:
        search = search_form(page)
    except FormError:
        return None
    names = ", ".join(question.name for question in (*search.choices, *search.texts))
    return f"{page.url} has a search form ({names}): scout crawl forms -a url={page.url}" if names else None
