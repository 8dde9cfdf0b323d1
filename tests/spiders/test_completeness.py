"""What the shop spider says of its own completeness, on small shops of which everything is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.shops.rendered import PRODUCTS as ROTATING
from tests.shops.rendered import rendered_shop
from tests.spiders.test_shop import crawl

ATTIC = "/product/4"  # a product that is taken out of its list


def statement(log: str) -> str:
    """The walk's own last word, without what it rests on."""
    found = re.search(r"(\d+ products found(?: of \d+ to \d+)?; \w+)", log)
    assert found, log
    return found[0]


def without_record(pages: dict[str, str | Answer], path: str) -> dict[str, str | Answer]:
    """The shop, with no list that shows the product at `path`."""
    record = re.compile(rf'<li class="card"><a href="{path}">.*?</li>')
    return {at: record.sub("", page) if isinstance(page, str) else page for at, page in pages.items()}


def linking(pages: dict[str, str | Answer], path: str) -> dict[str, str | Answer]:
    """The shop, with a text on another product's page that mentions the product at `path`."""
    mention = f'<p>Goes well with <a href="{path}">this one</a>.</p></main>'
    return {**pages, "/product/1": str(pages["/product/1"]).replace("</main>", mention)}


def failing(pages: dict[str, str | Answer], path: str) -> dict[str, str | Answer]:
    return {**pages, path: Answer("Try again", 500)}


def shops() -> Iterator[tuple[str, dict[str, str | Answer], str]]:
    n = len(PRODUCTS)
    yield "all lists are read to their end", tiny_shop(), f"{n} products found; complete"
    orphan = linking(without_record(tiny_shop(), ATTIC), ATTIC)
    yield "a product stands in no list", orphan, f"{n} products found; complete"
    yield "a page of a list fails", failing(tiny_shop(), "/lamps?page=2"), f"{n - 2} products found; incomplete"


@pytest.mark.parametrize(("pages", "said"), [pytest.param(*case[1:], id=case[0]) for case in shops()])
def test_the_walk_claims_no_more_than_it_knows(tmp_path, pages, said):
    with serving(pages) as shop:
        _, log = crawl(tmp_path, "-a", f"url={shop.url}", "-s", "RETRY_ENABLED=False")
    assert statement(log) == said


def test_rotating_recommendations_and_short_last_pages_do_not_disturb_the_count(tmp_path):
    with rendered_shop("static") as shop:
        _, log = crawl(tmp_path, "-a", f"url={shop.url}")
    n = len(ROTATING)
    assert statement(log) == f"{n} products found; complete"
