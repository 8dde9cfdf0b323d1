"""A list that the shop still shows, and that is gone or leads to the front page, was not read; a stale link is no list."""

from __future__ import annotations

import re

import pytest

from tests.crawl.changing_shop import ChangingShop
from tests.crawl.serving import Answer, serving
from tests.shops.nordic import PER_LIST, PER_PAGE, PRODUCTS, SHELVES, nordic_shop, page
from tests.spiders.test_completeness import statement
from tests.spiders.test_shop import crawl

BROKEN = [Answer('{"error": "timeout"}', headers={"Content-Type": kind}) for kind in ("application/json", "image/png")]
GONE, HOME = Answer("<h1>Sidan saknas</h1>", 404), Answer("", 302, {"Location": "/"})
SORRY = page("Hoppsan", "<h1>Hoppsan!</h1><p>Det du söker finns inte längre.</p>")  # in words that Scout does not know
EMPTY = page("Bord", "<h1>Bord</h1><p>Inga varor just nu.</p>")
SILENT = page("Bord", "<h1>Bord</h1>")
ALL = len(PRODUCTS)
MENU, TILE = "/avdelning/bord", "/hylla/ljus"


def without(path: str, answer: Answer) -> dict[str, str | Answer]:
    """The shop, with no way to the products of a list but the list, which answers so."""
    return {**nordic_shop(), path: answer, f"{path}?sida=2": answer}


def with_link(place: str, path: str, answer: Answer) -> dict[str, str | Answer]:
    """The shop, with a link to `path` at the beginning of this element of every page."""
    pages = {
        at: page.replace(f"<{place}>", f'<{place}><a href="{path}">Mer</a>') if isinstance(page, str) else page
        for at, page in nordic_shop().items()
    }
    return {**pages, path: answer}


def flat(pages: dict[str, str | Answer]) -> dict[str, str | Answer]:
    """The shop with all its lists and pages of information directly below the front page."""
    folders = re.compile(r"/(?:avdelning|hylla|info)/")
    return {
        folders.sub("/", at): folders.sub("/", page) if isinstance(page, str) else page for at, page in pages.items()
    }


def with_page_of(path: str, other: str) -> dict[str, str | Answer]:
    """The shop, with another list's page at a list's address."""
    return {**nordic_shop(), path: nordic_shop()[other]}


def with_endless_pagers() -> dict[str, str | Answer]:
    """The shop, with a link to a next page on the last page of every list, which is the last page again."""
    pages = nordic_shop()
    for at in [at for at in pages if at.endswith("?sida=2")]:
        following = f'<a rel="next" href="{at[:-1]}3">Nästa</a>'
        pages[at] = pages[f"{at[:-1]}3"] = str(pages[at]).replace(
            '<div class="pager">', f'<div class="pager">{following}'
        )
    return pages


def to_information(path: str) -> dict[str, str | Answer]:
    """The shop, with a list that redirects to a page of information."""
    return without(path, Answer("", 302, {"Location": "/info/frakt"}))


def with_dead_information() -> dict[str, str | Answer]:
    """The shop, with a page of information that is gone, although the menu still shows it."""
    return {**nordic_shop(), "/info/frakt": GONE}


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        pytest.param(nordic_shop(), f"{ALL} products found; complete", id="healthy"),
        *(
            pytest.param({**nordic_shop(), path: SORRY}, f"{ALL - lost} products found; incomplete", id=f"{path} sorry")
            for path, lost in {TILE: PER_LIST, f"{MENU}?sida=2": PER_LIST - PER_PAGE}.items()
        ),
        *(
            pytest.param(
                without(MENU, answer), f"{ALL - PER_LIST} products found; incomplete", id=answer.headers["Content-Type"]
            )
            for answer in BROKEN
        ),
        pytest.param({**nordic_shop(), MENU: EMPTY}, f"{ALL - PER_LIST} products found; complete", id="empty"),
        pytest.param({**nordic_shop(), MENU: SILENT}, f"{ALL - PER_LIST} products found; incomplete", id="silent"),
        *(
            pytest.param(
                without(path, answer), f"{ALL - lost * PER_LIST} products found; incomplete", id=f"{path} {how}"
            )
            for path, lost, how, answer in (
                (MENU, 1, "home", HOME),
                (TILE, 1, "gone", GONE),
                ("/inredning", len(SHELVES), "home", HOME),
            )
        ),
        *(
            pytest.param(with_link(place, path, answer), f"{ALL} products found; complete", id=f"{place} {path} {how}")
            for place, path, how, answer in (
                ("nav", "/info/stugor", "gone", GONE),
                ("footer", "/avdelning/julen", "gone", GONE),
                ("nav", "/hem", "home", HOME),
            )
        ),
        *(
            pytest.param(with_page_of(path, other), f"{ALL - lost} products found; incomplete", id=f"{path} as {other}")
            for path, other, lost in (
                (MENU, "/avdelning/lampor", PER_LIST),
                (TILE, "/hylla/speglar", PER_LIST),
                (f"{MENU}?sida=2", "/avdelning/lampor?sida=2", PER_LIST - PER_PAGE),
                (f"{MENU}?sida=2", MENU, PER_LIST - PER_PAGE),
            )
        ),
        pytest.param(with_endless_pagers(), f"{ALL} products found; complete", id="endless pagers"),
        pytest.param(
            flat(with_page_of(MENU, "/avdelning/lampor")), f"{ALL - PER_LIST} products found; incomplete", id="flat as"
        ),
        *(
            pytest.param(shape(to_information(MENU)), f"{ALL - PER_LIST} products found; incomplete", id=f"{name} info")
            for name, shape in {"deep": dict, "flat": flat}.items()
        ),
        pytest.param(flat(nordic_shop()), f"{ALL} products found; complete", id="flat"),
        pytest.param(flat(with_dead_information()), f"{ALL} products found; complete", id="flat dead information"),
        pytest.param(flat(without(MENU, GONE)), f"{ALL - PER_LIST} products found; incomplete", id="flat gone"),
    ],
)
def test_a_list_that_is_shown_and_not_there_is_missed_and_a_stale_link_is_not(tmp_path, pages, said):
    with serving(pages) as shop:
        _, log = crawl(tmp_path, "-a", f"url={shop.url}", "-s", "SCOUT_RETRY_PAUSE=0.1")
    assert statement(log) == said, log


def test_a_list_of_a_single_product_is_read_though_it_is_too_little_to_be_told_from_other_links(tmp_path):
    one_by_one = ("-s", "CONCURRENT_REQUESTS=1")  # in another order, a crawl may say that a product is missing
    with serving(ChangingShop(73)) as shop:
        _, log = crawl(tmp_path, "-a", f"url={shop.url}", "-s", "SCOUT_RETRY_PAUSE=0.1", *one_by_one)
    assert statement(log) == "73 products found; complete", log
