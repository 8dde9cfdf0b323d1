"""A real browser against pages that mean harm: each costs a bounded time and nothing else."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock

import pytest

from scout.handlers.browser import CLOSE_SECONDS, Watch
from scout.settings import SCOUT_RENDER_TIMEOUT
from tests.crawl.commands import environment
from tests.crawl.serving import serving
from tests.processes import run
from tests.shops.browser_traps import ENDLESS, NUISANCES, traps
from tests.shops.rendered import rendered_shop

MAX_SECONDS = 45.0  # that a page may cost, whatever it does


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        port = self.server.server_port
        name = self.headers["Host"].partition(":")[0]
        if name not in ("127.0.0.1", "shop.example"):
            self.server.strays.append(f"{self.headers['Host']}{self.path}")
        if self.path == "/moved":
            return self.answer(302, "", Location=f"http://evil.example:{port}/redirect")
        if self.path == "/file":
            return self.answer(200, "x" * 1000, **{"Content-Type": "application/octet-stream"})
        body = traps(f"http://evil.example:{port}").get(self.path)
        return self.answer(200 if body else 404, body or "", **{"Content-Type": "text/html; charset=utf-8"})

    def answer(self, status: int, text: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Serves the traps; `strays` are requests under a name that nobody should ask."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.strays: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@pytest.fixture(scope="module")
def hostile() -> Iterator[Server]:
    with Server() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def render(
    urls: list[str], folder: Path, limit: int = 60, patience: int = 180, **options: str
) -> list[dict[str, object]]:
    """What came of each address, in a process of its own; `options` are settings, and the spider's `hosts`."""
    out = folder / "out.jsonl"
    spider = Path(__file__).with_name("rendering_spider.py")
    command = [
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
    for argument in ("hosts", "proxy_url"):
        command += ["-a", f"{argument}={options.pop(argument, '')}"]
    command += [*(part for name in options for part in ("-s", f"{name}={options[name]}"))]
    done = run("scrapy", *command, timeout=patience, cwd=folder, env=environment())
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in out.read_text().splitlines()]


def test_pages_that_never_end_are_given_up_and_the_next_ones_work(hostile: Server, tmp_path: Path) -> None:
    limit = 4
    began = time.monotonic()
    rows = render([hostile.url + path for path in (*ENDLESS, "/good")], tmp_path, limit=limit)
    assert [str(row["url"]).removeprefix(hostile.url) for row in rows] == [*ENDLESS, "/good"]
    assert all("error" in row or row["text"] == "a good page" for row in rows) and rows[-1]["text"] == "a good page"
    assert time.monotonic() - began < len(ENDLESS) * (limit + 2 * CLOSE_SECONDS) + 30  # to start and to end


@pytest.mark.long
def test_a_page_that_means_harm_costs_45_seconds_at_most_and_nothing_else(hostile: Server, tmp_path: Path) -> None:
    """At the limits that a crawl has by default; an ordinary page after each of them, which it must not harm."""
    paths = [part for path in (*ENDLESS, *NUISANCES, "/growing", "/prying") for part in (path, "/good")]
    limit = int(SCOUT_RENDER_TIMEOUT)
    rows = render([hostile.url + path for path in ["/good", *paths]], tmp_path, limit=limit, patience=900)
    found = [(str(row["url"]).removeprefix(hostile.url), row) for row in rows]
    for path, row in found:
        print(f"{path}: {row['seconds']} s, {row.get('error') or row['text']!r}")
    assert [path for path, _ in found] == ["/good", *paths]
    assert all(row.get("text") == "a good page" for path, row in found if path == "/good")
    assert max(float(str(row["seconds"])) for _, row in found) <= MAX_SECONDS
    assert (
        dict(found)["/spin"]["error"] == "RenderTimeout"
    )  # by which it is known that a second try would cost the same


def test_alerts_popups_downloads_and_reloads_do_not_stop_a_crawl(hostile: Server, tmp_path: Path) -> None:
    rows = render([hostile.url + path for path in (*NUISANCES, "/growing", "/good")], tmp_path, limit=15)
    found = {str(row["url"]).removeprefix(hostile.url): row.get("text") for row in rows}
    assert len(rows) == len(NUISANCES) + 2
    assert {path for path, text in found.items() if text != "a good page"} <= {"/download", "/file", "/reload"}


def test_the_browser_reaches_no_target_that_the_crawl_may_not(hostile: Server, tmp_path: Path) -> None:
    """A name that leads to this machine, by every way that a page has; the shop's own name, named by the user, is reached."""
    shop = f"http://shop.example:{hostile.server_port}"
    hosts = "shop.example=127.0.0.1 evil.example=127.0.0.1"
    rows = render([f"{shop}/prying", f"{shop}/good"], tmp_path, hosts=hosts)
    assert [row["text"] for row in rows] == ["a good page", "a good page"]
    assert hostile.strays == []


