"""Which addresses a crawl may connect to: the ones its user named, and otherwise only the public internet."""

from __future__ import annotations

import ipaddress
import re
import socket
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

DEFAULT_PORTS = {"http": 80, "https": 443}
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # everything else in IPv6 is reserved, local or multicast
NAT64 = tuple(ipaddress.IPv6Network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48"))
# what inet_aton takes: 127.1, 2130706433, 0x7f.1, 0177.0.0.1
_OLD_NOTATION = re.compile(r"[0-9a-fx]+(\.[0-9a-fx]+){0,3}")


class Target(NamedTuple):
    """Where a URL leads: scheme, host and port are what the user names when naming a URL."""

    scheme: str
    host: str
    port: int


def target(url: str) -> Target | None:
    """The target of an http(s) URL, None where it has none.

    >>> target("HTTP://Shop.example./a")
    Target(scheme='http', host='shop.example', port=80)
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # "http://[::1" and "http://a:99999"
        return None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return None
    return Target(parts.scheme, plain_host(parts.hostname), port or DEFAULT_PORTS[parts.scheme])


def common_target(urls: Iterable[str]) -> str | None:
    """The first of these addresses whose scheme, host and port more than half of them have; None where there is no such majority.

    >>> common_target(["http://a.example/1", "http://127.0.0.1/x", "http://a.example/2"])
    'http://a.example/1'
    """
    found = [(target(url), url) for url in urls]
    counted = Counter(where for where, _ in found)
    where, count = next(iter(counted.most_common(1)), (None, 0))
    if where is None or 2 * count <= len(found):
        return None
    return next(url for its, url in found if its == where)


def plain_host(host: str) -> str:
    """A host as resolvers end up reading it: no percent-encoding, no full-width digits, no final dot, no zone."""
    text = unicodedata.normalize("NFKC", unquote(host)).replace("。", ".").lower().strip("[]").rstrip(".")
    return text.split("%", 1)[0]


def literal_address(host: str) -> Address | None:
    """The address that a host spells out, in any of the notations that resolvers accept; None for a name.

    >>> literal_address("2130706433"), literal_address("0x7f.1"), literal_address("shop.example")
    (IPv4Address('127.0.0.1'), IPv4Address('127.0.0.1'), None)
    """
    text = plain_host(host)
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        pass
    if not _OLD_NOTATION.fullmatch(text):
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(text))
    except OSError:  # "cafe" and other names made of the letters a to f
        return None


def is_public(address: Address) -> bool:
    """True for an address on the public internet; one that carries an IPv4 address is as public as that one."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    carried = _carried(address)
    if carried is not None:
        return is_public(carried)
    return address in GLOBAL_UNICAST and address.is_global


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if any(address in net for net in NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def _is_as_good(found: Target, named: Target) -> bool:
    if found.host.removeprefix("www.") != named.host.removeprefix("www."):
        return False
    is_upgrade = (named.scheme, named.port, found.scheme, found.port) == ("http", 80, "https", 443)
    return is_upgrade or (found.scheme, found.port) == (named.scheme, named.port)


class Targets:
    """The guard of one crawl: asked before a request is made (`refusal`) and again before a connection is (`allowed`)."""

    def __init__(self, named: Iterable[str] = ()) -> None:
        self._named: set[Target] = set()
        self._public: set[str] = set()
        self._urls: set[str] = set()
        self.name(*named)

    def name(self, *urls: str) -> None:
        """Allow the scheme, host and port of these URLs, wherever they lead: the user named them."""
        new = set(urls) - self._urls
        self._urls |= new
        self._named |= {found for url in new if (found := target(url))}

    @property
    def hosts(self) -> frozenset[str]:
        """Those that were named."""
        return frozenset(named.host for named in self._named)

    def is_own(self, url: str) -> bool:
        """Whether `url` leads to what was named: the same host, with or without www, and port; its encrypted port is as good."""
        found = target(url)
        return found is not None and any(_is_as_good(found, named) for named in self._named)

    def refusal(self, url: str) -> str | None:
        """Why `url` must not be asked for; None where nothing speaks against it so far."""
        found = target(url)
        if found is None:
            return "it is not an http(s) address"
        address = literal_address(found.host)
        if found in self._named or address is None or is_public(address):
            return None
        return f"{address} is not a public address, and not the one you named (SCOUT_ALLOWED_TARGETS allows more)"

    def allowed(self, host: str, port: int, addresses: Sequence[str]) -> list[str]:
        """Those of the `addresses` that `host` resolves to which may be connected to.

        A named host may be anywhere, but one that was public once stays so: a name that moves into the local network during
        a crawl is an attack (DNS rebinding).
        """
        host = plain_host(host)
        public = [address for address in addresses if is_public(ipaddress.ip_address(address.split("%", 1)[0]))]
        if public:
            self._public.add(host)
        if public or host in self._public or not self._is_named(host, port):
            return public
        return list(addresses)

    def _is_named(self, host: str, port: int) -> bool:
        return any((named.host, named.port) == (host, port) for named in self._named)


class AnyTarget(Targets):
    """No guard at all, for a spider that did not ask for one."""

    def refusal(self, url: str) -> str | None:
        return None

    def allowed(self, host: str, port: int, addresses: Sequence[str]) -> list[str]:
        return list(addresses)


class AddressGuard:
    """The downloader middleware that guards a crawl, as the download handler looks it up."""

    targets: Targets
