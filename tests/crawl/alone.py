"""One component of Scout after the other, each alone in a bare Scrapy project: `python -m tests.crawl.alone URL [TABLE COMPONENT ...]`.

Prints as JSON, for each component: whether it was enabled, what Scrapy said where it was not, the items that came out and Scout's stats.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Spider, signals
from scrapy.crawler import CrawlerRunner
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.reactor import install_reactor

from scout.items import PageItem
from scout.offer import Offer

PLACES = {"scout.middlewares.limits.CutOffMiddleware": 595}  # before Scrapy unpacks the body


class BareSpider(Spider):
    """Knows nothing of Scout but its items."""

    name = "bare"
    rules = ()  # as Scrapy's CrawlSpider has them

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [f"{url}product/1?utm_source=mail"]

    def parse(self, response: Response) -> Any:
        yield PageItem.from_response(response)  # type: ignore[arg-type]
        yield {"own": "item"}
        for path in ("a", "b"):  # two addresses of one product
            offer = {
                "url": response.urljoin(path),
                "shop": "bare",
                "title": "Lamp",
                "price": "12,99 €",
                "ean": "4006381333931",
            }
            offer["reviews"] = [{"author": "Ann", "text": "Bright."}]  # type: ignore[assignment]
            yield Offer(offer)


class Heard(logging.Handler):
    """What is said as a warning or louder."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


async def crawled(url: str, table: str, component: str) -> dict[str, Any]:
    """What one crawl with this component, and no other of Scout, comes to."""
    value: Any = {component: PLACES.get(component, 500)}
    if table == "DOWNLOAD_HANDLERS":
        value = {"http": component, "https": component}
    settings = {table: component if table == "SCHEDULER" else value, "RETRY_TIMES": 0}
    crawler = CrawlerRunner(settings).create_crawler(BareSpider)
    items: list[dict[str, Any]] = []
    crawler.signals.connect(lambda item: items.append(dict(ItemAdapter(item))), signal=signals.item_scraped, weak=False)
    heard = Heard()
    logging.getLogger().addHandler(heard)
    await maybe_deferred_to_future(crawler.crawl(url=url))
    logging.getLogger().removeHandler(heard)
    stats = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith(("scout/", "item_"))}
    stats["errors"] = crawler.stats.get_value("log_count/ERROR", 0)
    return {"heard": heard.lines, "items": items, "stats": stats, "files": sorted(p.name for p in Path().iterdir())}


def main(url: str, components: list[str]) -> None:
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet.task import react

    async def all_of_them() -> None:
        found = {}
        for table, component in zip(components[::2], components[1::2], strict=True):
            found[component] = await crawled(url, table, component)
        json.dump(found, sys.stdout, default=str)

    react(lambda _: deferred_from_coro(all_of_them()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
