"""Nothing that a user can set or call goes undocumented."""

import re
from pathlib import Path

import pytest

from tests.test_settings import DECLARED

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_every_setting_is_documented(name):
    assert f"`{name}`" in (ROOT / "docs/settings.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    table = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split('[project.entry-points."scrapy.commands"]')[1]
    return re.findall(r"^([a-z-]+) = ", table.split("\n[")[0], re.MULTILINE)


@pytest.mark.parametrize("name", commands())
def test_every_command_is_documented(name):
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"scrapy {name}" in page.read_text(encoding="utf-8") for page in pages)
