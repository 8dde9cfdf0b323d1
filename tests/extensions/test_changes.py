"""A webhook is told what complete crawls found changed, once each, and nothing by a crawl that failed, was blocked or is incomplete."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.commands.running import run as run_command
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, Server, serving
from tests.crawl.tiny_shop import tiny_shop


class Listener:
    """What a webhook was told, and how it answers."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.status = 200

    def changes(self) -> list[tuple[str, str]]:
        told = [change for message in self.messages for change in message["changes"]]
        return [(change["kind"], change["url"].rpartition("/")[2]) for change in told]


@contextmanager
def listening() -> Iterator[tuple[str, Listener]]:
    listener = Listener()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if listener.status == 200:
                listener.messages.append(json.loads(body))
            listener.keys.append(self.headers["Idempotency-Key"])
            self.send_response(listener.status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/", listener
        server.shutdown()
        thread.join()


def repriced(number: int, old: str, new: str) -> dict[str, Any]:
    """The shop with one product at another price, on its page and in its list."""
    return {
        path: page.replace(old, new) if isinstance(page, str) and path in (f"/product/{number}", "/chairs") else page
        for path, page in tiny_shop().items()
    }


def crawl(server: Server, folder: Path, webhook: str, *more: str) -> int:
    own = {"SCOUT_DATABASE": f"sqlite:///{folder}/scout.db", "SCOUT_RULES_DIR": f"{folder}/rules"}
    own |= {"SCOUT_CHANGES_WEBHOOK": webhook, "SCOUT_RETRY_ROUNDS": "0", "RETRY_ENABLED": "0"}
    settings = [part for name, value in own.items() for part in ("-s", f"{name}={value}")]
    return scrapy("crawl", server.url, *HASTY, *settings, *more).returncode


def test_a_webhook_is_told_of_each_change_once_and_of_nothing_by_crawls_that_end_badly(tmp_path: Path) -> None:
    wall = Answer("<title>Attention</title><h1>Are you a robot?</h1><form id='captcha'></form>", 403)
    with serving(tiny_shop()) as server, listening() as (webhook, listener):
        assert crawl(server, tmp_path, webhook) == 0
        assert listener.messages == [], "the first crawl has nothing to compare with"
        dear = {path: page.replace("€", "€9") if isinstance(page, str) else page for path, page in tiny_shop().items()}
        server.table = dear
        assert crawl(server, tmp_path, webhook) == 3, "monitoring doubts that all prices rose"

        server.table = {**repriced(1, "120.50", "99.50"), "/product/3": Answer("", 503)}
        assert crawl(server, tmp_path, webhook) == 3
        assert crawl(server, tmp_path, webhook, "-a", "max_pages=3") == 3
        server.table = {"/": tiny_shop()["/"], **dict.fromkeys(tiny_shop().keys() - {"/"}, wall)}
        assert crawl(server, tmp_path, webhook) != 0
        server.table = {}
        assert crawl(server, tmp_path, webhook) != 0
        assert listener.messages == []

        server.table = repriced(1, "120.50", "99.50")
        listener.status = 500
        assert crawl(server, tmp_path, webhook) == 0
        assert listener.messages == [] and len(listener.keys) == 1
        listener.status = 200
        assert crawl(server, tmp_path, webhook) == 0
        assert listener.changes() == [("price", "1")] and listener.keys[0] == listener.keys[1]
        assert crawl(server, tmp_path, webhook) == 0
        assert len(listener.messages) == 1


def test_changes_are_written_as_table_json_lines_and_rss(tmp_path: Path, capsys: Any) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    with serving(tiny_shop()) as server:
        assert crawl(server, tmp_path, "") == 0
        server.table = repriced(1, "120.50", "99.50")
        assert crawl(server, tmp_path, "") == 0
    lines = run_command(capsys, database, "changes", "--format", "jsonl", "--since", "1h").out.splitlines()
    assert [json.loads(line)["after"]["price"] for line in lines] == ["99.50"]
    table = run_command(capsys, database, "changes").out
    assert "price 120.50 → 99.50 EUR (-17.4 %)" in table and table.endswith("1 change\n")
    feed = tmp_path / "changes.rss"
    run_command(capsys, database, "changes", "--format", "rss", "-o", str(feed))
    items = ElementTree.fromstring(feed.read_bytes()).findall("channel/item")
    assert [item.findtext("category") for item in items] == ["price"]
    wrong = run_command(capsys, database, "changes", "--since", "soon")
    assert (wrong.code, "soon" in wrong.err) == (2, True)
