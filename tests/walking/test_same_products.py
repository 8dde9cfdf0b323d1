"""SameProducts: which addresses of a walk need not be asked for, because they lead to a product that is."""

from __future__ import annotations

from scout.walking.same_products import MIN_AGREED, SameProducts
from tests.walking.walking import walked

HOST = "http://shop.example"


def by_category(number: int) -> str:
    return f"{HOST}/info.php?cPath=3&products_id={number}"


def by_maker(number: int) -> str:
    return f"{HOST}/info.php?maker=7&products_id={number}"


def read(pairs: int, *, title: str = "Lamp {}", canonical: bool = False) -> SameProducts:
    """What is known when so many products were read, at two addresses or at one that names the other."""
    same = SameProducts()
    for number in range(pairs):
        same.read(by_category(number), f"Lamp {number}", by_maker(number) if canonical else None)
        if not canonical:
            same.read(by_maker(number), title.format(number), None)
    return same


def test_a_product_is_asked_for_once_where_a_number_in_addresses_proved_to_mean_one_product() -> None:
    for same in (read(MIN_AGREED), read(MIN_AGREED, canonical=True)):
        assert [same.is_asked(url) for url in (by_category(99), by_maker(99), by_maker(98))] == [False, True, False]


def test_addresses_are_asked_for_as_long_as_too_few_pages_agree_or_one_contradicts() -> None:
    for same in (read(MIN_AGREED - 1), read(MIN_AGREED, title="Another lamp")):
        assert [same.is_asked(url) for url in (by_category(99), by_maker(99))] == [False, False]


def test_another_address_of_a_product_is_asked_for_where_the_first_is_not_there() -> None:
    same = read(MIN_AGREED)
    assert [same.is_asked(url) for url in (by_category(99), by_maker(99))] == [False, True]
    third = by_category(99).replace("cPath=3", "cPath=4")
    assert same.is_asked(third)
    assert same.instead_of(by_category(99)) == [by_maker(99)], "one of them stands for the other"
    assert same.instead_of(by_maker(99)) == [third]
    assert [same.instead_of(third), same.is_asked(by_maker(98))] == [[], False]
    assert same.instead_of(by_maker(98)) == [] and not same.is_asked(by_category(98)), "what a later list shows"


def test_a_walk_reads_a_product_that_two_categories_show_once() -> None:
    def page(path: str, body: str) -> str:
        return f"<title>{path}</title><nav><a href='/a'>A</a><a href='/b'>B</a></nav>{body}"

    def product(number: int) -> str:
        price = f"<p class='price'>€ {number}.00</p><button>Add to cart</button>"
        return f"<link rel=canonical href='/lamp-{number}'><h1>Lamp {number}</h1><img alt='Lamp {number}'>{price}<p>SKU: L{number}</p>"

    pages = {"/": page("Home", "<p>Welcome</p>")}
    for category in "ab":
        cards = (
            f"<li><a href='/{category}/lamp-{n}'><img src='/{n}.jpg'>Lamp {n}</a> € {n}.00</li>" for n in range(10, 40)
        )
        pages[f"/{category}"] = page(category, f"<h1>{category}</h1><ul>{''.join(cards)}</ul>")
        pages |= {f"/{category}/lamp-{n}": page(f"Lamp {n}", product(n)) for n in range(10, 40)}
    found = walked(pages)
    assert {path.rpartition("/")[2] for path in found.products} == {f"lamp-{n}" for n in range(10, 40)}
    assert len(found.products) < 45, "some are read twice before that is known"
