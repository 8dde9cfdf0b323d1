"""The address guard where names become addresses: a name that leads into a local network is connected to only if the user named it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from typing import Any

from twisted.internet import interfaces
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint
from twisted.web.client import HTTPConnectionPool
from zope.interface import implementer

from scout.handlers.address_guard import Targets

logger = logging.getLogger(__name__)

_TO_PROXY = b"http-proxy"  # how the pool's key of a connection to the user's own proxy begins


def guard_names(pool: HTTPConnectionPool, current_targets: Callable[[], Targets | None]) -> None:
    """Let new connections of this pool lead only where the targets allow it, or anywhere while there are none.

    The resolver of the process stays as it is: other spiders share it.
    """
    connection: Callable[..., Deferred[Any]] = pool.getConnection

    def guarded_connection(key: Hashable, endpoint: interfaces.IStreamClientEndpoint) -> Deferred[Any]:
        targets = current_targets()
        named: Any = getattr(endpoint, "_wrappedEndpoint", endpoint)  # https wraps it in TLS
        is_to_proxy = isinstance(key, tuple) and key[:1] == (_TO_PROXY,)
        if targets is not None and isinstance(named, HostnameEndpoint) and not is_to_proxy:
            resolver: Any = _GuardedResolver(named._getNameResolverAndMaybeWarn(named._reactor), targets)
            named._getNameResolverAndMaybeWarn = lambda reactor: resolver  # type: ignore[method-assign]
        return connection(key, endpoint)

    pool.getConnection = guarded_connection  # type: ignore[method-assign]


class _GuardedResolver:
    """Passes on only those addresses of a name that may be connected to."""

    def __init__(self, resolver: Any, targets: Targets) -> None:
        self.resolver, self.targets = resolver, targets

    def resolveHostName(self, receiver: Any, hostName: str, portNumber: int = 0, **kwargs: Any) -> Any:
        guarded = _GuardedReceiver(receiver, self.targets, hostName, portNumber)
        return self.resolver.resolveHostName(guarded, hostName, portNumber, **kwargs)


@implementer(interfaces.IResolutionReceiver)
class _GuardedReceiver:
    """Holds the addresses back until all are known, and then passes on the allowed ones."""

    def __init__(self, receiver: Any, targets: Targets, host: str, port: int) -> None:
        self.receiver, self.targets, self.host, self.port = receiver, targets, host, port
        self.addresses: list[Any] = []

    def resolutionBegan(self, resolution: interfaces.IHostResolution) -> None:
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: interfaces.IAddress) -> None:
        self.addresses.append(address)

    def resolutionComplete(self) -> None:
        allowed = self.targets.allowed(self.host, self.port, [address.host for address in self.addresses])
        for address in self.addresses:
            if address.host in allowed:
                self.receiver.addressResolved(address)
        if self.addresses and not allowed:
            logger.warning("Refused to connect to %s: it leads into a local network", self.host)
        self.receiver.resolutionComplete()
