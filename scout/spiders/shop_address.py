"""Which shop the user means, and where it is."""

from __future__ import annotations

import socket
import ssl
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urljoin, urlsplit

from scout.errors import UsageError
from scout.spiders.arguments import web_address
from scout.store import Store
from scout.url_rules import same_hosts
from scout.urls import clean_url, shop_name

CONNECT_SECONDS = 5.0


def named_shop(store: Store, name: str | None, url: str | None) -> tuple[str, str]:
    """The name and address of the shop that the user means; UsageError where it has no address."""
    statuses = store.shops()
    if not url:
        status = next((status for status in statuses if status.name == name), None)
        address = status and (status.url or common_front_page(offer_urls(store, status.name)))
        if status is None or not address:
            raise UsageError(f"No address is known for the shop {name!r}: add -a url=https://…")
        return status.name, web_address(address)
    hosts = same_hosts(url)
    met = (status.name for status in statuses if status.url and same_hosts(status.url) == hosts)
    return name or next(met, None) or shop_name(url), url


def offer_urls(store: Store, shop: str) -> Iterator[str]:
    """The addresses of the shop's offers, known and stored."""
    yield from (clean_url(str(row["url"])) for row in store.known_offers(shop) if row.get("url"))
    yield from (offer["url"] for offer in store.offers(shop))


def common_front_page(urls: Iterable[str]) -> str | None:
    """The front page of the site that most of these addresses belong to.

    >>> common_front_page(["http://a.example/p/1", "http://a.example/p/2", "http://b.example/"])
    'http://a.example/'
    """
    sites = Counter(urljoin(url, "/") for url in urls if url.startswith(("http://", "https://")))
    return sites.most_common(1)[0][0] if sites else None


def answering_address(url: str) -> str:
    """The address by http, if its host does not speak TLS and answers there: for an address that was given without a scheme."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if _connects(host, parts.port or 443, tls=True) or not _connects(host, parts.port or 80, tls=False):
        return url
    return parts._replace(scheme="http").geturl()


def _connects(host: str, port: int, *, tls: bool) -> bool:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = (
        False,
        ssl.CERT_NONE,
    )  # nothing is sent: a bad certificate is https too
    try:
        with socket.create_connection((host, port), CONNECT_SECONDS) as connection:
            if tls:
                context.wrap_socket(connection, server_hostname=host).close()
    except OSError:
        return False
    return True
