"""What is known of one fetch: of a request, its response and the page in it. No other module keeps facts of Scout's in `meta`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal
from weakref import WeakKeyDictionary, ref

from scrapy import Request
from scrapy.http import Headers, HtmlResponse, Response, TextResponse
from scrapy.utils.request import RequestFingerprinter, fingerprint

from scout.page import Page
from scout.rendering.addresses import Exchange
from scout.values.routes import is_route
from scout.walking.steps import Step

_KEY = "scout_fetch"
CONDITIONS: Mapping[str, str] = {
    "ETag": "If-None-Match",
    "Last-Modified": "If-Modified-Since",
}  # RFC 9110, section 13.1
_HEAD = 20_000  # characters: where a page's meta tags are
_META = re.compile(r"<meta\b[^>]{0,500}>", re.IGNORECASE)
_NAME = re.compile(r"""\bname\s*=\s*["']?\s*(robots|scout|tdm-reservation)\b""", re.IGNORECASE)
_CONTENT = re.compile(r"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_DIRECTIVES = {"noindex", "nofollow", "none", "noarchive"}


@dataclass(frozen=True)
class FetchedDocument:
    """A page that was fetched already: the browser renders it without asking the shop again."""

    body: bytes
    content_type: str


@dataclass
class Rendering:
    """What a browser shall do with a request, and what came of it."""

    document: FetchedDocument | None = None
    is_growing: bool = True  # scroll and press "load more" until the page grows no longer
    settle_seconds: float = 2.0
    is_laid_out: bool = (
        False  # with its style sheets; the boxes of forms are written into the page (scout.forms.layout)
    )
    exchanges: Sequence[Exchange] = ()  # the data that the page asked for
    has_failed: bool = False  # a script or data request broke off: the page does not show all of it


@dataclass
class FetchState:
    """The facts of one request, reached by `FetchState.of(request)` or `of(response)`.

    Scrapy copies `meta` when it redirects or retries. The copy has a state of its own, which begins with the facts of the page; those of
    the earlier try stay behind. None of them outlives the process.
    """

    # of the page
    token: str | None = None  # the key of its row in the frontier
    is_second_fetch: bool = False  # of a page that is being fetched, or of the data behind it: not compared again
    is_robots_txt: bool = False
    is_kept_to_resume: bool = False  # its page is kept until the crawl is complete, and read from there by the next run
    authorised_for: str | None = None  # the URL that its Authorization header is for, where that is not the shop's
    conditions: Literal["added", "never"] | None = None  # whether Scout has added If-None-Match and the like
    rendering: Rendering | None = None  # None: without a browser
    # of this try
    is_rendered: bool = False  # the response is from the browser, or from the data behind the page
    is_unrendered: bool = False  # the page seems to need a browser: there is none, or it took too long
    has_timed_out: bool = False  # rendering took all the time that a page has, and so it would the next time
    comparison: str | None = None  # what the comparison of the plain and the rendered page showed
    bytes_received: int = 0
    is_rejected: bool = False  # the spider does not take the page: the next crawl tries it again

    _owner: ref[Request] | None = None

    @classmethod
    def of(cls, fetch: Request | Response | None) -> FetchState:
        """The state of this very request, or of the one that a response answers; an unconnected one for a response without request."""
        request = fetch.request if isinstance(fetch, Response) else fetch
        if request is None:
            return cls()
        state: FetchState = request.meta.get(_KEY) or cls()
        if state._owner is None or state._owner() is not request:
            state = request.meta[_KEY] = state._for_another_try(request)
        return state

    def _for_another_try(self, request: Request) -> FetchState:
        this_try: dict[str, Any] = dict.fromkeys(
            ("is_rendered", "is_unrendered", "has_timed_out", "is_rejected"), False
        )
        return replace(self, **this_try, comparison=None, bytes_received=0, _owner=ref(request))

    def __getstate__(self) -> dict[str, Any]:  # for Scrapy's queue on disk: a weak reference cannot be written
        return {**vars(self), "_owner": None}


def meta_to_keep(request: Request) -> dict[str, Any]:
    """The request's meta as it may be written down."""
    return {name: value for name, value in request.meta.items() if name != _KEY}


def expected_level(fetch: Request | Response) -> str | None:
    """The level that the page is expected to belong to: by the step of the walk that led to it, else as its request says."""
    request = fetch.request if isinstance(fetch, Response) else fetch
    step = request.cb_kwargs.get("came") if request else None
    if isinstance(step, Step):
        return step.level
    return request.meta.get("level") if request else None


def came_step(request: Request) -> Step:
    """The step of the walk that led to a page; one that says nothing where no walk did."""
    step = request.cb_kwargs.get("came")
    return step if isinstance(step, Step) else Step(request.url)


def asked_urls(request: Request) -> list[str]:
    """The URLs that were asked for until now, the first one first: redirects lead from each to the next."""
    return [*request.meta.get("redirect_urls", ()), request.url]


def slot_name(request: Request) -> str | None:
    """The downloader's queue for it; None where the downloader has not chosen one yet."""
    return request.meta.get("download_slot")


def download_seconds(request: Request) -> float:
    """How long its download took."""
    return request.meta.get("download_latency") or 0.0


class RouteFingerprinter(RequestFingerprinter):
    """Scrapy's fingerprints, for which addresses that differ by a route in their fragment are different ones."""

    def fingerprint(self, request: Request) -> bytes:
        return fingerprint(request, keep_fragments=True) if is_route(request.url) else super().fingerprint(request)


# --- one page for one response ----------------------------------------------------------------------------------------

_pages: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()


def page_of(response: TextResponse) -> Page:
    """The page in a response: the same one, parsed and judged at most once, until the spider takes it."""
    page = _pages.get(response)
    if page is None:
        page = _pages[response] = Page(response.url, response.text)
    return page


def take_page(response: TextResponse) -> Page:
    """The page for good: the response, which lives on until all items are stored, no longer holds its tree."""
    page = page_of(response)
    del _pages[response]
    return page


def response_with(page: Page, request: Request, headers: Headers | None = None) -> HtmlResponse:
    """An answer to the request that holds this page."""
    response = HtmlResponse(page.url, headers=headers, body=page.html, encoding="utf-8", request=request)
    _pages[response] = page
    return response


# --- what a response says beside its page -------------------------------------------------------------------------------


def robots_directives(response: Response) -> set[str]:
    """What the page asks of robots: noindex, nofollow, none, noarchive, tdm.

    In the header X-Robots-Tag, in <meta name="robots">, or as https://www.w3.org/community/reports/tdmrep/CG-FINAL-tdmrep-20240510/ has
    it, in the header or meta tag tdm-reservation.
    """
    asked = [_asked_of_scout(line.decode("latin-1")) for line in response.headers.getlist("X-Robots-Tag")]
    reserved = [(response.headers.get("Tdm-Reservation") or b"").decode("latin-1")]
    for name, content in _metas(response.text[:_HEAD]) if isinstance(response, TextResponse) else ():
        (reserved if name == "tdm-reservation" else asked).append(content)
    directives = {word.strip().lower() for text in asked for word in text.split(",")} & _DIRECTIVES
    return directives | ({"tdm"} if any(text.strip() == "1" for text in reserved) else set())


def _asked_of_scout(line: str) -> str:
    """What X-Robots-Tag asks of everybody, or of Scout: `noindex`, or `scout: noindex`, but not `otherbot: noindex`."""
    name, colon, rest = line.partition(":")
    return line if not colon else rest if name.strip().lower() == "scout" else ""


@lru_cache(maxsize=32)  # several components ask of the same page, one after the other
def _metas(html: str) -> tuple[tuple[str, str], ...]:
    """The name and content of the meta elements that ask something."""
    found = ((_NAME.search(meta), _CONTENT.search(meta)) for meta in _META.findall(html))
    return tuple(
        (name[1].lower(), next(group for group in content.groups() if group is not None))
        for name, content in found
        if name and content
    )


def validators(response: Response) -> dict[str, str] | None:
    """The response's ETag and Last-Modified; None if the page must always be fetched again.

    A rendered page depends on more than this response, and a 304 may lack the header with the page's robots directives.
    """
    is_rendered = response.request is None or FetchState.of(response).is_rendered
    if not isinstance(response, HtmlResponse) or response.status != 200 or is_rendered or robots_directives(response):
        return None
    headers = {name: response.headers.get(name) for name in CONDITIONS}
    return {name: value.decode("latin-1") for name, value in headers.items() if value}
