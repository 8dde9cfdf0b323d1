"""The facts of a page, which rendering must not add to."""

from __future__ import annotations

from scout.facts import page_facts, says_as_much
from scout.page import Page
from scout.render.levels import compare

WORDS = "as good as any other chair that we have, and made of the same old oak by the same old hands as all of them"
ITEMS = "".join(f"<div><h3><a href='/p/{n}'>Chair {n}</a></h3><p>{WORDS}</p><b>{n},50 €</b></div>" for n in range(12))


def _pages(plain: str, rendered: str) -> tuple[Page, Page]:
    url = "https://shop.example/chairs"
    return Page(url, f"<html><body>{plain}</body></html>"), Page(url, f"<html><body>{rendered}</body></html>")


def test_links_that_the_plain_page_has_in_a_block_of_another_name_are_not_gained():
    """A theme hides everything in a footer or overlay until its scripts have run."""
    plain, rendered = _pages(f"<footer>{ITEMS}</footer>", f"<main>{ITEMS}</main>")
    told = page_facts(rendered, "list")
    assert "links" in compare(plain, rendered, page_facts(plain, "list"), told).gained
    compared = compare(plain, rendered, page_facts(plain, "list", everywhere=True), told)
    assert compared.gained == () and not compared.needs_browser


def test_links_that_only_the_rendered_page_has_are_gained():
    plain, rendered = _pages("<nav><a href='/'>Home</a></nav><div id=app></div>", f"<main>{ITEMS}</main>")
    compared = compare(plain, rendered, page_facts(plain, "list", everywhere=True), page_facts(rendered, "list"))
    assert compared.gained == ("links",) and compared.needs_browser


def test_a_frame_with_the_same_links_does_not_say_as_much():
    links = "".join(f"<a href='/p/{n}'>Chair {n}</a>" for n in range(12))
    assert not says_as_much(*_pages(f"<nav>{links}</nav><script>{ITEMS!r}</script>", f"<main>{ITEMS}</main>"))
    assert says_as_much(*_pages(f"<footer>{ITEMS}</footer>", f"<main>{ITEMS}</main>"))
