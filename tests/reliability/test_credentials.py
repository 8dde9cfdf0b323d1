"""What the user gave for a shop stays with it: the log of a foreign host, or of another port of the same host, has no secret in it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.http.headers import Headers
from scrapy.utils.test import get_crawler

from scout.fetch import FetchState
from scout.handlers.headers import browser_headers
from scout.middlewares.credentials import CredentialsMiddleware
from tests.crawl.fetching import Fetched, fetch
from tests.crawl.serving import Answer, Server, serving

SECRETS = ("key-5d1f", "password-77aa", "session-90cc")
HEADERS = {"X-Api-Key": SECRETS[0], "Authorization": f"Bearer {SECRETS[1]}"}
WAYS = ("link", "redirect", "refresh", "twice")


def shop_pages(foreign: str) -> dict[str, str | Answer]:
    """A shop that sets a cookie and leads to `foreign` in every way."""
    cookie = {"Set-Cookie": f"sid={SECRETS[2]}; Path=/"}
    return {
        "/robots.txt": "",
        "/": Answer(
            "".join(f'<a href="/{way}">x</a>' for way in WAYS[1:]) + f'<a href="{foreign}link">x</a>', headers=cookie
        ),
        "/redirect": Answer(status=302, headers={"Location": f"{foreign}redirect", **cookie}),
        "/refresh": Answer(f'<meta http-equiv="refresh" content="0; url={foreign}refresh">', headers=cookie),
        "/twice": Answer(status=302, headers={"Location": "/again", **cookie}),
        "/again": Answer(status=307, headers={"Location": f"{foreign}twice"}),
    }


def led_astray(host: str, **settings: Any) -> tuple[Server, Server, Fetched]:
    """Crawl the shop, which leads to another server under this name; both servers, and the crawl."""
    table: dict[str, str | Answer] = {"/robots.txt": "", **{f"/{way}": "x" for way in WAYS}}
    with serving(table) as foreign:
        address = foreign.url.replace("127.0.0.1", host)
        with serving(shop_pages(address)) as shop:
            given = {"SCOUT_ALLOWED_TARGETS": [address], "DEFAULT_REQUEST_HEADERS": HEADERS, **settings}
            return foreign, shop, fetch([shop.url], named=[shop.url], follow=True, **given)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"], ids=["another host", "another port"])
def test_no_secret_reaches_anybody_but_the_shop(host: str) -> None:
    foreign, shop, fetched = led_astray(host)
    assert {f"/{way}" for way in WAYS} <= set(foreign.asked), fetched.log
    assert [secret for secret in SECRETS for heard in foreign.heard if secret in heard] == []
    assert all(secret in shop.heard[-1] for secret in SECRETS), "the shop itself gets them all"
    assert fetched.stats["scout/credentials/kept_back"] >= 2 * len(WAYS)


def test_without_the_middleware_all_three_would_leak() -> None:
    """What the test above shows is the middleware's work, not an accident of the test."""
    off = {"scout.middlewares.guard.GuardMiddleware": 10, "scout.middlewares.credentials.CredentialsMiddleware": None}
    foreign, _, _ = led_astray("127.0.0.1", DOWNLOADER_MIDDLEWARES=off)
    assert all(any(secret in heard for heard in foreign.heard) for secret in SECRETS)


def test_a_foreign_host_does_not_learn_which_page_led_to_it() -> None:
    foreign, shop, _ = led_astray("localhost")
    referers = [line for heard in foreign.heard for line in heard.splitlines() if line.lower().startswith("referer")]
    assert set(referers) <= {f"Referer: {shop.url}"}


def test_the_browser_is_given_no_secret_to_pass_on() -> None:
    """Frames and redirects take the headers of their page along, so that there must be none in it."""

    class Asked:
        async def all_headers(self) -> dict[str, str]:
            return {"user-agent": "Chromium", "accept": "*/*", "sec-fetch-mode": "navigate"}

    given = {"headers": Headers({**HEADERS, "Cookie": SECRETS[2], "User-Agent": "Scout", "Accept-Language": "de"})}
    headers = asyncio.run(browser_headers(playwright_request=Asked(), scrapy_request_data=given))  # type: ignore[arg-type]
    assert not any(secret in value for value in headers.values() for secret in SECRETS)
    assert headers == {"user-agent": "Scout", "accept": "*/*", "sec-fetch-mode": "navigate", "accept-language": "de"}


@pytest.mark.parametrize(
    ("url", "is_sent"), [("http://db.shop.example/all", True), ("http://foreign.example/all", False)]
)
def test_a_token_goes_where_the_spider_means_it_to_go_and_no_redirect_takes_it_along(url: str, is_sent: bool) -> None:
    crawler = get_crawler()
    crawler.spider = SimpleNamespace(named_urls=["http://shop.example/"])  # type: ignore[assignment]
    request = Request(url, headers=HEADERS)
    FetchState.of(request).authorised_for = "http://db.shop.example/all"
    CredentialsMiddleware(crawler).process_request(request)
    assert ("Authorization" in request.headers, "X-Api-Key" in request.headers) == (is_sent, False)
