from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from tests.crawl.commands import HASTY
from tests.studio.running import RunningStudio, keep_shop, lamp_pages, running_studio


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_browser()
    assert path, HOW_TO_INSTALL
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield launched
        launched.close()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[RunningStudio]:
    with running_studio(tmp_path) as running:
        yield running


@pytest.fixture
def lamps(studio: RunningStudio) -> RunningStudio:
    """A studio with a shop of two dozen lamps, whose prices are wrong."""
    keep_shop(studio.store, lamp_pages())
    return studio


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[RunningStudio]:
    """A studio whose crawls do not wait between requests."""
    own = [setting for setting in HASTY if setting != "-s"]
    settings = (*own, "SCOUT_KEEP_PAGES=all", f"SCOUT_RULES_DIR={tmp_path}/rules", f"SCOUT_FLEET_DIR={tmp_path}/fleet")
    with running_studio(tmp_path, crawl_settings=settings) as running:
        yield running
