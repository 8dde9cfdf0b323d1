"""What the user gave for the shop stays with the shop: no key, password or cookie goes to another host or port."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler

from scout.crawl.component import Component
from scout.fetch import FetchState
from scout.handlers.address_guard import Targets, target
from scout.handlers.headers import HARMLESS

PROXY = "proxy-authorization"  # is the proxy's, which Scrapy looks after itself


class CredentialsMiddleware(Component):
    """Takes from a request to anybody but the shop all headers that may be a secret.

    Scrapy sends DEFAULT_REQUEST_HEADERS to every host, forwards all headers but two when it is redirected, and cookies to every
    port of their host. Comes last, when all headers are there. Where a spider names no address, nothing is known to be foreign.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.has_jar = crawler.settings.getbool("COOKIES_ENABLED")
        self.shop = Targets()

    def process_request(self, request: Request) -> None:
        self.shop.name(*self.context.named_urls)
        if not self.shop.hosts or self.shop.is_own(request.url):
            return
        for name in {name.decode("latin-1").lower() for name in request.headers} - HARMLESS - {PROXY}:
            if not (_is_meant(name, request) or (name == "cookie" and self._is_its_own_cookie(request))):
                del request.headers[name]
                self.count("scout/credentials/kept_back")

    def _is_its_own_cookie(self, request: Request) -> bool:
        """Whether it holds what that host itself has set: the jar tells hosts apart, but not ports."""
        where = target(request.url)
        is_of_jar = self.has_jar and not request.meta.get("dont_merge_cookies")
        return is_of_jar and where is not None and where.host not in self.shop.hosts


def _is_meant(name: str, request: Request) -> bool:
    """Whether the spider itself said for which address the header Authorization is; a redirect leads away from it."""
    meant = FetchState.of(request).authorised_for
    return name == "authorization" and meant is not None and target(meant) == target(request.url)
