"""docs/reliability.md claims nothing without a test: every row names at least one, and each of them exists and has tests in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = re.findall(  # other tables describe settings
    r"^\| (?:threat|attack) \|.*\n\|-.*\n((?:\|.*\n)+)", (ROOT / "docs/reliability.md").read_text(), re.MULTILINE
)
ROWS = [line for table in TABLES for line in table.splitlines()]
BY_HAND = "python -m bench."  # a figure that is measured, and shown as such


def files(row: str) -> list[str]:
    """What the last cell names."""
    return re.findall(r"`([^`]+)`", row.rstrip("| ").rpartition("|")[2])


def test_there_is_a_row_for_every_threat() -> None:
    assert len(ROWS) >= 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_a_row_names_tests_that_exist(row: str) -> None:
    named = files(row)
    assert named
    for name in named:
        assert name.startswith(BY_HAND) or is_tested(ROOT / name), name


def is_tested(path: Path) -> bool:
    """A file with tests, or a shop whose attacks others test."""
    return path.is_file() and (path.parts[-3] == "shops" or "def test_" in path.read_text())
