"""A change is what two complete crawls saw differently; nothing else is reported, and nothing twice."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from scout.crawl.account import AccountState
from scout.frontier.resuming import leave_crawl
from scout.frontier.table import Changes, Frontier, NewRequest
from scout.offer import Offer
from scout.store import Store

START = "http://s.example/"
SEEN = AccountState.OFFER


def crawled(store: Store, prices: dict[str, str | None], reason: str = "finished", **stock: str) -> int:
    """A crawl that read these offers at these prices and ended for this reason."""
    crawl = store.begin_crawl("s")
    for name, price in prices.items():
        values = {"url": START + name, "title": f"Lamp {name}", "sku": name}
        values |= {"price": price, "currency": "EUR"} if price else {}
        store.save_offers("s", [Offer(values, availability=stock.get(name, "InStock"))], crawl)
    leave_crawl(store, crawl, reason, {})
    return crawl


def told(store: Store) -> list[tuple[str, str]]:
    """The changes, oldest first: kind and offer."""
    return [(change.kind, change.url.removeprefix(START)) for change in reversed(store.changes("s"))]


@pytest.fixture
def lamps(store: Store) -> Store:
    crawled(store, {"a": "10.00", "b": "20.00", "c": "30.00"})
    return store


def test_the_first_crawl_of_a_shop_has_nothing_to_compare_with(lamps: Store) -> None:
    assert told(lamps) == []


def test_all_kinds_of_changes_are_told_with_what_was_seen_before_and_after(lamps: Store) -> None:
    second = crawled(lamps, {"a": "9.00", "b": "20.00", "d": "5.00"}, b="OutOfStock")
    assert told(lamps) == [("price", "a"), ("stock", "b"), ("new", "d"), ("gone", "c")]
    price = lamps.changes("s", kinds=["price"])[0]
    assert price.before is not None and price.after is not None
    assert (price.before["price"], price.after["price"], price.crawl) == ("10.00", "9.00", second)
    assert datetime.fromisoformat(price.before["at"]) < datetime.fromisoformat(price.after["at"])
    crawled(lamps, {"a": "9.00", "b": "20.00", "c": "30.00", "d": "5.00"}, b="OutOfStock")
    assert told(lamps)[4:] == [("back", "c")], "and nothing is told twice"
    crawled(lamps, {"a": "9.00", "b": "20.00", "c": "30.00", "d": "5.00"}, b="OutOfStock")
    assert len(told(lamps)) == 5


@pytest.mark.parametrize("reason", ["failed", "shutdown", "max_pages", "refused", "database_failed"])
def test_a_crawl_that_does_not_end_well_tells_nothing_and_a_complete_one_confirms_what_it_read(
    lamps: Store, reason: str
) -> None:
    crawled(lamps, {"a": "9.00", "d": "5.00"}, reason)
    assert told(lamps) == []
    crawled(lamps, {"a": "9.00", "b": "20.00", "c": "30.00"})
    assert told(lamps) == [("price", "a"), ("gone", "d")]


def test_a_mistake_of_an_incomplete_crawl_is_never_told(lamps: Store) -> None:
    crawled(lamps, {"a": "1.00"}, "shutdown")
    crawled(lamps, {"a": "10.00", "b": "20.00", "c": "30.00"})
    assert told(lamps) == []


def test_a_crawl_that_could_not_read_everything_tells_nothing(lamps: Store) -> None:
    crawl = lamps.begin_crawl("s")
    Frontier(lamps, crawl).exchange(Changes(new=[NewRequest("c", START + "c", "{}", 0, shown="product")]))
    lamps.save_offers("s", [Offer(url=START + "a", title="Lamp a", sku="a", price="9.00", currency="EUR")], crawl)
    assert leave_crawl(lamps, crawl, "finished", {}).state == "incomplete"
    assert told(lamps) == []


def test_a_price_that_one_of_the_crawls_could_not_read_is_no_change(lamps: Store) -> None:
    full = {"b": "20.00", "c": "30.00"}
    crawled(lamps, {"a": None, **full})
    crawled(lamps, {"a": "10.00", **full})
    assert told(lamps) == []
    crawled(lamps, {"a": None, **full})
    crawled(lamps, {"a": "8.00", **full})
    assert told(lamps) == [("price", "a")]


def test_reading_kept_pages_otherwise_is_no_change_of_the_shop(lamps: Store) -> None:
    offer = Offer(url=START + "a", title="Lamp a", sku="a", price="11.00", currency="EUR", availability="InStock")
    lamps.save_offers("s", [offer])
    crawled(lamps, {"a": "11.00", "b": "20.00", "c": "30.00"})
    assert told(lamps) == []


def test_changes_can_be_asked_for_since_a_time_and_by_kind(lamps: Store) -> None:
    crawled(lamps, {"a": "9.00", "b": "20.00"})
    later = datetime.now(timezone.utc) + timedelta(minutes=1)
    assert lamps.changes("s", later) == []
    assert [change.kind for change in lamps.changes(kinds=["gone"])] == ["gone"]
