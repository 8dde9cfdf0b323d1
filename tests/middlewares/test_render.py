"""What the middleware that renders does with pages, without a browser; the crawls with one are in tests/crawl."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from scout.crawl.failure_reasons import Rejected
from scout.extraction.zero_shot import zero_shot
from scout.middlewares.render import RenderMiddleware
from scout.page import Page
from scout.rendering.endpoint_proof import fullest_page
from scout.rendering.endpoints import Endpoint, Exchange
from scout.rendering.levels import Comparison
from scout.rendering.page_facts import page_facts

URL = "http://shop.example/c/lamps"
LIST = "<main><h1>Lamps</h1>" + "".join(f"<p><a href=/p/{n}>Lamp {n}, of brass</a></p>" for n in range(40)) + "</main>"


def middleware(**settings: object) -> RenderMiddleware:
    browser = dict.fromkeys(("http", "https"), "scout.handlers.browser.BrowserHandler")
    usual = {"SCOUT_RENDER_SETTLE": 0.1, "SCOUT_BROWSER": "/bin/true", "DOWNLOAD_HANDLERS": browser}
    crawler = get_crawler(Spider, {**usual, **settings})
    crawler.engine, crawler.spider = Mock(), Mock(rules=None, crawler=crawler)
    return RenderMiddleware.from_crawler(crawler)


def request(url: str = URL, level: str = "list") -> Request:
    return Request(url, meta={"level": level})


def answer(of: Request, html: str) -> HtmlResponse:
    return HtmlResponse(of.url, body=html, encoding="utf-8", request=of)


def done(work: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(work)


def test_pages_that_waited_for_a_verdict_are_asked_for_again_also_where_a_plain_page_brings_it() -> None:
    render, waiting = middleware(), request()
    for gained in (("links",), (), ("links",), ("links",)):
        render.marks.learn("list", Comparison(URL, 0.5, gained, facts=1), {})
    render.plain_for_now["list"].append(waiting)
    last = request("http://shop.example/c/chairs")
    taken = done(render.process_response(last, answer(last, LIST)))
    assert render.marks.decided["list"].mode == "browser" and taken.text == LIST
    (again,) = (call.args[0] for call in render.crawler.engine.crawl.call_args_list)
    assert again.url == waiting.url and again.dont_filter


def test_the_answer_that_holds_most_facts_tells_of_a_product() -> None:
    product = {"product": {"title": "Lamp Model D03", "price": "40.39", "sku": "LA1003", "brand": "Nordlicht"}}
    scripts = [{"theme": "dark"}, product, {"menu": ["Lamps", "Chairs"]}]
    html = "".join(f'<script type="application/json">{json.dumps(data)}</script>' for data in scripts)
    render, url = middleware(), "http://shop.example/p/lamp-3"
    render._fetch = AsyncMock(return_value=HtmlResponse(url, body=html, encoding="utf-8"))
    endpoint = Endpoint("http://shop.example{path}")
    page = fullest_page(endpoint, url, done(render._endpoint_answers(url, endpoint)), "detail")
    assert page and "Lamp Model D03" in page.html


def rendered_item(number: int, more: str = "") -> str:
    main = f"<h1>Lamp No. {number}</h1><p class=price>€{number}9.50</p>{more}"
    return f"<html><head><title>Lamp No. {number}</title></head><body><main>{main}</main></body></html>"


@pytest.mark.parametrize(("more", "mode"), [("", "endpoint"), ("<button>Add to cart</button>", "browser")])
def test_data_whose_names_tell_nothing_is_read_where_the_facts_of_the_rendered_pages_stood(
    more: str, mode: str
) -> None:
    """Two amounts and no telling name: which is the price, the rendered pages show. Not where they show more than the data tells."""
    data = {n: {"d": [{"a": f"Lamp No. {n}", "x": f"{n}1.00", "y": f"{n}9.5"}]} for n in (1, 2, 3)}
    render = middleware()
    render._fetch = AsyncMock(side_effect=lambda asked: TextResponse(asked.url, body=json.dumps(data[2]).encode()))
    for n in (1, 2):
        url = f"http://shop.example/p/{n}0"
        page, exchange = (
            Page(url, rendered_item(n, more)),
            Exchange(f"http://shop.example/api?p={n}0", json.dumps(data[n])),
        )
        told = page_facts(page, "detail")
        shown = HtmlResponse(url, body=page.html, encoding="utf-8")
        done(render._learn("detail", Comparison(url, 0.1, ("price", "title")), told, shown, [exchange]))
    assert render.marks.decided["detail"].mode == mode
    if mode == "endpoint":
        endpoint = Endpoint.from_dict(render.marks.decided["detail"].endpoint)
        assert dict(endpoint.ways) == {"title": ("d", 0, "a"), "price": ("d", 0, "y")}
        offer = zero_shot(endpoint.page("http://shop.example/p/30", data[3]))
        assert (offer["title"], offer["price"], offer["currency"]) == ("Lamp No. 3", "39.50", "EUR")


def test_a_page_that_cannot_be_rendered_is_rejected_with_a_word_to_count_by() -> None:
    render, asked = middleware(SCOUT_RENDER="always", RETRY_ENABLED=True, RETRY_TIMES=0), request()
    render._fetch = AsyncMock(return_value=Response(URL, status=500))
    with pytest.raises(Rejected) as rejected:
        done(render.process_request(asked))
    assert rejected.value.reason == "not_rendered"
