"""Scrapy's engine, told that there is something to do."""

from __future__ import annotations

from scrapy.crawler import Crawler


def wake(crawler: Crawler) -> None:
    """Let the engine look for requests, and whether all is over, now. By itself it looks after a download, else every five seconds.

    Scrapy has no public way to say so.
    """
    slot = crawler.engine._slot if crawler.engine else None
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()
