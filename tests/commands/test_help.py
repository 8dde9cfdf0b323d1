"""`--help` of every command, whole at any width, by either name of the program."""

from __future__ import annotations

import pytest
from scrapy.cmdline import execute

from scout.command_line import SUMMARIES


@pytest.mark.parametrize("name", SUMMARIES)
@pytest.mark.parametrize("columns", ["60", "80"])
@pytest.mark.parametrize("program", ["scrapy", "scout"])
def test_the_help_of_a_command_starts_with_its_usage(
    name: str, columns: str, program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.argv", [f"/usr/bin/{program}"])
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", name, "--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert shown.startswith(f"Usage: {program} {name} ")
    assert "\n\nOptions:\n" in shown and "\nGlobal options:\n" in shown
    assert all(len(line) < int(columns) for line in shown.partition("\n\n")[2].splitlines())
