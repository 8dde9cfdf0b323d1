"""The pictures of docs/studio.md, taken anew at both widths and in both themes; nothing is wider than the screen."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from scout.store import browsing
from tests.studio.running import ROOT, SHOP, RunningStudio, open_tab

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
MAX_PICTURE = 150_000  # bytes of one in the repository
KEEP = bool(os.environ.get("SCOUT_TEST_KEEP_PICTURES"))  # set it to renew those of the docs


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pictures_of_the_docs_can_be_taken(
    lamps: RunningStudio, browser: Browser, theme: str, tmp_path: Path
) -> None:
    with lamps.store.reading() as connection:
        page = browsing.pages_of_offer(connection, lamps.offer_id(f"{ROOT}p/3"))[0].id
    folder = DOCS if KEEP else tmp_path
    for width in (390, 1400):
        tab, _ = open_tab(browser, lamps, width, color_scheme=theme)
        tab.goto(f"{lamps.root}/pages/{page}?pick=price")
        tab.frame_locator("#frame").get_by_text("27.90 EUR in all").click()
        expect(tab.locator("#effect-summary[data-over]")).to_be_visible(timeout=60_000)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        picture = folder / f"studio-{width}-{theme}.png"
        picture.parent.mkdir(exist_ok=True)
        tab.screenshot(path=str(picture))
        assert picture.stat().st_size <= MAX_PICTURE


@pytest.mark.parametrize("width", [390, 800, 1400, 2560])
def test_nothing_is_wider_than_the_screen(lamps: RunningStudio, browser: Browser, width: int) -> None:
    with lamps.store.reading() as connection:
        page = browsing.pages_of_offer(connection, lamps.offer_id(f"{ROOT}p/3"))[0].id
    tab, _ = open_tab(browser, lamps, width)
    offer = f"/offers/{lamps.offer_id(f'{ROOT}p/3')}"
    for path in ("/", "/offers", offer, f"/shop?shop={SHOP}", f"/rules?shop={SHOP}", f"/pages/{page}"):
        tab.goto(lamps.root + path)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, path
