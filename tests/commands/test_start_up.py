"""Starting is light: these tests say which modules are loaded, `python -m bench.startup` measures what it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import scout
from tests.crawl.commands import environment

OTHER_PROJECT = {
    "scrapy.cfg": "[settings]\ndefault = other.settings\n",
    "other/__init__.py": "",
    "other/settings.py": 'BOT_NAME = "other"\n',
}
HEAVY = {
    *("sqlalchemy", "alembic", "numpy", "scipy", "yaml", "rich", "babel", "lark", "pydantic", "openpyxl", "matplotlib"),
    *("playwright", "scrapy_playwright", "price_parser", "rapidfuzz"),
}
SCRAPY_VERSION = "from scrapy.cmdline import execute; import sys; sys.argv = ['scrapy', 'version']; execute()"


def loaded_modules(code: str, cwd: Path) -> set[str]:
    """The modules in the interpreter after this code, in a process of its own."""
    script = f"import atexit, sys; atexit.register(lambda: print('loaded:', *sys.modules)); {code}"
    done = subprocess.run([sys.executable, "-c", script], cwd=cwd, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].removeprefix("loaded: ").split())


@pytest.mark.parametrize("files", [{}, OTHER_PROJECT], ids=["empty directory", "project of others"])
def test_scrapy_version_loads_nothing_of_scout_elsewhere(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    loaded = loaded_modules(SCRAPY_VERSION, tmp_path)
    assert "scrapy" in loaded
    assert not {name for name in loaded if name == "scout" or name.startswith("scout.")}


def test_scrapy_version_in_scouts_project_loads_the_commands_and_none_of_their_work(tmp_path: Path) -> None:
    loaded = loaded_modules(SCRAPY_VERSION, Path(scout.__file__).parents[1])
    rooms = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("scout.")}
    assert rooms == {
        "scout._version",
        "scout.settings",
        "scout.commands",
        "scout.command_line",
        "scout.crawl",
        "scout.errors",
    }
    more = {name.partition(".")[0] for name in loaded - loaded_modules(SCRAPY_VERSION, tmp_path)}
    assert more.isdisjoint(HEAVY)


def test_importing_scout_loads_nothing_else(tmp_path: Path) -> None:
    before = loaded_modules("import importlib, typing", tmp_path)
    assert loaded_modules("import scout", tmp_path) - before <= {"scout", "scout._version", "__future__"}


def test_the_help_of_scout_loads_nothing_but_the_list_of_commands(tmp_path: Path) -> None:
    before = loaded_modules("import os, collections.abc, importlib, typing", tmp_path)
    loaded = loaded_modules("from scout.command_line.main import main; main(['--help'])", tmp_path)
    assert loaded - before <= {
        *("scout", "scout._version", "scout.command_line", "scout.command_line.main", "__future__")
    }


def test_every_public_name_is_found_listed_and_its_own() -> None:
    for name in scout.__all__:
        assert name in dir(scout)
        value = getattr(scout, name)
        assert name == "__version__" or value.__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        scout.nonsense  # noqa: B018
