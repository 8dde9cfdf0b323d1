"""A page is over when its callback is at its end and all its items are out of the pipelines, also those that were held back."""

from scout.crawl.account import AccountState
from scout.crawl.pages_in_progress import PageOutcome, PageResult, PagesInProgress


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
    pages.failed("a", "http_404")
    pages.read("a")
    assert pages.taken_marks() == [PageOutcome("a", "failed", {}, PageResult(AccountState.GONE, "http_404"))]


def test_an_item_that_broke_a_pipeline_fails_its_page():
    pages = PagesInProgress()
    pages.opened("a")
    pages.begun("a")
    pages.read("a")
    pages.ended("a", PageResult(AccountState.FAILED, "a pipeline broke: KeyError"))
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


def test_an_offer_outranks_what_its_page_looked_like_and_is_not_taken_back():
    pages = PagesInProgress()
    pages.opened("a")
    for outcome in (AccountState.NO_PRODUCT, AccountState.OFFER, AccountState.NO_PRODUCT):
        pages.judge("a", PageResult(outcome))
    pages.read("a")
    assert pages.taken_marks()[0].result == PageResult(AccountState.OFFER)


def test_pages_in_a_row_that_were_not_read_are_counted_until_one_is():
    pages = PagesInProgress()
    walls = [PageResult(AccountState.REFUSED, "captcha"), *[PageResult(AccountState.NO_PRODUCT, digest="wall")] * 3]
    runs = []
    for number, result in enumerate(
        [*walls, PageResult(AccountState.GONE, "http_404"), PageResult(AccountState.OFFER)]
    ):
        pages.opened(str(number), f"http://s.example/{number}")
        pages.judge(str(number), result)
        pages.read(str(number))
        runs.append(pages.unread_run)
    assert runs == [1, 0, 1, 2, 2, 0]
    assert pages.last_read == "http://s.example/5"
