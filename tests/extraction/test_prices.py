"""Which amount is the price, and how a written amount is read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from scout.extraction import extract
from scout.extraction.prices import machine_amount
from scout.extraction.shown_amounts import joined
from scout.extraction.zero_shot import zero_shot
from scout.page import Page
from scout.rules import FieldRules, Rule, ShopRules, TextSelector
from scout.values import NumberLocale
from scout.values.numbers import format_amount

FRAME = (
    "<html lang='{lang}'><head><title>{title}</title>{head}</head>"
    "<body>{before}<div class='product'><h1>{title}</h1>{body}</div>{after}</body></html>"
)


def offer(
    body: str, *, head: str = "", before: str = "", after: str = "", lang: str = "en-US", title: str = "Red chair"
):
    html = FRAME.format(lang=lang, head=head, before=before, body=body, after=after, title=title)
    return zero_shot(Page("https://shop.example/red-chair", html))


def ld(price: str) -> str:
    offers = f'{{"price": "{price}", "priceCurrency": "USD"}}'
    return (
        f'<script type="application/ld+json">{{"@type": "Product", "name": "Red chair", "offers": {offers}}}</script>'
    )


def test_a_shown_price_near_the_title_is_found_without_any_markup():
    assert offer("<p>$129.00</p><button>Add to cart</button>")["price"] == "129.00"


def test_the_shown_price_wins_over_a_marked_up_list_price():
    found = offer("<del>$199.00</del> <b class='price'>$129.00</b>", head=ld("199.00"))
    assert (found["price"], found["list_price"]) == ("129.00", "199.00")


def test_prices_of_related_products_are_not_the_products():
    related = "<section class='related-products'>" + "".join(
        f"<a href='/{i}'>Chair {i} <span class='price'>${i}9.00</span></a>" for i in range(1, 7)
    )
    found = offer("<p>Ask us for a price</p>", after=related + "</section>")
    assert "price" not in found
    assert found.why("price").selector is None


def test_a_price_in_the_menu_or_cart_is_not_the_products():
    assert (
        offer("<p>$129.00</p>", before="<header><div class='minicart'>Total $0.00 $15.00</div></header>")["price"]
        == "129.00"
    )


def test_a_price_on_request_is_no_price_whatever_else_is_shown():
    assert "price" not in offer("<p class='price'>Price on request</p><p>Deposit $50.00</p>")


def test_what_an_option_adds_is_not_the_price():
    assert offer("<label>Gift wrap +$5.00</label><p class='price'>$129.00</p>")["price"] == "129.00"


def test_an_amount_in_a_sentence_is_not_the_price():
    assert "price" not in offer("<p>Free ground shipping for all orders over $99.</p>")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Switch RP2040 chip", "<p>The <strong>RP2040</strong> does it all</p>"),
        ("Laser lens KES-496A", "<p><strong>KES-496A</strong> <b>KES 496</b></p>"),
        ("Plotter CAD 3000", "<h3>CAD 3000</h3>"),
        ("Puzzle TOP 100", "<h2>TOP 100</h2>"),
    ],
)
def test_an_amount_that_the_title_names_is_no_price(title: str, body: str):
    assert "price" not in offer(f"{body}<button>Add to cart</button>", title=title)


def test_the_price_of_a_voucher_may_stand_in_its_title():
    assert offer("<p class='price'>EUR 50</p><p>50 € off</p>", title="Voucher EUR 50")["price"] == "50.00"


@pytest.mark.parametrize(
    "said", ["<img src='free.png' alt=\"It's free!\">", "<b>Free</b>", "<b>Gratis</b>", "<span>Call for price</span>"]
)
def test_a_price_block_that_says_free_or_call_asks_no_price(said: str):
    block = f"<div class='product-prices'><span class='normal-price'>$100.00</span> <s>$75.00</s> {said}</div>"
    assert "price" not in offer(f"{block}<button>Add to cart</button>")


def test_free_shipping_beside_a_price_does_not_make_it_free():
    block = "<div class='price-box'><span class='price'>$100.00</span><p>Shipping: <b>Free</b></p></div>"
    assert offer(f"{block}<p>Free</p><button>Add to cart</button>")["price"] == "100.00"


SHOWN = [  # language, what is shown below the title, price, list price
    ("de", "<p>Versandkosten: 4,90 €</p><p>12,90 € inkl. MwSt.</p><button>In den Warenkorb</button>", "12.90", None),
    ("de", "<table><tr><td>Versand</td><td>4,90 €</td></tr></table><p>12,90 €</p>", "12.90", None),
    ("de", "<div class='grundpreis'>4,98 € / kg</div><div class='preis'>2,49 €</div>", "2.49", None),
    ("de", "<div class='price'>11,99 €</div><div>+ 3,30 € Pfand</div>", "11.99", None),
    ("de", "<p>UVP 399,00 €</p><p>Sie sparen 100,00 € (25 %)</p><p>299,00 €</p>", "299.00", "399.00"),
    (
        "de",
        "<p class='price'>79,95 €</p><s>99,95 €</s><p>Niedrigster Preis der letzten 30 Tage: 69,95 €</p>",
        "79.95",
        "99.95",
    ),
    ("de", "<div class='net'>99,00 € zzgl. MwSt.</div><div class='gross'>117,81 € inkl. MwSt.</div>", "117.81", None),
    ("pl", "<p>Cena netto: 100,00 zł</p><p>Cena brutto: 123,00 zł</p>", "123.00", None),
    ("en-GB", "<span class='price'>£100.00 ex VAT</span> <span class='price'>£120.00 inc VAT</span>", "120.00", None),
    ("it", "<div class='prezzo'>100,00 € + IVA</div><div class='prezzo'>122,00 € IVA inclusa</div>", "122.00", None),
    ("de", "<div>ab 29,90 € mtl.</div><div class='preis'>899,00 €</div>", "899.00", None),
    ("pl", "<div>Raty od 99,90 zł</div><div class='cena'>2 999,00 zł</div>", "2999.00", None),
    ("ru", "<div>В кредит от 2 500 ₽/мес</div><div class='price'>49 990 ₽</div>", "49990.00", None),
    (
        "en-US",
        "<div class='price-monthly'>$41.67/mo</div><p>for 24 months</p><div class='price'>$999.99</div>",
        "999.99",
        None,
    ),
    ("en-US", "<span class='price'>Members: $9.99</span> <span class='price'>$12.99</span>", "12.99", None),
    ("en-IN", "<span>MRP ₹1,999</span> <span>₹999</span> <span>(50% OFF)</span>", "999.00", "1999.00"),
    (
        "pt-BR",
        "<s>R$ 1.499,90</s> <b>R$ 1.299,90</b><p>ou 10x de R$ 129,99</p><p>R$ 1.169,91 à vista</p>",
        "1299.90",
        "1499.90",
    ),
    ("fr", "<span class='price'>12€<sup>99</sup></span>", "12.99", None),
    ("sv-SE", "<div>1 299:-</div>", "1299.00", None),
    ("ar-SA", "<div class='price'>١٬٢٩٩٫٥٠ ر.س</div>", "1299.50", None),
    ("de-CH", "<div>CHF 1'299.–</div>", "1299.00", None),
    ("ja", "<p>販売価格 12,800円（税込14,080円）</p><p>送料 550円</p>", "12800.00", None),
]


@pytest.mark.parametrize(("lang", "body", "price", "list_price"), SHOWN)
def test_shipping_rates_savings_deposits_and_net_prices_are_not_the_price(lang, body, price, list_price):
    found = offer(f"{body}<button>Add to cart</button>", lang=lang)
    assert (found.get("price"), found.get("list_price")) == (price, list_price)


def test_a_suggested_price_is_the_price_where_what_follows_is_called_otherwise():
    rows = "<tr><td>Starting MSRP:</td><td>$35,100</td></tr><tr><td>Starting invoice:</td><td>$31,941</td></tr>"
    assert offer(f"<table>{rows}</table>")["price"] == "35100.00"


def test_what_the_dealer_pays_is_no_price_whether_its_label_stands_before_or_behind():
    behind = "<div>$35,140 <b>MSRP</b></div><div><p>$32,658</p><p>Invoice</p></div>"
    assert offer(behind)["price"] == "35140.00"
    before = "<div class='retailPrice'>MSRP: $50,200</div><div><b>Invoice Price:</b> <i>$46,686</i></div>"
    assert offer(before)["price"] == "50200.00"


def test_a_part_of_a_sentence_about_rates_is_neither_price_nor_list_price():
    rates = "<div>Pay 4 interest free payments of <span>$87.50</span></div>"
    found = offer(f"<p>Regular price $49.95</p><button>Add to cart</button>{rates}")
    assert (found["price"], found.get("list_price")) == ("49.95", None)


def test_a_block_named_for_a_former_price_tells_the_list_price_with_and_without_tax():
    before = "<span class='price-before'><i class='vatex'>993 Kč</i> <i class='vatin'>1 201 Kč</i></span>"
    found = offer(
        f"<div>{before} <strong class='price-final'>699 Kč</strong></div><button>Do košíku</button>", lang="cs"
    )
    assert (found["price"], found["list_price"]) == ("699.00", "1201.00")


def test_zero_is_no_price():
    assert "price" not in offer("<p class='price'>$0.00</p>")


def test_of_two_prices_in_one_block_the_reduced_one_is_paid():
    found = offer(
        "<p><span class='normal-price'>$38.99</span> <span class='special-price'>$29.99</span></p><button>Add to cart</button>"
    )
    assert found["price"] == "29.99"


def test_a_former_price_by_its_label_is_not_paid():
    assert (
        offer("<div><div>Was</div><div>$179.99</div><div>Your price</div><div>$145.88</div></div>")["price"] == "145.88"
    )


def test_cents_in_an_element_of_their_own_are_cents():
    assert offer("<p class='price'><span>€</span><span>12</span><sup>99</sup></p>", lang="de-DE")["price"] == "12.99"


def test_the_currency_may_stand_in_the_next_element():
    assert offer("<p><b>294</b><span> 元</span></p>", lang="zh-TW")["price"] == "294.00"


def test_a_hidden_decoy_is_not_the_price():
    assert offer("<p style='display:none' class='price'>$1.00</p><p class='price'>$129.00</p>")["price"] == "129.00"


def test_thousands_are_read_by_the_pages_locale():
    assert offer("<p class='price'>34.000 €</p><p>Versand 4,90 €</p>", lang="de-DE")["price"] == "34000.00"


@pytest.mark.parametrize(
    ("raw", "shown", "wanted"),
    [
        ("34.000", {Decimal(34000)}, "34000"),
        ("34.000", {Decimal(34)}, "34.000"),
        ("34.000", (), "34.000"),
        ("2.449", (), "2449"),
        ("1,299.00", (), "1299.00"),
        ("12.5", (), "12.5"),
        ("on request", (), None),
    ],
)
def test_amounts_in_markup_are_checked_against_what_is_shown(raw: str, shown, wanted: str | None):
    found = machine_amount(raw, NumberLocale(), shown)
    assert found == (Decimal(wanted) if wanted else None)


def test_cents_in_a_script_are_told_by_what_is_shown():
    assert machine_amount("2295", NumberLocale(), {Decimal("22.95")}, in_script=True) == Decimal("22.95")
    assert machine_amount("1.7850", NumberLocale(",", "."), {Decimal("1785")}) == Decimal(1785)  # a program's slip
    assert machine_amount("1.7850", NumberLocale(",", ".")) == Decimal("1.785")
    assert machine_amount("2295", NumberLocale(), {Decimal(2295), Decimal("22.95")}, in_script=True) == Decimal(2295)


def test_amounts_are_written_without_exponent_and_with_two_decimals_at_least():
    written = [format_amount(Decimal(x)) for x in ("1E+3", "12.5", "71.9104", "5")]
    assert written == ["1000.00", "12.50", "71.9104", "5.00"]


def test_rules_and_the_page_alone_write_a_price_in_the_same_way():
    page = Page("http://shop.example/p/1", """<h1>Lamp</h1><div class=price>13 €</div><button>Add to cart</button>""")
    rules = ShopRules(fields={"price": FieldRules((Rule(TextSelector(".price")),))})
    assert extract(page)["price"] == extract(page, rules)["price"] == "13.00"


def test_joined_sets_pieces_of_one_price_together():
    root = Page("u", "<p>1 <b>299</b><i>,-</i></p>").root
    assert joined(root.xpath("//p")[0]) == "1 299,-"


def test_a_struck_price_in_another_products_box_is_not_this_products_list_price():
    box = "<div class='box'><a href='/{0}'>Chair {0}</a> <p><del>${0}59.00</del> <b>${0}29.00</b></p></div>"
    others = "<h3>You may know these already</h3><div>" + "".join(map(box.format, (2, 3, 4))) + "</div>"
    page = "<p class='price'>$129.00</p><button>Add to cart</button>" + others
    assert (offer(page)["price"], offer(page).get("list_price")) == ("129.00", None)
    reduced = page.replace("$129.00", "<del>$149.00</del> <b>$129.00</b>")
    assert (offer(reduced)["price"], offer(reduced)["list_price"]) == ("129.00", "149.00")


@pytest.mark.parametrize(
    ("lang", "price", "said"),
    [
        ("pl", "<b>257,99 zł</b>", "Najniższa cena z 30 dni przed obniżką: <span>250,25 zł</span>"),
        ("de", "<b>257,99 €</b>", "Niedrigster Preis der letzten 30 Tage <span>250,25 €</span>"),
        ("cs", "<b>258 Kč</b>", "<span>Nejnižší cena za posledních 30 dní: 250 Kč</span>"),
        ("hu", "<b>25 799 Ft</b>", "<span>Az elmúlt 30 nap legalacsonyabb ára: 25 025 Ft</span>"),
        (
            "pl",
            "<b>257,99 zł</b>",
            "<i>Najniższa cena produktu w okresie 30 dni przed wprowadzeniem obniżki: </i><del>290,25 zł</del>",
        ),
        ("fr", "<b>257,99 €</b>", "<span>250,25 € : prix le plus bas des 30 derniers jours</span>"),
    ],
)
def test_the_lowest_price_of_the_last_days_is_not_what_is_paid(lang: str, price: str, said: str):
    """The law wants it shown (Directive (EU) 2019/2161): it may be lower than the price, and is no list price either."""
    found = offer(f"<div>{price}</div><div class='omnibus-price'>{said}</div>", lang=lang)
    assert found["price"].replace(".", "").startswith("257") or found["price"] in ("258.00", "25799")
    assert "list_price" not in found


def test_a_former_price_beside_another_product_that_costs_the_same_is_not_this_products():
    box = "<div class='box'><a href='/{0}'>Chair {0}</a> <p><del>${0}59.00</del> <b>${0}29.00</b></p></div>"
    others = "<h3>You may know these already</h3><div>" + "".join(map(box.format, (1, 2, 3))) + "</div>"
    assert "list_price" not in offer("<p class='price'>$129.00</p><button>Add to cart</button>" + others)


def test_a_labelled_former_price_in_another_products_box_is_not_this_products_either():
    box = (
        "<li><a href='/{0}'>Chair {0}</a><p><b>RRP:</b> <i>${0}59.00</i></p><p><b>Price:</b> <i>${0}29.00</i></p></li>"
    )
    others = "<h3>You may know these already</h3><ul>" + "".join(map(box.format, (2, 3, 4))) + "</ul>"
    assert "list_price" not in offer("<p class='price'>$129.00</p><button>Add to cart</button>" + others)


def test_the_price_in_the_pictured_link_to_another_product_is_that_products_where_this_one_has_none():
    price = "<span class='price'><del><span class='amount'>$149.00</span></del> <ins><span class='amount'>$139.00</span></ins></span>"
    link = f"<a href='/p/3'><img src='/3.jpg'><h2>Chair 3</h2>{price}</a>"
    assert "price" not in offer(f"<meta property='og:type' content='product'><p>A chair</p>{link}")
    assert offer(f"<p class='price'>$129.00</p><button>Add to cart</button>{link}")["price"] == "129.00"


@pytest.mark.parametrize(
    ("body", "price", "list_price"),
    [
        ("<span class='regular-price'><span class='price'>$129.00</span></span>", "129.00", None),
        ("<span class='regular-price'>$149.00</span> <span class='price'>$129.00</span>", "129.00", "149.00"),
        ("<div class='PriceList'><span>$129.00</span></div>", "129.00", None),
        ("<p class='list-price'>$129.00</p><div class='rate'>from $11.00/mo</div>", "129.00", None),
    ],
)
def test_a_regular_price_is_a_former_one_only_beside_a_lower(body: str, price: str, list_price: str | None):
    """Where nothing is reduced it is the price, and many shops call it so."""
    found = offer(f"<div class='box'>{body}</div><button>Add to cart</button>")
    assert (found["price"], found.get("list_price")) == (price, list_price)


def test_a_number_that_ends_a_name_is_no_part_of_the_price_behind_it():
    box = "<div class='price box'><b>Pan L200</b><i>179,44 €</i></div>"
    assert offer(f"{box}<button>Kaufen</button>", lang="de", title="Pan")["price"] == "179.44"


def test_of_a_range_whose_signs_stand_apart_the_currency_is_read():
    sign = "<span class='sign'>£</span>"
    found = offer(f"<div class='price'>{sign}45.99 - {sign}91.98</div><button>Add to cart</button>", lang="en")
    assert (found["price"], found["currency"]) == ("45.99", "GBP")


def test_an_amount_without_a_sign_is_in_the_currency_of_the_pages_others():
    found = offer(
        "<div class='price'>45.99</div><button>Add to cart</button><p>Shipping within the UK: £3.50 <b>£5.00</b></p>"
    )
    assert (found["price"], found["currency"]) == ("45.99", "GBP")


def test_names_that_all_prices_of_a_page_share_tell_none_of_them_apart():
    box = "<div class='grid-list__price'><span id='line_discounted_price_{0}'>${0}30.00</span></div>"
    others = "<h3>More</h3>" + "".join(f"<p><a href='/{i}'>Chair {i}</a></p>{box.format(i)}" for i in (2, 4, 3))
    assert "list_price" not in offer(box.format(1) + "<button>Add to cart</button>" + others)


@pytest.mark.parametrize(
    ("lang", "note", "currency"),
    [
        ("en", "CAD, taxes calculated at checkout", "CAD"),
        ("en", "Prices in USD, CAD or AUD", "USD"),
        ("en", "Free returns", "USD"),
        ("en-US", "Also ships from CAD 10", "USD"),
    ],
)
def test_a_shared_sign_is_explained_by_the_one_code_that_the_page_names(lang: str, note: str, currency: str):
    assert (
        offer(f"<p class='price'>$129.00</p><p>{note}</p><button>Add to cart</button>", lang=lang)["currency"]
        == currency
    )


def test_a_heading_or_an_inline_element_is_no_part_of_the_pages_frame_whatever_it_is_called():
    """Some style sheets call every large text a header."""
    body = "<p><span class='ui huge header'>$129.00</span></p><div class='header'>From $5.00</div>"
    assert offer(body)["price"] == "129.00"


def test_of_two_prices_that_are_only_named_as_the_full_and_the_final_one_the_final_is_paid():
    body = (
        "<div class='price-box'><span class='price-standard'><span>188 Kč</span></span><span>–20 %</span>"
        "<strong class='price-final'><span>150 Kč</span></strong><span class='additional'>124 Kč bez DPH</span></div>"
    )
    found = offer(body, lang="cs")
    assert (found["price"], found["list_price"]) == ("150.00", "188.00")


@pytest.mark.parametrize(
    ("lang", "body"),
    [
        ("en", "<div>RRP: £159.95</div><div>£129.95</div>"),
        ("en", "<div><span>Was $159.95</span> <span>Now $129.95</span></div>"),
        ("pl", "<div>Cena regularna: <b>159,95 zł</b></div><div>129,95 zł</div>"),
        ("cs", "<div>Běžná cena <span>159,95 Kč</span></div><div>129,95 Kč</div>"),
        ("hu", "<div>Eredeti ár: 159,95 Ft</div><div>Akciós ár: 129,95 Ft</div>"),
        ("tr", "<div>Liste fiyatı 159,95 TL</div><div>İndirimli fiyat 129,95 TL</div>"),
        ("ar", "<div>السعر قبل الخصم <b>159.95 ر.س</b></div><div>السعر بعد الخصم <b>129.95 ر.س</b></div>"),
        ("pt-BR", "<div>De: R$ 159,95</div><div>Por: R$ 129,95</div>"),
        ("vi", "<div><span>129.95đ</span><span>159.95đ</span><span>-19%</span></div>"),
    ],
)
def test_a_label_or_a_discount_tells_the_former_price_from_the_price_although_it_comes_first(lang: str, body: str):
    found = offer(body, lang=lang)
    assert (found["price"], found["list_price"]) == ("129.95", "159.95")


def test_a_list_price_alone_is_the_price():
    assert offer("<div>MSRP: $23,050</div>")["price"] == "23050.00"


def test_the_prices_of_others_in_nameless_boxes_are_not_that_of_a_product_that_has_none():
    box = "<div><a href='/{0}'><img src='{0}.jpg'></a><a href='/{0}'>Chair {0}</a><div>${0}9.00</div></div>"
    assert "price" not in offer("<p>Sold out</p>", after="".join(map(box.format, range(2, 6))))


def test_cents_in_a_data_attribute_are_told_by_what_is_shown():
    assert offer("<i data-product-price='12900'></i><p>129.00 €</p>")["price"] == "129.00"


@pytest.mark.parametrize("amount", ["1 290 р", "R 1,290.00", "S/ 1290.00", "1290 ден"])
def test_a_letter_beside_an_amount_may_be_its_currency(amount: str):
    assert offer(f"<p>{amount}</p>")["price"] == "1290.00"


def test_a_label_belongs_to_the_amount_in_its_own_block():
    blocks = "<div><b>$35,140</b> <span>MSRP</span></div><div><b>$34,437</b> <span>Market average</span></div>"
    assert offer(blocks)["price"] == "35140.00"


def test_what_a_label_says_in_brackets_counts():
    rows = "<table><tr><td><a href='#g'>Original price (MSRP)</a></td><td>$90.00</td></tr><tr><td>Price</td><td>$70.00</td></tr></table>"
    found = offer(rows)
    assert (found["price"], found["list_price"]) == ("70.00", "90.00")


def test_records_in_columns_of_a_grid_are_other_products():
    card = "<div class='col'><div class='thumb'><a href='/p/{0}'><img src='/{0}.jpg'></a><b class='price'>${0}.00</b></div></div>"
    grid = f"<div class='row'>{''.join(card.format(n) for n in (21, 22, 23))}</div>"
    assert "price" not in offer(grid)


def test_the_higher_amounts_that_are_no_list_price_stand_in_the_evidence():
    found = offer("<b class='price'>$129.00</b> <span class='price'>$199.00</span><button>Add to cart</button>")
    assert found.get("list_price") is None
    assert any(vote.startswith("199.00") for vote in found.why("list_price").votes)
