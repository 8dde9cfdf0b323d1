"""A small web server on loopback that answers from a table and remembers what it was asked."""

from __future__ import annotations

import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """What the server says; a plain string in the table is a page with status 200."""

    body: str | bytes = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0

    @property
    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


Table = Mapping[str, "str | Answer | Callable[[], str | Answer]"]


class Server:
    """A running server: where it is, and which paths it was asked for, when and by whom."""

    def __init__(self, table: Table, tls: ssl.SSLContext | None = None) -> None:
        self.table = table
        self.asked: list[str] = []
        self.statuses: list[int] = []  # of its answers, in the order of `asked`
        self.times: list[float] = []
        self.agents: set[str] = set()
        self.heard: list[str] = []  # all headers of each request
        self.answering = threading.local()  # `headers` of the request that this thread answers: others come in between
        self.posted: dict[str, list[bytes]] = {}  # path -> bodies
        self.httpd = _QuietServer(("127.0.0.1", 0), _handler(self))
        self.port = self.httpd.server_address[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}/"
        if tls:
            self.httpd.socket = tls.wrap_socket(self.httpd.socket, server_side=True, do_handshake_on_connect=False)

    def answer(self, path: str) -> Answer:
        found = self.table.get(path, self.table.get(path.partition("?")[0], Answer("no such page", 404)))
        found = found() if callable(found) else found
        return Answer(found) if isinstance(found, str) else found


def unchanged(answer: Answer, asked: Mapping[str, str]) -> Answer:
    """The answer, or 304 where the request says that it has this one already."""
    conditions = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
    held = [asked[name] == answer.headers.get(told) for name, told in conditions.items() if name in asked]
    return Answer(status=304) if held and held[0] and answer.status == 200 else answer


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of five, a crawl fills the queue, and a connection that finds it full is tried again after 1, 2, 4 … seconds

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(
            sys.exc_info()[1], (ConnectionError, ssl.SSLError)
        ):  # a client that has read enough is no error
            super().handle_error(request, client_address)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else the body waits until the client has confirmed the headers

        def do_GET(self) -> None:
            server.asked.append(self.path)
            server.times.append(time.monotonic())
            server.agents.add(self.headers.get("User-Agent", ""))
            server.answering.headers = str(self.headers)
            server.heard.append(server.answering.headers)
            answer = unchanged(server.answer(self.path), self.headers)
            server.statuses.append(answer.status)
            time.sleep(answer.delay)
            self.send_response(answer.status)
            headers = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(answer.content))}
            for name, value in {**headers, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.content)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            server.posted.setdefault(self.path, []).append(body)
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@contextmanager
def serving(table: Table, tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server for as long as the block runs."""
    server = Server(table, tls)
    thread = threading.Thread(target=server.httpd.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.httpd.shutdown()
        server.httpd.server_close()
        thread.join()
