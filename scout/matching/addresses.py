"""A catalogue at an address: fetched with retries, page by page where a JSON response names the next one."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

from scout.errors import CatalogueError
from scout.matching.records import MAX_BYTES, KeyPath, longest_list

_FETCH_TIMEOUT = 60.0
MAX_PAGES = 10_000  # of a REST endpoint
_MAX_QUOTED = 200  # characters of a response in an error message
_ABSENT = object()
_NEXT_KEYS = ("next", "next_url", "next_page_url", "nextPage")
_TRANSIENT = frozenset({429, 500, 502, 503, 504})  # HTTP statuses that are worth a retry
_PAUSES = (1.0, 4.0)  # seconds before each retry


def fetched_pages(address: str) -> Iterator[tuple[str, bytes, bool]]:
    """(address, body, whether it may be one of several pages) of a catalogue; the next pages that a JSON response names are fetched too, on
    the same host.

    A page that cannot be fetched is an error: with a part of the catalogue, the rest would look missing.
    """
    seen: set[str] = set()
    path: KeyPath | None = None
    url: str | None = address
    while url and url not in seen:
        if len(seen) == MAX_PAGES:
            raise CatalogueError(f"{address}: has more than {MAX_PAGES} pages: import it in parts")
        seen.add(url)
        data = _fetch(url)
        if path and _is_past_last_page(data, path, url):
            return
        response = json_object(data)
        path, _ = longest_list(response)
        yield url, data, response is not None
        url = _next_page_url(response, url)


def json_object(data: bytes) -> Mapping[str, Any] | None:
    """The JSON object in a response; None for anything else, which has no next page."""
    if data.lstrip()[:1] != b"{":
        return None
    try:
        response: Mapping[str, Any] = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return response


def _is_past_last_page(data: bytes, path: KeyPath, address: str) -> bool:
    """Whether the list that the pages before have is empty on this one.

    A page without that list is an error: {"error": "quota exceeded"} is not the end of a catalogue.
    """
    found: Any = json_object(data)
    if found is None and data.strip() == b"[]":
        return True
    for key in path:
        found = found.get(key, _ABSENT) if isinstance(found, dict) else _ABSENT
    if found is not None and not isinstance(found, list):
        quoted = data[:_MAX_QUOTED].decode("utf-8", "replace")
        raise CatalogueError(f"{address}: has no list of {'.'.join(path)}, as the pages before it have: {quoted}")
    return not found


def _fetch(address: str, pauses: Sequence[float] = _PAUSES) -> bytes:
    """The response body of an http(s) address that the user named; transient errors are retried, once for each pause."""
    try:
        return _fetch_once(address)
    except (OSError, ValueError, http.client.HTTPException) as error:
        if not pauses or not _is_transient(error):
            raise CatalogueError(f"{address}: cannot be fetched: {error}") from error
    time.sleep(pauses[0])
    return _fetch(address, pauses[1:])


def _is_transient(error: Exception) -> bool:
    """Whether the same request may succeed a moment later."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _TRANSIENT
    return not isinstance(error, ValueError)


def _fetch_once(address: str) -> bytes:
    """The response body of an http(s) address, without retries."""
    accepted = "application/json, text/csv, application/xml;q=0.9, */*;q=0.5"
    request = urllib.request.Request(address, headers={"Accept": accepted})
    with urllib.request.urlopen(request, timeout=_FETCH_TIMEOUT) as response:  # http(s) only: checked by read_catalogue
        data: bytes = response.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise CatalogueError(f"{address}: is larger than {MAX_BYTES} bytes")
    return data


def _next_page_url(response: Mapping[str, Any] | None, address: str) -> str | None:
    """The next page that a JSON response names. One on another host is an error: it is neither fetched nor left out."""
    if response is None:
        return None
    inside: list[Any] = [response.get(key) for key in ("links", "meta", "paging")]
    places: list[Any] = [response, *(place for place in inside if isinstance(place, dict))]
    named: str | None = next(
        (place[key] for place in places for key in _NEXT_KEYS if isinstance(place.get(key), str)), None
    )
    if not named:
        return None
    here, there = urlsplit(address), urlsplit(urljoin(address, named))
    if there.netloc != here.netloc:
        raise CatalogueError(
            f"{address}: continues on another host, {there.geturl()}, which is not fetched: import both addresses"
        )
    return str(there._replace(scheme=here.scheme).geturl())  # behind a proxy, a server may not know that it is https
