"""Writing whatever happens: a database that is away is waited for, a full disk is not, one bad offer takes no other with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from scout.offer import Offer
from scout.store import SaveCounts, Store
from scout.store.failures import DatabaseUnavailable, DiskFailure, ValuesRefused
from scout.store.writer import OfferWriter
from tests.store.examples import offer
from tests.store.postgres import Postgres


class Flaky:
    """A store that fails some times before it works."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)

    def save_offers(self, shop: str, offers: list[Offer], crawl: int | None, leases: object) -> SaveCounts:
        if self.errors:
            raise self.errors.pop(0)
        return SaveCounts(new=len(offers))


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as opened:
        yield opened


def test_a_database_that_is_away_is_waited_for() -> None:
    waits: list[float] = []
    writer = OfferWriter(Flaky(*[DatabaseUnavailable("away")] * 8), patience=60, sleep=waits.append)  # type: ignore[arg-type]
    assert writer.write([offer()], None).saved == SaveCounts(new=1)
    assert waits == [0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0]


def test_patience_has_an_end() -> None:
    waits: list[float] = []
    writer = OfferWriter(Flaky(*[DatabaseUnavailable("away")] * 99), patience=10, sleep=waits.append)  # type: ignore[arg-type]
    with pytest.raises(DatabaseUnavailable):
        writer.write([offer()], None)
    assert sum(waits) <= 10


def test_a_full_disk_is_not_waited_for(sqlite: Store) -> None:
    sqlite.save_offers("lamps", [offer(0)])

    @event.listens_for(sqlite._engine, "begin")
    def fill_the_disk(connection) -> None:  # the same error as from a device without space
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

    waits: list[float] = []
    with pytest.raises(DiskFailure, match="full"):
        OfferWriter(sqlite, patience=60, sleep=waits.append).write([offer(n) for n in range(1, 400)], None)
    assert waits == []
    assert len(list(sqlite.offers("lamps"))) == 1, "a batch is stored as a whole or not at all"


def test_one_bad_offer_takes_no_other_with_it(store: Store) -> None:
    bad = Offer(title="no address")
    written = OfferWriter(store, patience=0).write([offer(1), bad, offer(2), offer(3, shop="other")], None)
    assert written.saved == SaveCounts(new=2 + 1)
    ((refused, error),) = written.refused
    assert refused is bad
    assert isinstance(error, KeyError)


def test_what_the_database_refuses_is_told_from_what_may_pass(store: Store) -> None:
    with pytest.raises(ValuesRefused):
        store.save_offers("lamps", [offer()], crawl=12345)  # no such crawl


def test_a_restart_of_the_server_loses_nothing(postgres: Postgres) -> None:
    with Store.open(postgres.empty_database()) as store:
        writer = OfferWriter(store, patience=30)
        for n in range(6):
            if n % 2:
                postgres.control("restart", "-m", "immediate" if n == 1 else "fast")
            assert writer.write([offer(n)], None).saved == SaveCounts(new=1)
        assert len(list(store.offers("lamps"))) == 6