class OwnProxy(BaseHTTPRequestHandler):
    """A proxy of the user's own: notes what it is asked, and answers with a page that pries."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers.get("Proxy-Authorization")))  # type: ignore[attr-defined]
        inside = f"http://127.0.0.1:{self.server.server_address[1]}/secret"
        body = f"<main>a good page</main><script>fetch('/data'); fetch('{inside}')</script>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.mark.parametrize("way", ["meta", "launch"])
def test_a_proxy_of_the_users_own_is_asked_behind_the_guard(way: str, tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), OwnProxy) as proxy:
        proxy.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        host = f"127.0.0.1:{proxy.server_port}"
        launch = {"proxy": {"server": f"http://{host}", "username": "me", "password": "secret"}}
        how = {
            "meta": {"proxy_url": f"http://me:secret@{host}"},
            "launch": {"PLAYWRIGHT_LAUNCH_OPTIONS": json.dumps(launch)},
        }
        rows = render(["http://shop.example/a"], tmp_path, ROBOTSTXT_OBEY="0", **how[way])
        proxy.shutdown()
    assert [row.get("text") for row in rows] == ["a good page"]
    asked = set(proxy.asked)  # type: ignore[attr-defined]
    assert asked == {(f"http://shop.example/{name}", "Basic bWU6c2VjcmV0") for name in ("a", "data")}


def test_a_proxy_that_cannot_be_guarded_is_refused_in_words(tmp_path: Path) -> None:
    rows = render(["http://shop.example/a"], tmp_path, ROBOTSTXT_OBEY="0", proxy_url="socks5://127.0.0.1:9")
    assert [row.get("error") for row in rows] == ["ScoutError"]


@pytest.mark.parametrize(("obeys", "asks"), [("1", False), ("0", True)])
def test_what_a_page_asks_its_shop_for_obeys_robots_txt(obeys: str, asks: bool, tmp_path: Path) -> None:
    with rendered_shop("spa", robots="User-agent: *\nDisallow: /api/\n") as shop:
        settings = {"ROBOTSTXT_OBEY": "1", "SCOUT_RENDER_OBEY_ROBOTS": obeys}
        (row,) = render([shop.url + "p/lamps-3"], tmp_path, **settings)
    assert any(path.startswith("/api/") for path in shop.requests) == asks == bool(row["text"])
    assert row["is_whole"]  # what is forbidden is no failure that may pass


@pytest.mark.parametrize(("style", "shown"), [("pages", 6), ("more", 14), ("scroll", 14), ("numbers", 14)])
def test_a_list_grows_by_its_buttons_or_by_scrolling_until_it_is_whole(style: str, shown: int, tmp_path: Path) -> None:
    with rendered_shop("spa", list_style=style) as shop:
        (row,) = render([shop.url + "c/lamps?grow"], tmp_path)
    assert str(row["text"]).count("Lamp Model") == shown


def test_what_web_components_show_is_read_like_any_other_text(tmp_path: Path) -> None:
    script = """customElements.define('shop-lamp', class extends HTMLElement { connectedCallback() {
      this.attachShadow({mode: 'open'}).innerHTML = '<h1>Brass lamp</h1><slot></slot><shop-price></shop-price>'; } });
    customElements.define('shop-price', class extends HTMLElement { connectedCallback() {
      this.attachShadow({mode: 'open'}).innerHTML = '<b>€19.90</b>'; } });"""
    with serving({"/": f"<main><shop-lamp><i>In stock</i></shop-lamp></main><script>{script}</script>"}) as shop:
        (row,) = render([shop.url], tmp_path)
    assert str(row["text"]).split() == "Brass lamp In stock €19.90".split()


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


@pytest.mark.parametrize(
    ("status", "failure", "has_failed"),
    [
        (200, "net::ERR_ABORTED", False),
        (200, "net::ERR_INCOMPLETE_CHUNKED_ENCODING", True),
        (None, "net::ERR_ABORTED", True),
    ],
)
def test_an_answer_that_the_page_itself_leaves_is_no_failure(status, failure, has_failed):
    """A framework that looks ahead to the pages behind its links drops the answer of one that is not there."""
    asked = Mock(resource_type="fetch", url="http://shop.example/about?ahead", failure=failure)
    asked.frame.url = "http://shop.example/"
    watch = Watch()
    watch._asked(asked)
    if status:
        watch._answered(Mock(request=asked, url=asked.url, status=status, ok=True))
    watch._broke_off(asked)
    assert watch.has_failed is has_failed and not watch.open
