"""All that Scout uses of Scrapy without Scrapy promising it: written for KNOWN_SCRAPY, and refused with a sentence where it is gone.

tests/crawl/test_scrapy_internals.py says what each of these has to be like.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import scrapy
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from twisted.web.client import HTTPConnectionPool

from scout.errors import ScoutError

KNOWN_SCRAPY = "2.19"


class ScrapyChanged(ScoutError):
    """This Scrapy is not built as the one that Scout was written for."""


def _inside(owner: Any, name: str) -> Any:
    """An attribute that no documentation names."""
    try:
        return getattr(owner, name)
    except AttributeError:
        raise ScrapyChanged(
            f"Scrapy {scrapy.__version__} has no {type(owner).__name__}.{name}: use Scrapy {KNOWN_SCRAPY}"
        ) from None


def wake(crawler: Crawler) -> None:
    """Let the engine look for requests, and whether all is over, now. By itself it looks after a download, else every five seconds."""
    slot = _inside(crawler.engine, "_slot") if crawler.engine else None
    if slot is not None and _inside(slot, "closing") is None:
        _inside(slot, "nextcall").schedule()


def call_spider(crawler: Crawler, url: str, callback: Callable[..., Any]) -> None:
    """Call a method of the spider as if the page at `url` had come, empty: what it yields takes the usual way."""
    request = Request(url, callback=callback)
    scraper = _inside(crawler.engine, "scraper")
    done = _inside(scraper, "enqueue_scrape")(HtmlResponse(url, request=request), request)
    done.addBoth(lambda _: wake(crawler))  # perhaps all is over now


def download_slots(crawler: Crawler) -> dict[str, Slot]:
    """The downloader's queues by their key, each with the delay that is kept between its requests."""
    return _inside(_inside(crawler.engine, "downloader"), "slots")


def hold_slot(slot: Slot, seconds: float) -> None:
    """Let the slot's next request wait for so long."""
    _inside(slot, "lastseen")  # the delay counts from it
    slot.lastseen = monotonic() + seconds


def tell_of_interrupts(process: Any, first: Callable[[], None], second: Callable[[], None]) -> None:
    """Call these, in the reactor's thread, when the process is interrupted by Ctrl-C or SIGTERM, in place of Scrapy's log messages."""
    for name, tell in (("_log_shutdown", first), ("_log_kill", second)):
        _inside(process, name)
        setattr(process, name, lambda signum, tell=tell: tell())


def connection_pool(handler: Any) -> HTTPConnectionPool:
    """The connections of Scrapy's download handler for http."""
    return _inside(handler, "_pool")
