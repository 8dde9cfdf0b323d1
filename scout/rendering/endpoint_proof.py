"""Whether the JSON behind a level holds the facts that its rendered pages show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scout.page import Page
from scout.rendering.endpoints import Endpoint, Exchange, Way
from scout.rendering.page_facts import page_facts, shown_currency, shown_fields


def fullest_page(endpoint: Endpoint, url: str, answers: Iterable[Exchange], level: str) -> Page | None:
    """What the endpoint tells of a page: the answer that holds most facts; None where none holds any."""
    pages = endpoint.pages(url, answers)
    best = max(pages, key=lambda page: sum(map(len, page_facts(page, level).values())), default=None)
    return best if best is not None and page_facts(best, level) else None


def proven_endpoint(
    endpoint: Endpoint, ways: Mapping[str, Way], answers: Iterable[Exchange], shown: Page, level: str
) -> Endpoint | None:
    """The endpoint where its answers give the facts that the rendered page shows; None where they do not.

    The data is read as any shop's, by the names in it; where these do not tell, by where the facts of the rendered pages stood (`ways`),
    unless the rendered page has further fields, which would be lost.
    """
    answers = list(answers)
    for tried in (endpoint, replace(endpoint, ways=ways)) if ways else (endpoint,):
        page = fullest_page(tried, shown.url, answers, level)
        if page is None or page_facts(page, level) != page_facts(shown, level):
            continue
        if tried is endpoint or shown_fields(shown) <= shown_fields(page):
            is_told = level != "detail" or shown_currency(page) is not None
            return tried if is_told else replace(tried, currency=shown_currency(shown))
    return None
