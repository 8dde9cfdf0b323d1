"""Likely causes: each pattern is found where it is, and not where it is not."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

from scout.reporting.figures import report_figures
from scout.reporting.inputs import ShopOffer
from tests.reporting.sample import COMPLETE, NOW, found, shop

EAN = "4006381333931"


def causes(items: list[ShopOffer], missing: set[int], **values: object) -> dict[tuple[str, str], int]:
    known = [p for p in range(len(items)) if p not in missing]
    return {(cause.kind, cause.detail): cause.count for cause in report_figures(shop(items, known, **values)).causes}


def test_a_whole_category_is_named_at_its_highest_level() -> None:
    items = [found(n, category="Garden > Tools" if n < 8 else f"Home > Room {n % 3}") for n in range(40)]
    assert causes(items, {*range(8), 20}) == {("category", "Garden"): 8, ("no pattern", ""): 1}


def test_a_whole_brand_is_named() -> None:
    items = [found(n, brand="Acme" if n % 5 == 0 else "Other") for n in range(40)]
    assert causes(items, set(range(0, 40, 5))) == {("brand", "Acme"): 8}


def test_a_price_range_that_is_cut_off_is_named() -> None:
    items = [found(n, brand=f"B{n}", category=None) for n in range(60)]
    assert causes(items, set(range(45, 60))) == {("price range", ">= 55.00"): 15}
    assert causes(items, set(range(12))) == {("price range", "<= 21.00"): 12}


def test_what_chance_explains_is_no_cause() -> None:
    rng = random.Random(4)
    items = [found(n, brand=f"B{n % 9}", category=f"C{n % 7}", price=f"{rng.randint(5, 500)}.00") for n in range(300)]
    assert set(causes(items, set(rng.sample(range(300), 60)))) == {("no pattern", "")}


def test_a_cause_says_how_often_offers_with_it_are_missing_and_others_are() -> None:
    items = [found(n, brand="Acme" if n % 5 == 0 else "Other") for n in range(100)]
    missing = {*range(0, 90, 5), 1, 2}
    cause = report_figures(shop(items, [p for p in range(100) if p not in missing])).causes[0]
    assert (cause.kind, cause.detail, cause.count, cause.group, cause.others, cause.others_missing) == (
        "brand",
        "Acme",
        18,
        20,
        80,
        2,
    )


def test_a_catalogue_with_a_round_number_of_rows_may_be_cut_off() -> None:
    items = [found(n, brand=None, category=None, price="9.99") for n in range(110)]
    assert causes(items, set(range(3, 110, 11))) == {("feed limit", "100"): 10}


def test_offers_without_ean_stand_out() -> None:
    plain = {"brand": None, "category": None, "price": "9.99"}
    items = [found(n, ean=str(n) if n % 4 else None, **plain) for n in range(40)]
    assert causes(items, set(range(0, 40, 4)))[("no EAN", "")] == 10


def test_variants_of_a_known_product_are_told() -> None:
    items = [found(n, brand=None, category=None, price="9.99") for n in range(10)]
    items += [
        found(20 + n, parent="https://shop.example/p/0", brand=None, category=None, price="9.99") for n in range(3)
    ]
    assert causes(items, {10, 11, 12})[("variant", "")] == 3


def test_a_second_entry_of_a_known_offer_is_a_duplicate() -> None:
    items = [found(n, ean=EAN if n in (0, 5) else None) for n in range(8)]
    assert causes(items, {5, 6})[("duplicate", "")] == 1


def test_newer_than_the_import_needs_an_earlier_crawl_that_can_tell() -> None:
    old, new = NOW - timedelta(days=30), NOW - timedelta(hours=1)
    items = [replace(found(n, brand=None, category=None), first_seen=new if n > 17 else old) for n in range(20)]
    before = replace(COMPLETE, started=old, finished=old)
    imported = NOW - timedelta(days=2)
    assert causes(items, {18, 19}, imported_at=imported, crawls=[COMPLETE, before]) == {
        ("newer than the import", "2026-11-14"): 2
    }
    assert causes(items, {18, 19}, imported_at=imported) == {("no pattern", ""): 2}


def test_out_of_stock_stands_out() -> None:
    items = [
        found(n, availability="OutOfStock" if n % 6 == 0 else "InStock", brand=None, category=None, price="5.00")
        for n in range(48)
    ]
    assert causes(items, set(range(0, 48, 6)))[("out of stock", "")] == 8
