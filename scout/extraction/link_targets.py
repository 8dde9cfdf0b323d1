"""Where a click on an element leads."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from scout.page import Page
from scout.values.routes import is_route, without_fragment

ADDRESS_ATTRIBUTES = tuple(
    "data-url data-href data-link data-page-url data-next-url data-next data-ajax-url data-load-more-url".split()
)
_IN_SCRIPT = re.compile(
    r"""(?:location(?:\.href)?\s*=|location\.assign\(|window\.open\(|(?:go|load|open|page)\w*\()\s*['"]([^'"]+)['"]""",
    re.IGNORECASE,
)
# any other host may be none, which urlsplit tells
_SIMPLE = re.compile(r"(?:https?://[\w.:-]+)?/(?!/)[^\s\\]*$", re.ASCII)


def address(element: HtmlElement, page: Page) -> str | None:
    """Where a click on `element` leads: its href, or what stands in data-url or onclick instead.

    Absolute, and without a fragment but for a route (`#/item/7`), which is a page of its own.
    """
    href = (element.get("href") or "").strip()
    if not href or _is_anchor(href) or href.lower().startswith("javascript:"):
        href = _scripted_address(element, href)
    if not href or _is_anchor(href):
        return None
    url = _absolute(href, page)
    return url if url.startswith(("http://", "https://")) else None


def _is_anchor(href: str) -> bool:
    return href.startswith("#") and not is_route(href)


def _absolute(href: str, page: Page) -> str:
    """Like page.absolute() without the fragment; most links are absolute or begin with a slash, and need no joining."""
    bare = without_fragment(href).strip()
    if "/." in bare or not _SIMPLE.match(bare):
        return without_fragment(page.absolute(href))
    return bare if bare[0] != "/" else _origin(page.base_url) + bare


@lru_cache(maxsize=1_000)
def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _scripted_address(element: HtmlElement, href: str) -> str:
    values = ((element.get(name) or "").strip() for name in ADDRESS_ATTRIBUTES)
    said = next((v for v in values if v and v[0] not in "#{[" and not {"/", "?", "."}.isdisjoint(v)), None)
    if said is not None:
        return said
    if element.tag == "option":
        return str(element.get("value")).strip()
    found = _IN_SCRIPT.search(element.get("onclick") or "") or _IN_SCRIPT.search(href)
    return found[1] if found else ""
