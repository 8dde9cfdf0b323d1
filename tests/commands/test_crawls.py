"""`scrapy crawls` tells of each crawl what the frontier says: how far it is, whether it is complete, what failed."""

import json
from dataclasses import replace

import pytest

from scout.crawl.account import AccountState
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.frontier.progress import HEALED
from scout.frontier.resuming import entered_crawl, leave_crawl
from scout.frontier.table import Changes, Frontier, NewRequest
from scout.store import Store
from tests.commands.running import run

START = "http://lamps.example/"


@pytest.fixture
def database(tmp_path) -> str:
    """A complete crawl with failures, and one that was killed with something left."""
    url = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(url) as store:
        first = Frontier(store, entered_crawl(store, "lamps", "shop", START).crawl)
        new = [NewRequest(name, START + name, "{}", 0, shown="product") for name in "abc"]
        shown = [replace(request, shown="product" if request.key == "a" else "page") for request in new]
        first.exchange(Changes(new=shown, wanted=10))
        failed = [PageOutcome(name, "failed", {}, PageResult(AccountState.GONE, "http_404")) for name in "bc"]
        first.exchange(Changes(marks=[PageOutcome("a", "done", {}, PageResult(AccountState.OFFER)), *failed]))
        leave_crawl(store, first.crawl, "finished", {HEALED: {"price": "repaired: before 0 right"}})
        second = Frontier(store, entered_crawl(store, "lamps", "shop", START).crawl)
        second.exchange(Changes(new=new))
    return url


def test_crawls_are_listed_newest_first_with_what_failed(capsys, database):
    ran = run(capsys, database, "crawls", "lamps", "--json")
    assert ran.code == 0
    killed, complete = json.loads(ran.out)
    assert (killed["state"], killed["pages"], killed["left"]) == ("interrupted", 0, 3)
    assert (complete["state"], complete["pages"], complete["left"]) == ("complete", 3, 0)
    assert complete["failures"] == {"http_404": 2}


def test_the_table_is_for_people(capsys, database):
    ran = run(capsys, database, "crawls")
    assert "2 http_404" in ran.out and "interrupted" in ran.out and "2 crawls" in ran.out


def test_the_crawls_of_a_shop_say_how_complete_they_are_and_why_not(capsys, database):
    shown = run(capsys, database, "crawls", "lamps").out
    assert "Crawl 1: 0 products found; complete: all 3 addresses that the shop showed were read" in shown
    assert "the pages had changed; price repaired: before 0 right" in shown
    assert "it was killed; 3 of 3 addresses were not read (3 cut)" in shown
    killed, complete = json.loads(run(capsys, database, "crawls", "lamps", "--json").out)
    assert complete["account"] == {"offer": 1, "gone": 2} and complete["reasons"] == {}
    assert killed["account"] == {"cut": 3} and killed["reasons"] == {"cut": 3}
    assert killed["estimate"] == {"low": 0, "high": 3}


def test_a_shop_that_is_not_there_is_wrong_usage(capsys, database):
    ran = run(capsys, database, "crawls", "chairs")
    assert ran.code == 2 and "scout shops list" in ran.err


def test_the_pages_that_failed_are_listed_with_their_reasons(capsys, database):
    ran = run(capsys, database, "crawls", "lamps", "--failed")
    assert sorted(ran.out.splitlines()) == [f"1\thttp_404\t{START}{name}" for name in "bc"]


def test_a_running_crawl_says_how_much_is_done_and_how_long_the_rest_will_take(capsys, tmp_path):
    url = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(url) as store:
        frontier = Frontier(store, entered_crawl(store, "lamps", "shop", START).crawl)
        frontier.exchange(Changes(new=[NewRequest(name, START + name, "{}", 0) for name in "abcd"], wanted=2))
        frontier.exchange(Changes(marks=[PageOutcome("d", "done", {})]))
    (crawl,) = json.loads(run(capsys, url, "crawls", "--json").out)
    assert (crawl["state"], crawl["left"], crawl["minutes_left"]) == ("running", 3, 3.0)
    assert "25%" in run(capsys, url, "crawls").out


def test_a_crawl_keeps_its_number_of_offers_when_a_later_one_has_met_them_too(capsys, tmp_path):
    url = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(url) as store:
        crawl = store.begin_crawl("lamps")
        store.finish_crawl(crawl, "finished", {"scout/persist/new": 7, "scout/persist/unchanged": 2})
    (crawl,) = json.loads(run(capsys, url, "crawls", "--json").out)
    assert crawl["offers"] == 9
