"""How far a shop cooperates with who wants its catalogue (Weber, 2001, and what shops offer today), as its front page tells."""

from __future__ import annotations

from collections.abc import Iterator

from scout.forms.discovery import database_behind
from scout.page import Page
from scout.shop_catalogues.platforms import catalogue_requests


def cooperation_lines(page: Page) -> Iterator[str]:
    """The ways to the shop's offers, the most cooperative first, and what a crawl makes of each."""
    database = database_behind(page)
    is_described = database is not None and database.cooperation != "none"
    if is_described:
        yield f"database       {database}"
    for platform, request in catalogue_requests(page):
        told = "the page tells of it" if platform.is_told_by(page) else "a crawl asks whether there is one"
        address = request.url.partition("?")[0]
        yield f"catalogue      {platform.name}, {address} ({told}): used as far as the pages agree"
    if database is not None and not is_described:
        yield f"search form    {database}"
    yield f"pages          scout crawl {page.url}: lists are walked in any case"
