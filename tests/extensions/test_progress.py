"""The line that says how a crawl is getting on."""

from __future__ import annotations

import pytest

from scout.extensions.progress import WalkProgress


def test_the_line_says_pages_products_rate_and_what_is_left() -> None:
    line = str(WalkProgress(pages=1100, products=88, waiting=200, rate=5))
    assert line == "1,100 of 1,300 known pages · 88 products · 5.0 pages/s · about 40 s left"


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (WalkProgress(), "0 pages · 0 products"),
        (WalkProgress(3, 2, waiting=4), "3 of 7 known pages · 2 products"),
        (WalkProgress(3, 2, rate=1.5), "3 pages · 2 products · 1.5 pages/s"),
    ],
)
def test_what_is_not_known_is_not_said(progress: WalkProgress, line: str) -> None:
    assert str(progress) == line
