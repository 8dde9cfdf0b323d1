"""Run a `scrapy` command in this process, with a database of its own."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from scrapy.cmdline import execute


@dataclass(frozen=True)
class Ran:
    """What it said and how it ended."""

    code: int
    out: str
    err: str


def run(capsys: pytest.CaptureFixture[str], database: str, *arguments: str) -> Ran:
    """`scrapy ARGUMENTS` with this database."""
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", *arguments, "-s", f"SCOUT_DATABASE={database}"])
    captured = capsys.readouterr()
    return Ran(int(ended.value.code or 0), captured.out, captured.err)
