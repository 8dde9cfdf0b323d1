"""A real browser on pages that try every way out: nothing is asked for that robots.txt forbids, and nothing that acts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.handlers.test_browser import render

ROBOTS = "User-agent: *\nDisallow: /no/\n"
WAYS = """<main>a good page</main>
<iframe src=/no/frame></iframe><iframe src="/to?/no/frame-redirect"></iframe><iframe srcdoc="<script>fetch('/no/srcdoc')</script>"></iframe>
<link rel=prefetch href=/no/prefetch><link rel=preload as=fetch href=/no/preload><link rel=modulepreload href=/no/module.js>
<script type=speculationrules>{"prerender": [{"urls": ["/no/prerender"], "eagerness": "immediate"}],
  "prefetch": [{"urls": ["/no/speculation"], "eagerness": "immediate"}]}</script>
<script src=/no/script.js></script>
<script>
  fetch('/no/fetch').catch(() => 0); fetch('/to?/no/redirect').catch(() => 0); fetch('/to?/to?/no/second-redirect').catch(() => 0);
  const xhr = new XMLHttpRequest(); xhr.open('GET', '/no/xhr'); xhr.send();
  navigator.sendBeacon('/no/beacon', 'x'); onpagehide = () => navigator.sendBeacon('/no/late-beacon', 'x');
  fetch('/no/keepalive', {keepalive: true}).catch(() => 0);
  new Worker('/worker.js'); new SharedWorker('/shared.js'); navigator.serviceWorker?.register('/service.js').catch(() => 0);
  new Worker(URL.createObjectURL(new Blob([`fetch('${origin}/no/blob-worker'); new WebSocket('ws://${location.host}/no/worker-socket')`])));
  new WebSocket(`ws://${location.host}/no/socket`); new EventSource('/no/events');
  open('/popup'); open('/to?/no/popup-redirect'); open('/no/popup');
  const late = document.createElement('script'); late.type = 'speculationrules';
  late.textContent = '{"prefetch": [{"urls": ["/no/late-speculation"], "eagerness": "immediate"}]}'; document.head.append(late);
</script>"""
ACTS = """<main></main><script>
  const post = (path, body, type) => fetch(path, {method: 'POST', body, headers: {'Content-Type': type || 'application/json'}});
  const done = post('/graphql', '{"query": "query { products { name } }"}').then(answer => answer.text());
  post('/cart/add.js', '{"id": 3}').catch(() => 0); post('/graphql', '{"query": "mutation { addToCart(id: 3) }"}').catch(() => 0);
  fetch('/customer/logout').catch(() => 0); fetch('/api/products/3', {method: 'DELETE'}).catch(() => 0);
  navigator.sendBeacon('/collect', 'x'); post('/to?/cart/add.js', '{}').catch(() => 0);
  const form = document.createElement('form'); form.method = 'post'; form.action = '/newsletter'; form.target = 'f';
  document.body.append(form); document.body.insertAdjacentHTML('beforeend', '<iframe name=f></iframe>'); form.submit();
  done.then(text => document.querySelector('main').textContent = text);
</script>"""
FILES = {
    "/robots.txt": ROBOTS,
    "/ways": WAYS,
    "/acts": ACTS,
    "/graphql": "the data",
    "/worker.js": "fetch('/no/worker'); importScripts('/no/import.js')",
    "/shared.js": "fetch('/no/shared-worker'); fetch('/to?/no/shared-redirect')",
    "/service.js": "fetch('/no/service-worker')",
    "/rules": '{"prefetch": [{"urls": ["/no/header-speculation"], "eagerness": "immediate"}]}',
    "/popup": "<script>fetch('/no/from-popup')</script>",
}
KINDS = {".js": "text/javascript", "rules": "application/speculationrules+json"}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append(f"{self.command} {self.path}")  # type: ignore[attr-defined]
        is_moved = self.path.startswith("/to?")
        body = FILES.get(self.path, "").encode()
        self.send_response(307 if is_moved else 200)
        self.send_header("Location", self.path[4:]) if is_moved else None
        kind = next((kind for end, kind in KINDS.items() if self.path.endswith(end)), "text/html")
        self.send_header("Content-Type", kind)
        self.send_header("Speculation-Rules", '"/rules"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def site() -> Iterator[tuple[str, list[str]]]:
    """The address of a site, and what it is asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", server.asked  # type: ignore[attr-defined]
        server.shutdown()


def test_no_way_out_of_a_page_leads_to_what_robots_txt_forbids(tmp_path: Path) -> None:
    with site() as (url, asked):
        (row,) = render([f"{url}/ways"], tmp_path, ROBOTSTXT_OBEY="1")
    assert row["text"] == "a good page"
    assert [path for path in asked if " /no/" in path] == []
    assert {
        "GET /ways",
        "GET /worker.js",
        "GET /shared.js",
        "GET /to?/no/redirect",
        "GET /to?/to?/no/second-redirect",
    } <= {*asked}


def test_a_page_that_redirects_is_bound_by_the_robots_txt_of_where_it_leads(tmp_path: Path) -> None:
    with site() as (url, _), site() as (other, other_asked):
        rows = render(
            [f"{url}/to?{other}/no/page", f"{url}/to?{other}/popup", f"{other}/graphql"], tmp_path, ROBOTSTXT_OBEY="1"
        )
    assert "error" in rows[0] and [row.get("error") for row in rows[1:]] == [None, None]
    assert "GET /robots.txt" in other_asked and "GET /no/page" not in other_asked


def test_scripts_read_data_and_neither_fill_a_cart_nor_log_out(tmp_path: Path) -> None:
    with site() as (url, asked):
        (row,) = render([f"{url}/acts"], tmp_path, ROBOTSTXT_OBEY="1")
    assert row["text"] == "the data"
    assert {path for path in asked if path not in ("GET /robots.txt", "GET /rules")} == {"GET /acts", "POST /graphql"}
    assert asked.count("POST /graphql") == 1


@pytest.mark.parametrize("obeys", ["0"])
def test_without_robots_txt_pages_ask_for_what_they_like_but_nothing_ahead(obeys: str, tmp_path: Path) -> None:
    with site() as (url, asked):
        render([f"{url}/ways"], tmp_path, ROBOTSTXT_OBEY=obeys)
    paths = {path.rpartition("/no/")[2] for path in asked if " /no/" in path}
    assert {"fetch", "redirect", "worker", "shared-worker", "shared-redirect", "frame-redirect", "xhr"} <= paths
    needless = {"prefetch", "prerender", "beacon", "socket", "worker-socket", "events", "service-worker"}
    assert not paths & (needless | {path for path in paths if "speculation" in path})
