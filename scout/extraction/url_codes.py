"""What a product's address tells: the number or code under which the shop keeps it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from scout.extraction.ballot import Claim

_EXTENSION = re.compile(r"\.(?:html?|php|aspx?|jsp|cfm)$", re.IGNORECASE)
_PARAMETER = re.compile(
    r"^(?:(?:child|product|item|variant|article|goods|prod)?_?(?:sku|id|no|code|number)|pid|sku|item|isbn|ean|artnr|products_id)$",
    re.IGNORECASE,
)
_PROGRAM = re.compile(r"(?:/|\.(?:php\d?|aspx?|jsp|cfm|cgi|pl|dll|do|action))$", re.IGNORECASE)
_PRODUCT_ID = re.compile(r"^(?:(?:products?|item|article|goods|prod)_?)?(?:id|no)$|^pid$", re.IGNORECASE)
_NUMBER = re.compile(r"(?:^|[-_.~/])([a-z]{0,4}\d{5,14})$", re.IGNORECASE)
_CODE = re.compile(r"(?:^|[-_/])((?=[a-z0-9-]*\d)(?=[a-z0-9-]*[a-z])[a-z0-9]{6,14}(?:-[a-z]?\d{2,3})?)$", re.IGNORECASE)
_WHOLE_CODE = re.compile(r"^(?=.*\d)[A-Z0-9][A-Z0-9_./-]{4,24}$")
_LEADING = re.compile(r"^(\d{5,14})[-_]")


def is_address(text: str) -> bool:
    """Whether `text` is an absolute address of the web: what is not cannot be asked about its host, and raises if it is.

    >>> is_address("http://a.example/p"), is_address("/p"), is_address("http://[x"), is_address("https:///p")
    (True, False, False, False)
    """
    try:
        return text.startswith(("http://", "https://")) and bool(urlsplit(text).hostname)
    except ValueError:
        return False


def ids_in(url: str) -> dict[str, str]:
    """The number under which a program of the shop knows the product: parameter, with the program's path -> value.

    Only of a path that names no product itself: /shoe?id=3 may be the same shoe as /shoe?id=4.

    >>> ids_in("http://a.example/index.php?main_page=info&cPath=3_12&products_id=19"), ids_in("http://a.example/shoe?id=3")
    ({'/index.php?products_id': '19'}, {})
    """
    if "?" not in url:
        return {}
    parts = urlsplit(url)
    if not _PROGRAM.search(parts.path):
        return {}
    return {f"{parts.path}?{n}": v for n, v in parse_qsl(parts.query) if _PRODUCT_ID.match(n) and v.isalnum()}


def address_claims(url: str) -> Iterator[Claim]:
    """Codes in the address, the surest first: a named parameter, the end of the path, its beginning."""
    parts = urlsplit(url)
    for name, value in parse_qsl(parts.query):
        if _PARAMETER.match(name) and any(c.isdigit() for c in value):
            named = "sku" in name.lower()
            yield Claim("sku", value, "url", f"url ?{name}=", 4.0 if named else 1.5)
    segments = [unquote(s) for s in parts.path.split("/") if s]
    for segment in reversed(segments[-2:]):
        yield from _segment_claims(_EXTENSION.sub("", segment), last=segment == segments[-1])


def _segment_claims(segment: str, *, last: bool) -> Iterator[Claim]:
    share = 1.0 if last else 0.8
    for pattern, weight in ((_WHOLE_CODE, 2.5), (_NUMBER, 2.4), (_LEADING, 2.2), (_CODE, 1.6)):
        found = pattern.search(segment)
        if found:
            code = found[found.lastindex or 0]
            yield Claim("sku", code, "url", f"url /{segment}", weight * share)
            return
