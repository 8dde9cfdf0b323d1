"""A walk that starts at a category stays in it; any other start is the whole shop."""

from __future__ import annotations

import pytest

from scout.walking.part import PartOfShop, is_below


@pytest.mark.parametrize(
    "front", ["http://s.example/", "http://s.example", "http://s.example/de/", "http://s.example/index.php"]
)
def test_a_front_page_is_the_whole_shop(front: str) -> None:
    part: PartOfShop[str] = PartOfShop(front)
    assert part.is_decided and part.holds("http://s.example/anything")


def test_what_lies_outside_waits_until_the_start_is_known() -> None:
    part: PartOfShop[str] = PartOfShop("http://s.example/chairs")
    assert part.holds("http://s.example/chairs/oak") and not part.holds("http://s.example/lamps")
    part.wait("http://s.example/lamps")
    assert part.decide(is_category=False) == ["http://s.example/lamps"]
    assert part.holds("http://s.example/lamps")


def test_a_category_is_not_left() -> None:
    part: PartOfShop[str] = PartOfShop("http://s.example/chairs")
    part.wait("http://s.example/lamps")
    assert part.decide(is_category=True) == []
    assert not part.holds("http://s.example/lamps")
    part.wait("http://s.example/sofas")
    assert part.outside == []


@pytest.mark.parametrize(
    ("url", "start", "below"),
    [
        ("http://s/chairs", "http://s/chairs/", True),
        ("http://s/chairs/", "http://s/chairs", True),
        ("http://s/chairs?colour=red", "http://s/chairs", True),
        ("http://s/chairs/oak.html", "http://s/chairs.html", True),
        ("http://s/chairs-for-children", "http://s/chairs", False),
        ("http://s/", "http://s/chairs", False),
        ("http://s/c?cat=5&page=2", "http://s/c?cat=5", True),
        ("http://s/c?cat=6", "http://s/c?cat=5", False),
        ("http://s/other?cat=5", "http://s/c?cat=5", False),
    ],
)
def test_what_is_below_an_address(url: str, start: str, below: bool) -> None:
    assert is_below(url, start) is below
