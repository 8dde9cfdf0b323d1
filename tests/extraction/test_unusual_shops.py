"""Shops that are built unlike most: every product is found, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import pytest

from tests.walking.walking import walked

COUNT = 24
NAMES = [f"{make} {thing}" for make in ("Oak", "Pine", "Steel", "Glass") for thing in ("table", "chair", "lamp") * 2]
ABOUT = "<h1>About us</h1><p>" + "A small shop that cares for detail. " * 12 + "</p>"


def page(title: str, body: str, top: str = "") -> str:
    return f"<html><head><title>{title} | Shop</title></head><body>{top}{body}</body></html>"


def price(number: int) -> str:
    return f"{19 + number}.90 €"


def detail(number: int, top: str) -> str:
    name = f"{NAMES[number]} {number}"
    shown = f'<h1>{name}</h1><img src="/{number}.jpg"><em>{price(number)}</em><button>Add to cart</button>'
    return page(name, shown + "<p>Solid and made to last.</p>", top)


def cards_of(numbers: Iterable[int]) -> str:
    """Records of a list, as most shops write them."""
    return "".join(
        f'<li class="card"><a href="/item/{n}"><img src="/{n}.jpg">{NAMES[n]} {n}</a><span>{price(n)}</span></li>'
        for n in numbers
    )


def tiles_that_a_script_opens() -> dict[str, str]:
    """No link anywhere: menu and records are elements with onclick."""
    top = "".join(f"""<div onclick="location.href='/c/{c}'">Part {c}</div>""" for c in range(3))
    tiles = [
        f"""<div class="tile" onclick="window.location='/item/{n}'"><img src="/{n}.jpg"><b>{NAMES[n]} {n}</b><i>{price(n)}</i></div>"""
        for n in range(COUNT)
    ]
    lists = {f"/c/{c}": page(f"Part {c}", f"<h1>Part {c}</h1>{''.join(tiles[c::3])}", top) for c in range(3)}
    details = {f"/item/{n}": detail(n, top) for n in range(COUNT)}
    return {"/": page("Home", "<h1>Welcome</h1>", top), **lists, **details}


def rows_with_an_address_in_their_data() -> dict[str, str]:
    """A table whose rows lead on, and a menu that is a choice."""
    options = "".join(f'<option value="/c/{c}">Part {c}</option>' for c in range(3))
    top = f'<select onchange="location = this.value"><option value="">Choose</option>{options}</select>'
    rows = [
        f'<tr data-href="/item/{n}"><td><img src="/{n}.jpg"></td><td>{NAMES[n]} {n}</td><td>{price(n)}</td></tr>'
        for n in range(COUNT)
    ]
    lists = {
        f"/c/{c}": page(f"Part {c}", f"<h1>Part {c}</h1><table>{''.join(rows[c::3])}</table>", top) for c in range(3)
    }
    details = {f"/item/{n}": detail(n, top) for n in range(COUNT)}
    return {"/": page("Home", "<h1>Welcome</h1>", top), **lists, **details}


def a_button_that_only_knows_the_number_of_the_next_page() -> dict[str, str]:
    top = '<ul class="nav"><li><a href="/all">All</a></li><li><a href="/about">About</a></li></ul>'
    pages = {"/": page("Home", "<h1>Welcome</h1>", top), "/about": page("About us", ABOUT, top)}
    for number in range(3):
        cards = cards_of(range(number * 8, number * 8 + 8))
        more = f'<button data-page="{number + 2}" data-url="/all">Load more</button>' if number < 2 else ""
        pages[f"/all?page={number + 1}" if number else "/all"] = page("All", f"<h1>All</h1><ul>{cards}</ul>{more}", top)
    return pages | {f"/item/{n}": detail(n, top) for n in range(COUNT)}


def a_pager_whose_numbers_lead_nowhere() -> dict[str, str]:
    """A script turns the pages; the shop's addresses count them all the same."""
    top = '<ul class="nav"><li><a href="/all">All</a></li><li><a href="/about">About</a></li></ul>'
    pages = {"/": page("Home", "<h1>Welcome</h1>", top), "/about": page("About us", ABOUT, top)}
    for number in range(3):
        cards = cards_of(range(number * 8, number * 8 + 8))
        numbers = "".join(f'<a href="#"{" aria-current=page" * (n == number)}>{n + 1}</a>' for n in range(3))
        body = f'<h1>All</h1><ul>{cards}</ul><nav class="pagination">{numbers}<a href="#">Next</a></nav>'
        pages[f"/all?page={number + 1}" if number else "/all"] = page("All", body, top)
    return pages | {f"/item/{n}": detail(n, top) for n in range(COUNT)}


