"""CSV, JSON and XLSX: complete, readable by programs, and never a formula."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal

import pytest
from openpyxl import load_workbook

from scout.reporting.figures import report_figures
from scout.reporting.tables import csv_text, json_text, report_tables, summary, xlsx_bytes
from scout.values.spreadsheet import safe_cell
from tests.reporting.sample import CUT_SHORT, found, shop

FORMULAS = (
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    " =1+1",
    "＝1+1",
    '=HYPERLINK("http://x","y")',
    "=cmd|' /C calc'!A0",
)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_becomes_a_formula(text: str) -> None:
    made = report_figures(shop([found(0, title=text, price="-5.00"), found(1)], [1]))
    (row,) = csv.DictReader(io.StringIO(csv_text(report_tables(made)[0]), newline=""))
    assert row["title"] == f"'{text}"
    assert row["price"] == "-5.00"
    sheet = load_workbook(io.BytesIO(xlsx_bytes(report_tables(made), summary(made))))["missing"]
    assert sheet["B2"].data_type == "s"
    assert sheet["D2"].value == -5


@pytest.mark.parametrize("number", ["-5.00", "+3", "12", "-1.299,00"])
def test_a_number_stays_a_number(number: str) -> None:
    assert safe_cell(number) == number


def test_characters_that_a_sheet_cannot_hold_are_dropped() -> None:
    made = report_figures(shop([found(0, title="a\x00b\x1fc\ufffe" + "x" * 40_000)], []))
    sheet = load_workbook(io.BytesIO(xlsx_bytes(report_tables(made), summary(made))))["missing"]
    assert sheet["B2"].value.startswith("abcxxx")
    assert len(sheet["B2"].value) == 32_767


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), 10**400])
def test_what_a_sheet_cannot_hold_as_a_number_is_text(value: object) -> None:
    made = report_figures(shop([found(0)], [], known=[{"name": "Alt", "size": value, "price": 5}]))
    sheet = load_workbook(io.BytesIO(xlsx_bytes(report_tables(made), summary(made))))["gone"]
    assert (sheet["B2"].value, sheet["C2"].value) == (str(value), 5)


def test_the_json_has_the_figures_and_every_list() -> None:
    items = [found(n) for n in range(10)]
    told = json.loads(json_text(report_figures(shop(items, range(7), accepted={items[9].id: "agreed"}))))
    assert told["summary"]["missing"] == len(told["missing"]) == 2
    assert told["summary"]["matched"] == len(told["matched"]) == 7
    assert told["accepted"][0]["reason"] == "agreed"
    assert {"categories", "price_ranges", "brands", "first_seen", "causes", "quality", "changed", "gone"} <= told.keys()


def test_the_json_of_a_shop_without_a_catalogue_calls_nothing_missing() -> None:
    told = json.loads(json_text(report_figures(shop([found(n) for n in range(10)], [], known=[]))))
    summary_ = told["summary"]
    assert (summary_["missing"], summary_["matched"], summary_["coverage"]) == (None, None, None)
    assert summary_["note"].startswith("nothing to compare with: import a catalogue")
    assert {entry["missing"] for entry in (*told["categories"], *told["brands"])} == {None}


def test_lists_say_how_old_their_offers_are() -> None:
    items = [replace(found(n), state="unreached", age_days=9) for n in range(3)]
    told = json.loads(json_text(report_figures(shop(items, [0], crawls=[CUT_SHORT]))))
    ages = {(row["state"], row["age_days"]) for name in ("missing", "matched") for row in told[name]}
    assert ages == {("unreached", 9)}
    assert (told["summary"]["coverage"], told["summary"]["unreached"]) == (None, 3)
    assert "lower limits" in told["summary"]["note"]


def test_gone_rows_keep_the_catalogues_own_columns() -> None:
    made = report_figures(shop([found(0)], [], known=[{"Artikel": "Alt", "tags": ["a", "b"]}]))
    gone = next(table for table in report_tables(made) if table.name == "gone")
    assert gone.columns == ("Artikel", "tags")
    assert gone.rows == [["Alt", '["a", "b"]']]
