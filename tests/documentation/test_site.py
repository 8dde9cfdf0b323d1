"""The documentation builds without a warning, loads nothing from elsewhere, and its generated pages are complete."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scout.command_line import SUMMARIES
from tests.processes import ROOT

_LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]*\ssrc="?(https?:)?//"""
    r"""|<link[^>]*rel="?(?:stylesheet|preload|preconnect)[^>]*href="?(https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    assert (site / "index.html").exists()
    assert [page.name for page in site.rglob("*.html") if _LOADED.search(page.read_text(encoding="utf-8"))] == []


def test_every_page_of_the_clone_is_in_the_site_and_in_the_list_for_language_models(site: Path) -> None:
    listed = (site / "llms.txt").read_text(encoding="utf-8")
    names = [path.stem for path in (ROOT / "docs").glob("*.md")]
    assert [name for name in names if f"({name}.html)" not in listed or not (site / f"{name}.html").exists()] == []


def test_the_reference_has_every_command_with_its_options(site: Path) -> None:
    page = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert [name for name in SUMMARIES if f"scout {name}" not in page] == []
    assert "--min-coverage" in page and "--allow-crawl" in page


def test_the_schema_of_rule_files_is_generated_from_the_model_that_checks_them(site: Path) -> None:
    page = (site / "reference" / "rule-schema.html").read_text(encoding="utf-8")
    assert "threshold" in page and "selectors" in page
