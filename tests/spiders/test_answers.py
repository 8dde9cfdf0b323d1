"""The answers of a search form, read without a crawl."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import Mock

from scout.page import Page
from scout.spiders.form_results import Asking, ResultLists

MENU = "".join(f'<li class="item"><a href="/c/{n}">Part {n}</a></li>' for n in range(6))


def answer(query: str, numbers: Sequence[int]) -> Page:
    cards = "".join(
        f'<div class="card"><a href="/p/{n}"><img src="/{n}.jpg"> Lamp No. {n}</a> <b>{n},50 €</b></div>'
        for n in numbers
    )
    found = f"<div class=grid>{cards}</div>" if numbers else "<p>Nothing was found. Try another word.</p>"
    return Page(f"http://shop.example/?q={query}", f"<body><ul class=menu>{MENU}</ul><h1>Search</h1>{found}</body>")


def paths(lists: ResultLists, page: Page) -> list[str]:
    return [str(record.href).removeprefix("http://shop.example") for record in lists.records(page)]


def test_the_menu_of_answers_without_results_is_never_taken_for_results():
    """On one shop its six links were results, and then the place where all further answers were read."""
    lists = ResultLists()
    assert paths(lists, answer("lamp", range(8))) == [f"/p/{n}" for n in range(8)]
    for word in "esno":
        assert paths(lists, answer(word, ())) == []
    assert paths(lists, answer("brass", range(10, 18))) == [f"/p/{n}" for n in range(10, 18)]
    assert paths(lists, answer("glass", range(20, 22))) == ["/p/20", "/p/21"]


def test_a_place_that_shows_something_else_each_time_is_that_of_the_results_whatever_came_first():
    lists = ResultLists()
    paths(lists, answer("e", ()))
    for word, first in (("lamp", 0), ("brass", 10)):
        paths(lists, answer(word, range(first, first + 8)))
    assert paths(lists, answer("s", ())) == []
    assert paths(lists, answer("glass", range(20, 22))) == ["/p/20", "/p/21"]


def asked(lists: ResultLists, query: str, pages: Sequence[tuple[str, Sequence[int]]], stated: int) -> list[str]:
    """The addresses that an answer is continued at, page by page."""
    asking, probe = Asking(()), Mock()
    probe.vocabulary.seen, probe.vocabulary.add.return_value = {}, 0
    following = []
    for address, numbers in pages:
        page = Page(f"http://shop.example/?q={query}{address}", answer(query, numbers).html)
        asking.add(lists.records(page), probe, stated)
        following.append(str(lists.next_url(page, asking)).removeprefix("http://shop.example/"))
    return following


def test_an_answer_that_holds_more_than_it_shows_goes_on_by_number_while_that_brings_something():
    lists = ResultLists()
    pages = [("", range(8)), ("&page=2", range(8, 16)), ("&page=3", range(16, 20))]
    assert asked(lists, "lamp", pages, 20) == ["?q=lamp&page=2", "?q=lamp&page=3", "None"]
    for query in ("brass", "glass"):  # the shop answers with the same page again
        assert asked(lists, query, [("", range(8)), ("&page=2", range(8))], 20) == [f"?q={query}&page=2", "None"]
    assert asked(lists, "oak", [("", range(8))], 20) == ["None"]
