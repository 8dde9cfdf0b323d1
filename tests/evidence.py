"""Asks a page for the place that evidence names."""

from __future__ import annotations

import re

from scout.page import Page

_OTHER_PLACES = ("jsonpath ", "hel ", "url", "the ")


def is_query(selector: str) -> bool:
    """True for CSS and XPath, False for places in data, in the URL and those that are only named."""
    return not selector.startswith(_OTHER_PLACES)


def first_text(page: Page, query: str) -> str | None:
    """The first text that is not blank of what a query finds, white space collapsed as XPath does it."""
    found = page.xpath(query) if query.startswith(("/", "(")) else page.css(query)
    texts = (one.root if isinstance(one.root, str) else one.xpath("string()").get("") for one in found)
    return next((text for raw in texts if (text := re.sub(r"[ \t\r\n]+", " ", raw).strip())), None)


def squeezed(text: str) -> str:
    """Letters and digits alone: amounts are shown with their cents in an element of their own, and read with a separator."""
    return re.sub(r"[\W_]+", "", text.lower())
