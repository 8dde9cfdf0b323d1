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
            named._reactor = _GuardedReactor(named._reactor, targets)
        return connection(key, endpoint)

    pool.getConnection = guarded_connection  # type: ignore[method-assign]


@implementer(interfaces.IReactorPluggableNameResolver)
class _GuardedReactor:
    """The reactor, with itself as a resolver that passes on only those addresses that may be connected to."""

    def __init__(self, reactor: Any, targets: Targets) -> None:
        self._reactor, self._targets = reactor, targets

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    @property
    def nameResolver(self) -> interfaces.IHostnameResolver:
        return self  # type: ignore[return-value]

    def resolveHostName(
        self,
        resolutionReceiver: interfaces.IResolutionReceiver,
        hostName: str,
        portNumber: int = 0,
        *args: Any,
        **kwargs: Any,
    ) -> interfaces.IHostResolution:
        receiver = _GuardedReceiver(resolutionReceiver, self._targets, hostName, portNumber)
        return self._reactor.nameResolver.resolveHostName(receiver, hostName, portNumber, *args, **kwargs)


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
