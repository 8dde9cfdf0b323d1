"""The line that says how a walk is getting on."""

import pytest

from scout.extensions.progress import WalkProgress


def test_the_line_says_pages_by_level_products_rate_and_what_is_left():
    line = str(WalkProgress({"list": 10, "detail": 90}, products=88, waiting=200, seconds=20))
    assert line == "100 pages (90 detail, 10 list) · 88 products · 5.0 pages/s · 200 waiting, about 40 s left"


@pytest.mark.parametrize("progress", [WalkProgress(), WalkProgress({"home": 1}, seconds=0.1)])
def test_before_there_is_a_rate_nothing_is_said_of_it(progress):
    assert "pages/s" not in str(progress)
