"""`scrapy crawls` tells of each crawl what the frontier says: how far it is, whether it is complete, what failed."""

import json

import pytest

from scout.frontier.pages import Mark
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
        new = [NewRequest(name, START + name, "{}", 0) for name in "abc"]
        first.exchange(Changes(new=new, wanted=10))
        failed = [Mark(name, "failed", "HTTP 404", {}) for name in "bc"]
        first.exchange(Changes(marks=[Mark("a", "done", None, {}), *failed]))
        leave_crawl(store, first.crawl, "finished", {})
        second = Frontier(store, entered_crawl(store, "lamps", "shop", START).crawl)
        second.exchange(Changes(new=new))
    return url


def test_crawls_are_listed_newest_first_with_what_failed(capsys, database):
    ran = run(capsys, database, "crawls", "lamps", "--json")
    assert ran.code == 0
    killed, complete = json.loads(ran.out)
    assert (killed["state"], killed["pages"], killed["left"]) == ("killed, can be resumed", 0, 3)
    assert (complete["state"], complete["pages"], complete["left"]) == ("complete", 3, 0)
    assert complete["failures"] == {"HTTP 404": 2}


def test_the_table_is_for_people(capsys, database):
    ran = run(capsys, database, "crawls")
    assert "2 HTTP 404" in ran.out and "killed, can be resumed" in ran.out and "2 crawls" in ran.out


def test_a_shop_that_is_not_there_is_wrong_usage(capsys, database):
    ran = run(capsys, database, "crawls", "chairs")
    assert ran.code == 2 and "scrapy shops list" in ran.err
