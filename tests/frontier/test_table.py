"""The table gives each request to one worker at a time, takes back what a dead one had, and knows when nothing is left."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from scout.crawl.account import AccountState
from scout.crawl.pages_in_progress import PageOutcome, PageResult
from scout.errors import UsageError
from scout.frontier import table
from scout.frontier.progress import progress
from scout.frontier.resuming import entered_crawl, leave_crawl
from scout.frontier.table import (
    GIVEN_UP,
    MAX_DEATHS,
    MAX_SHARED_DEATHS,
    Changes,
    Frontier,
    NewRequest,
    is_dead,
    worker_name,
)
from scout.items import CrawledOffer
from scout.offer import Offer
from scout.store import Store
from scout.store.columns import now
from scout.store.models import Crawl, FrontierUrl
from scout.store.offers import SaveCounts
from tests.store.postgres import Postgres

START = "http://s.example/"


def asked(*paths: str, priority: int = 0, again: bool = False) -> list[NewRequest]:
    return [NewRequest(path, START + path, "{}", priority, again) for path in paths]


def done(*paths: str) -> list[PageOutcome]:
    return [PageOutcome(path, "done", {}) for path in paths]


@pytest.fixture
def crawl(store: Store) -> int:
    return entered_crawl(store, "s", "shop", START).crawl


@pytest.fixture
def frontier(store: Store, crawl: int) -> Frontier:
    return Frontier(store, crawl, "here")


@pytest.fixture
def other(store: Store, crawl: int) -> Frontier:
    return Frontier(store, crawl, "there")


def leased(frontier: Frontier, wanted: int = 10, **changes: list) -> list[str]:
    return [lease.key for lease in frontier.exchange(Changes(wanted=wanted, **changes)).leases]


def test_the_higher_priority_comes_first_and_of_one_priority_the_newer_one(frontier: Frontier) -> None:
    new = [*asked("menu-1", priority=10), *asked("menu-2", priority=10), *asked("product", priority=30)]
    assert leased(frontier, 2, new=new)[0] == "product"
    assert set(leased(frontier)) <= {"menu-1", "menu-2"}


def test_a_request_is_made_once_however_often_it_is_asked_for(frontier: Frontier, other: Frontier) -> None:
    assert sorted(leased(frontier, new=asked("a", "b"))) == ["a", "b"]
    assert leased(other, new=asked("a", "b")) == []
    frontier.exchange(Changes(marks=done("a", "b")))
    assert leased(other, new=asked("a", "b")) == []
    assert leased(other, new=asked("a", again=True)) == ["a"]


def test_workers_never_get_the_same_request(store: Store, crawl: int, frontier: Frontier) -> None:
    frontier.exchange(Changes(new=asked(*(str(n) for n in range(200)))))

    def all_leases(name: int) -> list[str]:
        worker, got = Frontier(store, crawl, str(name)), []
        while more := leased(worker, 7):
            got += more
        return got

    with ThreadPoolExecutor(4) as pool:
        got = [key for keys in pool.map(all_leases, range(4)) for key in keys]
    assert sorted(got) == sorted(str(n) for n in range(200))


def test_a_worker_without_work_is_told_whether_others_have_some(frontier: Frontier, other: Frontier) -> None:
    leased(frontier, new=asked("a"))
    assert other.exchange(Changes(wanted=1)).others_work
    assert not frontier.exchange(Changes(wanted=1)).others_work
    frontier.exchange(Changes(marks=done("a")))
    assert not other.exchange(Changes(wanted=1)).others_work


def test_what_a_worker_had_whose_lease_is_over_goes_to_another(
    store: Store, frontier: Frontier, other: Frontier
) -> None:
    leased(frontier, new=asked("a"))
    with store.writing() as connection:
        connection.execute(update(FrontierUrl).values(leased_until=now() - timedelta(seconds=1)))
    assert leased(other) == ["a"]


def test_a_lease_that_is_renewed_stays(store: Store, frontier: Frontier, other: Frontier) -> None:
    leased(frontier, new=asked("a"))
    with store.writing() as connection:
        connection.execute(update(FrontierUrl).values(leased_until=now() - timedelta(seconds=1)))
    frontier.exchange(Changes(), renew=True)
    assert leased(other) == []


def test_what_a_dead_worker_of_this_machine_had_is_free_at_once(store: Store, crawl: int, frontier: Frontier) -> None:
    code = "from scout.frontier.table import worker_name; print(worker_name())"
    name = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert is_dead(name) and not is_dead(worker_name()) and not is_dead("elsewhere/pid:[1]:1:aa")
    leased(Frontier(store, crawl, name), new=asked("a"))
    assert leased(frontier) == ["a"]


def test_a_worker_of_a_copied_machine_is_not_taken_for_dead(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its name and its numbers of processes mean the same as here, and yet nobody here can see it."""
    boot = tmp_path / "boot_id"
    boot.write_text("of the other machine\n", encoding="ascii")
    with monkeypatch.context() as patch:
        patch.setattr(table, "_BOOT", boot)
        patch.setattr("os.getpid", lambda: 2**22 + 1)  # no process of this machine
        name = worker_name()
    assert not is_dead(name)


