"""A page as a walk sees it, and what a mark on its template holds for."""

from __future__ import annotations

from scout.correction.page_structure import page_structure, pages_built_alike, with_mark
from scout.page import Page
from scout.rules import ShopRules
from scout.walking.templates import Templates

SHOP = "https://shop.example"


def listing() -> Page:
    cards = "".join(
        f"<li class=card><a href=/p/{n}><img src=/{n}.jpg></a><h3><a href=/p/{n}>Lamp {n}</a></h3><b>€{n}.50</b></li>"
        for n in range(1, 7)
    )
    return Page(
        f"{SHOP}/lamps",
        f"<html><body><h1>Lamps</h1><p>12 products</p><ul>{cards}</ul><a rel=next href='?page=2'>Next</a></body></html>",
    )


def page(kind: str, number: int) -> Page:
    inner = (
        "<p class=price>€9.50</p><button>Add to basket</button>"
        if kind == "product"
        else "<p class=author>by Ada</p><div class=text></div>"
    )
    return Page(
        f"{SHOP}/{kind}/{number}",
        f"<html><body class={kind}><main class=card><h1>No. {number}</h1>{inner}</main></body></html>",
    )


PAGES = [page(kind, number) for kind in ("product", "guide") for number in range(6)]


def test_a_list_has_its_records_its_pager_and_what_it_states():
    found = page_structure(listing())
    assert (found.level, len(found.shown_records), found.shows_products, found.stated) == ("list", 6, True, 12)
    assert found.next_url == f"{SHOP}/lamps?page=2"
    assert [mark.field for mark in found.marks] == ["record"] * 6 + ["next page"]


def test_a_page_without_a_list_has_none():
    found = page_structure(page("guide", 1))
    assert (found.records, found.next_url, found.marks) == (None, None, ())


def test_a_mark_holds_for_the_pages_that_are_built_like_the_one_and_for_no_others():
    alike = pages_built_alike(PAGES, PAGES[-1], None)
    assert alike.pages == [f"{SHOP}/guide/{number}" for number in range(6)]
    rules = ShopRules(structure={"lists": ["//li"], "templates": [{"title": "h1", "names": ["x"]}]})
    rules.structure = with_mark(rules, alike.row, False)
    assert rules.structure["lists"] == ["//li"] and len(rules.structure["templates"]) == 2
    again = pages_built_alike(PAGES, PAGES[-2], rules)
    assert again.group.mark is False and again.pages == alike.pages
    assert pages_built_alike(PAGES, PAGES[0], rules).group.mark is None
    rules.structure = with_mark(rules, again.row, None)
    assert [row["names"] for row in rules.structure["templates"]] == [["x"]]


def test_the_walk_reads_the_mark():
    rules = ShopRules()
    rules.structure = with_mark(rules, pages_built_alike(PAGES, PAGES[-1], None).row, False)
    templates = Templates.known(rules.structure["templates"])
    assert [group.mark for group in templates] == [False]
