"""What is known of a request goes with its page through redirects and retries, and no further."""

from __future__ import annotations

import gc
import pickle
from weakref import ref

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scout.extraction.product_page import ProductPageEvidence
from scout.fetch import FetchState, asked_urls, expected_level, meta_to_keep, page_of, response_with, take_page
from scout.items import PageItem
from scout.page import Page
from scout.walking.steps import Step

URL = "http://shop.example/lamp"


def response(request: Request | None = None) -> HtmlResponse:
    return HtmlResponse(URL, body=b"<h1>Lamp</h1>", request=request)


def test_a_copy_of_a_request_keeps_the_facts_of_the_page_and_not_those_of_the_try() -> None:
    request = Request(URL)
    first = FetchState.of(request)
    first.token, first.conditions, first.is_rendered, first.comparison = "x", "added", True, "no facts"
    again = FetchState.of(request.replace(url=f"{URL}?moved"))
    assert (again.token, again.conditions) == ("x", "added") and not again.is_rendered and again.comparison is None
    assert first.is_rendered and FetchState.of(request) is first


def test_a_copy_changes_nothing_of_its_original() -> None:
    request = Request(URL)
    FetchState.of(request).token = "x"
    FetchState.of(request.copy()).token = None
    assert FetchState.of(request).token == "x"


def test_a_response_has_the_state_of_its_request() -> None:
    request = Request(URL)
    FetchState.of(request).token = "x"
    assert FetchState.of(response(request)).token == "x" and FetchState.of(response()).token is None


def test_nothing_of_the_state_is_written_down() -> None:
    request = Request(URL, meta={"level": "list"})
    FetchState.of(request).token = "x"
    assert meta_to_keep(request) == {"level": "list"}


def test_a_request_can_still_be_written_to_the_disk_queue_of_scrapy() -> None:
    request = Request(URL)
    FetchState.of(request).token = "x"
    read = Request(URL, meta=pickle.loads(pickle.dumps(request.meta)))
    assert FetchState.of(read).token == "x"


@pytest.mark.parametrize(
    ("request_", "level"),
    [
        (Request(URL, cb_kwargs={"came": Step(URL, "record")}), "detail"),
        (Request(URL, cb_kwargs={"came": Step(URL, "pager")}, meta={"level": "detail"}), "list"),
        (Request(URL, meta={"level": "detail"}), "detail"),
        (Request(URL), None),
    ],
)
def test_the_step_of_a_walk_says_which_level_is_expected_and_else_the_request(
    request_: Request, level: str | None
) -> None:
    assert expected_level(request_) == level


def test_the_first_asked_url_is_the_one_that_redirects_began_with() -> None:
    assert asked_urls(Request(URL)) == [URL]
    assert asked_urls(Request(URL, meta={"redirect_urls": ["http://a.example/"]})) == ["http://a.example/", URL]


def test_all_readers_of_a_response_share_one_page_until_the_spider_takes_it() -> None:
    answer = response()
    page = page_of(answer)
    assert page_of(answer) is page and take_page(answer) is page and page_of(answer) is not page


def test_an_answer_made_of_a_page_is_not_parsed_again() -> None:
    page = Page(URL, "<h1>Lamp</h1>")
    assert page_of(response_with(page, Request(URL))) is page


@pytest.mark.parametrize("get", [page_of, take_page])
def test_a_page_and_its_tree_are_freed_with_the_response_without_the_garbage_collector(get) -> None:
    answer = response()
    page = get(answer)
    ProductPageEvidence.of(page).evidence()
    alive = ref(page)
    gc.disable()
    try:
        del page, answer
        assert alive() is None
    finally:
        gc.enable()


def test_an_item_carries_what_its_response_says_of_the_page_however_long_it_is_held() -> None:
    headers = {"ETag": '"a"', "X-Robots-Tag": "noindex"}
    asked = HtmlResponse(URL, body=b"<h1>Lamp</h1>", headers=headers, request=Request(URL))
    assert PageItem.from_response(asked).directives == {"noindex"}
    tagged = HtmlResponse(URL, body=b"<h1>Lamp</h1>", headers={"ETag": '"a"'}, request=Request(URL))
    assert PageItem.from_response(tagged).headers == {"ETag": '"a"'}
