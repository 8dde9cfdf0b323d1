"""Attribute and tag names that are no CSS or XPath names: what a page writes is its own trouble, never the shop's."""

from collections.abc import Callable

import pytest

from scout import Page, ShopRules, extract, induce, learn, page_type, records

ODD: dict[str, Callable[[str, int], str]] = {
    "Vue": lambda price, n: f'<add-to-cart :price="{price}" @click="buy()"></add-to-cart>',
    "Angular": lambda price, n: f'<div *ngIf="x" [price]="{price}" (click)="buy()">€{price}</div>',
    "Office": lambda price, n: f"<o:p>€{price}</o:p>",
    "template language": lambda price, n: f'<h{{}}>€{price}</h{{}}><x-y{{{{z}}}} q{{}}="HG-{n:05d}">HG-{n:05d}</x-y>',
    "typing errors": lambda price, n: (
        f'<span {{{{p}}}}="{price}" 1a="HG-{n:05d}" a.b="{price}" x\\y="{price}">z</span>'
    ),
    "tags that are none": lambda price, n: f"<1x>€{price}</1x><a.b>HG-{n:05d}</a.b><a$b>HG-{n:05d}</a$b>",
}


def price_of(n: int) -> str:
    return f"{n % 90 + 10}.50"


def product(n: int, odd: Callable[[str, int], str]) -> Page:
    return Page(
        f"https://shop.example/product/{n}",
        f"<html lang=en><head><title>Article {n} | Goods</title></head><body><div class=product><h1>Article {n}</h1>"
        f"<p class=price>€{price_of(n)}</p><button>Add to basket</button>"
        f"<table><tr><th>Article number</th><td>HG-{n:05d}</td></tr></table>{odd(price_of(n), n)}</div></body></html>",
    )


@pytest.fixture(params=ODD, name="pages")
def odd_pages(request):
    return [product(n, ODD[request.param]) for n in range(1, 16)]


def test_rules_are_learned_saved_and_used_on_pages_with_odd_names(pages, tmp_path):
    known = [{"title": f"Article {n}", "price": price_of(n), "sku": f"HG-{n:05d}"} for n in range(1, 13)]
    learn(zip(pages, known, strict=False)).save(tmp_path / "shop.yaml")
    offer = extract(pages[14], ShopRules.load(tmp_path / "shop.yaml"))
    assert (offer["title"], offer["price"], offer["sku"]) == ("Article 15", price_of(15), "HG-00015")


def test_rules_are_induced_from_pages_with_odd_names(pages):
    offer = extract(pages[14], induce(pages[:12]))
    assert (offer["title"], offer["price"]) == ("Article 15", price_of(15))


def test_an_attribute_with_an_odd_name_can_hold_the_value():
    pages = [
        Page(f"https://shop.example/{n}", f'<h1>Article {n}</h1><buy-box :price="{price_of(n)}"></buy-box>')
        for n in range(1, 14)
    ]
    known = [{"title": f"Article {n}", "price": price_of(n)} for n in range(1, 13)]
    offer = extract(pages[12], learn(zip(pages, known, strict=False)))
    assert offer["price"] == price_of(13)
    assert pages[12].xpath(offer.why("price").selector).get() == price_of(13)


def test_records_and_page_types_are_told_on_pages_with_odd_names():
    cards = "".join(
        f'<li :key="{n}" @x="1"><a href="/p/{n}"><img src="/{n}.jpg"></a><a href="/p/{n}">Lamp {n}</a><o:p>€{n}.00</o:p></li>'
        for n in range(1, 9)
    )
    page = Page("https://shop.example/lamps", f"<h1>Lamps</h1><ul v-if=x :class='y'>{cards}</ul>")
    assert len(records(page)) == 8
    assert page_type(page) == "list"
