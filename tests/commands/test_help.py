"""`scrapy COMMAND --help`: whole at any width."""

from __future__ import annotations

import re
from importlib.metadata import entry_points

import pytest
from scrapy.cmdline import execute

COMMANDS = sorted(
    entry.name for entry in entry_points(group="scrapy.commands") if entry.value.startswith("scout.commands.")
)
HEADINGS = {"Usage", "Positional Arguments", "Options", "Global Options"}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("columns", ["60", "80"])
def test_only_headings_are_underlined_wherever_a_line_is_wrapped(
    name: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", name, "--help"])
    assert ended.value.code == 0
    assert set(re.findall(r"^(.+)\n(?:=+|-+)$", capsys.readouterr().out, re.M)) <= HEADINGS
