"""A limit for the head of an answer: Twisted takes as many headers as a server likes to send, and 200,000 halt a crawl for ten seconds."""

from __future__ import annotations

from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.python.failure import Failure
from twisted.web._newclient import HEADER, STATUS
from twisted.web.client import HTTPConnectionPool

MAX_HEAD = 128 * 1024  # bytes: servers and browsers give up at half of it and less


class HeadTooLarge(ValueError):
    """The head of an answer does not come to an end."""


def limit_heads(pool: HTTPConnectionPool) -> None:
    """End every connection of this pool whose answer begins with more than MAX_HEAD bytes of headers."""
    usual: Any = pool._factory

    class Factory(usual):
        def buildProtocol(self, addr: IAddress | None) -> Any:
            protocol = super().buildProtocol(addr)
            protocol.dataReceived = _Receiver(protocol)
            return protocol

    pool._factory = Factory


class _Receiver:
    """Passes on what a connection receives, and counts it for as long as it is part of a head."""

    def __init__(self, protocol: Any) -> None:
        self.protocol = protocol
        self.receive = protocol.dataReceived
        self.head = 0

    def __call__(self, data: bytes) -> None:
        self.receive(data)
        parser = self.protocol._parser
        is_head = parser is not None and parser.state in (STATUS, HEADER)
        self.head = self.head + len(data) if is_head else 0
        if self.head > MAX_HEAD:
            self.protocol._giveUp(Failure(HeadTooLarge(f"the head is larger than {MAX_HEAD} bytes")))  # type: ignore[no-untyped-call]
