"""Which pages may be asked for conditionally, and that a stored page is the fetched one to whoever reads it."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, XmlResponse

from scout.archive.conditional_requests import ConditionalRequestMiddleware, _remove_conditions
from scout.fetch import FetchState, validators
from scout.store.columns import now
from scout.store.pages import StoredPage
from tests.pipelines.crawlers import crawler, stats

URL = "https://shop.example/p/1"
TAGS = {"ETag": '"a"', "Last-Modified": "Mon, 02 Nov 2026 10:00:00 GMT"}


def answer(kind: type[Response] = HtmlResponse, body: bytes = b"<p>1</p>", status: int = 200, **more: str) -> Response:
    return kind(URL, status=status, headers={**TAGS, **more}, body=body, request=Request(URL))


def test_a_plain_page_is_known_by_its_tag_and_date() -> None:
    assert validators(answer()) == TAGS
    assert validators(HtmlResponse(URL, body=b"<p>1</p>", request=Request(URL))) == {}, "stored, but always fetched"


@pytest.mark.parametrize(
    "response",
    [
        answer(XmlResponse),
        answer(status=404),
        answer(**{"X-Robots-Tag": "noindex"}),
        answer(body=b'<meta name="robots" content="noindex">'),
        answer(**{"Tdm-Reservation": "1"}),
    ],
)
def test_what_is_no_page_no_success_or_asks_something_of_robots_is_always_fetched(response: Response) -> None:
    assert validators(response) is None


def test_a_rendered_page_is_always_fetched() -> None:
    rendered = answer()
    FetchState.of(rendered).is_rendered = True
    assert validators(rendered) is None


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "gbk", "utf-16"])
def test_a_stored_page_is_the_fetched_one_whatever_its_encoding_was(encoding: str) -> None:
    text = (
        '<html><head><meta charset="latin-1"></head><body>Preis 12 '
        + ("灯" if encoding == "gbk" else "ä")
        + "</body></html>"
    )
    headers = {"Content-Type": f"text/html; charset={encoding}"}
    fetched = HtmlResponse(URL, headers=headers, body=text.encode(encoding))
    made = crawler()
    made.spider.shop = "lamps"
    stored = ConditionalRequestMiddleware(made)._answer(
        StoredPage(fetched.text, TAGS, 1, now()), Request(URL), "scout/unchanged"
    )
    assert stored.text == fetched.text == text and stored.status == 200
    assert stored.headers["ETag"] == b'"a"' and stats(made) == {"unchanged": 1}


def test_conditions_are_taken_back_and_those_of_the_user_stay() -> None:
    ours = Request(URL, headers={"If-None-Match": "x"})
    FetchState.of(ours).conditions = "added"
    theirs = Request(URL, headers={"If-None-Match": "x"})
    for request in (ours, theirs):
        _remove_conditions(request)
    assert "If-None-Match" not in ours.headers and theirs.headers["If-None-Match"] == b"x"
