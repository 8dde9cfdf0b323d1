"""The catalogue keeps whatever columns its rows have; matches and accepted gaps refer to its rows and to offers."""

from __future__ import annotations

from scout.store import ImportCounts, MatchRecord, Store
from tests.store.examples import offer

ROWS = [
    {"id": "1", "url": "https://shop.example/p/1", "Titel": "Lamp 1", "preis": "12,90", "Energieklasse": "A"},
    {"id": "2", "url": "https://shop.example/p/2", "Titel": "Lamp 2", "preis": ""},
]


def test_rows_come_back_in_their_order_with_all_their_columns(store: Store) -> None:
    assert store.import_catalogue("lamps", ROWS) == ImportCounts(rows=2, removed=0)
    assert [dict(row) for row in store.known_offers("lamps")] == ROWS


def test_a_second_import_keeps_the_identity_of_rows_and_removes_those_that_are_gone(store: Store) -> None:
    store.import_catalogue("lamps", ROWS)
    before = store.known_offers("lamps")[0].id
    assert store.import_catalogue("lamps", [ROWS[0] | {"preis": "11,00"}]) == ImportCounts(rows=1, removed=1)
    (row,) = store.known_offers("lamps")
    assert (row.id, row["preis"]) == (before, "11,00")


def test_an_import_may_add_to_what_is_there(store: Store) -> None:
    store.import_catalogue("lamps", ROWS[:1])
    assert store.import_catalogue("lamps", ROWS[1:], replace=False) == ImportCounts(rows=1, removed=0)
    assert len(store.known_offers("lamps")) == 2


def test_rows_that_claim_the_same_name_are_both_kept_and_exact_doubles_are_one(store: Store) -> None:
    rows = [
        {"ean": "4006381333931", "title": "red"},
        {"ean": "4006381333931", "title": "blue"},
        {"title": "x"},
        {"title": "x"},
    ]
    assert store.import_catalogue("lamps", rows).rows == 3
    assert store.import_catalogue("lamps", rows).removed == 0


def test_matches_replace_those_before(store: Store) -> None:
    store.import_catalogue("lamps", ROWS)
    store.save_offers("lamps", [offer(1), offer(2)])
    known, found = store.known_offers("lamps"), list(store.offers("lamps"))
    pairs = [MatchRecord(k.id, f.id, 0.9, "same EAN") for k, f in zip(known, found, strict=True)]
    assert store.save_matches("lamps", pairs) == 2
    assert store.save_matches("lamps", pairs[:1]) == 1
    assert store.matches("lamps") == pairs[:1]
    assert (store.shop("lamps").matched, store.shop("lamps").coverage) == (1, None)  # a share only of a complete crawl


def test_a_gap_is_accepted_with_a_reason_that_can_be_changed(store: Store) -> None:
    store.save_offers("lamps", [offer(1), offer(2)])
    first, second = (found.id for found in store.offers("lamps"))
    store.accept_missing("lamps", [first, second], "not sold to the public")
    store.accept_missing("lamps", [second], "a spare part")
    assert store.accepted_missing("lamps") == {first: "not sold to the public", second: "a spare part"}


def test_rules_get_a_new_version_only_when_they_change(store: Store) -> None:
    assert [store.save_rules("lamps", text) for text in ("a: 1", "a: 1", "a: 2")] == [1, 1, 2]
    newest, first = store.rules("lamps"), store.rules("lamps", 1)
    assert newest is not None and (newest.version, newest.yaml) == (2, "a: 2")
    assert first is not None and first.yaml == "a: 1"
