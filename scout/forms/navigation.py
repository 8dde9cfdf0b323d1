"""Further pages of a result: by the provider's pattern, or by the links that are labelled with numbers (Weber, 2001, section 3.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urldefrag, urlsplit

import re2
from lxml.html import HtmlElement

from scout.forms.metadata import NO
from scout.forms.words import form_words
from scout.page import Page
from scout.values.tracking import registrable_domain

MAX_LABEL = 30  # characters of a link to another page of the result
_NUMBER = re.compile(r"\[?\(?\s*(\d{1,5})\s*\)?\]?\.?")
_DIGITS = re.compile(r"\d+")


def result_pages(page: Page, navigation: str | None) -> list[str]:
    """The addresses of the result's other pages that this page links to; those before it, which were met before, left out.

    The answer to a query is the first page itself, so a link back to the number 1 would only ask for it again.
    """
    if navigation == NO:
        return []
    fits = _fitting(page, navigation) if navigation else _is_numbered
    own = urldefrag(page.url)[0]
    found = dict.fromkeys(
        url for link, url in _links(page) if url != own and not _leads_back(link) and fits(link, url, page)
    )
    return list(found)


def _links(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    for link in page.root.iter("a", "area"):
        href = link.get("href")
        url = urldefrag(page.absolute(href))[0] if href else ""
        if url.startswith(("http://", "https://")) and registrable_domain(url) == registrable_domain(page.url):
            yield link, url


def _label(link: HtmlElement) -> str:
    text = " ".join(link.text_content().split())
    return text or (link.get("title") or link.get("aria-label") or "").strip()


def _leads_back(link: HtmlElement) -> bool:
    label = _label(link).lower()
    number = _NUMBER.fullmatch(label)
    is_first = number is not None and int(number[1]) <= 1
    backwards = form_words("previous")
    return is_first or "prev" in (link.get("rel") or "").lower().split() or bool(set(label.split()) & backwards)


def _fitting(page: Page, pattern: str):  # type: ignore[no-untyped-def]  # a predicate like _is_numbered
    """Whether an address is one of the pattern, in which * stands for anything."""
    absolute = page.absolute(pattern)
    expression = re2.compile(".*".join(re2.escape(part) for part in absolute.split("*")))
    return lambda link, url, page: expression.fullmatch(url) is not None


def _is_numbered(link: HtmlElement, url: str, page: Page) -> bool:
    """Whether the link is labelled with a number or as the next one, and leads to the same place as this page does."""
    label = _label(link)
    if len(label) > MAX_LABEL or _place(url) != _place(page.url):
        return False
    relation = (link.get("rel") or "").lower().split()
    return (
        "next" in relation
        or _NUMBER.fullmatch(label) is not None
        or bool(set(label.lower().split()) & form_words("next"))
    )


def _place(url: str) -> str:
    return _DIGITS.sub("", urlsplit(url).path).rstrip("/")
