"""What tells a wall from the pages of a shop."""

from __future__ import annotations

from scout.page import Page
from scout.walking.error_pages import text_digest


def test_a_wall_is_the_same_for_all_addresses_and_two_lists_without_a_space_between_their_texts_are_not() -> None:
    walls = {text_digest(Page("http://shop.example/", f"<p>Too many requests</p><i>No. {n}</i>")) for n in (4711, 4712)}
    names = ("红灯", "蓝灯", "绿灯")
    lists = {
        text_digest(Page("http://shop.example/", f"<h1>灯具1</h1><ul><li>{n}</li><li>¥9</li></ul>")) for n in names
    }
    assert (len(walls), len(lists)) == (1, 3)
