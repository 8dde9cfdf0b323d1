"""Every setting that is read is declared with its reason, and Scout's defaults are polite and safe."""

import re
from pathlib import Path

import pytest
from scrapy.settings import Settings

import scout.settings
from scout.crawl.configuration import read_setting

ROOT = Path(__file__).parents[1]
SETTINGS = (ROOT / "scout/settings.py").read_text(encoding="utf-8")
DECLARED = set(re.findall(r"^(SCOUT_[A-Z_]+)\b", SETTINGS, re.MULTILINE))
SOURCES = [path for path in (ROOT / "scout").rglob("*.py") if path.name != "settings.py"]


NAMED = re.compile(r"""["'](SCOUT_[A-Z_]+)["']""")
READ = {name for path in SOURCES for name in NAMED.findall(path.read_text(encoding="utf-8"))}


def test_every_setting_that_is_read_is_declared():
    assert set() == READ - DECLARED


def test_every_setting_that_is_declared_is_read():
    assert set() == DECLARED - READ


def test_settings_are_read_with_their_defaults():
    """By read_setting() alone: in a project that does not set them, Scrapy's own methods give None or 0."""
    direct = re.compile(r"settings(\.get\w*\(|\[)\s*[\"']SCOUT_")
    assert [path.name for path in SOURCES if direct.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({}, "SCOUT_RULES_DIR", "rules"),
        ({}, "SCOUT_PERSIST_BATCH", 200),
        ({"SCOUT_PERSIST_BATCH": "7"}, "SCOUT_PERSIST_BATCH", 7),
        ({"SCOUT_CLEAN_URLS": "True"}, "SCOUT_CLEAN_URLS", True),
        (
            {"SCOUT_ALLOWED_TARGETS": "http://a.example,http://b.example"},
            "SCOUT_ALLOWED_TARGETS",
            ["http://a.example", "http://b.example"],
        ),
        ({"SCOUT_DATABASE": None}, "SCOUT_DATABASE", None),
    ],
)
def test_a_setting_has_the_type_of_its_default(given, name, value):
    assert read_setting(Settings(given), name) == value


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
