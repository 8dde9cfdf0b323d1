"""What a shop asks for is kept: the pause between requests, and the time to come back."""

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from itertools import pairwise

import pytest
from scrapy.http import Response

from scout.extensions.politeness import retry_after
from tests.crawl.fetching import fetch
from tests.crawl.serving import Answer, serving

NEARLY_A_SECOND = 0.75  # between two arrivals: on a busy machine the server notes the first of them late


def gaps(times: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(times)]


@pytest.mark.parametrize("throttled", [False, True])
def test_crawl_delay_is_kept_with_and_without_autothrottle(throttled):
    pages = {f"/{n}": "x" for n in range(3)}
    with serving({"/robots.txt": "User-agent: *\nCrawl-delay: 1\n", **pages}) as shop:
        urls = [shop.url + path[1:] for path in pages]
        fetched = fetch(urls, named=[shop.url], AUTOTHROTTLE_ENABLED=throttled, AUTOTHROTTLE_START_DELAY=0)
    assert min(gaps(shop.times[1:])) >= NEARLY_A_SECOND
    assert fetched.stats["scout/politeness/crawl_delay"] == 1


def test_retry_after_halts_all_requests_to_the_shop_and_the_page_is_fetched_in_the_end():
    answers = iter([Answer("busy", 503, {"Retry-After": "2"}), *["x"] * 20])
    table = {"/robots.txt": "", "/busy": lambda: next(answers), **{f"/{n}": "x" for n in range(4)}}
    with serving(table) as shop:
        urls = [f"{shop.url}busy", *(f"{shop.url}{n}" for n in range(4))]
        fetched = fetch(urls, named=[shop.url], CONCURRENT_REQUESTS_PER_DOMAIN=1, DOWNLOAD_DELAY=0.01, RETRY_TIMES=2)
    assert set(fetched.outcome.values()) == {200}
    assert gaps(shop.times)[shop.asked.index("/busy")] >= 1.9
    assert fetched.stats["scout/politeness/retry_after"] == 1


def test_a_shop_that_asks_for_a_day_ends_the_crawl():
    table = {"/robots.txt": "", "/a": Answer("busy", 429, {"Retry-After": "86400"}), "/b": "x"}
    with serving(table) as shop:
        fetched = fetch([f"{shop.url}a"], named=[shop.url], RETRY_TIMES=5)
    assert fetched.stats["finish_reason"] == "retry_after"
    assert shop.asked.count("/a") == 1


def test_a_shop_that_asks_to_wait_again_and_again_without_giving_a_page_ends_the_crawl():
    busy = Answer("busy", 429, {"Retry-After": "1"})
    with serving({"/robots.txt": "", **dict.fromkeys(("/a", "/b", "/c"), busy)}) as site:
        urls = [f"{site.url}{path}" for path in "abc"]
        fetched = fetch(urls, named=[site.url], SCOUT_RETRY_AFTER_MAX=1.5, RETRY_TIMES=9)
    assert fetched.stats["finish_reason"] == "retry_after"


def test_a_shop_is_given_a_second_between_requests_by_default():
    with serving({"/robots.txt": "", "/a": "x", "/b": "x"}) as shop:
        urls = [f"{shop.url}a", f"{shop.url}b"]
        fetch(urls, named=[shop.url], DOWNLOAD_DELAY=1.0, AUTOTHROTTLE_ENABLED=True, CONCURRENT_REQUESTS_PER_DOMAIN=1)
    assert min(gaps(shop.times)) >= NEARLY_A_SECOND


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("120", 120), (" 7 ", 7), ("soon", None), ("-1", None), ("", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)
def test_retry_after_is_read_as_seconds_or_as_a_date(header, seconds):
    assert retry_after(Response("http://shop.example", headers={"Retry-After": header})) == seconds


def test_a_date_to_come_is_a_time_to_wait():
    then = format_datetime(datetime.now(timezone.utc) + timedelta(minutes=5), usegmt=True)
    wait = retry_after(Response("http://shop.example", headers={"Retry-After": then}))
    assert wait is not None and 290 < wait <= 300
