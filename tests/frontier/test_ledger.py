"""The account of a crawl is read from its rows, whatever became of the workers."""

from __future__ import annotations

import pytest

from scout.crawl.account import AccountState, Estimate
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.frontier.ledger import MOVED, CrawlLedger, _stated_beyond_shown
from scout.frontier.resuming import entered_crawl, leave_crawl
from scout.frontier.table import Changes, Frontier, NewRequest
from scout.store import Store

START = "http://s.example/"


class Crawl:
    """A crawl to which addresses are shown, and whose pages come to something."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.id = entered_crawl(store, "s", "shop", START).crawl
        self.frontier, self.ledger = Frontier(store, self.id), CrawlLedger(store, self.id)

    def show(self, *names: str, shown: str | None = "product") -> None:
        new = [NewRequest(name, START + name, "{}", 0, shown=shown) for name in names]
        self.frontier.exchange(Changes(new=new, wanted=100))

    def settle(self, *names: str, state: AccountState, **more: object) -> None:
        result = PageResult(state, **more)  # type: ignore[arg-type]
        done = "failed" if state in (AccountState.FAILED, AccountState.REFUSED, AccountState.GONE) else "done"
        self.frontier.exchange(Changes(marks=[PageOutcome(name, done, {}, result) for name in names]))

    def account(self) -> dict[str, int]:
        return {state.value: count for state, count in self.ledger.outcome("finished").account.counts.items()}


@pytest.fixture
def crawl(store: Store) -> Crawl:
    return Crawl(store)


def test_the_states_sum_up_to_what_was_shown(crawl: Crawl) -> None:
    crawl.show("a", "b", "c", "d")
    crawl.show("list", shown="list")
    crawl.show("about us", shown=None)
    crawl.settle("a", state=AccountState.OFFER)
    crawl.settle("b", state=AccountState.GONE, reason="http_404")
    crawl.settle("c", state=AccountState.FAILED, reason="http_503")
    crawl.settle("list", state=AccountState.LIST_READ)
    crawl.settle("about us", state=AccountState.NO_PRODUCT)
    assert crawl.account() == {"offer": 1, "gone": 1, "failed": 1, "not_asked": 1, "list_read": 1}


def test_one_text_for_many_products_is_a_refusal_in_whatever_words(crawl: Crawl) -> None:
    crawl.show("a", "b", "c", "d")
    crawl.settle("a", "b", "c", state=AccountState.NO_PRODUCT, digest="log in first")
    crawl.settle("d", state=AccountState.NO_PRODUCT, digest="about the lamp")
    assert crawl.account() == {"refused": 3, "no_product": 1}


@pytest.mark.parametrize(
    ("target", "state"), [(AccountState.OFFER, "same_product"), (AccountState.NO_PRODUCT, "failed")]
)
def test_a_redirect_to_a_known_page_comes_to_what_that_page_came_to(
    crawl: Crawl, target: AccountState, state: str
) -> None:
    crawl.show("a", "b")
    crawl.settle("b", state=target)
    crawl.settle("a", state=AccountState.SAME_PRODUCT, reason=MOVED, digest="b")
    assert crawl.account()[state] == 1


def test_what_failed_is_asked_again_a_few_times_and_what_is_gone_is_not(crawl: Crawl) -> None:
    crawl.show("a", "b")
    crawl.settle("b", state=AccountState.GONE, reason="http_410")
    for made in range(2):
        crawl.settle("a", state=AccountState.FAILED, reason="http_503")
        assert crawl.ledger.retries(rounds=2) == (1, made)
        assert crawl.ledger.ask_again(rounds=2) == 1
        assert [lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases] == ["a"]
    crawl.settle("a", state=AccountState.FAILED, reason="http_503")
    assert crawl.ledger.retries(rounds=2) == (0, 0)


def test_a_crawl_that_ended_incomplete_is_continued_and_a_complete_one_begun_anew(store: Store, crawl: Crawl) -> None:
    crawl.show("a", "b")
    crawl.settle("a", state=AccountState.OFFER)
    crawl.settle("b", state=AccountState.REFUSED, reason="captcha")
    outcome = leave_crawl(store, crawl.id, "finished", {})
    assert (outcome.state, outcome.account.estimate) == ("incomplete", Estimate(0, 1))
    resumed = entered_crawl(store, "s", "shop", START)
    assert resumed.is_resumed and resumed.crawl == crawl.id
    assert [lease.key for lease in crawl.frontier.exchange(Changes(wanted=9)).leases] == ["b"]
    crawl.settle("b", state=AccountState.OFFER)
    assert leave_crawl(store, crawl.id, "finished", {}).state == "complete"
    assert not entered_crawl(store, "s", "shop", START).is_resumed


def test_only_a_complete_crawl_tells_which_offers_are_gone(store: Store, crawl: Crawl) -> None:
    crawl.show("a")
    crawl.settle("a", state=AccountState.FAILED, reason="timeout")
    leave_crawl(store, crawl.id, "finished", {})
    assert not store.crawls("s")[0].is_complete


@pytest.mark.parametrize(
    ("listings", "missing"),
    [
        ([(("Lamps",), 8, 8)], 0),
        ([(("Lamps",), 30, 55)], 25),
        ([(("Lamps",), 20, 25), (("Lamps",), 5, None)], 0),  # two pages of one list
        ([(("Lamps",), 6, 8), (("Lamps", "Desk"), 4, 4)], 0),  # what the lists below it show is its own
        ([(("Lamps",), 6, 10), (("Lamps", "Desk"), 2, 5)], 2),  # a list within another is not counted twice
        ([(("Lamps",), 8, 3)], 0),  # a count below what the list shows counts something else
    ],
)
def test_what_lists_state_beyond_what_they_showed_is_counted(listings, missing) -> None:
    rows = [{"category": list(path), "shown": shown, "stated": stated} for path, shown, stated in listings]
    assert _stated_beyond_shown(rows, {}, offers=1000) == missing


def test_products_that_name_a_category_count_for_its_list() -> None:
    rows = [{"category": ["Lamps"], "shown": 6, "stated": 14}]
    assert _stated_beyond_shown(rows, {("Lamps",): 14}, offers=1000) == 0