def expire_leases(store: Store) -> None:
    with store.writing() as connection:
        connection.execute(update(FrontierUrl).values(leased_until=now() - timedelta(seconds=1)))


def test_a_crash_loop_blames_the_page_that_was_read_and_not_all_that_waited(store: Store, crawl: int) -> None:
    """Each worker leases all it can get and dies when it comes to the deadly page; all other pages are read in the end."""
    innocent = [str(n) for n in range(20)]
    Frontier(store, crawl, "first").exchange(Changes(new=asked(*innocent[:10], "deadly", *innocent[10:])))
    for start in range(20):
        worker = Frontier(store, crawl, f"start-{start}")
        while keys := leased(worker):
            if "deadly" in keys:
                break
            worker.exchange(Changes(marks=done(*keys)))
        if not keys:
            break
        expire_leases(store)
    assert start == MAX_DEATHS
    assert worker.counts() == {"done": 20, "failed": 1}
    assert progress(store)[0].failures == {GIVEN_UP: 1}
    assert progress(store)[0].outcome.account.counts == {AccountState.FAILED: 1}


def test_a_page_that_workers_died_of_is_read_alone(store: Store, crawl: int, frontier: Frontier) -> None:
    frontier.exchange(Changes(new=asked("a", "b")))
    with store.writing() as connection:
        connection.execute(update(FrontierUrl).values(deaths=MAX_SHARED_DEATHS))
    assert leased(frontier) == ["b"]
    assert leased(frontier, new=asked("c")) == []
    assert leased(frontier, marks=done("b")) == ["c"]
    assert leased(frontier, marks=done("c")) == ["a"]


def test_a_worker_whose_lease_went_to_another_cannot_overwrite(
    store: Store, frontier: Frontier, other: Frontier
) -> None:
    leased(frontier, new=asked("a"))
    expire_leases(store)
    assert leased(other) == ["a"]
    late = PageOutcome("a", "failed", {}, PageResult(AccountState.FAILED, "timeout"))
    frontier.exchange(Changes(marks=[late]))
    assert (frontier.late, frontier.counts()) == (1, {"leased": 1})
    other.exchange(Changes(marks=done("a")))
    frontier.exchange(Changes(marks=[late]))
    assert (frontier.late, other.late, frontier.counts()) == (2, 0, {"done": 1})


def test_a_lease_that_came_back_to_its_worker_is_another_one(store: Store, frontier: Frontier, other: Frontier) -> None:
    leased(frontier, new=asked("a"))
    old = dict(frontier.leases)
    expire_leases(store)
    leased(other)
    expire_leases(store)
    assert leased(frontier) == ["a"]
    assert old["a"] < frontier.leases["a"]


def test_an_offer_of_a_page_that_went_to_another_worker_is_not_saved(
    store: Store, frontier: Frontier, other: Frontier
) -> None:
    leased(frontier, new=asked("a"))
    expire_leases(store)
    leased(other)

    def save(price: str, worker: Frontier) -> SaveCounts:
        offer = CrawledOffer.of(Offer(url=START + "a", title="Lamp", price=price), token="a")
        return store.save_offers("s", [offer], worker.crawl, worker.leases)

    assert save("12.00", other) == SaveCounts(new=1)
    assert save("99.00", frontier) == SaveCounts(late=1)
    assert [offer["price"] for offer in store.offers("s")] == ["12.00"]


def test_a_worker_that_comes_back_does_not_change_how_the_others_ended_the_crawl(
    store: Store, frontier: Frontier, other: Frontier
) -> None:
    leased(frontier, new=asked("a"))
    expire_leases(store)
    leased(other)
    other.exchange(Changes(marks=done("a")))
    assert leave_crawl(store, other.crawl, "finished", {}).state == "complete"
    assert leave_crawl(store, frontier.crawl, "shutdown", {}).state == "complete"
    assert store.crawls("s")[0].is_complete


def test_where_a_page_that_failed_was_redirected_to_is_asked_by_itself_if_it_is_shown(frontier: Frontier) -> None:
    leased(frontier, new=asked("a"))
    frontier.exchange(
        Changes(marks=[PageOutcome("a", "failed", {"b": START + "b"}, PageResult(AccountState.FAILED, "timeout"))])
    )
    assert leased(frontier, new=asked("b")) == ["b"]


def test_a_redirect_makes_its_target_known(frontier: Frontier) -> None:
    leased(frontier, new=asked("a"))
    frontier.exchange(Changes(marks=[PageOutcome("a", "done", {"b": START + "b"})]))
    assert leased(frontier, new=asked("b")) == []


