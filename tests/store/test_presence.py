"""An offer is gone only if the shop says so; on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest

from scout.crawl.account import AccountState
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.frontier.table import Changes, Frontier, NewRequest
from scout.offer import Offer
from scout.store import Store
from scout.store.health import health
from scout.store.value_changes import value_changes

START = "http://s.example/"


def offer(name: str, **values: str) -> Offer:
    return Offer(url=START + name, title=f"Lamp {name}", price="10.00", currency="EUR", sku=name, **values)


def crawled(store: Store, outcomes: dict[str, AccountState], reason: str, *more: Offer) -> int:
    """A crawl whose pages came to this."""
    crawl = store.begin_crawl("s")
    frontier = Frontier(store, crawl)
    frontier.exchange(
        Changes(new=[NewRequest(name, START + name, "{}", 0, shown="product") for name in outcomes], wanted=99)
    )
    marks = [PageOutcome(name, "done", {}, PageResult(state)) for name, state in outcomes.items()]
    frontier.exchange(Changes(marks=marks))
    read = [offer(name) for name, state in outcomes.items() if state is AccountState.OFFER]
    store.save_offers("s", [*read, *more], crawl)
    store.finish_crawl(crawl, reason)
    return crawl


def states(store: Store) -> dict[str, str]:
    return {record["sku"]: record.state for record in store.offers("s", gone=True)}


@pytest.fixture
def lamps(store: Store) -> Store:
    """Three lamps, and a variant of the first, all read by a complete crawl."""
    red = offer("a-red", parent=f"{START}a")
    crawled(store, dict.fromkeys("abc", AccountState.OFFER), "finished", red)
    return store


@pytest.mark.parametrize(
    "outcome", [s for s in AccountState if s.value in ("failed", "refused", "deferred", "cut", "forbidden")]
)
def test_what_could_not_be_read_is_not_gone(lamps: Store, outcome: AccountState) -> None:
    crawled(lamps, {"a": outcome, "b": AccountState.OFFER}, "incomplete")
    assert states(lamps) == {"a": "unreached", "a-red": "unreached", "b": "current", "c": "unreached"}
    assert len(list(lamps.offers("s"))) == lamps.shop("s").offers == 4


def test_what_the_shop_says_is_gone_is_gone_with_its_variants_though_the_crawl_is_incomplete(lamps: Store) -> None:
    crawled(lamps, {"a": AccountState.GONE, "b": AccountState.OFFER, "c": AccountState.FAILED}, "incomplete")
    assert states(lamps) == {"a": "gone", "a-red": "gone", "b": "current", "c": "unreached"}
    assert len(list(lamps.offers("s"))) == lamps.shop("s").offers == 2
    crawled(lamps, {"a": AccountState.OFFER}, "incomplete")
    assert states(lamps)["a"] == "current", "it is back"


def test_after_a_complete_crawl_only_what_is_forbidden_is_left_of_what_it_did_not_see(lamps: Store) -> None:
    crawled(lamps, {"a": AccountState.FORBIDDEN, "b": AccountState.OFFER}, "finished")
    assert states(lamps) == {"a": "unreached", "a-red": "unreached", "b": "current", "c": "gone"}


def test_a_crawl_of_a_part_calls_nothing_gone(lamps: Store) -> None:
    crawl = crawled(lamps, {"a": AccountState.OFFER}, "finished")
    lamps.limit_to_part(crawl)
    assert set(states(lamps).values()) == {"current"}


def test_another_shop_is_another_shop(lamps: Store) -> None:
    other = lamps.begin_crawl("other")
    lamps.save_offers("other", [offer("a")], other)
    crawled(lamps, {"a": AccountState.GONE}, "incomplete")
    assert lamps.shop("other").offers == 1


def test_values_are_compared_with_those_of_the_last_complete_crawl(lamps: Store) -> None:
    crawl = lamps.begin_crawl("s")
    lamps.save_offers("s", [Offer(offer(name), price="30.00") if name == "a" else offer(name) for name in "ab"], crawl)
    with lamps.reading() as connection:
        changes, figures = value_changes(connection, crawl), health(connection, crawl)
    assert changes is not None and (changes.compared, changes.changed, changes.level) == (2, 1, 2.0)
    assert (figures.offers, figures.repeated) == (2, 0.0)
