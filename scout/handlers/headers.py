"""Which headers may go to anybody: the others may be secrets, and go to nobody but the shop."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Request as BrowserRequest

HARMLESS = frozenset(
    "accept accept-encoding accept-language cache-control content-length content-type if-modified-since if-none-match pragma range "
    "referer user-agent".split()
)
BROWSERS = ("accept-language", "user-agent")  # what a browser says as Scout does; the rest is for it to know


async def browser_headers(*, playwright_request: BrowserRequest, scrapy_request_data: Any, **_: Any) -> dict[str, str]:
    """For PLAYWRIGHT_PROCESS_REQUEST_HEADERS: the browser's own headers, under Scout's name and in the user's language.

    scrapy-playwright's own function gives all headers of the request to whatever a page navigates to, frames included, and the browser
    gives them to whatever that redirects to.
    """
    given = scrapy_request_data["headers"].to_unicode_dict()
    headers = dict(await playwright_request.all_headers())
    return {**headers, **{name: str(given[name]) for name in BROWSERS if name in given}}
