from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from scout.rendering.browsers import HOW_TO_INSTALL, find_browser
from scout.store import Store
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


@pytest.fixture(autouse=True)
def closed_tabs(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test leaves open would go on asking its studio, and cost the next ones their time."""
    yield
    if "browser" in request.fixturenames:
        for context in request.getfixturevalue("browser").contexts:
            context.close()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[RunningStudio]:
    with running_studio(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def lamp_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a shop of two dozen lamps, whose prices are wrong: tests work on copies of it."""
    file = tmp_path_factory.mktemp("lamps") / "scout.db"
    with Store.open(f"sqlite:///{file}") as store:
        keep_shop(store, lamp_pages())
    return file


@pytest.fixture
def lamps(lamp_database: Path, tmp_path: Path) -> Iterator[RunningStudio]:
    """A studio with the lamps."""
    shutil.copy(lamp_database, tmp_path)
    with running_studio(tmp_path) as running:
        yield running


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[RunningStudio]:
    """A studio whose crawls do not wait between requests."""
    own = [setting for setting in HASTY if setting != "-s"]
    settings = (*own, "SCOUT_KEEP_PAGES=all", f"SCOUT_RULES_DIR={tmp_path}/rules", f"SCOUT_FLEET_DIR={tmp_path}/fleet")
    with running_studio(tmp_path, crawl_settings=settings) as running:
        yield running
