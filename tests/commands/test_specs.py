"""`scrapy specs` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrapy.cmdline import execute

PAGE = """<html><head><title>Lamp Luna</title></head><body><h1>Lamp Luna</h1><h2>Technical data</h2><table>
<tr><td>Brand</td><td>Luna [Italy]</td></tr><tr><td>Weight</td><td>1,5 kg</td></tr></table></body></html>"""


def specs(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", "specs", *arguments])
    return int(ended.value.code or 0)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return str(path)


def test_prints_a_table_for_a_person(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert specs(file) == 0
    shown = capsys.readouterr().out
    assert "Luna [Italy]" in shown
    assert "1.5 kg" in shown
    assert "Technical data" in shown


def test_prints_json_for_a_program(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert specs(file, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(pair["name"], pair["value"], pair["quantity"], pair["unit"]) for pair in found] == [
        ("Brand", "Luna [Italy]", None, None),
        ("Weight", "1,5 kg", "1.5", "kg"),
    ]


def test_names_of_the_users_own_give_the_concepts(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("maker = Brand\n", encoding="utf-8")
    assert specs(file, "--json", "--names", str(names)) == 0
    assert [pair["concept"] for pair in json.loads(capsys.readouterr().out)] == ["maker", "weight"]
    assert specs(file, "--names", "nowhere.txt") == 2


def test_a_page_without_a_specification_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.html"
    path.write_text("<p>Nothing here.</p>", encoding="utf-8")
    assert specs(str(path)) == 1
    assert "no specification" in capsys.readouterr().out


def test_what_is_neither_an_address_nor_a_file_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert specs("nowhere.html") == 2
    assert "neither an address" in capsys.readouterr().err