def test_what_is_kept_for_later_waits_until_it_is_asked_for_again(frontier: Frontier) -> None:
    later = NewRequest("facet", START + "facet", '{"meta":{"level":"list"}}', -30, later=True)
    told = frontier.exchange(Changes(new=[later], wanted=10))
    assert not told.leases and not told.others_work
    assert [lease.key for lease in frontier.kept()] == ["facet"]
    assert leased(frontier, new=[later]) == []
    assert leased(frontier, new=asked("facet")) == ["facet"]


def test_several_pages_may_be_asked_for_again_at_once(frontier: Frontier) -> None:
    later = [NewRequest(key, START + key, "{}", 0, later=True) for key in ("red", "blue")]
    frontier.exchange(Changes(new=later, wanted=10))
    assert set(leased(frontier, new=asked("red", "blue", again=True))) == {"red", "blue"}
    assert frontier.kept() == []


def test_what_one_worker_puts_off_another_may_want_at_once(frontier: Frontier, other: Frontier) -> None:
    frontier.exchange(Changes(new=[NewRequest("tag", START + "tag", "{}", 0, later=True)]))
    assert leased(frontier) == []
    assert leased(other, new=asked("tag")) == ["tag"]
    frontier.exchange(Changes(new=[NewRequest("tag", START + "tag", "{}", 0, later=True)]))
    assert leased(frontier) == leased(other) == []


def test_released_leases_are_free(frontier: Frontier, other: Frontier) -> None:
    leased(frontier, new=asked("a"))
    frontier.release()
    assert leased(other) == ["a"]


# --- which crawl a start goes on with -----------------------------------------------------------------------------------


def test_an_unfinished_crawl_is_resumed_and_a_finished_one_is_not(store: Store, frontier: Frontier) -> None:
    assert entered_crawl(store, "s", "shop", START).crawl == frontier.crawl  # killed: nobody said how it ended
    frontier.exchange(Changes(new=asked("a")))
    assert leave_crawl(store, frontier.crawl, "shutdown", {"pages": 1}).state == "interrupted"
    resumed = entered_crawl(store, "s", "shop", START)
    assert resumed.is_resumed and resumed.crawl == frontier.crawl
    leased(frontier)
    frontier.exchange(Changes(marks=done("a")))
    assert leave_crawl(store, frontier.crawl, "finished", {"pages": 2}).state == "complete"
    assert store.crawls("s")[0].stats == {"pages": 3}
    assert not entered_crawl(store, "s", "shop", START).is_resumed


def test_a_start_from_elsewhere_begins_anew(store: Store, frontier: Frontier) -> None:
    assert entered_crawl(store, "s", "shop", START + "lamps").crawl != frontier.crawl


def test_a_crawl_is_not_over_because_one_worker_leaves(store: Store, frontier: Frontier, other: Frontier) -> None:
    leased(frontier, 1, new=asked("a"))
    assert leave_crawl(store, frontier.crawl, "finished", {}).state == "running"
    frontier.release()
    assert leave_crawl(store, frontier.crawl, "finished", {}).state == "incomplete"


def test_a_crawl_is_joined_by_its_id_if_it_is_there_and_not_finished(store: Store, frontier: Frontier) -> None:
    assert entered_crawl(store, "s", "shop", None, frontier.crawl).crawl == frontier.crawl
    with pytest.raises(UsageError, match="scout crawls s"):
        entered_crawl(store, "s", "shop", None, 99)
    leave_crawl(store, frontier.crawl, "finished", {})
    with pytest.raises(UsageError, match="is finished"):
        entered_crawl(store, "s", "shop", None, frontier.crawl)


def test_workers_take_turns_a_pause_apart(store: Store, crawl: int) -> None:
    here, there = Frontier(store, crawl, "here"), Frontier(store, crawl, "there")
    assert here.turn(30.0) == 0
    assert 25 < there.turn(30.0) <= 30 and 25 < here.turn(30.0) <= 30
    assert there.turn(0.0) == 0


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_worker_whose_clock_is_wrong_takes_nothing_from_others_and_loses_nothing(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """On another machine, that is: on one machine all have one clock."""
    with Store.open(postgres.empty_database()) as store:
        crawl = entered_crawl(store, "s", "shop", START).crawl
        right, wrong = Frontier(store, crawl, "right"), Frontier(store, crawl, "wrong")
        assert leased(right, 1, new=asked("a", "b")) != []
        with monkeypatch.context() as patch:
            patch.setattr(table, "now", lambda: now() + timedelta(hours=hours))
            assert wrong.reclaim() == 0
            assert len(leased(wrong, 1)) == 1
            wrong.exchange(Changes(), renew=True)
            assert wrong.exchange(Changes(wanted=1)).others_work
        assert right.reclaim() == 0
        assert progress(store)[0].workers == 2


def test_a_clock_that_was_set_back_costs_no_more_than_a_pause(store: Store, crawl: int, frontier: Frontier) -> None:
    with store.writing() as connection:
        connection.execute(update(Crawl).values(asked_at=now() + timedelta(hours=1)))
    assert frontier.turn(2.0) <= 2.0
