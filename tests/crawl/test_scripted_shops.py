"""Shops made by script, crawled with a real browser: everything is found, values are right, and few pages are rendered."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crawl.test_rendering import crawl
from tests.shops.scripted import scripted_shop

RUNS = 20
BRIEF = {"graphql", "hash", "price", "stock"}


@dataclass(frozen=True)
class Kind:
    """How many of 30 products' worth of pages may be rendered, and whether the shop says what is in stock."""

    rendered: int
    says_stock: bool = True


KINDS = {
    "rest": Kind(8),
    "graphql": Kind(8),
    "hash": Kind(8),
    "cards": Kind(1),
    "price": Kind(8, says_stock=False),
    "stock": Kind(6),
    "jd": Kind(8, says_stock=False),
    "more": Kind(5),
    "scroll": Kind(5),
    "plain": Kind(3, says_stock=False),
}
SERIES = [
    pytest.param(name, marks=() if name in BRIEF and not number else pytest.mark.long, id=f"{name}-{number}")
    for name in KINDS
    for number in range(RUNS)
]


@pytest.mark.parametrize("name", SERIES)
def test_every_product_is_found_with_its_values_and_few_pages_are_rendered(name: str, tmp_path: Path) -> None:
    kind = KINDS[name]
    with scripted_shop(name) as shop:
        done = crawl(shop, tmp_path)
    offers = {offer["title"]: offer for offer in done.offers}
    assert {title: offer.get("price") for title, offer in offers.items()} == {p.name: p.price for p in shop.products}
    if kind.says_stock:
        states = {p.name: "OutOfStock" if p.is_sold_out else "InStock" for p in shop.products}
        assert {title: offer.get("availability") for title, offer in offers.items()} == states
    if name == "stock":  # whose tab loads it
        texts = {p.name: f"{p.data()['description']} Made in Orsa." for p in shop.products}
        assert {title: " ".join(offer.get("description", "").split()) for title, offer in offers.items()} == texts
    assert done.stat("rendered") <= kind.rendered
    assert shop.writes == 0
