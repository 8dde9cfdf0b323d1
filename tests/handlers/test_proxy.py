"""The browser's way out: it leads where the crawl may go, to exactly the address that was checked, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from scout.handlers import proxy as proxies
from scout.handlers.address_guard import Targets
from scout.handlers.proxy import GuardingProxy, MessageHead, ProxyRequest

PUBLIC = "93.184.216.34"
Asked = list[bytes]


@asynccontextmanager
async def server(asked: Asked):  # type: ignore[no-untyped-def]
    """A server on loopback that notes what it is asked and says so; its port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked.append(await reader.readuntil(b"\r\n\r\n"))
        except EOFError:  # nobody asked anything
            writer.close()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        yield listening.sockets[0].getsockname()[1]


def resolver(*answers: str) -> Callable[[str, int], Awaitable[list[str]]]:
    """Each question is answered by the next of the answers, as a name does that is bound anew."""
    left = list(answers)

    async def resolve(host: str, port: int) -> list[str]:
        return left.pop(0).split()

    return resolve


async def said(proxy: GuardingProxy, request: str) -> bytes:
    """What the proxy answers to a request."""
    address = await proxy.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
    try:
        writer.write(request.encode())
        return await asyncio.wait_for(reader.read(), 10)
    finally:
        writer.close()
        await writer.wait_closed()
        await proxy.stop()


def asked_of(url: str, named: str = "", *answers: str, before: str = "") -> tuple[bytes, Asked]:
    """What a plain request to `url` gets, where {port} is that of a server on loopback, and what that server is asked."""

    async def run() -> tuple[bytes, Asked]:
        asked: Asked = []
        async with server(asked) as port:
            targets = Targets([named.format(port=port)] if named else [])
            if before:
                targets.allowed("shop.example", port, [before])
            proxy = GuardingProxy(targets, resolve=resolver(*answers) if answers else None, upstream={})
            got = await said(
                proxy, f"GET {url.format(port=port)} HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n\r\n"
            )
            return got, asked

    return asyncio.run(run())


def test_the_shop_that_the_user_named_is_reached_on_loopback_too() -> None:
    got, asked = asked_of("http://127.0.0.1:{port}/a?b=1", "http://127.0.0.1:{port}/")
    assert got.startswith(b"HTTP/1.1 200 OK") and got.endswith(b"hello")
    assert asked[0].startswith(b"GET /a?b=1 HTTP/1.1\r\n") and b"Proxy-" not in asked[0]


def test_a_connection_is_used_for_one_exchange_only() -> None:
    got, asked = asked_of("http://127.0.0.1:{port}/", "http://127.0.0.1:{port}/")
    assert b"keep-alive" not in got and b"Connection: close" in got and b"Connection: close" in asked[0]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "127.1", "0x7f.1", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
def test_what_the_user_did_not_name_is_not_reached_on_loopback(host: str) -> None:
    got, asked = asked_of(f"http://{host}:{{port}}/")
    assert got.startswith(b"HTTP/1.1 403") and not asked


def test_a_name_that_leads_into_the_local_network_is_refused() -> None:
    got, asked = asked_of("http://evil.example:{port}/", "", "127.0.0.1")
    assert got.startswith(b"HTTP/1.1 403") and not asked


def test_a_shop_that_was_public_once_is_refused_when_its_name_moves_into_the_local_network() -> None:
    got, asked = asked_of("http://shop.example:{port}/", "http://shop.example:{port}/", "127.0.0.1", before=PUBLIC)
    assert got.startswith(b"HTTP/1.1 403") and not asked


def test_a_name_is_resolved_once_and_exactly_that_address_is_connected_to() -> None:
    got, asked = asked_of("http://shop.example:{port}/", "http://shop.example:{port}/", "127.0.0.1")
    assert got.endswith(b"hello") and len(asked) == 1  # a second question would find no answer left


def test_of_several_addresses_only_the_public_ones_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    async def refuse(address: str, port: int) -> proxies.Stream:
        tried.append(address)
        raise OSError("nobody there")

    monkeypatch.setattr(proxies, "_open", refuse)
    proxy = GuardingProxy(Targets(), resolve=resolver(f"127.0.0.1 {PUBLIC} 10.0.0.1"), upstream={})
    with pytest.raises(OSError, match="nobody"):
        asyncio.run(proxy._connected(ProxyRequest.read(b"GET http://rebind.example/ HTTP/1.1")))
    assert tried == [PUBLIC]


def client_hello(*protocols: str) -> str:
    """A TLS record that offers these protocols, and ends as the server above expects."""
    offered = "".join(f"{chr(len(name))}{name}" for name in protocols) + "\r\n\r\n"
    return f"\x16\x03\x01\x00{chr(len(offered))}{offered}"


def tunnelled(sent: str, named: str = "https://127.0.0.1:{port}/") -> tuple[bytes, Asked, list[str]]:
    """What comes back through a tunnel, what the server behind it is asked, and why something was refused."""

    async def run() -> tuple[bytes, Asked, list[str]]:
        asked: Asked = []
        whys: list[str] = []
        async with server(asked) as port:
            targets = Targets([named.format(port=port)])
            proxy = GuardingProxy(targets, upstream={}, refused=lambda what, why: whys.append(why))
            return await said(proxy, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n{sent}"), asked, whys

    return asyncio.run(run())


def test_a_tunnel_carries_both_ways_and_is_guarded_as_well() -> None:
    got, asked, whys = tunnelled(client_hello("h2", "http/1.1"))
    assert got.startswith(b"HTTP/1.1 200") and got.endswith(b"hello") and len(asked) == 1 and not whys
    got, asked, whys = tunnelled(client_hello("h2", "http/1.1"), "https://shop.example/")
    assert got.startswith(b"HTTP/1.1 403") and not asked and whys == ["address"]


@pytest.mark.parametrize("sent", ["GET /socket HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", client_hello("http/1.1")])
def test_a_websocket_is_not_carried(sent: str) -> None:
    """Chromium offers HTTP/2 for everything else."""
    got, asked, whys = tunnelled(sent)
    assert not got.endswith(b"hello") and not asked and whys == ["websocket"]


def test_the_proxy_of_the_users_environment_is_asked_in_its_own_form() -> None:
    async def run() -> Asked:
        asked: Asked = []
        async with server(asked) as port:
            upstream = {"http": f"http://me:secret@127.0.0.1:{port}"}
            await said(GuardingProxy(Targets(), upstream=upstream), "GET http://shop.example/a HTTP/1.1\r\n\r\n")
        return asked

    (head,) = asyncio.run(run())
    assert head.startswith(b"GET http://shop.example/a HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0" in head


@pytest.mark.parametrize(
    "start", [b"GET / HTTP/1.1", b"GET ftp://a.example/ HTTP/1.1", b"nonsense", b"CONNECT :443 HTTP/1.1"]
)
def test_what_no_browser_asks_of_a_proxy_is_no_wish(start: bytes) -> None:
    with pytest.raises(ValueError):
        ProxyRequest.read(start)


def test_an_interim_answer_is_told_from_the_answer() -> None:
    assert (
        MessageHead(b"HTTP/1.1 103 Early Hints", ()).is_interim and not MessageHead(b"HTTP/1.1 200 OK", ()).is_interim
    )
