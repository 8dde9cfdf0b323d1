"""A crawl of a query form that is killed in the middle goes on where it was: nothing is lost, and hardly anything is asked twice."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from scout.forms.probing import Answer, Probe
from scout.forms.search import search_form
from scout.page import Page
from scout.spiders.form_results import Journal
from scout.store import Store
from scout.store.forms import attribute_names, attribute_values
from tests.reliability.killing import Crawling, states, stored
from tests.shops.provider import CONDITIONS, build, form_page, providing

ROWS = 400
LONGEST = 200
CONFIRMED = 4  # queries whose answers an interrupt may lose: one on its way, and those whose offers were not stored yet


# How fast it asks is defined: a kill costs what was asked in the fifth of a second before it, on any machine the same.
STEADY = ("-s", "DOWNLOAD_DELAY=0.02", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")


def crawl(url: str, database: str, directory: Path) -> Crawling:
    return Crawling(url, database, directory, "-a", "shop=house", *STEADY, spider="forms")


def reached(offers: int, database: str, crawling: Crawling) -> Crawling:
    """The crawl, still under way, once the database has so many offers."""
    deadline = time.monotonic() + LONGEST
    while crawling.process.poll() is None and len(stored(database)) < offers:
        assert time.monotonic() < deadline, crawling.said()
        time.sleep(0.05)
    assert crawling.process.poll() is None, f"it was over before it could be stopped: {crawling.said()[-2000:]}"
    return crawling


def kill_and_finish(form: str, tmp_path: Path) -> tuple[list[str], int, dict[str, list[str]]]:
    """(addresses of the stored offers, queries and pages asked, the attribute index) of a crawl that is killed twice."""
    build(tmp_path / "shop.db", ROWS)
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database), providing(tmp_path / "shop.db") as provider:
        for offers in (60, 200):
            reached(offers, database, crawl(provider.url + form, database, tmp_path)).kill()
        last = crawl(provider.url + form, database, tmp_path)
        assert last.ended(LONGEST) == 0, last.said()
        asked = sum("/answer" in path for _, path in provider.asked)
    assert set(states(database)) <= {"done", "kept"}
    with Store.open(database) as store:
        (record,) = store.forms("house")
        with store.reading() as connection:
            names = attribute_names(connection, record.id)
            index = {name: list(attribute_values(connection, record.id, name)) for name in names}
    return stored(database), asked, index


def test_limited_cooperation_survives_two_kills_with_its_index(tmp_path):
    """80 queries, every row once, and all its values in the index although three runs have gathered them."""
    found, asked, index = kill_and_finish("/limited/two", tmp_path)
    assert len(found) == len(set(found)) == ROWS
    assert len(index["sku"]) == ROWS
    assert asked <= 1.6 * len(CONDITIONS) * 26


def test_no_cooperation_survives_two_kills(tmp_path):
    found, asked, index = kill_and_finish("/none/select", tmp_path)
    assert len(index["brand"]) == 40
    assert len(found) == len(set(found)) == ROWS
    assert asked <= 1.6 * 42  # the form as it stands, 40 brands, and what was on its way at each kill


def test_no_cooperation_goes_on_after_an_interrupt(tmp_path):
    """Ctrl-C, not a kill: its crawl has an end, and nothing waits in the frontier but what was kept."""
    build(tmp_path / "shop.db", ROWS)
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database), providing(tmp_path / "shop.db") as provider:
        first = reached(100, database, crawl(provider.url + "/none/select", database, tmp_path))
        first.process.send_signal(signal.SIGINT)
        first.ended(LONGEST)
        last = crawl(provider.url + "/none/select", database, tmp_path)
        assert last.ended(LONGEST) == 0, last.said()
        asked = [path for _, path in provider.asked if "/answer" in path]
    assert len(set(stored(database))) == ROWS
    assert len(asked) <= 1 + 40 + CONFIRMED, "the form as it stands, 40 brands, and what was on its way"
    with Store.open(database) as store:
        assert [one.reason for one in store.crawls("house")] == ["finished"], "one crawl, which goes on"


# --- the part without a crawl ---------------------------------------------------------------------------------------


def probe(kind: str) -> Probe:
    return Probe(
        search_form(Page("http://shop.example/", form_page(kind, is_described=False))), {"lamp": 1}, min_new=0.0
    )


def answer_to(query) -> Answer:
    return Answer({f"http://shop.example/{query}/{number}": f"Lamp {number} {query}" for number in range(3)}, 3)


@pytest.mark.parametrize("kind", ["select", "words", "cut"])
def test_a_probe_that_recalls_its_answers_asks_what_it_would_have_asked(kind):
    first, second, journal = probe(kind), probe(kind), Journal()
    kept = []
    for _ in range(12):
        query = first.next_query()
        if query is None:
            break
        answer = answer_to(query)
        first.vocabulary.add(answer.offers)
        first.record_answer(query, answer)
        kept.append({"number": journal.next_number(), **journal.entry(query, answer)})
    again = Journal()
    again.read(reversed(kept), [url for entry in kept for url in entry["offers"]])
    assert all(second.replay(query, answer) for query, answer in again.answers(is_listed=True))
    assert second.next_query() == first.next_query()


def test_an_answer_whose_offers_did_not_reach_the_database_is_asked_again():
    journal, kept = Journal(), []
    for number in range(3):
        kept.append({"number": number, **journal.entry((("q", str(number)),), answer_to(number))})
    again = Journal()
    again.read(kept, list(kept[0]["offers"]))
    assert [query for query, _ in again.answers(is_listed=True)] == [(("q", "0"),)]
    assert len(again.answers(is_listed=False)) == 3, "with details, the frontier has the pages of the offers"
