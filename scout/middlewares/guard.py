"""Refuse what is neither named by the user nor on the public internet, before the request and again before the connection."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.request import getproxies

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.resolver import CachingHostnameResolver
from twisted.internet.interfaces import IAddress, IHostResolution, IResolutionReceiver
from zope.interface import implementer

from scout.handlers.address_guard import Targets, process_targets

logger = logging.getLogger(__name__)


class TargetRefused(IgnoreRequest):
    """The request leads to where this crawl must not go."""


class GuardMiddleware:
    """Lets a request pass if its target is public or named: by the spider (see `named_urls`) or in SCOUT_ALLOWED_TARGETS."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.targets = Targets()
        self._known: set[str] = set()
        self._name(crawler.settings.getlist("SCOUT_ALLOWED_TARGETS"))
        for proxy in getproxies().values():  # reached before any shop is, and named by the user's own environment
            process_targets.name(proxy)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> GuardMiddleware:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        self._name(named_urls(self.crawler.spider))
        reason = self.targets.refusal(request.url)
        if reason is None:
            return
        logger.warning("Refused %s: %s", request.url, reason)
        if self.crawler.stats:
            self.crawler.stats.inc_value("scout/guard/refused")
        raise TargetRefused(f"{request.url} is refused: {reason}")

    def _name(self, urls: Iterable[str]) -> None:
        for url in urls:
            if url not in self._known:
                self._known.add(url)
                self.targets.name(url)
                process_targets.name(url)


def named_urls(spider: Spider | None) -> Iterable[str]:
    """What the user named for this spider: it says so itself, or it is where the spider starts."""
    named = getattr(spider, "named_urls", None) or getattr(spider, "start_urls", None) or ()
    start = getattr(spider, "start_url", None)
    return (*named, start) if start else named


class GuardedResolver(CachingHostnameResolver):
    """Scrapy's resolver, which passes on only those addresses that may be connected to."""

    def resolveHostName(
        self,
        resolutionReceiver: IResolutionReceiver,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[IAddress]] | None = None,
        transportSemantics: str = "TCP",
    ) -> IHostResolution:
        receiver: Any = _GuardedReceiver(resolutionReceiver, hostName, portNumber)
        return super().resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)


@implementer(IResolutionReceiver)
class _GuardedReceiver:
    """Holds the addresses back until all are known, and then passes on the allowed ones."""

    def __init__(self, receiver: Any, host: str, port: int) -> None:
        self.receiver, self.host, self.port = receiver, host, port
        self.addresses: list[Any] = []

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:
        self.addresses.append(address)

    def resolutionComplete(self) -> None:
        allowed = process_targets.allowed(self.host, self.port, [address.host for address in self.addresses])
        for address in self.addresses:
            if address.host in allowed:
                self.receiver.addressResolved(address)
        if self.addresses and not allowed:
            logger.warning("Refused to connect to %s: it leads into a local network", self.host)
        self.receiver.resolutionComplete()
