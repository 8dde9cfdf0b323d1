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
from scout.rendering.addresses import Exchange
from scout.rendering.levels import Comparison
from scout.rendering.page_facts import page_facts, sample_of
from scout.walking.steps import Step

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
        render.policy.learn("list", Comparison(URL, 0.5, gained, facts=1))
    render.plain_for_now["list"].append(waiting)
    last = request("http://shop.example/c/chairs")
    taken = done(render.process_response(last, answer(last, LIST)))
    assert render.policy.decided["list"].mode == "browser" and taken.text == LIST
    (again,) = (call.args[0] for call in render.crawler.engine.crawl.call_args_list)
    assert again.url == waiting.url and again.dont_filter


def product_page(number: int) -> Page:
    main = f"<h1>Lamp No. {number}</h1><p class=price>€{number}9.50</p><button>Add to cart</button>"
    html = f"<html><head><title>Lamp No. {number}</title></head><body><main>{main}</main></body></html>"
    return Page(f"http://shop.example/p/{number}0", html)


@pytest.mark.parametrize(("answered", "mode"), [(3, "endpoint"), (4, "browser")])
def test_an_endpoint_is_used_once_it_gave_what_a_page_shows_that_was_not_used_to_find_it(
    answered: int, mode: str
) -> None:
    data = {n: {"d": [{"a": f"Lamp No. {n}", "x": f"{n}1.00", "y": f"{n}9.5"}]} for n in (1, 2, 3, 4)}
    render, pages = middleware(), [product_page(n) for n in (1, 2, 3)]
    frame = Page(pages[0].url, "<html><body><div id=app></div></body></html>")
    samples = [
        sample_of(
            Page(page.url, frame.html), page, "detail", page_facts(page, "detail"), {},
            [Exchange(f"http://shop.example/api?p={n}0", json.dumps(data[n]))],
        )
        for n, page in enumerate(pages, 1)
    ]  # fmt: skip
    for sample in samples[:2]:
        done(render._learn("detail", Comparison(sample.url, 0.1, ("price", "title")), sample))
    assert render.policy.decided["detail"].mode == "browser" and render.policy.is_learning("detail")
    answer_of = json.dumps(data[answered]).encode()
    render._fetch = AsyncMock(side_effect=lambda asked: TextResponse(asked.url, body=answer_of))
    done(render._prove_endpoint("detail", samples[2], Page(pages[2].url, frame.html), pages[2]))
    assert render.policy.decided["detail"].mode == mode
    if mode == "endpoint":
        page = done(render.process_request(request("http://shop.example/p/30", "detail")))
        offer = zero_shot(Page(page.url, page.text))
        assert (offer["title"], offer["price"], offer["currency"]) == ("Lamp No. 3", "39.50", "EUR")


def test_a_page_that_cannot_be_rendered_is_rejected_with_a_word_to_count_by() -> None:
    render, asked = middleware(SCOUT_RENDER="always", RETRY_ENABLED=True, RETRY_TIMES=0), request()
    render._fetch = AsyncMock(return_value=Response(URL, status=500))
    with pytest.raises(Rejected) as rejected:
        done(render.process_request(asked))
    assert rejected.value.reason == "not_rendered"


def test_a_page_that_waited_while_pages_like_it_turned_out_to_be_products_is_fetched_as_one() -> None:
    render, asked = middleware(), request("http://shop.example/p/3", "list")
    render._render_or_retry = AsyncMock(return_value=answer(asked, "rendered"))

    async def process_while_others_are_compared() -> Response | Request:
        async with render.lock:
            waiting = asyncio.ensure_future(render.process_response(asked, answer(asked, "<script></script>")))
            await asyncio.sleep(0)
            for number in (1, 2):
                found = Comparison(f"http://shop.example/p/{number}", 0.1, ("price",))
                render.policy.learn("detail", found)
        return await waiting

    assert done(process_while_others_are_compared()).text == "rendered"
    assert "list" not in render.policy.compared


def test_a_short_last_page_of_a_plain_list_is_no_frame_of_another_level() -> None:
    render, url = middleware(), f"{URL}?page=3"
    for level, gained in (("detail", ("price",)), ("list", ()), ("detail", ("price",)), ("list", ())):
        render.policy.learn(level, Comparison(URL, 0.5, gained, facts=1))
    asked = Request(url, cb_kwargs={"came": Step(url, "pager")})
    short = answer(asked, "<script></script><p><a href=/p/1>Lamp 1</a></p>")
    assert done(render.process_response(asked, short)) is short


def test_a_product_behind_a_list_without_prices_is_compared_as_a_product_though_lists_are_plain() -> None:
    frame = "<main><h1>Lamp No. 3</h1><p class=price></p><button>Add to cart</button></main><script></script>"
    listed = "".join(f"<li><a href=/p/{n}><img src=/{n}.png>Lamp {n}</a> €9.50</li>" for n in range(30))
    for shown, most in ((frame.replace("></p>", ">€9.50</p>"), 8), (f"<h1>Lamps</h1><ul>{listed}</ul>", 5)):
        render = middleware()
        for number in (1, 2):
            render.policy.learn("list", Comparison(f"{URL}{number}", 1.0, facts=2))
        render._render = AsyncMock(side_effect=lambda asked, *_, shown=shown: (answer(asked, shown), ()))
        for one in (request(f"http://shop.example/lamp-{letter}") for letter in "abcdefgh"):
            taken = done(render._choose_response("list", one, answer(one, frame)))
        assert render._render.call_count == most
        assert taken.text == (shown if most == 8 else frame)
