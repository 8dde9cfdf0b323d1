"""The way out of the browser: a proxy on loopback that connects to what the crawl itself may connect to, and to nothing else.

Chromium resolves names by itself, so that a check of the address before the request says nothing about the connection (DNS rebinding).
Behind this proxy it resolves nothing: a name is resolved here, its addresses are checked, and one of exactly these is connected to.
Redirects, frames, workers and WebSockets take the same way.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from scout.errors import ScoutError
from scout.handlers.address_guard import DEFAULT_PORTS, Targets

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
MAX_HEAD = 128 * 1024  # bytes of a request's or an answer's head: browsers and servers give up earlier
CONNECT_SECONDS = 15.0  # for one address
CHUNK = 64 * 1024
HOP_BY_HOP = frozenset({b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization"})
TLS_HEADER, TLS_HANDSHAKE = 5, 0x16  # bytes of a record's header, the first of which says what it is
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Resolver = Callable[[str, int], Awaitable[list[str]]]


class WayRefused(ScoutError):
    """The browser asked for a target where this crawl must not go, or in a way that nobody can look into."""


class WebSocketRefused(ScoutError):
    """Nobody sees what goes through a WebSocket, and no fact of a product comes out of one."""


@dataclass(frozen=True)
class MessageHead:
    """The first line and the fields of a message, as bytes: what is passed on is passed on as it came."""

    start: bytes
    fields: tuple[bytes, ...]

    @classmethod
    async def read(cls, reader: asyncio.StreamReader) -> MessageHead:
        """The head that a stream begins with."""
        start, *fields = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        return cls(start, tuple(line for line in fields if line))

    @property
    def is_interim(self) -> bool:
        """True for an answer that another one follows (103 Early Hints)."""
        return self.start.split(b" ")[1:2] in ([b"100"], [b"102"], [b"103"])

    def closing(self, start: bytes | None = None, *more: bytes) -> bytes:
        """The head for a connection that carries this one exchange: the next request may be another host's."""
        kept = [line for line in self.fields if line.partition(b":")[0].strip().lower() not in HOP_BY_HOP]
        return b"\r\n".join([start or self.start, *kept, *more, b"Connection: close", b"", b""])


@dataclass(frozen=True)
class ProxyRequest:
    """What the browser wants: a tunnel to a host (TLS), or a plain request passed on."""

    method: bytes
    url: SplitResult

    @classmethod
    def read(cls, start: bytes) -> ProxyRequest:
        """The wish of a request's first line; ValueError where it is none that a browser sends to a proxy."""
        method, address, _version = start.split(b" ")
        text = address.decode("ascii")
        url = urlsplit(f"https://{text}" if method == b"CONNECT" else text)
        if url.scheme not in DEFAULT_PORTS or not url.hostname:
            raise ValueError(f"{text!r} is not the address of a page")
        return cls(method, url)

    @property
    def is_tunnel(self) -> bool:
        return self.method == b"CONNECT"

    @property
    def host(self) -> str:
        return self.url.hostname or ""

    @property
    def port(self) -> int:
        return self.url.port or DEFAULT_PORTS[self.url.scheme]

    def origin_form(self) -> bytes:
        """The request's first line as a server expects it."""
        path = self.url._replace(scheme="", netloc="", fragment="").geturl() or "/"
        return b"%s %s HTTP/1.1" % (self.method, path.encode("ascii"))


class GuardingProxy:
    """Started with the browser, stopped after it. `targets` is the guard, `refused` is told of each connection that is not made, and why.

    `upstream` are the proxies that are asked in turn, by the scheme of the address; else those of the user's environment.
    """

    def __init__(
        self,
        targets: Targets,
        *,
        resolve: Resolver | None = None,
        upstream: Mapping[str, str] | None = None,
        refused: Callable[[str, str], None] = lambda what, why: None,
    ) -> None:
        self.targets = targets
        self.resolve = resolve or addresses
        self.upstream = getproxies() if upstream is None else upstream
        self.is_bypassed = proxy_bypass if upstream is None else lambda host: False
        self.refused = refused
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Listen on a free port of this machine alone; the proxy's address."""
        self._server = await asyncio.start_server(self._accept, LOOPBACK, 0, limit=MAX_HEAD)
        return f"http://{LOOPBACK}:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """End all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            await self._serve((reader, writer))
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            logger.debug("A connection of the browser broke off: %s", error)
        except asyncio.CancelledError:
            pass  # by stop(): nobody waits for this task's end
        finally:
            self._open.discard(task)
            writer.close()

    async def _serve(self, browser: Stream) -> None:
        head = await MessageHead.read(browser[0])
        try:
            wish = ProxyRequest.read(head.start)
            server, proxy = await self._connected(wish)
        except WayRefused as refusal:
            self.refused(str(refusal), "address")
            return await _tell(browser, b"403 Forbidden", str(refusal))
        except (ValueError, OSError, asyncio.TimeoutError) as error:
            return await _tell(browser, b"502 Bad Gateway", str(error) or type(error).__name__)
        try:
            await _exchange(wish, head, browser, server, proxy)
        except WebSocketRefused as refusal:
            self.refused(str(refusal), "websocket")
        finally:
            server[1].close()

    async def _connected(self, wish: ProxyRequest) -> tuple[Stream, SplitResult | None]:
        """A connection to the server, or to the proxy that the user's environment names for it, with that proxy's address."""
        reason = self.targets.refusal(f"{wish.url.scheme}://{wish.url.netloc}/")
        if reason is not None:
            raise WayRefused(f"{wish.host}:{wish.port} is refused: {reason}")
        proxy = urlsplit(self.upstream.get(wish.url.scheme, ""))
        if proxy.hostname and not self.is_bypassed(wish.host):
            return await _through(proxy, wish), proxy
        found = await self.resolve(wish.host, wish.port)
        allowed = self.targets.allowed(wish.host, wish.port, found)
        if found and not allowed:
            raise WayRefused(f"{wish.host}:{wish.port} is refused: it leads into a local network")
        return await _first(allowed, wish.port), None


