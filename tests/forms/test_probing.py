"""Without any cooperation, at least 95 % of a database of 5,200 rows is found with at most three times the minimal requests.

The forms are those of the test provider, asked here without HTTP: what is tested is which queries are chosen.
"""

import math
import sqlite3
from collections import Counter

import pytest

from scout.forms.probing import Answer, Probe
from scout.forms.search import search_form
from scout.page import Page
from scout.settings import SCOUT_FORMS_MIN_NEW
from tests.shops.provider import A_PAGE, BRANDS, CUT, KINDS, ROWS, build, form_page, minimal, where

KNOWN = Counter({"lamp": 5, "chair": 4, "norlund": 3, "zebra": 2})  # what other shops' offers say


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("provider") / "shop.db"
    build(path)
    return path


@pytest.fixture(scope="module")
def database(path):
    connection = sqlite3.connect(path)
    yield connection
    connection.close()


def asked(database, name, known=KNOWN, min_new=SCOUT_FORMS_MIN_NEW):
    """(rows found, requests made)."""
    kind = KINDS[name]
    page = Page("http://shop.example/none", form_page(name, is_described=False))
    probe = Probe(search_form(page), known, min_new=min_new)
    requests = 0
    while (query := probe.next_query()) is not None:
        given = {element: value for element, value in query if value}
        rows = []
        if set(kind.required) <= given.keys():
            condition, values = where(kind, given)
            rows = database.execute(f"SELECT id, title FROM offers WHERE {condition} ORDER BY id", values).fetchall()
        answer = answered(probe, {str(id_): title for id_, title in (rows if kind.is_paged else rows[:CUT])})
        requests += answer.requests
        probe.record_answer(query, answer)
    return len(probe.vocabulary.seen), requests


def answered(probe, offers):
    """The answer as the spider reads it: page after page, the second one in any case, as long as they bring something new."""
    listed, shown, new, pages = list(offers.items()), {}, 0, 0
    while pages == 0 or len(shown) < len(listed):
        found = dict(listed[pages * A_PAGE : (pages + 1) * A_PAGE])
        fresh = probe.vocabulary.add(found)
        shown, new, pages = shown | found, new + fresh, pages + 1
        if pages > 1 and not fresh:
            break
    return Answer(shown, new, pages, is_paged=len(listed) > A_PAGE)


@pytest.mark.parametrize("name", ["select", "radio", "checkbox", "two", "paged", "cut", "text", "words"])
def test_every_kind_of_form_gives_its_rows_for_at_most_three_times_the_minimal_requests(database, path, name):
    rows, requests = asked(database, name)
    fewest = minimal(path, "words" if name == "text" else name)  # whatever its titles begin with
    print(f"{name}: {rows / ROWS:.1%} with {requests} requests, {fewest} at least")
    assert rows >= 0.95 * ROWS
    assert requests <= 3 * fewest


def test_a_search_of_which_nothing_is_known_ends_soon(database):
    rows, requests = asked(database, "words", known=Counter())
    assert rows == 0 and requests <= 20


def test_asking_ends_at_the_limit_of_queries(database):
    page = Page("http://shop.example/none", form_page("select", is_described=False))
    probe = Probe(search_form(page), KNOWN, min_new=1.0, max_queries=5)
    asked = 0
    while (query := probe.next_query()) is not None:
        asked += 1
        offers = {f"{query} {number}": "x" for number in range(9)}
        probe.record_answer(query, Answer(offers, probe.vocabulary.add(offers)))
    assert asked <= 5


@pytest.mark.parametrize(
    ("answer", "is_truncated"),
    [
        (Answer({str(n): "" for n in range(50)}, 50), True),
        (Answer({str(n): "" for n in range(50)}, 50, is_paged=True), False),
        (Answer({str(n): "" for n in range(37)}, 37), False),
        (Answer({str(n): "" for n in range(37)}, 37, stated=312), True),
        (Answer({str(n): "" for n in range(50)}, 50, stated=50), False),
        (Answer({}, 0, stated=12), False),
    ],
)
def test_a_truncated_answer_is_recognised(answer, is_truncated):
    assert answer.looks_truncated == is_truncated


def test_a_round_number_of_offers_is_no_cut_where_longer_answers_were_shown(tmp_path):
    """1,300 rows, 32 of each brand: 30 or 40 look cut off until 37 are shown, and nothing is asked twice for them."""
    build(tmp_path / "shop.db", 1_300)
    connection = sqlite3.connect(tmp_path / "shop.db")
    rows, requests = asked(connection, "cut")
    connection.close()
    assert rows == 1_300
    assert requests <= 3 * len(BRANDS)


def test_a_split_that_brings_nothing_does_not_end_its_element():
    """The first brand shows exactly as many offers as there can be, and all it has: the brands after it are asked all the same."""
    page = Page("http://shop.example/none", form_page("cut", is_described=False))
    probe = Probe(search_form(page), {}, min_new=1.0)
    while (query := probe.next_query()) is not None:
        brand = dict(query).get("brand")
        there = 0 if brand is None else 50 if brand == BRANDS[0] else 7
        offers = {f"{brand} {number}": "x" for number in range(there)}
        probe.record_answer(query, Answer(offers, probe.vocabulary.add(offers)))
    assert len(probe.vocabulary.seen) == 50 + 7 * (len(BRANDS) - 1)


def test_words_whose_answers_have_many_pages_are_asked_by_what_a_request_brings(database):
    """What counts is the offers a request brings, not a query: words are found for little more than the pages there are."""
    rows, requests = asked(database, "words")
    assert rows == ROWS
    assert requests <= 2.1 * math.ceil(ROWS / A_PAGE)


def test_a_letter_that_is_a_word_too_is_asked_once():
    page = Page("http://shop.example/none", form_page("cutwords", is_described=False))
    probe, asked = Probe(search_form(page), {"a": 3, "lamp": 2}, min_new=1.0), []
    while (query := probe.next_query()) is not None:
        asked.append(query)
        probe.record_answer(query, Answer({}, 0))
    assert ((("q", "a"),)) in asked and len(asked) == len(set(asked))
