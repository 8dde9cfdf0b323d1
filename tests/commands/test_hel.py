"""`scrapy hel` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrapy.cmdline import execute


def hel(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", "hel", *arguments])
    return int(ended.value.code or 0)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text("<body><a href=/1>one</a><a href=/2>two\nlines</a></body>", encoding="utf-8")
    return str(path)


def test_prints_one_result_a_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hel("html.body->a[*].getAttr(href)", file) == 0
    assert capsys.readouterr().out == "/1\n/2\n"


def test_prints_the_values_of_a_fork_side_by_side(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hel("html.body.a[*](.txt # .getAttr(href) # b.txt)", file) == 0
    assert capsys.readouterr().out == "one\t/1\t\ntwo lines\t/2\t\n"


def test_prints_json_for_a_program(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hel("a[*].txt", file, "--base", "html.body.", "--json") == 0
    assert json.loads(capsys.readouterr().out) == ["one", "two lines"]


def test_finding_nothing_fails(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hel("html->table[0].txt", file) == 1
    assert capsys.readouterr().out == ""


def test_a_wrong_rule_is_shown_with_a_mark_at_the_place(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hel("html.body->a[*.txt", file) == 2
    error = capsys.readouterr().err
    assert "line 1, column 15: expected ]" in error
    assert error.splitlines()[-2:] == ["  html.body->a[*.txt", "                ^"]


def test_a_rule_without_a_beginning_is_wrong_usage(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hel("a[*].txt", file) == 2
    assert "does not begin with html" in capsys.readouterr().err
