"""Routes: addresses of pages that scripts keep in the fragment of a URL, such as /#/item/7 and /#!sale."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

_ROUTE = re.compile(r"#!?(?=/)|#!")


def routed(url: str) -> str:
    """The URL with a route that scripts keep in the fragment as part of its path; any other URL as it is.

    >>> routed("http://a.example/#/item/7?c=2"), routed("http://a.example/shop/#!sale"), routed("http://a.example/p#reviews")
    ('http://a.example/item/7?c=2', 'http://a.example/shop/sale', 'http://a.example/p#reviews')
    """
    route = _ROUTE.search(url) if "#" in url else None
    if route is None:
        return url
    return f"{url[: route.start()].partition('?')[0].rstrip('/')}/{url[route.end() :].lstrip('/')}"


def split_url(url: str) -> SplitResult:
    """The parts of a URL, a route being part of its path."""
    return urlsplit(routed(url))


def is_route(url: str) -> bool:
    """Whether the fragment of a URL is a route, which makes it the address of a page of its own."""
    return "#" in url and _ROUTE.search(url) is not None


def with_query(url: str, query: str) -> str:
    """The URL with another query, that of its route where it has one.

    >>> with_query("http://a.example/list?p=1", "p=2"), with_query("http://a.example/#/list?p=1", "p=2")
    ('http://a.example/list?p=2', 'http://a.example/#/list?p=2')
    """
    route = _ROUTE.search(url)
    start = route.end() if route else 0
    return f"{url[:start]}{url[start:].partition('?')[0]}{'?' if query else ''}{query}"


def without_fragment(url: str) -> str:
    """The URL without a fragment that only names a place on its page; a route is part of the address."""
    return url if is_route(url) else url.partition("#")[0]
