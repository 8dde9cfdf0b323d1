"""Crawl several forms in one process of its own: `crawled()` starts it, `python -m tests.spiders.forms_crawls` is it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings

from scout.spiders.forms import FormsSpider
from tests.crawl.commands import FAST
from tests.processes import run

HASTY = {**FAST, "DOWNLOAD_DELAY": 0, "LOG_LEVEL": "ERROR", "SCOUT_DATABASE": "", "EXTENSIONS": {}}
LONGEST = 280


@dataclass(frozen=True)
class Crawled:
    """The offers of a crawl by their address, and its stats."""

    offers: dict[str, dict[str, Any]]
    stats: dict[str, Any]

    @property
    def reason(self) -> str:
        return str(self.stats.get("scout/exit/reason", ""))


def crawled(*urls: str, **settings: Any) -> list[Crawled]:
    """What a crawl of each address gives."""
    order = {"urls": urls, "settings": {**HASTY, **settings}}
    done = run("tests.spiders.forms_crawls", json.dumps(order), timeout=LONGEST)
    assert done.stdout and "Warning" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    return [Crawled(**one) for one in json.loads(done.stdout)]


def main(order: dict[str, Any]) -> None:
    settings = Settings()
    settings.setmodule("scout.settings")
    settings.setdict(order["settings"], priority="cmdline")
    process = CrawlerProcess(settings)
    crawls = []
    for url in order["urls"]:
        crawler = process.create_crawler(FormsSpider)
        offers: dict[str, Any] = {}
        keep = _keeper(offers)
        crawler.signals.connect(keep, signal=signals.item_scraped)
        crawls.append((crawler, offers, keep))  # Scrapy holds on to receivers weakly
        process.crawl(crawler, url=url)
    process.start()
    found = [{"offers": offers, "stats": crawler.stats.get_stats()} for crawler, offers, _ in crawls if crawler.stats]
    json.dump(found, sys.stdout, default=str)


def _keeper(offers: dict[str, Any]) -> Any:
    def keep(item: Any) -> None:
        offers[item["url"]] = dict(item)

    return keep


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
