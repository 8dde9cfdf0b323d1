"""What the scheduler writes at a time, in a real crawl: a page is over no sooner than all that it led to is known."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import pytest

from scout.frontier.progress import progress
from scout.frontier.table import GIVEN_UP, MAX_DEATHS
from scout.store import Store
from tests.crawl.serving import Answer, serving
from tests.frontier.exchanging import DEADLY, ELSEWHERE, crawled, exchanges


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


@pytest.mark.long
def test_a_page_that_kills_every_process_is_given_up_and_all_others_are_read(tmp_path: Path) -> None:
    """Many pages are leased and under way when a process dies, before it could write anything about them."""
    paths, database = [f"/page/{number}" for number in range(60)], f"sqlite:///{tmp_path}/scout.db"
    shown = [*paths[:30], DEADLY, *paths[30:]]
    with serving({"/": linking(*shown)} | {path: linking() for path in shown}) as server:
        codes = [crawled(server.url, database).returncode for _ in range(MAX_DEATHS + 1)]
        asked = Counter(path for path in server.asked if path in paths)
    assert codes == [-signal.SIGKILL] * MAX_DEATHS + [0]
    with Store.open(database) as store:
        (crawl,) = progress(store)
    assert crawl.failures == {GIVEN_UP: 1} and crawl.counts == {"done": 61, "failed": 1}
    assert set(asked) == set(paths)


def test_a_redirect_to_an_address_that_was_put_off_is_read(tmp_path: Path) -> None:
    table = {
        "/": linking("/put-off", "/short", later="/put-off"),
        "/short": Answer(status=302, headers={"Location": "/put-off"}),
        "/put-off": linking(),
    }
    with serving(table) as server:
        told = exchanges(server.url, f"sqlite:///{tmp_path}/scout.db")
    assert told["read"] == [server.url, server.url + "put-off"]


def test_what_a_page_that_failed_was_redirected_to_is_read_when_it_is_shown(tmp_path: Path) -> None:
    """A shop that answers for one product with another one must not hide that other one, whichever is asked first."""
    table = {
        "/": linking("/short", "/a"),
        "/short": Answer(status=302, headers={"Location": ELSEWHERE}),
        "/a": linking("/b"),
        "/b": linking("/c"),
        "/c": linking("/d"),
        "/d": linking(ELSEWHERE),
        ELSEWHERE: linking(),
    }
    with serving(table) as server:
        told = exchanges(server.url, f"sqlite:///{tmp_path}/scout.db")
    assert told["read"][-1] == server.url + ELSEWHERE[1:]
