"""What a shop asks for is kept by a whole crawl: its robots.txt however large, its pace, and the wishes of its pages."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scout import settings
from scout.middlewares import robots
from scout.middlewares.robots import RobotsMiddleware, Verdict
from tests.crawl.fetching import fetch
from tests.crawl.serving import Answer, serving
from tests.reliability.killing import Crawling, stored
from tests.reliability.many_products import ManyProducts

LONGEST = 240
KIBIBYTES = 500  # RFC 9309, 2.5
DAY = 24 * 60 * 60
COMMENT = "# nothing to see here ........................................\n"


def test_500_kibibytes_of_robots_txt_are_obeyed_and_the_rest_of_75_megabytes_is_not_read() -> None:
    before = COMMENT * (KIBIBYTES * 1024 // len(COMMENT) - 1)
    after = COMMENT * (75 * 1024 * 1024 // len(COMMENT))
    table = {"/robots.txt": f"User-agent: *\n{before}Disallow: /private\n{after}", "/private": "x", "/open": "x"}
    with serving(table) as shop:
        fetched = fetch([f"{shop.url}private", f"{shop.url}open"], named=[shop.url])
    assert "/private" not in shop.asked and "/open" in shop.asked
    assert fetched.stats["downloader/response_bytes"] < 2 * KIBIBYTES * 1024


def test_a_robots_txt_is_asked_for_again_after_a_day_at_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert robots.KEPT_SECONDS <= DAY
    asked: list[str] = []
    middleware = RobotsMiddleware.__new__(RobotsMiddleware)
    middleware._verdicts, middleware._locks = {}, defaultdict(asyncio.Lock)
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(robots, "monotonic", lambda: clock.now)

    async def fetched(site: str, request: Any) -> Verdict:
        asked.append(site)
        return Verdict(expires=clock.now + robots.KEPT_SECONDS)

    monkeypatch.setattr(middleware, "_fetch", fetched)
    for hours in (0, 1, 23.9, 24.1, 25):
        clock.now = hours * 3600
        run(middleware.verdict(robots.Request("http://shop.example/a")))
    assert asked == ["http://shop.example"] * 2


def run(coroutine: Any) -> None:
    """A coroutine that waits for nothing."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


class Counting(dict[str, str]):
    """A shop that takes its time to answer, and counts how many wait for it at once."""

    def __init__(self) -> None:
        super().__init__()
        self.lock, self.waiting, self.most = threading.Lock(), 0, 0

    def get(self, path: str, default: object = None) -> str:  # type: ignore[override]
        with self.lock:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        time.sleep(0.05)
        with self.lock:
            self.waiting -= 1
        return "" if path == "/robots.txt" else "x"


DEFAULTS = ("DOWNLOAD_DELAY", "AUTOTHROTTLE_ENABLED", "CONCURRENT_REQUESTS_PER_DOMAIN")


def test_by_default_a_shop_has_one_connection_and_a_second_between_requests() -> None:
    defaults = {name: getattr(settings, name) for name in DEFAULTS}
    with serving(table := Counting()) as shop:
        fetch([f"{shop.url}{n}" for n in range(4)], named=[shop.url], **defaults)
    assert table.most == 1
    assert min(later - earlier for earlier, later in pairwise(shop.times)) >= 0.8  # as they arrive, on a busy machine


@pytest.mark.parametrize("throttled", [True, False])
def test_a_user_without_a_delay_still_opens_one_connection_only(throttled: bool) -> None:
    defaults = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_START_DELAY": 0, "AUTOTHROTTLE_ENABLED": throttled}
    one = settings.CONCURRENT_REQUESTS_PER_DOMAIN
    with serving(table := Counting()) as shop:
        fetch([f"{shop.url}{n}" for n in range(12)], named=[shop.url], CONCURRENT_REQUESTS_PER_DOMAIN=one, **defaults)
    assert len(shop.asked) == 13 and table.most == 1


def test_scrapy_itself_still_opens_as_many_as_wait() -> None:
    """Once this fails, Scrapy has mended it, and the smallest delay of Politeness can go."""
    with serving(table := Counting()) as shop:
        urls = [f"{shop.url}{n}" for n in range(12)]
        fetch(
            urls,
            named=[shop.url],
            CONCURRENT_REQUESTS_PER_DOMAIN=1,
            DOWNLOAD_DELAY=0,
            EXTENSIONS={"scout.extensions.politeness.Politeness": None},
        )
    assert table.most > 1


class Wishing(ManyProducts):
    """A shop of which some pages want to be left alone."""

    def get(self, path: str, default: object = None) -> str | Answer:
        page = super().get(path, default)
        if not isinstance(page, str):
            return page
        if path == "/":
            hidden = '<a rel="nofollow sponsored" href="/secret/1">x</a>'
            return page.replace("</main>", f"{hidden}</main>")
        if path in META:
            return page.replace("<head>", f"<head>{META[path]}")
        return Answer(page, headers=HEADERS[path]) if path in HEADERS else page


META = {
    "/product/2": '<meta name="robots" content="noindex">',
    "/product/3": '<meta name="tdm-reservation" content="1">',
}
HEADERS = {"/product/4": {"X-Robots-Tag": "noindex"}, "/product/5": {"TDM-Reservation": "1"}}


def test_pages_and_links_that_want_to_be_left_alone_are_left_alone_and_counted(tmp_path: Path) -> None:
    shop, database = Wishing(24), f"sqlite:///{tmp_path}/scout.db"
    with serving(shop) as server:
        crawling = Crawling(server.url, database, tmp_path)
        assert crawling.ended(LONGEST) == 0, crawling.said()
    numbers = sorted(int(url.rpartition("/")[2]) for url in stored(database))
    assert numbers == [1, *range(6, 25)]
    assert "/secret/1" not in server.asked
    said = crawling.said()
    assert "'scout/reject/noindex': 2" in said and "'scout/reject/tdm': 2" in said
    assert "'scout/walk/skipped/nofollow': 1" in said
