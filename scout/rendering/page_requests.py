"""Which requests of a page's scripts the browser may send: those that read what the page shows, and none that does something."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from scout.url_rules import forbidden_pieces_of, url_pieces
from scout.values.tables import table
from scout.values.walk_words import name_words

# resource types of Chromium's DevTools protocol that carry no facts about a product
_NEEDLESS_KINDS = frozenset(
    "Image Media Font TextTrack EventSource WebSocket Manifest Ping CSPViolationReport Prefetch".split()
)
_MUTATION = re.compile(r"(?:^|\})\s*(?:mutation|subscription)\b")
_QUERY = re.compile(r"\s*(?:query\b|fragment\b|\{)")
_COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True)
class PageRequest:
    """A request that a page makes while it is rendered; `kind` is Chromium's resource type, header names are in lower case."""

    url: str
    method: str = "GET"
    kind: str = "XHR"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    @property
    def is_page(self) -> bool:
        """Whether it is for a document: of the page itself, a frame or a popup."""
        return self.kind == "Document"


def block_reason(request: PageRequest, *, is_own: bool) -> str | None:
    """Why the browser must not send this: needless, session, write. None if it may.

    `is_own` says that it goes to the site of the page. What is not known to be a data read is a write.

    >>> block_reason(PageRequest("http://a.example/graphql", "POST", body='{"query": "{ products { name } }"}'), is_own=True)
    >>> block_reason(PageRequest("http://a.example/cart/add.js", "POST", body="id=3"), is_own=True)
    'write'
    """
    if _is_needless(request):
        return "needless"
    if not frozenset(url_pieces(request.url)).isdisjoint(_words("session_pieces")):
        return "session"
    is_safe = request.method in ("GET", "HEAD", "OPTIONS")
    is_read = not _changes_by_url(request.url) if is_safe else _is_read(request, is_own)
    return None if is_read else "write"


def _is_needless(request: PageRequest) -> bool:
    looks_ahead = "prefetch" in request.headers.get("sec-purpose", request.headers.get("purpose", ""))
    is_stream = request.headers.get("accept", "").startswith("text/event-stream")
    return request.kind in _NEEDLESS_KINDS or looks_ahead or is_stream or "service-worker" in request.headers


def _changes_by_url(url: str) -> bool:
    """Whether the URL itself does something to a cart or the like: /cart/add, ?wc-ajax=add_to_cart."""
    words = name_words(" ".join(url_pieces(url)))
    return _names_cart(url) and not words.isdisjoint(_words("changing_words"))


def _names_cart(url: str) -> bool:
    """Whether the URL names a cart, a login or the like; an API may be mounted under such a name."""
    return not forbidden_pieces_of(url) <= _words("api_pieces")


def _is_read(request: PageRequest, is_own: bool) -> bool:
    """Whether a POST asks for data: a GraphQL query, or words for reading and none for writing.

    Another site's address must say it itself and be asked in JSON, as search services are; trackers take anything.
    """
    if request.method != "POST" or request.is_page:
        return False
    body = _parsed_body(request.body)
    graphql = [_COMMENT.sub("", text) for text in _members(body, {"query"})]
    if any(_MUTATION.search(text) for text in graphql):
        return False
    if any(_QUERY.match(text) for text in graphql):
        return True
    return not _names_cart(request.url) and _says_it_reads(request, body, is_own)


def _says_it_reads(request: PageRequest, body: Any, is_own: bool) -> bool:
    parts = urlsplit(request.url)
    in_url = name_words(unquote(f"{parts.path} {parts.query}"))
    in_body = frozenset[str]().union(*map(name_words, _members(body, _words("operation_keys"))))
    said = in_url | in_body if is_own else in_url
    is_asked = is_own or request.body.lstrip().startswith(("{", "["))
    return (
        is_asked
        and (in_url | in_body).isdisjoint(_words("writing_words"))
        and not said.isdisjoint(_words("reading_words"))
    )


def _parsed_body(body: str) -> Any:
    """The body as JSON, or else the pairs of a form as a dict."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return dict(parse_qsl(body))


def _members(body: Any, keys: frozenset[str] | set[str]) -> Iterator[str]:
    """The texts of these members of an object, or of the objects in a list."""
    for entry in body if isinstance(body, list) else [body]:
        if isinstance(entry, dict):
            yield from (value for key, value in entry.items() if isinstance(value, str) and key.lower() in keys)


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("page_requests")[name])
