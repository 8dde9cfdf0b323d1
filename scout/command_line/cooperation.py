"""How far a shop cooperates with who wants its catalogue (Weber, 2001, and what shops offer today): what it shows and answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scrapy import Request
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response
from twisted.python.failure import Failure

from scout.command_line.page_spider import OnePageSpider, fetched_by
from scout.crawl.configuration import read_setting
from scout.forms.discovery import database_behind
from scout.page import Page
from scout.shop_catalogues.model import CatalogueRequest
from scout.shop_catalogues.platforms import catalogue_requests
from scout.shop_catalogues.reading import CatalogueReading
from scout.spiders.base import failure_reason
from scout.spiders.sources import catalogue_fetch, header_texts
from scout.url_rules import same_hosts

MANIFEST = "ucp"
_DEGREES = {"full": "the shop's summarizer", "limited": "metadata of its database", "none": "a search form"}
_MAX_ANSWERS = 3  # of one catalogue: a manifest leads to its products with the second


class CooperationSpider(OnePageSpider):
    """Fetches a shop's front page, and the beginning of each catalogue that it may have."""

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(url, **kwargs)
        self.catalogues: list[CatalogueReading] = []

    def parse(self, response: Response) -> Iterator[Request]:  # type: ignore[override]
        """The front page: ask for what it may have."""
        super().parse(response)
        if self.page is not None:
            agent = read_setting(self.settings, "SCOUT_UCP_PROFILE")
            for platform, asked in catalogue_requests(self.page, agent=agent):
                self.catalogues.append(CatalogueReading(platform, asked))
                yield self._request(self.catalogues[-1], asked)

    def _request(self, reading: CatalogueReading, asked: CatalogueRequest) -> Request:
        came = {"reading": reading, "asked": asked}
        return catalogue_fetch(asked, self.parse_catalogue, self.catalogue_failed, came)

    def parse_catalogue(
        self, response: Response, reading: CatalogueReading, asked: CatalogueRequest
    ) -> Iterator[Request]:
        """An answer of a catalogue; the next one only until there are products."""
        if not self._is_own(response.url):
            reading.fail("it leads to another site")
            return
        following = reading.add(asked, response.body, header_texts(response))
        if following is None or reading.products or reading.pages >= _MAX_ANSWERS:
            return
        if self._is_own(following.url):
            yield self._request(reading, following)
        else:
            reading.fail("it leads to another site")

    def catalogue_failed(self, failure: Failure) -> None:
        """Keep the reason."""
        reading: CatalogueReading = failure.request.cb_kwargs["reading"]  # type: ignore[attr-defined]
        reading.fail(failure_reason(failure))

    def _is_own(self, url: str) -> bool:
        return bool(same_hosts(url) & same_hosts(self.start_url))


def ask_shop(process: CrawlerProcessBase, url: str) -> tuple[Page, Sequence[CatalogueReading]]:
    """The front page, and the beginning of each catalogue that was asked for."""
    spider = fetched_by(process, CooperationSpider, url=url)
    assert spider.page is not None
    return spider.page, spider.catalogues


def cooperation_lines(page: Page, catalogues: Sequence[CatalogueReading]) -> Iterator[str]:
    """The degree of cooperation, then the ways to the shop's offers, the most cooperative first, and what a crawl makes of each."""
    database = database_behind(page)
    is_described = database is not None and database.cooperation != "none"
    given = [reading for reading in catalogues if reading.products]
    degrees = [_DEGREES[database.cooperation]] if database is not None and is_described else []
    degrees += ["a manifest for agents" if each.platform.name == MANIFEST else "a catalogue endpoint" for each in given]
    degrees += [_DEGREES["none"]] if database is not None and not is_described else []
    yield f"degree         {(degrees or ['pages only'])[0]}"
    if is_described:
        yield f"database       {database}"
    for reading in catalogues:
        yield f"catalogue      {reading.platform.name}, {reading.address}: {_summary(reading)}"
    if database is not None and not is_described:
        yield f"search form    {database}; a crawl searches where no list leads to products"
    yield f"pages          scout crawl {page.url}: lists are walked in any case"


def _summary(reading: CatalogueReading) -> str:
    """What a catalogue has, and what a crawl makes of it."""
    if not reading.products:
        return f"none ({reading.flaw or 'it is empty'})"
    count = f"{len(reading.products):,} products in its first answer"
    total = f"; it states {reading.total:,}" if reading.total is not None else ""
    has_variants = any(product.variants for product in reading.products.values()) or reading.has_further
    return f"{count}{', with variants' if has_variants else ''}{total}. A crawl takes from it what its pages agree with"
