"""What the scheduler writes at a time, in a real crawl: a page is over no sooner than all that it led to is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawl.serving import Answer, serving
from tests.frontier.exchanging import exchanges


def linking(*paths: str, later: str = "") -> str:
    links = "".join(f'<a class="{"later" * (path == later)}" href="{path}">{path}</a>' for path in paths)
    return f"<html><title>Pages</title><body>{links}</body></html>"


@pytest.mark.parametrize("links", [40, 100])
def test_a_page_is_over_only_with_or_after_all_its_requests(tmp_path: Path, links: int) -> None:
    """Scrapy takes what a callback yields through a queue: the callback may be at its end while some of it still waits there."""
    paths = [f"/page/{number}" for number in range(links)]
    with serving({"/": linking(*paths)} | {path: linking() for path in paths}) as server:
        told = exchanges(server.url, f"sqlite:///{tmp_path}/scout.db")
        asked = [server.url + path[1:] for path in paths]
    at = next(number for number, one in enumerate(told["written"]) if server.url in one["over"])
    known = {url for one in told["written"][: at + 1] for url in one["new"]}
    assert known.issuperset(asked)
    assert sorted(told["read"]) == sorted([server.url, *asked])


def test_a_redirect_to_an_address_that_was_put_off_is_read(tmp_path: Path) -> None:
    table = {
        "/": linking("/put-off", "/short", later="/put-off"),
        "/short": Answer(status=302, headers={"Location": "/put-off"}),
        "/put-off": linking(),
    }
    with serving(table) as server:
        told = exchanges(server.url, f"sqlite:///{tmp_path}/scout.db")
    assert told["read"] == [server.url, server.url + "put-off"]
