"""Nothing that a user can set or call goes undocumented."""

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

import scout.settings
from scout.command_line import SUMMARIES
from tests.test_settings import DECLARED

ROOT = Path(__file__).parents[1]
GUIDES = ("README.md", "CONTRIBUTING.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))))
_DOTTED_NAME = re.compile(r"(?<![\w/.])scout(?:\.[A-Za-z_]\w*)+(?![\w/])")
_PATH = re.compile(
    r"(?<![\w/.])(?:scout|bench|tests|docs)/[\w/.-]*?(?:\.(?:py|yaml|md)|/)(?![\w/.<…])"
)  # scout/a/b is a stat
_NOT_NAMES = {"scout.db"}  # files that Scout makes


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


@pytest.mark.parametrize("guide", GUIDES)
def test_every_name_and_file_in_the_docs_exists(guide):
    text = (ROOT / guide).read_text(encoding="utf-8")
    assert [name for name in sorted({*_DOTTED_NAME.findall(text)} - _NOT_NAMES) if not exists(name)] == []
    assert [path for path in sorted({*_PATH.findall(text)}) if not (ROOT / path).exists()] == []


def test_the_way_of_a_page_passes_every_component_of_a_crawl_at_its_place():
    guide = (ROOT / "docs/development.md").read_text(encoding="utf-8")
    tables = (scout.settings.DOWNLOADER_MIDDLEWARES, scout.settings.SPIDER_MIDDLEWARES, scout.settings.ITEM_PIPELINES)
    places = {name: place for table in tables for name, place in table.items() if place is not None}
    assert [name for name, place in places.items() if f"`{name}` ({place})" not in guide] == []


def test_a_name_that_does_not_exist_is_noticed():
    assert exists("scout.walking.records.records") and not exists("scout.walking.records.lists")


def exists(name: str) -> bool:
    """Whether a dotted name leads to a module, or to something in one."""
    try:
        resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True
