"""Whatever fails, dies, stalls or resumes, the states of a crawl's account sum up to what was shown, and say what became of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scout.crawl.account import UNREAD, AccountState
from scout.store import Store
from tests.frontier.simulation import Simulation
from tests.store.postgres import Postgres

SEEDS = range(12)
MOST = [pytest.param(seed, marks=pytest.mark.long) if seed >= 6 else seed for seed in SEEDS]
UNSHOWN_IN_ACCOUNT = {
    "offer",
    "same_product",
    "list_read",
    "refused",
    "failed",
}  # what a page merely links to joins as these


def assert_sums_up(crawl: Simulation) -> None:
    """Every address that was shown is counted once; so is what was not, where it waits or turned out to matter."""
    others = {key: row for key, row in crawl.rows().items() if key not in crawl.shown}
    joined = sum(state in ("pending", "leased") or outcome in UNSHOWN_IN_ACCOUNT for state, outcome in others.values())
    counts = crawl.outcome().account.counts
    assert sum(counts.values()) == len(crawl.shown) + joined, counts


def assert_true(crawl: Simulation, counts: dict[AccountState, int]) -> None:
    """The account says of every address what the shop made of it."""
    shop = crawl.shop
    shown, linked = shop.reachable()
    expected = Counter(map(shop.true_state, shown))
    joining = (shop.true_state(name, is_linked=True) for name in linked)
    expected += Counter(state for state in joining if state.value in UNSHOWN_IN_ACCOUNT)
    merged = Counter(counts)
    merged[AccountState.FAILED] += merged.pop(AccountState.REFUSED, 0)  # by the last of several faults
    assert +merged == expected


def crawl_with_faults(store: Store, seed: int, workers: int) -> None:
    crawl = Simulation(store, seed, workers)
    for number in range(60):
        crawl.step()
        if number % 20 == 0:
            assert_sums_up(crawl)
    crawl.run()
    assert_sums_up(crawl)
    outcome = crawl.leave("finished")
    assert_true(crawl, dict(outcome.account.counts))
    is_unread = bool(set(outcome.account.counts) & UNREAD)
    assert outcome.state == ("incomplete" if is_unread or outcome.account.has_conflicts else "complete")
    crawl.shop.heal()
    if is_unread:
        crawl.enter(workers)
        crawl.run()
        assert_true(crawl, dict(crawl.leave("finished").account.counts))


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("seed", MOST)
def test_the_account_is_true_whatever_happens(tmp_path: Path, seed: int, workers: int) -> None:
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        crawl_with_faults(store, seed, workers)


@pytest.mark.parametrize("seed", SEEDS[:3])
def test_the_account_is_true_on_postgresql(postgres: Postgres, seed: int) -> None:
    with Store.open(postgres.empty_database()) as store:
        crawl_with_faults(store, seed, workers=3)


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_an_interrupted_crawl_sums_up_and_goes_on(tmp_path: Path, seed: int) -> None:
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        crawl = Simulation(store, seed, workers=2)
        for _ in range(40):
            crawl.step()
        assert_sums_up(crawl)
        outcome = crawl.leave("shutdown")
        assert outcome.state == "interrupted"
        if not outcome.account.unread:
            return
        crawl.enter(2)
        crawl.run()
        assert_true(crawl, dict(crawl.leave("finished").account.counts))
