"""What may be said of a crawl follows from its account."""

import pytest

from scout.crawl.account import Account, AccountState, Estimate, outcome_of, state_of_failure

OFFER, LIST, REFUSED, FAILED = AccountState.OFFER, AccountState.LIST_READ, AccountState.REFUSED, AccountState.FAILED


def test_a_crawl_that_read_all_it_was_shown_is_complete_and_states_what_it_found():
    outcome = outcome_of(Account({OFFER: 180, LIST: 12}, offers=180, records=180), "finished")
    assert (outcome.state, outcome.exit_code()) == ("complete", 0)
    assert outcome.account.estimate == Estimate(180, 180)
    assert outcome.why() == []


def test_a_complete_crawl_names_what_it_was_forbidden_to_read():
    outcome = outcome_of(Account({OFFER: 5, AccountState.FORBIDDEN: 2}, offers=5, records=7), "finished")
    assert str(outcome) == (
        "5 products found; complete: all 5 addresses that the shop showed were read, "
        "but for 2 that robots.txt or the page itself forbids"
    )


def test_an_unread_product_makes_a_crawl_incomplete_and_widens_the_interval():
    account = Account({OFFER: 80, LIST: 9, REFUSED: 100}, {"captcha": 100}, offers=80, unread_products=100, records=180)
    outcome = outcome_of(account, "finished")
    assert (outcome.state, outcome.exit_code()) == ("incomplete", 3)
    assert account.estimate == Estimate(80, 180)
    assert outcome.why() == ["100 of 189 addresses were not read (100 captcha)"]


def test_behind_an_unread_list_there_may_be_any_number_of_products():
    assert Account({OFFER: 120, FAILED: 1}, offers=120).estimate is None


@pytest.mark.parametrize(
    "state", [s for s in AccountState if s.value in ("forbidden", "gone", "same_product", "no_product")]
)
def test_what_the_shop_forbids_or_says_is_gone_does_not_make_a_crawl_incomplete(state):
    assert outcome_of(Account({OFFER: 10, state: 3}, offers=10, records=13), "finished").state == "complete"


def test_records_that_are_no_products_make_a_crawl_incomplete_above_one_percent():
    few, many = (Account({OFFER: 200}, offers=200, records=200, conflicts=n) for n in (2, 3))
    assert (outcome_of(few, "finished").state, outcome_of(many, "finished").state) == ("complete", "incomplete")


def test_a_list_that_states_more_than_it_shows_makes_a_crawl_incomplete():
    account = Account({OFFER: 30}, offers=30, records=30, stated=25)
    outcome = outcome_of(account, "finished")
    assert outcome.state == "incomplete" and account.estimate == Estimate(30, 55)
    assert outcome.why() == ["lists hold 25 products more than they showed"]


@pytest.mark.parametrize("reason", ["max_pages", "shutdown", None])
def test_a_crawl_that_was_cut_is_interrupted_whatever_its_account_says(reason):
    outcome = outcome_of(Account({OFFER: 10}, offers=10), reason)
    assert (outcome.state, outcome.exit_code()) == ("interrupted", 3)


def test_a_tolerated_share_changes_the_exit_code_and_not_the_state():
    outcome = outcome_of(Account({OFFER: 99, FAILED: 1}, offers=99, unread_products=1), "finished")
    assert [outcome.exit_code(share) for share in (0.0, 0.009, 0.01)] == [3, 3, 0]
    assert outcome.state == "incomplete"


def test_a_failed_crawl_is_failed_and_states_no_interval():
    outcome = outcome_of(Account(), "finished", has_failed=True)
    assert (outcome.exit_code(), outcome.estimate) == (1, None)
    assert str(outcome) == "0 products found; failed"


@pytest.mark.parametrize(
    ("reason", "state"),
    [("http_404", "gone"), ("http_410", "gone"), ("soft_404", "gone"), ("captcha", "refused"), ("http_403", "refused"),
     ("http_429", "refused"), ("robots", "forbidden"), ("http_503", "failed"), ("connection_lost", "failed"), ("cut_off", "failed")],
)  # fmt: skip
def test_only_the_shop_itself_says_that_a_page_is_gone(reason, state):
    assert state_of_failure(reason).value == state
