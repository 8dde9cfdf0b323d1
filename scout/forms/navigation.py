"""Further result pages, by the provider's URL pattern or by links labelled with numbers (Weber, 2001, section 3.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urldefrag, urlsplit

import re2
from lxml.html import HtmlElement

from scout.forms.metadata import NO_NAVIGATION
from scout.forms.words import form_words
from scout.page import Page
from scout.values.tracking import registrable_domain

MAX_LABEL = 30  # characters of a pager link
_NUMBER = re.compile(r"\[?\(?\s*(\d{1,5})\s*\)?\]?\.?")
_DIGITS = re.compile(r"\d+")


def result_page_urls(page: Page, navigation: str | None) -> list[str]:
    """The URLs of later result pages that this page links to.

    Links backwards are left out: the answer to a query is page 1 itself, whatever its URL.
    """
    if navigation == NO_NAVIGATION:
        return []
    is_result_page = _pattern_predicate(page, navigation) if navigation else _is_pager_link
    own = urldefrag(page.url)[0]
    onwards = [(link, url) for link, url in _links(page) if url != own and not _leads_backwards(link)]
    return list(dict.fromkeys(url for link, url in onwards if is_result_page(link, url, page)))


def _links(page: Page) -> Iterator[tuple[HtmlElement, str]]:
    for link in page.root.iter("a", "area"):
        href = link.get("href")
        url = urldefrag(page.absolute(href))[0] if href else ""
        if url.startswith(("http://", "https://")) and registrable_domain(url) == registrable_domain(page.url):
            yield link, url


def _label(link: HtmlElement) -> str:
    text = " ".join(link.text_content().split())
    return text or (link.get("title") or link.get("aria-label") or "").strip()


def _leads_backwards(link: HtmlElement) -> bool:
    label = _label(link).lower()
    number = _NUMBER.fullmatch(label)
    is_first = number is not None and int(number[1]) <= 1
    backwards = form_words("previous")
    return is_first or "prev" in (link.get("rel") or "").lower().split() or bool(set(label.split()) & backwards)


def _pattern_predicate(page: Page, pattern: str):  # type: ignore[no-untyped-def]  # a predicate like _is_numbered
    """A predicate for links whose URL matches the pattern, in which * stands for anything."""
    absolute = page.absolute(pattern)
    expression = re2.compile(".*".join(re2.escape(part) for part in absolute.split("*")))
    return lambda link, url, page: expression.fullmatch(url) is not None


def _is_pager_link(link: HtmlElement, url: str, page: Page) -> bool:
    """Whether the link is labelled with a number or as the next page, and its path is this page's, digits aside."""
    label = _label(link)
    if len(label) > MAX_LABEL or _path_without_digits(url) != _path_without_digits(page.url):
        return False
    is_next = "next" in (link.get("rel") or "").lower().split() or set(label.lower().split()) & form_words("next")
    return bool(is_next or _NUMBER.fullmatch(label))


def _path_without_digits(url: str) -> str:
    return _DIGITS.sub("", urlsplit(url).path).rstrip("/")
