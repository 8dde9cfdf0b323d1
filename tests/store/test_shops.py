"""Shops: hundreds of them at a glance, with what is due; names that cannot be read are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from scout.errors import UsageError
from scout.store import Store
from scout.store.columns import now
from scout.store.crawls import PRICES_SPIDER
from tests.store.examples import offer

DAY = timedelta(days=1)


def test_a_shop_is_added_once_and_changed_afterwards(store: Store) -> None:
    assert store.add_shop("lamps", "https://shop.example", 7 * DAY)
    assert not store.add_shop("lamps", interval=DAY)
    status = store.shop("lamps")
    assert (status.url, status.interval) == ("https://shop.example", DAY)
    store.add_shop("lamps", interval=timedelta(0))
    assert store.shop("lamps").interval is None


def test_a_shop_is_due_when_new_when_its_crawl_was_killed_and_when_its_time_has_come(store: Store) -> None:
    store.add_shop("lamps", "https://shop.example", DAY)
    assert store.shop("lamps").is_due()
    crawl = store.begin_crawl("lamps")
    assert store.shop("lamps").is_due()
    store.finish_crawl(crawl, "database_failed")
    crawl = store.begin_crawl("lamps")
    store.finish_crawl(crawl, "finished")
    assert not store.shop("lamps").is_due()
    assert store.shop("lamps").is_due(now() + DAY)
    store.add_shop("lamps", interval=timedelta(0))
    assert not store.shop("lamps").is_due(now() + DAY)


def test_a_failing_shop_is_tried_again_when_as_much_time_has_passed_as_was_spent_trying(store: Store) -> None:
    store.add_shop("lamps", "https://shop.example", DAY)
    status = store.shop("lamps")
    began = now()

    def wait_after(*, tried_for: timedelta) -> timedelta | None:
        ended = began + tried_for
        times = {"last_started": ended, "last_finished": ended, "trying_since": began, "last_reason": "incomplete"}
        due_at = replace(status, **times).due_at  # type: ignore[arg-type]
        return due_at and due_at - ended

    assert wait_after(tried_for=timedelta(minutes=1)) == timedelta(minutes=15)
    assert wait_after(tried_for=timedelta(hours=5)) == timedelta(hours=5)
    assert wait_after(tried_for=30 * DAY) == DAY


def test_prices_are_due_between_two_crawls_once_the_shop_was_read_completely(store: Store) -> None:
    hour = timedelta(hours=1)
    store.add_shop("lamps", "https://shop.example", DAY, refresh=6 * hour)
    crawl = store.begin_crawl("lamps")
    store.finish_crawl(crawl, "incomplete")
    assert store.shop("lamps").refresh_due_at is None
    store.finish_crawl(store.begin_crawl("lamps"), "finished")

    def due_after(span: timedelta) -> tuple[bool, bool]:
        status, at = store.shop("lamps"), now() + span
        return status.is_due(at), status.needs_only_prices(at)

    assert [due_after(hours * hour) for hours in (5, 7, 25)] == [(False, False), (True, True), (True, False)]
    refresh = store.begin_crawl("lamps", PRICES_SPIDER)
    assert due_after(hour) == (True, True), "one that was killed goes on"
    for reason, is_due in (("shutdown", True), ("failed", False), ("finished", False)):
        store.finish_crawl(refresh, reason)
        assert due_after(hour) == (is_due, is_due), reason
    store.add_shop("lamps", refresh=timedelta(0))
    assert due_after(7 * hour) == (False, False)


def test_a_shop_has_been_failing_since_the_first_crawl_after_its_last_complete_one(store: Store) -> None:
    for reason in ("incomplete", "finished", "incomplete", "failed"):
        store.finish_crawl(store.begin_crawl("lamps"), reason)
    last_first = store.crawls("lamps")
    assert store.shop("lamps").trying_since == last_first[1].started_at


def test_a_crawl_gives_the_shop_an_address_only_where_it_has_none(store: Store) -> None:
    store.begin_crawl("lamps", url="https://shop.example/de")
    store.begin_crawl("lamps", url="https://shop.example/en")
    assert store.shop("lamps").url == "https://shop.example/de"


def test_only_walks_of_the_whole_shop_count_as_its_last_crawl(store: Store) -> None:
    store.begin_crawl("lamps", "offers")
    assert store.shop("lamps").last_started is None
    assert [crawl.spider for crawl in store.crawls("lamps")] == ["offers"]


def test_a_finished_crawl_tells_its_figures_whatever_is_in_them(store: Store) -> None:
    crawl = store.begin_crawl("lamps")
    store.finish_crawl(crawl, "finished", {"item_scraped_count": 3, "start_time": now(), "odd": {1: (2, float("inf"))}})
    (record,) = store.crawls("lamps", "shop")
    assert record.is_complete
    assert record.stats["item_scraped_count"] == 3


def test_removing_a_shop_removes_all_that_belongs_to_it(store: Store) -> None:
    crawl = store.begin_crawl("lamps")
    store.save_offers("lamps", [offer()], crawl)
    store.save_rules("lamps", "a: 1")
    store.remove_shop("lamps")
    assert store.shops() == []
    with pytest.raises(UsageError, match="no shop called 'lamps'"):
        store.remove_shop("lamps")


@pytest.mark.parametrize("name", ["", "  ", " a", "a\n", "a\x00b", "\u202egro.elpmaxe", "a\x1b[31m", "x" * 300])
def test_a_name_that_cannot_be_seen_or_is_too_long_is_refused(store: Store, name: str) -> None:
    with pytest.raises(UsageError):
        store.add_shop(name, "https://shop.example")


@pytest.mark.parametrize("name", ["shop.example", "Möbel & Söhne", "../../etc", "CON", "商店", "a'b\"; --", "[red]"])
def test_any_name_that_can_be_read_is_a_name(store: Store, name: str) -> None:
    store.add_shop(name, "https://shop.example")
    assert [status.name for status in store.shops()] == [name]


def test_reading_about_a_shop_that_is_not_there_says_so(store: Store) -> None:
    for read in (store.shop, store.crawls, store.known_offers, store.matches, store.rules, store.accepted_missing):
        with pytest.raises(UsageError, match="scout shops list"):
            read("nobody")
