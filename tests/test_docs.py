"""Nothing that a user can set or call goes undocumented."""

import re
from pathlib import Path

from scout.command_line import SUMMARIES
from tests.test_settings import DECLARED

ROOT = Path(__file__).parents[1]


def test_every_setting_is_documented():
    reference = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert [name for name in sorted(DECLARED) if f"`{name}`" not in reference] == []


def test_every_command_is_documented():
    pages = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert [name for name in SUMMARIES if f"scout {name}" not in pages] == []


def test_every_kind_of_stat_is_documented():
    """By the first part of its name: what comes after it is often put together when it is counted."""
    table = (ROOT / "docs/stats.md").read_text(encoding="utf-8")
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "scout").rglob("*.py"))
    counted = set(re.findall(r'"scout/([a-z_]+)[/"]', code))
    assert {"walk", "forms", "monitor", "cut_off"} <= counted
    assert {kind for kind in counted if not re.search(rf"`{kind}[/`]", table)} == set()
