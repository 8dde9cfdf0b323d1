"""What may be said of a category follows from the account: of the addresses that its lists show, and of the lists themselves."""

from __future__ import annotations

import pytest

from scout.crawl.account import AccountState
from scout.frontier.category_account import CategoryFacts, category_figures, products_beyond_shown

OFFER, FAILED, GONE = AccountState.OFFER, AccountState.FAILED, AccountState.GONE


def facts(lists: dict[str, str], stated: dict[str, int] | None = None, **states: AccountState) -> CategoryFacts:
    """Lists by their path, each product a letter, which was read unless something else is said of it."""
    known = CategoryFacts()
    for path, shown in lists.items():
        known.add_listing(path.split(" > "), shown, (stated or {}).get(path))
        known.states |= {letter: states.get(letter, OFFER) for letter in shown}
    known.offers = {letter: ord(letter) for letter, state in known.states.items() if state is OFFER}
    return known


def test_a_category_is_complete_where_all_that_its_lists_show_was_read() -> None:
    figures = category_figures(facts({"Lamps": "abc", "Chairs": "de"}, b=FAILED))
    assert figures == {
        "Lamps": {"crawled": 2, "seen": 3, "unread": 1, "complete": 0},
        "Chairs": {"crawled": 2, "seen": 2, "unread": 0, "complete": 1},
    }


def test_a_list_that_states_more_than_it_shows_is_not_complete() -> None:
    figures = category_figures(facts({"Lamps": "abc", "Chairs": "de"}, {"Lamps": 3, "Chairs": 4}))
    assert figures["Lamps"] == {"crawled": 3, "seen": 3, "unread": 0, "stated": 3, "complete": 1}
    assert figures["Chairs"] == {"crawled": 2, "seen": 2, "unread": 0, "stated": 4, "complete": 0}


def test_an_unread_page_of_a_list_concerns_its_category_those_above_and_those_below() -> None:
    known = facts({"Lamps": "a", "Lamps > Desk": "b", "Lamps > Desk > Red": "c", "Lamps > Floor": "d", "Chairs": "e"})
    known.unread_lists = {("Lamps", "Desk")}
    complete = {name for name, counts in category_figures(known).items() if counts["complete"]}
    assert complete == {"Lamps > Floor", "Chairs"}
    known.unread_lists = {()}
    assert not any(counts["complete"] for counts in category_figures(known).values())


def test_a_list_that_leads_to_pages_that_are_gone_is_not_complete() -> None:
    assert category_figures(facts({"Lamps": "abc"}, c=GONE))["Lamps"]["complete"] == 0


def test_what_the_lists_below_a_category_show_is_its_own() -> None:
    """A list whose order changes between two of its pages shows some products twice and others never; so does the list of all."""
    lists = {
        "All": "abcdefghijk",
        "Coffee": "abcd",
        "Coffee > Kettles": "abe",
        "Coffee > Mills": "cdf",
        "Tea": "ghijkl",
    }
    figures = category_figures(facts(lists, {"All": 12, "Coffee": 6}))
    assert figures["Coffee"] == {"crawled": 6, "seen": 4, "unread": 0, "stated": 6, "complete": 1}
    assert figures["All"] == {"crawled": 12, "seen": 11, "unread": 0, "stated": 12, "complete": 1}
    fewer = category_figures(facts(lists, {"All": 11}))
    assert fewer["All"]["crawled"] == 11, "nearly all products are not all where the shop says so"


@pytest.mark.parametrize(("shown", "missing"), [(7, 3), (8, 2), (9, 0), (10, 0)])
def test_a_list_of_nine_tenths_of_the_shop_is_one_of_the_whole_shop(shown: int, missing: int) -> None:
    """A list that changes while it is read misses a few; a list of a part of the shop holds far fewer."""
    known = facts({"All": "abcdefghij"[:shown]}, {"All": 10})
    assert sum(products_beyond_shown(known, offers=10).values()) == missing


def test_offers_that_name_a_category_themselves_are_counted_in_it() -> None:
    known = facts({"Lamps": "ab"}, {"Lamps": 3})
    known.own = {("Lamps", "Desk"): {1000}}
    figures = category_figures(known)
    assert figures["Lamps"] == {"crawled": 3, "seen": 2, "unread": 0, "stated": 3, "complete": 1}
    assert figures["Lamps > Desk"] == {"crawled": 1, "seen": 0, "unread": 0, "complete": 1}
