"""Lists of addresses that a shop publishes: its sitemaps, and with discover=feed its catalogue, of which only the addresses are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from scout.page import Page
from scout.shop_catalogues.model import CatalogueRequest
from scout.shop_catalogues.platforms import catalogue_requests
from scout.shop_catalogues.reading import CatalogueReading
from scout.url_rules import same_hosts
from scout.walking.sitemaps import sitemap, sitemaps_in_robots
from scout.walking.steps import RECORD_HINT

if TYPE_CHECKING:
    from scout.spiders.shop import ShopSpider

FIRST = 100  # priority, before that of all pages
MAX_SITEMAPS = 1_000  # files: an index that lists itself ends here
OK = 200


class AddressSources:
    """The shop's sitemaps and feeds, as far as the user wants them."""

    def __init__(self, spider: ShopSpider) -> None:
        self._spider = spider
        self._sitemaps: set[str] = set()

    def sitemap_requests(self) -> Iterator[Request]:
        """What to ask for at the start."""
        if "sitemap" in self._spider.args.discover:
            yield self._request(urljoin(self._spider.start_url, "/robots.txt"), self.parse_robots)

    def feed_requests(self, front_page: Page) -> Iterator[Request]:
        """What to ask of the platform on which the shop runs."""
        if "feed" in self._spider.args.discover:
            for platform, asked in catalogue_requests(front_page, even_untold=True):
                yield self._feed_request(CatalogueReading(platform, asked), asked)

    def _request(self, url: str, callback: Callable[..., Any]) -> Request:
        """A shop that has no such list answers 404, which is no failure."""
        return Request(url, callback, errback=self.failed, priority=FIRST, meta={"handle_httpstatus_list": [404]})

    def failed(self, failure: Failure) -> Iterator[Request]:
        """A sitemap or feed that cannot be had, or not in full, is counted; what it has said counts."""
        self._spider.count_event("sources_failed")
        reading = failure.request.cb_kwargs.get("reading")  # type: ignore[attr-defined]
        yield from self._listed_products(reading) if reading is not None else ()

    def parse_robots(self, response: Response) -> Iterator[Request]:
        """The sitemaps that robots.txt names, else the usual place."""
        named = sitemaps_in_robots(response.body.decode("utf-8", "replace")) if response.status == OK else []
        yield from self._sitemap_requests(named or [urljoin(response.url, "/sitemap.xml")])

    def parse_sitemap(self, response: Response) -> Iterator[Request]:
        """A sitemap, or an index of them."""
        if response.status != OK:
            return
        found = sitemap(response.body)
        if found.flaw is not None:
            self._spider.reject(response, found.flaw)
        yield from self._sitemap_requests(found.sitemaps)
        yield from self._spider.follow(self._spider.walk.list_pages(found.pages))

    def _sitemap_requests(self, urls: Iterable[str]) -> Iterator[Request]:
        for url in urls:
            if urlsplit(url).netloc.lower() in self._spider.walk.hosts and len(self._sitemaps) < MAX_SITEMAPS:
                self._sitemaps.add(url)
                yield self._request(url, self.parse_sitemap)

    def _feed_request(self, reading: CatalogueReading, asked: CatalogueRequest) -> Request:
        return catalogue_fetch(asked, self.parse_feed, self.failed, {"reading": reading, "asked": asked})

    def parse_feed(self, response: Response, reading: CatalogueReading, asked: CatalogueRequest) -> Iterator[Request]:
        """An answer of a shop's catalogue; at its end, its products' pages."""
        is_own = is_same_site(response.url, self._spider.start_url)
        following = reading.add(asked, response.body, header_texts(response)) if is_own else None
        if following and is_same_site(following.url, self._spider.start_url):
            yield self._feed_request(reading, following)
        else:
            yield from self._listed_products(reading)

    def _listed_products(self, reading: CatalogueReading) -> Iterator[Request]:
        urls = [product.url for product in reading.products.values()]
        yield from self._spider.follow(self._spider.walk.list_pages(urls, RECORD_HINT))


def catalogue_fetch(
    asked: CatalogueRequest, callback: Callable[..., Any], errback: Callable[..., Any], about: dict[str, Any]
) -> Request:
    """A request for a shop's catalogue: asked anew by every run, and not kept in the frontier."""
    return Request(
        asked.url,
        callback,
        method="POST" if asked.body else "GET",
        body=asked.body,
        headers=dict(asked.headers),
        errback=errback,
        priority=FIRST,
        meta={"is_start_request": True},
        cb_kwargs=about,
        dont_filter=True,
    )


def header_texts(response: Response) -> dict[str, str]:
    """The headers of a response by their names in lower case."""
    return {
        name.decode("latin-1").lower(): values[-1].decode("latin-1")
        for name, values in response.headers.items()
        if values
    }


def is_same_site(url: str, other: str) -> bool:
    """Whether both are on one host and port, with or without www.

    >>> is_same_site("http://www.a.example/1", "http://a.example/"), is_same_site("http://b.example/1", "http://a.example/")
    (True, False)
    """
    return bool(same_hosts(url) & same_hosts(other))
