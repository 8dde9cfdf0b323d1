"""Scrapy's own CSV feed in Scout's project: no live formula, all usual columns, and a word about what has no column."""

from __future__ import annotations

import csv
import io
import logging
from typing import Any

import pytest

from scout.offer import Offer
from scout.pipelines.feeds import SafeCsvItemExporter
from tests.store.examples import offer

FORMULAS = ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1"]


def exported(*items: Any, **options: Any) -> list[list[str]]:
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))


def test_no_cell_is_a_formula_and_a_negative_number_stays_one() -> None:
    found = exported(*[{"title": text, "price": "-5.00", "count": -3} for text in FORMULAS])
    assert found[1:] == [[f"'{text}", "-5.00", "-3"] for text in FORMULAS]


def test_the_header_is_no_formula_either() -> None:
    assert exported({"=1+1": "x"})[0] == ["'=1+1"]


def test_an_offer_that_lacks_a_field_does_not_take_the_column_from_the_others() -> None:
    header, first, second = exported(Offer(url="https://shop.example/p/1", title="Lamp"), offer(2))
    assert second[header.index("price")] == "12.90"
    assert first[header.index("price")] == ""
    assert second[header.index("images")] == ",".join(offer(2)["images"])
    assert second[header.index("specs")] == '[["Colour", "red"], ["Power", "5 W"]]'


def test_a_field_that_comes_too_late_for_a_column_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        exported(Offer(url="https://shop.example/p/1"), offer(2), offer(3))
    assert [record.message for record in caplog.records] == [
        "The CSV file has no column for energy_class: name it in FEED_EXPORT_FIELDS"
    ]


def test_the_users_choice_of_fields_is_kept() -> None:
    assert exported(offer(1), fields_to_export=["title", "price"]) == [["title", "price"], ["Lamp 1", "12.90"]]
