"""The answers of a search form, read without a crawl."""

from __future__ import annotations

from collections.abc import Sequence

from scout.page import Page
from scout.spiders.answers import Lists

MENU = "".join(f'<li class="item"><a href="/c/{n}">Part {n}</a></li>' for n in range(6))


def answer(query: str, numbers: Sequence[int]) -> Page:
    cards = "".join(
        f'<div class="card"><a href="/p/{n}"><img src="/{n}.jpg"> Lamp No. {n}</a> <b>{n},50 €</b></div>'
        for n in numbers
    )
    found = f"<div class=grid>{cards}</div>" if numbers else "<p>Nothing was found. Try another word.</p>"
    return Page(f"http://shop.example/?q={query}", f"<body><ul class=menu>{MENU}</ul><h1>Search</h1>{found}</body>")


def paths(lists: Lists, page: Page) -> list[str]:
    return [str(record.href).removeprefix("http://shop.example") for record in lists.records(page)]


def test_the_menu_of_answers_without_results_is_never_taken_for_results():
    """On one shop its six links were results, and then the place where all further answers were read."""
    lists = Lists()
    assert paths(lists, answer("lamp", range(8))) == [f"/p/{n}" for n in range(8)]
    for word in "esno":
        assert paths(lists, answer(word, ())) == []
    assert paths(lists, answer("brass", range(10, 18))) == [f"/p/{n}" for n in range(10, 18)]
    assert paths(lists, answer("glass", range(20, 22))) == ["/p/20", "/p/21"]


def test_a_place_that_shows_something_else_each_time_is_that_of_the_results_whatever_came_first():
    lists = Lists()
    paths(lists, answer("e", ()))
    for word, first in (("lamp", 0), ("brass", 10)):
        paths(lists, answer(word, range(first, first + 8)))
    assert paths(lists, answer("s", ())) == []
    assert paths(lists, answer("glass", range(20, 22))) == ["/p/20", "/p/21"]
