"""A claimed former price is contradicted by any lower price in the 30 days before, and confirmed only by 30 days of watching."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import update

from scout.offer import Offer
from scout.reporting.former_prices import ClaimVerdict, ObservedPrice, judge_former_price
from scout.store import Store
from scout.store.models import PriceChange
from tests.commands.running import run

START = datetime(2026, 3, 1, tzinfo=timezone.utc)


def judged(claimed: str, *prices: tuple[int, str]) -> tuple[str, str | None] | None:
    history = [ObservedPrice(START + timedelta(days=day), Decimal(price)) for day, price in prices]
    found = judge_former_price("u", None, "EUR", Decimal(claimed), history)
    return None if found is None else (found.verdict.value, None if found.lowest is None else str(found.lowest))


@pytest.mark.parametrize(
    ("claimed", "prices", "expected"),
    [
        ("100", [(0, "100"), (40, "80")], (ClaimVerdict.CONFIRMED.value, "100")),
        ("100", [(0, "100"), (20, "80")], (ClaimVerdict.OPEN.value, "100")),
        ("100", [(0, "100"), (30, "70"), (32, "100"), (40, "80")], (ClaimVerdict.TOO_HIGH.value, "70")),
        (
            "100",
            [(0, "70"), (5, "100"), (40, "80")],
            (ClaimVerdict.CONFIRMED.value, "100"),
        ),  # the 70 ended before the 30 days
        (
            "100",
            [(0, "70"), (15, "100"), (40, "80")],
            (ClaimVerdict.TOO_HIGH.value, "70"),
        ),  # it still held when they began
        ("120", [(0, "100"), (10, "80")], (ClaimVerdict.TOO_HIGH.value, "100")),  # ten days are enough to contradict
        ("100", [(0, "80")], (ClaimVerdict.OPEN.value, None)),
        ("80", [(0, "100"), (40, "80")], None),
    ],
)
def test_what_the_observations_say(
    claimed: str, prices: list[tuple[int, str]], expected: tuple[str, str | None] | None
) -> None:
    assert judged(claimed, *prices) == expected


def test_former_prices_and_ages_are_told_from_stored_prices(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store:
        for price in ("90.00", "70.00"):
            crawl = store.begin_crawl("s")
            offer = Offer(
                url="http://s.example/a", title="Lamp", sku="a", price=price, list_price="99.00", currency="EUR"
            )
            store.save_offers(
                "s",
                [offer, Offer(url="http://s.example/b", title="Desk", sku="b", price="5.00", currency="EUR")],
                crawl,
            )
            store.finish_crawl(crawl, "finished")
        assert {found.price_age_days for found in store.offers("s")} == {0}
        with store.writing() as connection:
            first = update(PriceChange).where(PriceChange.price == Decimal("90.00"))
            connection.execute(first.values(at=datetime.now(timezone.utc) - timedelta(days=40)))
    (row,) = json.loads(run(capsys, database, "prices", "--former", "--json").out)
    assert (row["verdict"], row["lowest"], row["claimed"], len(row["observations"])) == (
        "too high",
        "90.00",
        "99.00",
        1,
    )
    assert "too high" in run(capsys, database, "prices", "--former").out
    (age,) = json.loads(run(capsys, database, "prices", "--age", "--json").out)
    assert (age["prices"], age["day"], age["never"]) == (2, 2, 0) and age["expected_stale"] is not None
    assert "within a day" in run(capsys, database, "prices", "--age").out
