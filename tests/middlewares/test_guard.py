"""A crawl of a shop on loopback never reaches the other server on loopback, the canary, whatever the shop's pages say."""

import pytest

from tests.crawl.fetching import fetch
from tests.crawl.serving import Answer, serving

SPELLINGS = (
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "0.0.0.0",
)
STOCK_RESOLVER = "scrapy.resolver.CachingThreadedResolver"  # that of the process, in most projects
REFUSED = {
    "TargetRefused",
    "RobotsUnreachable",
}  # the second for a name: its robots.txt is the first that is not fetched


def refresh(url: str) -> str:
    return f'<html><head><meta http-equiv="refresh" content="0; url={url}"></head><body>moved</body></html>'


def traps(canary_port: int) -> dict[str, "str | Answer"]:
    """For each spelling of the canary's address: a link, a redirect and a refresh that lead to it."""
    urls = [f"http://{host}:{canary_port}/secret" for host in SPELLINGS] + ["file:///etc/passwd", "data:text/html,x"]
    pages: dict[str, str | Answer] = {"/robots.txt": Answer("", 404)}
    for number, url in enumerate(urls):
        pages[f"/redirect/{number}"] = Answer(status=302, headers={"Location": url})
        pages[f"/refresh/{number}"] = refresh(url)
    links = [f'<a href="{path}">x</a>' for path in pages] + [f'<a href="{url}">x</a>' for url in urls]
    return {**pages, "/": "<html><body>" + "".join(links) + "</body></html>"}


@pytest.mark.parametrize("resolver", ["scrapy.resolver.CachingHostnameResolver", STOCK_RESOLVER])
def test_no_spelling_no_redirect_and_no_refresh_reaches_the_canary(resolver):
    with serving({}) as canary, serving(traps(canary.port)) as shop:
        fetched = fetch([shop.url], named=[shop.url], follow=True, TWISTED_DNS_RESOLVER=resolver)
    assert canary.asked == []
    assert f"{shop.url}redirect/0" in {shop.url + path[1:] for path in shop.asked}
    refused = [outcome for url, outcome in fetched.outcome.items() if not url.startswith(shop.url)]
    assert refused and set(refused) <= REFUSED
    assert fetched.stats["scout/guard/refused"] >= 3 * (len(SPELLINGS) - 1)


def test_a_target_that_the_user_allows_is_reached():
    with serving({"/robots.txt": "", "/a": "x"}) as other, serving({"/robots.txt": ""}) as shop:
        fetched = fetch([f"{other.url}a"], named=[shop.url], SCOUT_ALLOWED_TARGETS=[other.url])
    assert fetched.outcome == {f"{other.url}a": 200}


def test_without_the_guard_the_canary_would_be_reached():
    """What the tests above show is the guard's work, not an accident of the test."""
    off = {"scout.middlewares.guard.GuardMiddleware": None}
    with serving({}) as canary, serving(traps(canary.port)) as shop:
        fetch([shop.url], named=[shop.url], follow=True, DOWNLOADER_MIDDLEWARES=off)
    assert "/secret" in canary.asked
