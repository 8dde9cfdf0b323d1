"""The pictures of docs/studio.md, taken anew at both widths and in both themes; nothing is wider than the screen."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, expect

from scout.store import browsing
from tests.studio.running import ROOT, SHOP, RunningStudio, open_tab

DOCS = Path(__file__).parents[2] / "docs" / "pictures"
MAX_PICTURE = 150_000  # bytes of one in the repository
KEEP = bool(os.environ.get("SCOUT_TEST_KEEP_PICTURES"))  # set it to renew those of the docs


def opened_page(studio: RunningStudio) -> str:
    """The address of a page that has a wrong price."""
    with studio.store.reading() as connection:
        page = browsing.pages_of_offer(connection, studio.offer_id(f"{ROOT}p/3"))[0].id
    return f"/pages/{page}"


def test_the_pictures_of_the_docs_can_be_taken(lamps: RunningStudio, browser: Browser, tmp_path: Path) -> None:
    folder = DOCS if KEEP else tmp_path
    tab, _ = open_tab(browser, lamps)
    tab.goto(f"{lamps.root}{opened_page(lamps)}?pick=price")
    tab.frame_locator("#frame").get_by_text("27.90 EUR in all").click()
    expect(tab.locator("#effect-summary[data-over]")).to_be_visible(timeout=60_000)
    for width, theme in product((390, 1400), ("light", "dark")):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=theme)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        picture = folder / f"studio-{width}-{theme}.png"
        picture.parent.mkdir(exist_ok=True)
        tab.screenshot(path=str(picture))
        assert picture.stat().st_size <= MAX_PICTURE


def test_nothing_is_wider_than_the_screen(lamps: RunningStudio, browser: Browser) -> None:
    tab, _ = open_tab(browser, lamps)
    offer = f"/offers/{lamps.offer_id(f'{ROOT}p/3')}"
    for path in ("/", "/offers", offer, f"/shop?shop={SHOP}", f"/rules?shop={SHOP}", opened_page(lamps)):
        tab.goto(lamps.root + path)
        for width in (390, 800, 1400, 2560):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, path
