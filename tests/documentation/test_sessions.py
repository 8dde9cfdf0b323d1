"""What the documentation shows of a terminal is what its commands print, on the shop that ships with Scout."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scout.commands.sample_shop import PORT
from scout.sample_shop import sample_server
from tests.crawl.commands import FAST, scout
from tests.documentation.sessions import is_shown, shown_runs
from tests.processes import ROOT

SHOWN_SHOP = f"http://127.0.0.1:{PORT}"
PAGES = {path.name: list(shown_runs(path)) for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
WITH_SESSIONS = [name for name, runs in PAGES.items() if runs]


@contextmanager
def sample_shop() -> Iterator[str]:
    """Its address; another port than the one that the pages show, which may be taken."""
    with sample_server(0) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_the_first_pages_show_what_their_commands_print() -> None:
    assert {"README.md", "start.md", "tutorial.md"} <= set(WITH_SESSIONS)


@pytest.mark.parametrize("page", WITH_SESSIONS)
def test_every_shown_command_prints_what_the_page_says(page: str, tmp_path: Path) -> None:
    settings = "\n".join(f"{name} = {value!r}" for name, value in {**FAST, "LOG_LEVEL": "WARNING"}.items())
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = quick_settings\n")
    (tmp_path / "quick_settings.py").write_text(f"from scout.settings import *\n{settings}\n")
    with sample_shop() as address:
        for shown in PAGES[page]:
            words = (word.replace(SHOWN_SHOP, address) for word in shown.words)
            done = scout(*words, cwd=tmp_path, COLUMNS="200")
            printed = (done.stdout + done.stderr).replace(address, SHOWN_SHOP)
            assert done.returncode == (3 if "--min-coverage" in shown.line else 0), printed
            assert is_shown(shown.output, printed), f"$ {shown.line}\n{printed}"
