"""A page is parsed once and judged once, for rendering, walking and extraction alike: counted in a crawl of its own process."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response, TextResponse
from scrapy.settings import Settings

from tests.crawl.commands import FAST, LONGEST, environment
from tests.processes import run
from tests.shops.rendered import PRODUCTS, rendered_shop


@pytest.mark.parametrize("mode", ["static", "mixed"])
def test_a_page_is_parsed_once_and_judged_once(mode: str, tmp_path: Path) -> None:
    """In the mixed shop lists are rendered and compared: there, the rendered page and the data behind it count as pages of their own."""
    with rendered_shop(mode) as shop:
        arguments = shop.url, str(tmp_path)
        done = run("tests.crawl.test_parsed_once", *arguments, env=environment(), timeout=LONGEST)
    assert done.stdout, done.stderr
    count = json.loads(done.stdout)
    assert count["offers"] == len(PRODUCTS)
    assert max(count["parses"], count["readings"], count["judgements"]) <= count["pages"]


def main(url: str, folder: str) -> None:
    """Crawl the shop, and count."""
    from scout import page
    from scout.extraction.product_page import ProductPageEvidence
    from scout.extraction.reading import PageReading
    from scout.spiders.shop import ShopSpider

    count = dict.fromkeys(("pages", "parses", "readings", "judgements", "offers"), 0)

    def counted(name: str, work: Any) -> Any:
        def counting(*args: Any, **options: Any) -> Any:
            count[name] += 1
            return work(*args, **options)

        return counting

    def received(response: Response) -> None:
        count["pages"] += isinstance(response, TextResponse) and not response.url.endswith("/robots.txt")

    page.lxml.html.document_fromstring = counted("parses", page.lxml.html.document_fromstring)
    PageReading.__init__ = counted("readings", PageReading.__init__)  # type: ignore[method-assign]
    ProductPageEvidence.__init__ = counted("judgements", ProductPageEvidence.__init__)  # type: ignore[method-assign]
    settings = Settings()
    settings.setmodule("scout.settings")
    where = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": folder}
    settings.setdict({**FAST, **where, "LOG_LEVEL": "WARNING"}, priority="cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(ShopSpider)
    crawler.signals.connect(received, signals.response_received)
    crawler.signals.connect(counted("offers", lambda **_: None), signals.item_scraped, weak=False)
    process.crawl(crawler, url=url)
    process.start()
    json.dump(count, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
