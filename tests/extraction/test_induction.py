"""Rules from a few unlabelled pages of a shop."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.extraction.extractor import extract
from scout.extraction.induction import induce, is_induced
from scout.learning.index import PageIndex
from scout.page import Page
from scout.rules import INDUCED

NAMES = (
    "Red chair",
    "Blue lamp",
    "Oak table",
    "Green sofa",
    "Tall shelf",
    "Round mirror",
    "Soft carpet",
    "Small desk",
    "Brass clock",
    "Grey stool",
)
EANS = (
    "4006381333931",
    "4006381333948",
    "4006381333955",
    "4006381333962",
    "4006381333979",
    "4006381333986",
    "4006381333993",
    "4006381334006",
    "4006381334013",
    "4006381334020",
)


def page(number: int, *, price: str | None = None) -> Page:
    name, ean = NAMES[number], EANS[number]
    price = price or f"{number + 11},{number}0 €"
    return Page(
        f"https://shop.example/{name.lower().replace(' ', '-')}",
        f"""<html lang="de"><head><title>{name} kaufen</title></head><body><div class="top"><h2>Gute Möbel seit 1950</h2></div>
        <div class="main"><h1>{name}</h1><div class="box"><span class="preis">{price}</span><button>In den Warenkorb</button></div>
        <table><tr><th>Marke</th><td>{"Sitwell" if number % 2 else "Lux"}</td></tr><tr><th>EAN</th><td>{ean}</td></tr></table></div>
        <div class="footer">Versand ab 4,90 €</div></body></html>""",
    )


def test_a_former_price_that_few_pages_have_is_read_on_others_too():
    was = '<span class="old-price">{}</span> jetzt: </span><span class="preis">{}'
    rules = induce([page(0, price=was.format("20,00 €", "11,00 €")), *map(page, range(1, 8))])
    assert not rules.fields["list_price"].rules
    reduced = extract(page(8, price=was.format("30,00 €", "19,80 €")), rules)
    assert (reduced["price"], reduced["list_price"]) == ("19.80", "30.00")
    assert "list_price" not in extract(page(9), rules)


@pytest.fixture(scope="module")
def rules():
    return induce([page(i) for i in range(8)])


def test_the_rules_read_pages_they_were_not_made_from(rules):
    offer = extract(page(9), rules)
    assert (offer["title"], offer["price"], offer["brand"], offer["ean"]) == (NAMES[9], "20.90", "Sitwell", EANS[9])


@pytest.mark.parametrize(("other", "currency"), [("£", "GBP"), ("€", None)])
def test_a_currency_beside_the_amount_is_the_shops_where_all_pages_show_the_same(other: str, currency: str | None):
    """The selector of the price finds the bare amount; what stands beside it is lost to every page unless the rules remember it."""

    def apart(number: int) -> Page:
        symbol = other if number % 2 else "£"
        price = f"<i>{symbol}</i><b class='amount'>{number + 11}.{number}0</b>"
        return Page(page(number).url, page(number, price=price).html.replace("4,90 €", "").replace('lang="de"', ""))

    rules = induce([apart(i) for i in range(8)])
    assert rules.currency == currency
    assert extract(apart(8), rules).get("currency") == currency


def test_they_are_marked_as_induced(rules):
    assert rules.fields["price"].origin == INDUCED
    assert is_induced(rules)


def test_they_are_saved_and_loaded_like_any_rules(rules, tmp_path):
    rules.save(tmp_path / "shop.yaml")
    assert extract(page(8), type(rules).load(tmp_path / "shop.yaml"))["price"] == "19.80"


def test_what_is_the_same_on_all_pages_is_template():
    """A shop whose only heading is its claim: not a title."""
    pages = [
        Page(
            f"https://shop.example/{i}",
            f"<title>Welcome to our house</title><h1>Welcome to our house</h1><p class='price'>${i}9.00</p>",
        )
        for i in range(1, 7)
    ]
    assert not induce(pages).fields.get("title")


def test_where_the_rules_are_silent_the_page_itself_is_read(rules):
    other = Page(
        "https://shop.example/x",
        "<title>Iron bench</title><h1 id='other'>Iron bench</h1><p>59,00 €</p><button>Kaufen</button>",
    )
    assert extract(other, rules)["title"] == "Iron bench"


def test_a_brand_that_none_of_the_sample_had_is_found_by_its_name():
    bare = [Page(p.url, p.html.replace("<th>Marke</th>", "<th>Stand</th>")) for p in map(page, range(9))]
    rules = induce(bare[:8])
    logo = "<div class='product-manufacturer'><img src='/m.jpg' alt='Sitwell'></div><table>"
    branded = Page(bare[8].url, bare[8].html.replace("<table>", logo))
    assert "brand" not in rules.fields or not rules.fields["brand"].rules
    assert extract(branded, rules)["brand"] == "Sitwell"
    assert "brand" not in extract(bare[8], rules)


def _reduced(number: int) -> Page:
    """A page with the former prices of other products, in the same boxes as its own, which only two have."""
    tile = "<div class='left'>{}€{},99</div>"
    former = "<span class='old'>€{},50</span>"
    own = tile.format(former.format(number + 31) if number in (2, 5) else "", number + 11)
    tiles = "".join(
        f"<li><a href='/{i}'>{NAMES[(number + i) % 10]}</a>{tile.format(former.format(f'{i}{number}'), f'{i}0')}</li>"
        for i in (3, 4, 5)
    )
    return Page(
        f"https://shop.example/{number}",
        f"<html lang='de'><title>{NAMES[number]}</title><body><div><h1>{NAMES[number]}</h1>{own}<button>In den Warenkorb</button></div>"
        f"<div><h3>Passt dazu</h3><ul>{tiles}</ul></div></body></html>",
    )


def test_no_rule_reads_the_former_prices_of_other_products():
    rules = induce([_reduced(number) for number in range(8)])
    found = [extract(_reduced(number), rules) for number in range(10)]
    assert [offer["price"] for offer in found] == [f"{number + 11}.99" for number in range(10)]
    assert {offer.get("list_price") for offer in found} <= {None, "33.50", "36.50"}


def test_the_price_itself_in_the_place_of_the_former_one_is_none():
    """Some shops write it there, hidden, where nothing is reduced."""

    def shown(number: int) -> Page:
        former = f"<s>{number + 31},50 €</s>" if number % 3 == 0 else f"<s style='display: none'>{number + 11},90 €</s>"
        body = f"<h1>{NAMES[number]}</h1><p><b>{number + 11},90 €</b> {former}</p><button>In den Warenkorb</button>"
        return Page(f"https://shop.example/{number}", f"<html lang='de'><title>{NAMES[number]}</title>{body}</html>")

    rules = induce([shown(number) for number in range(9)])
    assert extract(shown(9), rules)["list_price"] == "40.50"


def test_no_pages_give_no_rules():
    assert induce([]).fields == {}


@settings(deadline=None, derandomize=True, max_examples=6)
@given(st.permutations(range(6)))
def test_the_rules_do_not_depend_on_the_order_of_the_pages(order: list[int]):
    assert induce(map(page, order)).to_yaml() == induce(map(page, range(6))).to_yaml()


def test_a_rule_that_contradicts_the_pages_own_answers_is_none():
    """A label that stands before the price on some pages stands before another product's on the others."""

    def labelled(number: int) -> Page:
        price, other = f"{number + 11},{number}0 €", f"{number + 50},00 €"
        box = f"<b>{price}</b>" if number % 3 else f"<i>Preis:</i> <u>{price}</u>"
        related = f"<ul><li><a href='/x'>Anderes</a> <i>Preis:</i> <u>{other}</u></li></ul>" if number % 3 else ""
        return Page(
            f"https://shop.example/{number}",
            f"<html lang='de'><title>{NAMES[number]}</title><h1>{NAMES[number]}</h1><div>{box}"
            f"<button>In den Warenkorb</button></div>{related}</html>",
        )

    rules = induce([labelled(number) for number in range(8)])
    alone = [extract(labelled(number)).get("price") for number in range(10)]
    assert [extract(labelled(number), rules).get("price") for number in range(10)] == alone


