"""`scrapy export`: all offers, in four formats, and no text of a shop becomes a formula."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import pytest
from openpyxl import load_workbook
from pyarrow import parquet

from scout.store import Store
from tests.commands.running import Ran, run
from tests.crawl.commands import environment
from tests.processes import ForkedProcess
from tests.store.examples import offer

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", " =HYPERLINK(1)"]
Export = Callable[..., Ran]


@pytest.fixture
def database(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/scout.db"
    hostile = [offer(10 + n, title=text, colour=text) for n, text in enumerate(FORMULAS)]
    with Store.open(url) as store:
        store.save_offers("lamps", [offer(1), offer(2, price="-5.00", availability=None), *hostile])
        store.save_offers("other", [offer(3, shop="other")])
    return url


@pytest.fixture
def export(database: str, capsys: pytest.CaptureFixture[str]) -> Export:
    return lambda *arguments: run(capsys, database, "export", *arguments)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_csv_has_a_row_for_each_offer_and_a_column_for_each_field(export: Export, tmp_path: Path) -> None:
    ran = export("lamps", "-o", str(tmp_path / "offers.csv"))
    assert (ran.code, ran.err) == (0, f"{2 + len(FORMULAS)} offers written to {tmp_path}/offers.csv\n")
    first = rows(tmp_path / "offers.csv")[0]
    assert (first["title"], first["price"], first["energy_class"]) == ("Lamp 1", "12.90", "A")
    assert first["images"].split() == offer(1)["images"]
    assert json.loads(first["specs"]) == {"Colour": "red", "Power": "5 W"}


def test_csv_cells_are_never_formulas_and_numbers_stay_numbers(export: Export, tmp_path: Path) -> None:
    export("lamps", "-o", str(tmp_path / "offers.csv"))
    found = rows(tmp_path / "offers.csv")
    assert [row["title"] for row in found[2:]] == [f"'{text}" for text in FORMULAS]
    assert found[1]["price"] == "-5.00"


def test_xlsx_cells_are_never_formulas_and_prices_are_numbers(export: Export, tmp_path: Path) -> None:
    export("lamps", "-o", str(tmp_path / "offers.xlsx"))
    sheet = load_workbook(tmp_path / "offers.xlsx")["offers"]
    header, *body = sheet.iter_rows()
    column = {cell.value: number for number, cell in enumerate(header)}
    assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    assert [float(row[column["price"]].value) for row in body[:2]] == [12.9, -5.0]
    assert body[0][column["ean"]].value == "4006381333931"


def test_json_lines_have_the_values_as_they_are(export: Export) -> None:
    ran = export("lamps", "-o", "-", "--format", "jsonl")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert lines[0]["specs"] == {"Colour": "red", "Power": "5 W"}
    assert "availability" not in lines[1]
    assert [line["title"] for line in lines[2:]] == FORMULAS


def test_parquet_has_typed_columns(export: Export, tmp_path: Path) -> None:
    ran = export("--all", "-o", str(tmp_path / "offers.parquet"))
    assert (ran.code, ran.err) == (0, f"{3 + len(FORMULAS)} offers written to {tmp_path}/offers.parquet\n")
    table = parquet.read_table(tmp_path / "offers.parquet")
    first = table.to_pylist(maps_as_pydicts="strict")[0]
    assert (first["title"], first["price"], first["energy_class"]) == ("Lamp 1", "12.90", "A")
    assert (first["images"], first["specs"]) == (offer(1)["images"], {"Colour": "red", "Power": "5 W"})
    assert json.loads(first["reviews"])[0]["text"] == "Bright." and first["first_seen"].tzinfo is not None
    assert table.num_rows == 3 + len(FORMULAS) and table["availability"].null_count == 1


def export_to(file: IO[bytes], database: str, target: str, form: str) -> tuple[int, str]:
    """The exit code and the complaints of an export whose standard output is this file."""
    command = ("export", "other", "-o", target, "--format", form, "-s", f"SCOUT_DATABASE={database}")
    with TemporaryFile("w+") as errors:
        code = ForkedProcess("scrapy", *command, env=environment(), stdout=file, stderr=errors).wait(60)
        errors.seek(0)
        return code, errors.read()


def test_parquet_goes_through_a_pipe_too(database: str, tmp_path: Path) -> None:
    with (tmp_path / "piped").open("wb") as file:
        assert export_to(file, database, "-", "parquet")[0] == 0
    assert parquet.read_table(tmp_path / "piped")["title"].to_pylist() == ["Lamp 3"]


def test_fields_are_chosen_and_ordered(export: Export) -> None:
    ran = export("lamps", "-o", "-", "--format", "csv", "--fields", "price, title")
    assert next(csv.reader(io.StringIO(ran.out))) == ["price", "title"]


def test_several_shops_or_all_of_them(export: Export) -> None:
    assert "\n1 offers" not in export("lamps", "other", "-o", "-", "--format", "csv").err
    assert export("--all", "-o", "-", "--format", "csv").err.startswith(f"{3 + len(FORMULAS)} offers")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say which offers"),
        (("lamps", "--all", "-o", "x.csv"), "say which offers"),
        (("lamps",), "say where to"),
        (("lamps", "-o", "offers.txt"), "does not tell the format"),
        (("nobody", "-o", "x.csv"), "no shop called 'nobody'"),
        (("lamps", "-o", "x.csv", "--fields", "title,titel"), "no offer has the field titel"),
        (("lamps", "-o", "x.csv", "--bogus"), "unrecognized arguments: --bogus"),
    ],
)
def test_wrong_usage_is_explained(export: Export, arguments: tuple[str, ...], said: str) -> None:
    ran = export(*arguments)
    assert ran.code == 2
    assert said in ran.err
    assert not Path("x.csv").exists()


def test_an_export_that_fails_leaves_the_last_one_as_it_was(
    export: Export, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "offers.csv"
    target.write_text("the last one")

    def fail(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(__import__("scout.store.export", fromlist=["WRITERS"]).WRITERS, "csv", fail)
    ran = export("lamps", "-o", str(target))
    assert (ran.code, target.read_text()) == (1, "the last one")
    assert "No space left" in ran.err
    assert sorted(path.name for path in tmp_path.glob("*offers*")) == ["offers.csv"]


@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx", "parquet"])
@pytest.mark.parametrize("target", ["-", "/dev/full"])
def test_a_full_disk_is_one_clear_line(database: str, form: str, target: str) -> None:
    with Path("/dev/full").open("wb") as full:
        ended = export_to(full, database, target, form)
    assert ended == (1, f"Error: {target} cannot be written: No space left on device\n")
    assert Path("/dev/full").is_char_device()


def test_a_directory_that_is_not_there_is_a_failure_in_words(export: Export) -> None:
    ran = export("lamps", "-o", "/nowhere/x.csv")
    assert (ran.code, ran.err) == (1, "Error: /nowhere/x.csv cannot be written: No such file or directory\n")


def test_offers_that_are_gone_are_left_out_unless_asked_for(export: Export, database: str) -> None:
    with Store.open(database) as store:
        crawl = store.begin_crawl("other")
        store.save_offers("other", [offer(4, shop="other")], crawl)
        store.finish_crawl(crawl, "finished")
    assert export("other", "-o", "-", "--format", "csv").err.startswith("1 offers")
    assert export("other", "-o", "-", "--format", "csv", "--gone").err.startswith("2 offers")


def test_an_interruption_is_a_word_and_no_traceback(export: Export, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Store, "open", interrupted)
    ran = export("lamps", "-o", "-", "--format", "csv")
    assert (ran.code, ran.out, ran.err) == (1, "", "Interrupted\n")