def lists_that_say_how_much_they_hold_and_grow_by_a_script() -> dict[str, str]:
    """No pager at all, but "12 products" above six; the addresses count pages, as those of most shops do."""
    top = '<ul class="nav"><li><a href="/c/0">One</a></li><li><a href="/c/1">Two</a></li></ul>'
    pages = {"/": page("Home", "<h1>Welcome</h1>", top)}
    for part, number in product(range(2), range(2)):
        cards = cards_of(range(part * 12 + number * 6, part * 12 + number * 6 + 6))
        body = f"<h1>Part {part}</h1><p>12 products</p><ul>{cards}</ul><div class=sentinel></div>"
        pages[f"/c/{part}?page=2" if number else f"/c/{part}"] = page(f"Part {part}", body, top)
    return pages | {f"/item/{n}": detail(n, top) for n in range(COUNT)}


def tables_without_a_heading_a_class_or_a_button() -> dict[str, str]:
    """As shops were written by hand in 1999."""
    top = (
        "<table><tr><td>" + " | ".join(f'<a href="/part{c}.htm">Part {c}</a>' for c in range(3)) + "</td></tr></table>"
    )
    rows = [
        f'<tr><td><a href="/item/{n}"><img src="/{n}.gif"></a></td><td><a href="/item/{n}">{NAMES[n]} {n}</a><br>A fine thing.</td>'
        f"<td>{price(n)}</td></tr>"
        for n in range(COUNT)
    ]
    lists = {
        f"/part{c}.htm": page(f"Part {c}", f"<font size=5>Part {c}</font><table>{''.join(rows[c::3])}</table>", top)
        for c in range(3)
    }
    details = {
        f"/item/{n}": page(
            f"{NAMES[n]} {n}",
            f'<table><tr><td><img src="/{n}.gif"></td><td><b>{NAMES[n]} {n}</b><br>{"Solid. " * 20}<br>Price: {price(n)}<br>'
            '<a href="/order.htm">How to order</a></td></tr></table>',
            top,
        )
        for n in range(COUNT)
    }
    order = page("How to order", f"<b>How to order</b><p>{'Send us a letter. ' * 20}</p>", top)
    return {"/": page("Home", "<b>Welcome</b>", top), "/order.htm": order, **lists, **details}


def names_that_only_pictures_confirm() -> dict[str, str]:
    """One <title> for all pages, no headings; each product has a page of reviews with its name, picture and price."""
    top = (
        "<table><tr><td>" + " - ".join(f'<a href="/part{c}.php">Part {c}</a>' for c in range(3)) + "</td></tr></table>"
    )

    def html(body: str) -> str:
        return f"<html><head><title>The Shop</title></head><body>{top}{body}</body></html>"

    def named(number: int) -> str:
        name = f"{NAMES[number]} {number}"
        return (
            f'<table><tr><td class="big">{name}<br><small>[M-{number}]</small></td><td>{price(number)}</td></tr></table>'
            f'<a href="/zoom/{number}.jpg"><img src="/{number}.gif" alt="{name}"></a>'
        )

    def row(number: int) -> str:
        return (
            f'<tr><td><a href="/item/{number}"><img src="/{number}.gif" alt="{NAMES[number]} {number}"></a></td>'
            f'<td><a href="/item/{number}">{NAMES[number]} {number}</a></td><td>{price(number)}</td>'
            f'<td><a href="/buy/{number}"><img src="/buy.gif" alt="Buy now"></a></td></tr>'
        )

    heads = '<tr><td class="list-heading"></td><td class="list-heading">Price</td><td class="list-heading">Buy now</td></tr>'
    pages = {"/": html("<p>Welcome</p>")}
    for c in range(3):
        pages[f"/part{c}.php"] = html(f"<p>Part {c}</p><table>{heads}{''.join(map(row, range(c, COUNT, 3)))}</table>")
    for n in range(COUNT):
        reviews = f'<a href="/reviews/{n}"><img src="/reviews.gif" alt="Reviews"></a>'
        pages[f"/item/{n}"] = html(
            f'<form action="/cart">{named(n)}<p>Solid.</p>{reviews}<input type=image alt="Add to cart"></form>'
        )
        pages[f"/reviews/{n}"] = html(f"{named(n)}<p>Good, says Joe.</p><p>Four of five stars.</p>")
    return pages


