"""The figures: they add up, and they say no more than the crawl allows."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from scout.matching import Match
from scout.reporting.breakdown import round_edges
from scout.reporting.figures import Change, report_figures
from scout.reporting.inputs import PricePoint
from tests.reporting.sample import COMPLETE, CUT_SHORT, NOW, found, shop

ITEMS = [found(n) for n in range(20)]


def test_matched_missing_and_coverage_add_up() -> None:
    made = report_figures(shop(ITEMS, range(15)))
    assert (made.offers, made.matched, len(made.missing), made.coverage) == (20, 15, 5, 0.75)
    assert made.missing == (15, 16, 17, 18, 19)
    assert sum(cause.count for cause in made.causes) == 5


def test_an_accepted_offer_is_neither_missing_nor_counted() -> None:
    made = report_figures(
        shop(ITEMS, range(15), accepted={ITEMS[19].id: "only sold in the shop", ITEMS[0].id: "known by now"})
    )
    assert made.accepted == (19,)
    assert len(made.missing) == 4
    assert made.coverage == pytest.approx(15 / 19)


def test_what_is_gone_is_said_only_of_a_complete_crawl() -> None:
    data = shop(ITEMS, range(15))
    data = replace(data, known=[*data.known, {"name": "Old thing", "sku": "S-99999"}])
    assert report_figures(data).gone == (15,)
    assert report_figures(replace(data, crawls=[CUT_SHORT])).gone is None
    assert report_figures(replace(data, crawls=[])).gone is None


def test_changes_are_values_that_cannot_mean_the_same() -> None:
    known = [
        {"sku": "S-00000", "name": "THING 0", "price": "10,00 €", "availability": "auf Lager"},
        {"sku": "S-00001", "name": "Thing 1", "price": "12.50", "availability": "nicht lieferbar"},
        {"sku": "S-00002", "name": "Another name"},
        {
            "sku": "S-00003",
            "name": "Thing 3",
            "price": "9999.00",
            "currency": "HUF",
        },  # no dearer than in another currency
    ]
    matches = [Match(n, n, 0.97, "same SKU") for n in (0, 1, 3)] + [Match(2, 2, 0.7, "similar (words 60%)")]
    made = report_figures(shop(ITEMS, [], known=known, matches=matches))
    assert made.changed == (
        Change(matches[1], "price", "12.50", "11.00"),
        Change(matches[1], "availability", "nicht lieferbar", "InStock"),
        Change(matches[2], "currency", "HUF", "EUR"),
    )
    assert made.changed_offers == 2


def test_the_category_tree_counts_every_offer_once_a_level() -> None:
    made = report_figures(shop([*ITEMS, found(20, category=None)], range(15)))
    home = made.tree.children["Home"]
    assert (made.tree.offers, home.offers, home.missing) == (21, 20, 5)
    assert sum(room.offers for room in home.children.values()) == 20
    assert [branch.path for branch in made.tree.walk()][:2] == [(), ("Home",)]


def test_price_bands_hold_every_priced_offer_once() -> None:
    made = report_figures(shop([*ITEMS, found(20, price=None)], range(15)))
    assert sum(band.offers for band in made.bands) == 20
    assert sum(band.known for band in made.bands) == 15
    assert sum(band.missing for band in made.bands) == 5


def test_price_bands_end_at_round_numbers_that_cut_off_a_fair_part() -> None:
    prices = sorted(Decimal(n) / 10 for n in range(1, 3000))
    edges = round_edges(prices)
    assert Decimal(100) in edges
    assert Decimal("0.2") not in edges
    assert round_edges([]) == round_edges([Decimal(5)]) == []


def test_the_change_since_the_last_crawl_names_new_vanished_and_repriced_offers() -> None:
    before = replace(COMPLETE, started=NOW - timedelta(days=9), finished=NOW - timedelta(days=9))
    new = replace(ITEMS[3], first_seen=NOW - timedelta(minutes=90))
    old = [replace(item, first_seen=NOW - timedelta(days=20)) for item in ITEMS]
    points = [PricePoint(NOW - timedelta(days=9), Decimal(9)), PricePoint(NOW, Decimal(10))]
    data = shop(
        [*old[:3], new, *old[4:]], [], crawls=[COMPLETE, before], vanished=[found(77)], history={old[5].id: points}
    )
    since = report_figures(data).since_last
    assert since is not None
    assert (since.new, [item.id for item in since.vanished], [p for p, _ in since.repriced]) == ((3,), [1077], [5])
    assert report_figures(shop(ITEMS, [])).since_last is None


def test_quality_tells_filled_abstained_and_the_origins() -> None:
    items = [found(0), found(1, ean="4006381333931")]
    items[0].offer.evidence["ean"] = replace(items[0].offer.evidence["price"], selector=None, note="two candidates")
    by_name = {field.name: field for field in report_figures(shop(items, [])).quality}
    assert (by_name["ean"].filled, by_name["ean"].abstained, by_name["ean"].rate) == (1, 1, 0.5)
    assert by_name["price"].origins == {"learned": 2}


def test_without_a_catalogue_there_is_no_coverage_and_nothing_is_missing() -> None:
    made = report_figures(shop([found(n) for n in range(20)], [], known=[]))
    assert (made.coverage, made.coverage_bounds, made.missing) == (None, (None, None), ())


@pytest.mark.parametrize(
    ("unread", "others", "bounds"),
    [
        (5, 0, (15 / 25, 15 / 20)),  # five more products: all missing, or none of the catalogue's is left to be one
        (5, 3, (15 / 25, 18 / 23)),  # ... or three of them are those of the catalogue that were not found
        (None, 3, (None, 18 / 23)),  # nobody knows how many more there are
    ],
)
def test_the_coverage_of_an_incomplete_crawl_has_limits(
    unread: int | None, others: int, bounds: tuple[float | None, float]
) -> None:
    data = shop([found(n) for n in range(20)], range(15), crawls=[CUT_SHORT], unread=unread)
    data = replace(data, known=[*data.known, *({"name": f"Other {n}"} for n in range(others))])
    made = report_figures(data)
    assert (made.coverage, made.coverage_bounds) == (None, pytest.approx(bounds))


def test_offers_that_were_not_reached_may_be_gone_and_widen_the_limits() -> None:
    items = [replace(found(n), state="unreached" if n in (0, 19) else "current") for n in range(20)]
    low, high = report_figures(shop(items, range(15), crawls=[CUT_SHORT], unread=2)).coverage_bounds
    assert (low, high) == (pytest.approx(14 / 19), pytest.approx(15 / 19))


def test_a_known_offer_is_gone_if_the_shop_says_so_and_not_if_it_must_not_be_read() -> None:
    data = shop([found(n) for n in range(3)], [0], known=[{"name": "A"}, {"name": "B"}, {"name": "C"}])
    assert report_figures(replace(data, crawls=[CUT_SHORT], known_gone=frozenset({2}))).gone == (2,)
    assert report_figures(replace(data, known_unreadable=frozenset({2}))).gone == (1,)


def test_a_shop_without_offers_has_no_coverage() -> None:
    made = report_figures(shop([], []))
    assert made.coverage is None
    assert made.bands == made.causes == ()


def test_an_undecided_offer_is_neither_matched_nor_missing() -> None:
    data = shop(
        ITEMS, range(10), undecided=[Match(0, 12, 0.4, "similar"), Match(1, 12, 0.6, "similar")], missing={11: 0.9}
    )
    made = report_figures(data)
    assert made.undecided == (12,)
    assert 12 not in made.missing
    assert [pair.catalogue for pair in made.candidates(12)] == [1, 0]
    assert made.coverage == 10 / (len(ITEMS) - 1)
    stated = made.missing_precision()
    assert stated is not None and stated.share < 1


def test_a_row_that_an_undecided_offer_may_be_is_not_called_gone() -> None:
    known = [{"sku": "S-00000"}, {"sku": "other"}]
    matches = [Match(0, 0, 0.97, "same SKU")]
    assert report_figures(shop(ITEMS, [], known=known, matches=matches)).gone == (1,)
    assert (
        report_figures(shop(ITEMS, [], known=known, matches=matches, undecided=[Match(1, 3, 0.5, "similar")])).gone
        == ()
    )
