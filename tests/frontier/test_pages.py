"""A page is over when its callback is at its end and all its items are out of the pipelines, also those that were held back."""

from scout.frontier.pages_in_progress import PageOutcome, PagesInProgress


def over(pages: PagesInProgress) -> dict[str, str]:
    return {mark.key: mark.state for mark in pages.taken_marks()}


def test_a_page_without_items_is_over_when_it_is_read():
    pages = PagesInProgress()
    pages.opened("a")
    assert over(pages) == {}
    pages.read("a")
    assert over(pages) == {"a": "done"}
    assert over(pages) == {}


def test_a_page_with_items_is_over_when_the_last_one_is_stored():
    pages = PagesInProgress()
    pages.opened("a")
    pages.begun("a")
    pages.begun("a")
    pages.ended("a")
    pages.read("a")
    assert over(pages) == {}
    pages.ended("a")
    assert over(pages) == {"a": "done"}


def test_a_held_page_waits_until_its_item_has_come_out_with_another_page():
    held = {"a"}
    pages = PagesInProgress(held.__contains__)
    pages.opened("a")
    pages.read("a")
    pages.opened("b")
    held.clear()
    pages.begun("a")  # yielded by the callback of b
    pages.read("b")
    pages.settle_waiting()
    assert over(pages) == {"b": "done"}
    pages.ended("a")
    assert over(pages) == {"a": "done"}


def test_a_held_page_that_turns_out_to_be_no_product_is_over_too():
    held = {"a"}
    pages = PagesInProgress(held.__contains__)
    pages.opened("a")
    pages.read("a")
    pages.settle_waiting()
    assert over(pages) == {}
    held.clear()
    pages.settle_waiting()
    assert over(pages) == {"a": "done"}


def test_a_page_fails_with_the_first_reason():
    pages = PagesInProgress()
    pages.opened("a")
    pages.failed("a", "HTTP 404")
    pages.read("a")
    assert pages.taken_marks() == [PageOutcome("a", "failed", "HTTP 404", {})]


def test_an_item_that_broke_a_pipeline_fails_its_page():
    pages = PagesInProgress()
    pages.opened("a")
    pages.begun("a")
    pages.read("a")
    pages.ended("a", "a pipeline broke: KeyError")
    assert over(pages) == {"a": "failed"}


def test_where_redirects_led_is_known_when_the_page_is_over():
    pages = PagesInProgress()
    pages.opened("a")
    pages.redirected("a", "b", "http://s.example/b")
    pages.read("a")
    assert pages.taken_marks()[0].aliases == {"b": "http://s.example/b"}


def test_what_belongs_to_no_page_of_the_frontier_is_left_alone():
    pages = PagesInProgress()
    pages.begun("")
    pages.ended("")
    pages.read("")
    assert over(pages) == {}
