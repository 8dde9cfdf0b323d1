"""A real browser against pages that mean harm: each costs a bounded time and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock

import pytest

from scout.handlers.browser import Watch
from tests.shops.rendered import rendered_shop

GOOD = "<main>a good page</main>"
HOSTILE = {
    "/spin": f"{GOOD}<script>for (;;) {{}}</script>",
    "/spin-late": f"{GOOD}<script>setTimeout(() => {{ for (;;) {{}} }}, 400)</script>",
    "/alert": "<main></main><script>alert(1); confirm(2); document.querySelector('main').textContent = 'after the alert'</script>",
    "/popup": f"{GOOD}<script>for (let i = 0; i < 5; i++) open('/good')</script>",
    "/download": f"{GOOD}<script>location.href = '/file'</script>",
    "/memory": f"{GOOD}<script>const a = []; for (;;) a.push(new Array(1e6).fill(Math.random()))</script>",
    "/good": GOOD,
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = HOSTILE.get(self.path, "").encode()
        self.send_response(200 if self.path in HOSTILE or self.path == "/file" else 404)
        self.send_header(
            "Content-Type", "application/octet-stream" if self.path == "/file" else "text/html; charset=utf-8"
        )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def render(
    urls: list[str], folder: Path, limit: int = 60, patience: int = 180, **options: str
) -> list[dict[str, object]]:
    """What came of each address, in a process of its own; `options` are settings, and the spider's `hosts`."""
    out = folder / "out.jsonl"
    spider = Path(__file__).with_name("rendering_spider.py")
    command = [
        sys.executable,
        "-m",
        "scrapy",
        "runspider",
        str(spider),
        "-a",
        f"urls={' '.join(urls)}",
        "-O",
        str(out),
        "-L",
        "ERROR",
        "-s",
        f"SCOUT_RENDER_TIMEOUT={limit}",
    ]
    hosts = options.pop("hosts", "")
    command += ["-a", f"hosts={hosts}", *(part for name in options for part in ("-s", f"{name}={options[name]}"))]
    # a Scrapy command that ran in this process has left the name of the project's settings behind
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text().splitlines()]


@pytest.mark.parametrize("path", ["/spin", "/spin-late", "/memory"])
def test_a_page_that_never_ends_is_given_up_and_the_next_one_works(hostile: str, path: str, tmp_path: Path) -> None:
    first, second = render([hostile + path, hostile + "/good"], tmp_path, limit=6)
    assert first["url"] == hostile + path and ("error" in first or first["text"] == "a good page")
    assert second["text"] == "a good page"


def test_alerts_popups_and_downloads_do_not_stop_a_crawl(hostile: str, tmp_path: Path) -> None:
    found = {
        str(row["url"]).rpartition("/")[2]: row
        for row in render([hostile + p for p in ("/alert", "/popup", "/download", "/good")], tmp_path)
    }
    assert found["alert"]["text"] == "after the alert"
    assert found["popup"]["text"] == found["good"]["text"] == "a good page"
    assert len(found) == 4


@pytest.mark.parametrize(("style", "shown"), [("pages", 6), ("more", 14), ("scroll", 14)])
def test_a_list_grows_by_its_button_or_by_scrolling_until_it_is_whole(style: str, shown: int, tmp_path: Path) -> None:
    with rendered_shop("spa", list_style=style) as shop:
        (row,) = render([shop.url + "c/lamps?grow"], tmp_path)
    assert str(row["text"]).count("Lamp Model") == shown


def test_the_answers_that_a_page_was_built_from_are_collected(tmp_path: Path) -> None:
    with rendered_shop("spa") as shop:
        (row,) = render([shop.url + "p/lamps-3"], tmp_path)
        assert row["answers"] == [shop.url + "api/p/lamps-3"]
    assert "Lamp Model D03" in str(row["text"])


@pytest.mark.parametrize(("status", "has_failed"), [(404, False), (503, True), (429, True)])
def test_a_script_that_is_not_there_is_an_answer_and_one_that_may_come_later_a_failure(status, has_failed):
    """Chromium breaks off the body of an error answer: a page whose script is gone would be rendered again and again."""
    request = Mock(url="http://shop.example/zoom.js", resource_type="script", failure="net::ERR_ABORTED")
    request.frame.url = "http://shop.example/lamp"
    response = Mock(request=request, status=status, ok=False, url=request.url, frame=request.frame)
    watch = Watch()
    for name, event in (("request", request), ("response", response), ("requestfailed", request)):
        watch.handlers()[name](event)
    assert watch.has_failed is has_failed and not watch.open