def upstream_of(server: str, username: str = "", password: str = "") -> dict[str, str]:
    """A proxy of the user's own, for a GuardingProxy to ask in turn; ScoutError where it does not speak HTTP.

    >>> upstream_of("proxy.example:3128", "me", "a:b")
    {'http': 'http://me:a%3Ab@proxy.example:3128', 'https': 'http://me:a%3Ab@proxy.example:3128'}
    """
    url = urlsplit(server if "://" in server else f"http://{server}")
    if url.scheme != "http" or not url.hostname:
        raise ScoutError(
            f"{url.scheme}://{url.hostname}: behind the address guard, the browser can use an http:// proxy only; give one, or a browser "
            "of your own with its guard by PLAYWRIGHT_CDP_URL"
        )
    who = f"{quote(username, safe='')}:{quote(password, safe='')}@" if username else ""
    full = url._replace(netloc=f"{who}{url.netloc}").geturl()
    return {"http": full, "https": full}


async def addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, in the order in which they should be tried."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def _first(allowed: list[str], port: int) -> Stream:
    """A connection to the first of the addresses that answers."""
    last: Exception = OSError("the name has no address")
    for address in allowed:
        try:
            return await _open(address, port)
        except (OSError, asyncio.TimeoutError) as error:
            last = error
    raise last


async def _open(address: str, port: int) -> Stream:
    return await asyncio.wait_for(asyncio.open_connection(address, port, limit=MAX_HEAD), CONNECT_SECONDS)


async def _through(proxy: SplitResult, wish: ProxyRequest) -> Stream:
    """A connection to the user's own proxy, which resolves and connects in our place; a tunnel where one is wanted."""
    reader, writer = await _open(proxy.hostname or "", proxy.port or DEFAULT_PORTS["http"])
    if wish.is_tunnel:
        target = wish.url.netloc.encode()
        lines = [b"CONNECT %s HTTP/1.1" % target, b"Host: %s" % target, *_credentials(proxy)]
        writer.write(b"\r\n".join([*lines, b"", b""]))
        answer = await MessageHead.read(reader)
        if answer.start.split(b" ")[1:2] != [b"200"]:
            writer.close()
            raise OSError(f"the proxy {proxy.hostname} says {answer.start.decode('latin-1')}")
    return reader, writer


def _credentials(proxy: SplitResult) -> list[bytes]:
    if not proxy.username:
        return []
    given = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return [b"Proxy-Authorization: Basic %s" % b64encode(given)]


async def _exchange(
    wish: ProxyRequest, head: MessageHead, browser: Stream, server: Stream, proxy: SplitResult | None
) -> None:
    """Carry bytes both ways until one side has no more."""
    if wish.is_tunnel:
        browser[1].write(ESTABLISHED)
        server[1].write(await _client_hello(browser[0], wish))
        return await _either(_carry(browser[0], server[1]), _carry(server[0], browser[1]))
    server[1].write(head.closing(None, *_credentials(proxy)) if proxy else head.closing(wish.origin_form()))
    return await _either(_carry(browser[0], server[1]), _answer(server[0], browser[1]))


async def _client_hello(reader: asyncio.StreamReader, wish: ProxyRequest) -> bytes:
    """The first TLS record of a tunnel. For a WebSocket Chromium sends none (ws://), or offers no HTTP/2 in it (wss://, RFC 7301)."""
    start = await reader.readexactly(TLS_HEADER)
    if start[0] != TLS_HANDSHAKE:
        raise WebSocketRefused(f"a WebSocket to {wish.host}:{wish.port}")
    hello = start + await reader.readexactly(int.from_bytes(start[3:], "big"))
    if b"\x08http/1.1" in hello and b"\x02h2" not in hello:
        raise WebSocketRefused(f"a WebSocket to {wish.host}:{wish.port}")
    return hello


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An answer, after which the browser must not use the connection again."""
    head = await MessageHead.read(reader)
    while head.is_interim:  # of no use to anybody here
        head = await MessageHead.read(reader)
    writer.write(head.closing())
    await _carry(reader, writer)


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()


async def _either(*ways: Awaitable[None]) -> None:
    """Until one way ends; the other has nobody to speak to any more."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _tell(browser: Stream, status: bytes, text: str) -> None:
    body = text.encode()
    browser[1].write(
        b"HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        % (status, len(body), body)
    )
    await browser[1].drain()