def test_stock_that_only_a_label_tells_is_read_beside_induced_rules():
    def page(number: int, stock: int) -> Page:
        return Page(
            f"http://shop.example/goods-{number}.html",
            f"<html><head><title>Lamp {number}A</title></head><body><div id=goods><h1>Lamp {number}A</h1>"
            f"<dl><dd><strong>本店售价：</strong><font class=shop>￥{number + 10}.50元</font></dd>"
            f"<dd><strong>商品库存：</strong>{stock}</dd></dl></div></body></html>",
        )

    rules = induce([page(number, 40) for number in range(8)])
    assert "price" in rules.fields
    states = [extract(page(9, stock), rules).get("availability") for stock in (40, 0)]
    assert states == ["InStock", "OutOfStock"]


def test_a_promotion_that_no_page_of_the_sample_had_is_the_price():
    def page(number: int, promotion: str = "") -> Page:
        return Page(
            f"http://shop.example/goods-{number}.html",
            f"<html><head><title>Lamp {number}A</title></head><body><div id=goods><h1>Lamp {number}A</h1><ul>"
            f"<li><strong>市场价格：</strong><font class=market>￥{number + 30}.00元</font></li>"
            f"<li><strong>本店售价：</strong><font class=shop>￥{number + 20}.00元</font></li>{promotion}</ul></div></body></html>",
        )

    rules = induce([page(number) for number in range(8)])
    reduced = page(9, "<li><strong>促销价：</strong><font class=shop>￥17.50元</font></li>")
    assert extract(page(9), rules)["price"] == "29.00"
    offer = extract(reduced, rules)
    assert offer["price"] == "17.50" and "the rules read 29.00" in (offer.why("price").note or "")


def test_a_page_written_otherwise_than_the_sample_is_read_by_itself(rules):
    table = page(8).html.partition("<table>")[2].partition("</table>")[0]
    other = page(8).html.replace(f"<table>{table}</table>", f"<dl><dt>GTIN-13</dt><dd>{EANS[8]}</dd></dl>")
    assert extract(Page(page(8).url, other), rules)["ean"] == EANS[8]


def test_what_names_the_shop_is_no_place_of_a_value():
    head = '<head><meta property="og:site_name" content="Lux"><meta property="og:title" content="Lamp by Lux">'
    places = PageIndex(Page("https://shop.example/p", f"<html>{head}</head><body>Lux</body></html>")).places
    assert [place.raw for place in places if "Lux" in place.raw] == ["Lamp by Lux", "Lux"]
