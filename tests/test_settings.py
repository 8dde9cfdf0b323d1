"""Every setting that is read is declared with its reason, and Scout's defaults are polite and safe."""

import ast
import re
from pathlib import Path

import pytest

import scout.settings

ROOT = Path(__file__).parents[1]
SETTINGS = (ROOT / "scout/settings.py").read_text(encoding="utf-8")
DECLARED = set(re.findall(r"^(SCOUT_[A-Z_]+)\b", SETTINGS, re.MULTILINE))
SOURCES = [path for path in (ROOT / "scout").rglob("*.py") if path.name != "settings.py"]


def named_settings(path: Path) -> set[str]:
    """The strings in a source file that are the name of a Scout setting."""
    strings = (
        node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant)
    )
    return {text for text in strings if isinstance(text, str) and re.fullmatch(r"SCOUT_[A-Z_]+", text)}


READ = {name for path in SOURCES for name in named_settings(path)}


def test_every_setting_that_is_read_is_declared():
    assert set() == READ - DECLARED


def test_every_setting_that_is_declared_is_read():
    assert set() == DECLARED - READ


@pytest.mark.parametrize("name", sorted(DECLARED))
def test_every_setting_has_a_reason(name):
    lines = SETTINGS.splitlines()
    place = next(number for number, line in enumerate(lines) if re.match(rf"{name}\b", line))
    assert "  # " in lines[place] or lines[place - 1].startswith("# ")


def test_the_defaults_are_polite():
    assert scout.settings.ROBOTSTXT_OBEY and scout.settings.AUTOTHROTTLE_ENABLED
    assert scout.settings.CONCURRENT_REQUESTS_PER_DOMAIN == 1
    assert scout.settings.DOWNLOAD_DELAY >= 1


def test_the_defaults_are_safe():
    assert not scout.settings.TELNETCONSOLE_ENABLED and not scout.settings.REMOTE_CONTROL_ENABLED
    assert scout.settings.DOWNLOAD_VERIFY_CERTIFICATES
    assert {scheme for scheme, handler in scout.settings.DOWNLOAD_HANDLERS.items() if handler is None} == {
        "file",
        "data",
        "ftp",
        "s3",
    }
