"""What a page comes to in the account, before the shop's other pages are asked."""

from __future__ import annotations

import pytest

from scout.crawl.page_results import page_result
from scout.page import Page
from scout.walking.steps import Step
from scout.walking.walk import Walk
from tests.walking.walking import Defaults

SHOP = "http://shop.example/"


@pytest.mark.parametrize(("title", "is_compared"), [("Lamps 12", False), ("Log in", True)])
def test_a_page_that_has_the_name_of_its_link_is_no_wall(title: str, is_compared: bool) -> None:
    """Empty categories may differ in their number only."""
    decide = Defaults()
    walk = decide.walk = Walk(SHOP, decide)
    came = Step(f"{SHOP}c/12", "menu", name="Lamps 12")
    page = Page(
        came.url, f"<title>{title}</title><a href=/>Home</a><h1>{title}</h1><p>There is nothing to see here.</p>"
    )
    result = page_result(page, walk.read(page, came), came, walk, is_narrow=False)
    assert result is not None and (result.digest is not None) is is_compared
