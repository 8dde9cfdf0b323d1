"""A crawl of a query form that is killed in the middle goes on where it was: nothing is lost, and hardly anything is asked twice."""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from scout.forms.probing import Answer, Probe
from scout.forms.search import search_form
from scout.page import Page
from scout.store import Store
from scout.store.forms import attribute_names, attribute_values
from tests.reliability.killing import Crawling, states, stored
from tests.shops.provider import CONDITIONS, build, form_page, providing

ROWS = 400
LONGEST = 200
ON_THEIR_WAY = 4  # queries asked once more: at each of two stops one whose answer was on its way, and one whose answer was not stored yet


# How fast it asks is defined: a kill costs what was asked in the fifth of a second before it, on any machine the same.
STEADY = ("-s", "DOWNLOAD_DELAY=0.02", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")


def crawl(url: str, database: str, directory: Path, spider: str) -> Crawling:
    return Crawling(url, database, directory, "-a", "shop=house", *STEADY, spider=spider)


def reached(offers: int, database: str, crawling: Crawling) -> Crawling:
    """The crawl, still under way, once the database has so many offers."""
    deadline = time.monotonic() + LONGEST
    while crawling.process.poll() is None and len(stored(database)) < offers:
        assert time.monotonic() < deadline, crawling.said()
        time.sleep(0.05)
    assert crawling.process.poll() is None, f"it was over before it could be stopped: {crawling.said()[-2000:]}"
    return crawling


@dataclass
class Resumed:
    """A crawl that was killed, interrupted, and then came to its end."""

    offers: list[str]  # addresses
    asked: list[str]  # queries and pages of answers
    index: dict[str, list[str]]  # the values of each attribute
    crawls: list[str | None]  # how they ended


def stop_twice_and_finish(form: str, tmp_path: Path, spider: str = "forms") -> Resumed:
    build(tmp_path / "shop.db", ROWS)
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database), providing(tmp_path / "shop.db") as provider:
        reached(60, database, crawl(provider.url + form, database, tmp_path, spider)).kill()
        second = reached(200, database, crawl(provider.url + form, database, tmp_path, spider))
        second.process.send_signal(signal.SIGINT)
        second.ended(LONGEST)
        last = crawl(provider.url + form, database, tmp_path, spider)
        assert last.ended(LONGEST) == 0, last.said()
        asked = [path for _, path in provider.asked if "/answer" in path]
    assert set(states(database)) <= {"done", "kept"}
    with Store.open(database) as store:
        (record,) = store.forms("house")
        with store.reading() as connection:
            names = attribute_names(connection, record.id)
            index = {name: list(attribute_values(connection, record.id, name)) for name in names}
        return Resumed(stored(database), asked, index, [one.reason for one in store.crawls("house")])


def test_limited_cooperation_survives_a_kill_and_an_interrupt_with_its_index(tmp_path):
    """80 queries, every row once, and all its values in the index although three runs have gathered them."""
    resumed = stop_twice_and_finish("/limited/two", tmp_path)
    assert len(resumed.offers) == len(set(resumed.offers)) == ROWS
    assert len(resumed.index["sku"]) == ROWS
    assert len(resumed.asked) <= 1.6 * len(CONDITIONS) * 26
    assert resumed.crawls == ["finished"], "one crawl, which goes on"


def test_no_cooperation_survives_a_kill_and_an_interrupt_and_asks_hardly_a_query_twice(tmp_path):
    resumed = stop_twice_and_finish("/none/select", tmp_path)
    assert len(resumed.offers) == len(set(resumed.offers)) == ROWS
    assert len(resumed.index["brand"]) == 40
    assert len(resumed.asked) <= 1 + 40 + ON_THEIR_WAY, "the form as it stands, 40 brands, and what was on its way"
    assert resumed.crawls == ["finished"], "one crawl, which goes on"


def test_section_3_2_a_killed_shop_crawl_goes_on_with_the_database_that_it_came_upon(tmp_path):
    resumed = stop_twice_and_finish("/limited/two", tmp_path, spider="shop")
    assert len(resumed.offers) == len(set(resumed.offers)) == ROWS and len(resumed.index["sku"]) == ROWS
    assert len(resumed.asked) <= 1.6 * len(CONDITIONS) * 26
    assert resumed.crawls == ["finished"], "one crawl, which goes on"


# --- the part without a crawl ---------------------------------------------------------------------------------------


def probe(kind: str) -> Probe:
    return Probe(
        search_form(Page("http://shop.example/", form_page(kind, is_described=False))), {"lamp": 1}, min_new=0.0
    )


def answer_to(query) -> Answer:
    return Answer({f"http://shop.example/{query}/{number}": f"Lamp {number} {query}" for number in range(3)}, 3)


@pytest.mark.parametrize("kind", ["select", "words", "cut"])
def test_a_probe_that_gets_the_same_answers_asks_the_same(kind):
    """So that a killed crawl finds the answers to its queries among the pages that it kept."""
    first, second = probe(kind), probe(kind)
    for _ in range(12):
        query = first.next_query()
        assert second.next_query() == query
        if query is None:
            break
        for one in (first, second):
            one.vocabulary.add(answer_to(query).offers)
            one.record_answer(query, answer_to(query))
    assert second.next_query() == first.next_query()
