"""The server: attacks go to the socket as they are, everything else is a page of the shop."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.crawl.serving import Answer
from tests.shops.hostile.pages import ATTACKS, BOMBS, HIDDEN, Hostile, answer

SHOP = Hostile()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"  # a connection for each request: an attack must not meet the next one

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        assert isinstance(self.server, _Server)
        self.server.asked.append(path)
        with suppress(OSError):  # the crawler has had enough, or the attack closed it
            if path in ATTACKS or path in HIDDEN:
                (ATTACKS.get(path) or HIDDEN[path])[0](self)
            elif path == "/":
                answer(self, SHOP.front())
            else:
                page = SHOP.get(self.path)
                answer(self, *((page.body, page.status) if isinstance(page, Answer) else (page,)))

    def finish(self) -> None:
        with suppress(OSError, ValueError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, asked: list[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked = asked

    def handle_error(self, request: object, client_address: object) -> None:
        pass

    def shutdown_request(self, request: object) -> None:  # type: ignore[override]
        with suppress(OSError):
            super().shutdown_request(request)  # type: ignore[arg-type]


@contextmanager
def hostile_shop(asked: list[str] | None = None) -> Iterator[str]:
    """The shop's address, for as long as the block runs; the paths that it is asked for go to the list."""
    for bomb in BOMBS:
        bomb()  # now: nobody's clock shall run while it is made
    server = _Server([] if asked is None else asked)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