def pages_of_all_kinds_with_one_heading_and_few_names() -> dict[str, str]:
    """Lists, products and articles have their heading at the same place and the same few classes."""
    top = (
        "<div id=top>"
        + " ".join(f'<a href="/list/{c}">Part {c}</a>' for c in range(3))
        + '<a href="/terms">Terms</a></div>'
    )

    def html(title: str, body: str) -> str:
        return page(title, f"<div id=main><h1>{title}</h1>{body}</div>", top)

    def record(n: int) -> str:
        link = f'<a href="/item/{n}"><img src="/{n}.jpg"></a><b><a href="/item/{n}">{NAMES[n]} {n}</a></b>'
        return f'<div>{link}<br><span class="price">{price(n)}</span> <a href="/order?add={n}">to basket</a></div>'

    pages = {
        "/": html("Welcome", "<p>Have a look.</p>"),
        "/terms": html("Terms", f"<p>{'We send it by post. ' * 30}</p>"),
    }
    for c in range(3):
        pages[f"/list/{c}"] = html(f"Part {c}", "".join(map(record, range(c, COUNT, 3))))
    for n in range(COUNT):
        form = '<form action="/order" method=post><input name=quantity value=1><input type=submit value="Add to basket"></form>'
        body = f'<img src="/{n}.jpg"><p>No. M-{n}</p><p class="price">{price(n)} <small>incl. VAT</small></p>{form}<p>Solid.</p>'
        pages[f"/item/{n}"] = html(f"{NAMES[n]} {n}", body)
    return pages


SHOPS = (
    tiles_that_a_script_opens,
    rows_with_an_address_in_their_data,
    a_button_that_only_knows_the_number_of_the_next_page,
    a_pager_whose_numbers_lead_nowhere,
    lists_that_say_how_much_they_hold_and_grow_by_a_script,
    tables_without_a_heading_a_class_or_a_button,
    names_that_only_pictures_confirm,
    pages_of_all_kinds_with_one_heading_and_few_names,
)


@pytest.mark.parametrize("shop", SHOPS, ids=lambda shop: shop.__name__)
def test_all_products_are_found_and_nothing_else(shop: Callable[[], dict[str, str]]):
    found = walked(shop())
    assert found.products == {f"/item/{number}" for number in range(COUNT)}
    assert len(found.asked) == len(set(found.asked))


def test_forms_below_every_product_are_asked_for_a_few_times_only():
    """Each product links to a page that is not there: the shape is bounded, and no product is lost."""
    many = 80
    top = '<ul class="nav"><li><a href="/all">All</a></li></ul>'
    cards = "".join(
        f'<li class="card"><a href="/item/{n}"><img src="/{n}.jpg">Lamp {n}</a><span>{price(n)}</span></li>'
        for n in range(many)
    )
    ask = '<a href="/index.php?page=ask&pid={}">A question?</a>'
    details = {
        f"/item/{n}": page(
            f"Lamp {n}", f"<h1>Lamp {n}</h1><em>{price(n)}</em><button>Add to cart</button>{ask.format(n)}", top
        )
        for n in range(many)
    }
    shop = {"/": page("Home", "<h1>Welcome</h1>", top), "/all": page("All", f"<h1>All</h1><ul>{cards}</ul>", top)}
    found = walked(shop | details)
    assert len(found.products) == many
    assert found.dead <= 25


def test_guesses_that_come_to_nothing_are_given_up():
    """Six lists that say they hold more than they show, and of which the shop has no further page."""
    top = "".join(f'<li><a href="/c/{c}">Part {c}</a></li>' for c in range(6))
    menu = f'<ul class="nav">{top}</ul>'
    cards = [f'<li class="card"><a href="/item/{n}"><img src="/{n}.jpg">{NAMES[n]}</a></li>' for n in range(COUNT)]
    lists = {
        f"/c/{c}": page(f"Part {c}", f"<h1>Part {c}</h1><p>99 products</p><ul>{''.join(cards[c::6])}</ul>", menu)
        for c in range(6)
    }
    details = {f"/item/{n}": detail(n, menu) for n in range(COUNT)}
    found = walked({"/": page("Home", "<h1>Welcome</h1>", menu), **lists, **details})
    assert len(found.products) == COUNT and len([path for path in found.asked if "page=" in path]) == 2


def test_the_last_page_of_a_pager_is_the_last_whatever_the_list_says():
    """The count holds what the list shows twice, or what is sold out: a pager that ends is believed."""
    top = '<ul class="nav"><li><a href="/all">All</a></li></ul>'
    pages = {"/": page("Home", "<h1>Welcome</h1>", top)}
    for number in range(3):
        cards = cards_of(range(number * 8, number * 8 + 8))
        more = f'<a rel="next" href="/all?page={number + 2}">Next</a>' if number < 2 else ""
        body = f"<h1>All</h1><p>{COUNT + 1} products</p><ul>{cards}</ul>{more}"
        pages[f"/all?page={number + 1}" if number else "/all"] = page("All", body, top)
    found = walked(pages | {f"/item/{n}": detail(n, top) for n in range(COUNT)})
    assert len(found.products) == COUNT and found.dead == 0
