"""One page of a shop never seen before: every field, its evidence, and when to say nothing."""

from __future__ import annotations

import json
import time

import pytest

from scout.extraction.zero_shot import marked_offer, zero_shot
from scout.page import Page

EAN = "4006381333931"


def read(
    body: str, *, head: str = "<title>Red chair</title>", url: str = "https://shop.example/red-chair", way=zero_shot
):
    return way(Page(url, f"<html lang='en'><head>{head}</head><body>{body}</body></html>"))


def ld(**product) -> str:
    return f'<script type="application/ld+json">{json.dumps({"@type": "Product", "name": "Red chair", **product})}</script>'


# --- title ---


def test_the_shops_name_is_cut_from_a_title():
    found = read(
        "<div><p>no heading</p></div>",
        head="<title>Red chair - Sitwell Shop</title><meta property='og:site_name' content='Sitwell Shop'>",
    )
    assert found["title"] == "Red chair"


def test_the_shops_name_alone_is_no_title():
    found = read("<h1>Sitwell</h1>", head="<title>Sitwell</title>", url="https://www.sitwell.example/")
    assert "title" not in found
    assert found.why("title").note


SPA_TITLE = "<title>Sitwell</title>"  # one for all pages, as scripts leave it


@pytest.mark.parametrize(
    "place", ["<p class='p_name'>{}</p>", "<div class='goods-title'>{}</div>", "<h3 class=name>{}</h3>"]
)
def test_a_page_without_headings_is_titled_by_what_is_called_a_name_beside_the_price(place: str):
    body = (
        f"<header><h3>Details</h3></header><section><div>{place.format('Red chair')}<p><b>￥358</b></p></div></section>"
    )
    found = read(body, head=SPA_TITLE, url="https://shop.example/item/5")
    assert (found["title"], found["price"]) == ("Red chair", "358.00")


@pytest.mark.parametrize(
    "body",
    [
        "<p class='p_name'>Red chair</p><section><p>Ask us for its price</p></section>",
        "<div><p class='p_name'>Red chair</p><b>￥358</b></div><div><p class='p_name'>Blue chair</p><b>￥299</b></div>",
        "<div><a href='/item/7' class='p_name'>Red chair</a><b>￥358</b></div>",
        "<div><p class='intro'>Red chair</p><b>￥358</b></div>",
    ],
)
def test_names_without_a_price_of_several_records_or_links_are_no_title(body: str):
    assert "title" not in read(f"<main>{body}</main>", head=SPA_TITLE, url="https://shop.example/item/5")


def test_a_heading_of_another_box_is_not_the_title():
    boxes = "".join(f"<h1>Lamp {i}</h1>" for i in range(5))
    assert read(f"<h2 class='product-title'>Red chair</h2>{boxes}")["title"] == "Red chair"


def test_blocks_in_a_heading_are_apart_and_comments_do_not_cut_it():
    assert read("<h1><!-- icon -->Red <b>cha</b>ir<div>oak</div></h1>", head="")["title"] == "Red chair oak"


def test_a_format_that_the_pages_title_has_apart_from_the_name_is_cut_off():
    found = read(
        "<h2 class=title>Captive of Sin <span>(Mass Market Paperback)</span></h2><p>Captive of Sin</p>"
        "<b>$7.99</b><button>Add to cart</button>",
        head="<title>Captive of Sin by Anna Campbell (Mass Market Paperback): Sitwell</title>",
        url="https://shop.example/product/9780061684289",
    )
    assert found["title"] == "Captive of Sin"


def test_what_is_appended_to_a_heading_and_not_to_the_pages_title_is_no_part_of_the_name():
    found = read(
        "<div class='name'>Red chair<span class='sku'>ID</span><span class='code'>3881018</span></div>",
        head="<title>Red chair | Chairs | Sitwell</title>",
    )
    assert found["title"] == "Red chair"


def test_elements_right_behind_each_other_are_words_of_their_own():
    assert read("<h1><a href='/s'>Sitwell</a><span>Red chair</span></h1>", head="")["title"] == "Sitwell Red chair"


def test_a_brand_set_apart_in_the_heading_is_not_part_of_the_name():
    found = read(
        "<h1><strong>Sitwell</strong> Red chair (77)</h1><p>Brand: Sitwell</p>",
        head="<title>Shop | Sitwell Red chair 77</title>",
    )
    assert (found["brand"], found["title"]) == ("Sitwell", "Red chair (77)")


# --- numbers and names ---


@pytest.mark.parametrize(
    "body",
    [
        f"<p>EAN: {EAN}</p>",
        f"<dl><dt>EAN</dt><dd>{EAN}</dd></dl>",
        f"<table><tr><th>GTIN/EAN:</th><td>{EAN}</td></tr></table>",
        f"<ul><li><span>Barcode</span> <span>{EAN}</span></li></ul>",
        f"<p>код: 1</p><p>Штрихкод: {EAN}</p>",
    ],
)
def test_labelled_values_are_found_however_label_and_value_are_set(body: str):
    assert read(f"<h1>Red chair</h1>{body}")["ean"] == EAN


def test_a_wrong_check_digit_is_no_ean():
    assert "ean" not in read("<h1>Red chair</h1><p>EAN: 4006381333932</p>")


def test_a_gtin_named_in_the_title_is_found():
    assert read("<h1>Red chair</h1>", head="<title>Red chair (ISBN 9780306406157)</title>")["ean"] == "9780306406157"


def test_the_code_that_is_shown_wins_over_an_internal_one():
    assert read("<h1>Red chair</h1><p>Product code: AB-12</p>", head=ld(sku="998877"))["sku"] == "AB-12"


def test_several_shown_codes_are_no_reason_to_doubt_the_marked_one():
    parts = "<p>Article number: 111.222</p><p>Article number: 333.444</p>"
    assert read(f"<h1>Red chair</h1>{parts}", head=ld(sku="99-8877"))["sku"] == "99-8877"


@pytest.mark.parametrize(
    ("url", "sku"),
    [
        ("https://shop.example/item/red-chair-iid-1021493409", "1021493409"),
        ("https://shop.example/itm/302474151804", "302474151804"),
        ("https://shop.example/red-chair?sku=1049084", "1049084"),
        ("https://shop.example/red-chair/AB_106160%2F01.html", "AB_106160/01"),
        ("https://shop.example/93133869_red-chair", "93133869"),
    ],
)
def test_the_address_tells_the_code_where_nothing_else_does(url: str, sku: str):
    assert read("<h1>Red chair</h1>", url=url)["sku"] == sku


def test_a_plain_address_has_no_code():
    assert "sku" not in read("<h1>Red chair</h1>", url="https://shop.example/furniture/red-chair-2")


def test_a_name_of_digits_in_the_address_is_no_code():
    found = read(
        f"<h1>2001</h1><p>EAN: {EAN}</p>", head="<title>2001</title>", url="https://shop.example/books/2001_19/"
    )
    assert found["sku"] == EAN


@pytest.mark.parametrize("placeholder", ["N/A", "$brand", "{{ brand }}", "-", "Please see our terms. They say it."])
def test_placeholders_are_no_brand(placeholder: str):
    assert "brand" not in read("<h1>Red chair</h1>", head=ld(brand=placeholder))


def test_a_specification_tells_brand_and_manufacturers_number_where_no_label_of_the_template_does():
    rows = {"Ražotājs": "Sitwell", "Ražotāja kods": "SW-4410", "Krāsa": "sarkana", "Svars": "4 kg", "Platums": "40 cm"}
    table = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows.items())
    found = read(f"<h1>Red chair</h1><table>{table}</table>")
    assert (found["brand"], found["han"]) == ("Sitwell", "SW-4410")
    assert found.why("brand").selector == "the page's specification"


def test_a_marked_brand_is_not_overruled_by_the_specification():
    table = "<table><tr><th>Ražotājs</th><td>Works</td></tr><tr><th>Svars</th><td>4 kg</td></tr></table>"
    assert read(f"<h1>Red chair</h1>{table}", head=ld(brand="Sitwell"))["brand"] == "Sitwell"


def test_a_heading_that_is_a_price_names_nothing_and_a_code_in_brackets_behind_the_name_is_its_number():
    page = "<h1>64,90 €</h1><h1>Red chair<br><small>[SW-4410]</small></h1>"
    found = zero_shot(
        Page("https://shop.example/p.php?id=3", f"<title>Red chair, Chairs Ltd.</title><body>{page}</body>")
    )
    assert (found["title"], found["price"], found["sku"]) == ("Red chair", "64.90", "SW-4410")


def test_a_label_is_not_the_value_of_the_label_before_it():
    assert (
        read("<h1>Red chair</h1><div><h2>Hersteller</h2><p>Hersteller: <a>Sitwell</a></p></div>")["brand"] == "Sitwell"
    )


def test_a_logo_named_for_the_brand_tells_it():
    assert (
        read("<h1>Red chair</h1><div class='product-manufacturer'><img src='/m/3.jpg' alt='Sitwell'></div>")["brand"]
        == "Sitwell"
    )


def test_a_brand_menu_is_not_the_brand():
    assert "brand" not in read("<nav><b>Brand</b> <a href='/x'>All stores</a></nav><h1>Red chair</h1>")


LABELS = [  # brand, article number, GTIN and maker's number, as shops of many countries label them
    ("Manufacturer", "Item #", "UPC", "Mfr. Part #"),
    ("Marke", "Bestellnr.", "EAN-Code", "Hersteller-Artikelnummer"),
    ("Marque", "N° d'article", "Code EAN", "Réf. fabricant"),
    ("Marca", "Cód. producto", "Código de barras", "Código fabricante"),
    ("Marchio", "Cod. articolo", "Codice a barre", "Codice costruttore"),
    ("Fabricante", "Cód. do produto", "EAN", "Código do fabricante"),
    ("Producent", "Kod produktu", "Kod EAN", "Numer katalogowy producenta"),
    ("Značka", "Kód zboží", "EAN", "Kód výrobce"),
    ("Торговая марка", "Код товара", "Штрих-код", "Артикул производителя"),
    ("生产厂家", "商品货号", "商品条码", "制造商型号"),
    ("メーカー名", "商品番号", "JAN/EAN", "メーカー品番"),
]


@pytest.mark.parametrize("labels", LABELS)
def test_brand_and_numbers_are_found_behind_the_labels_of_many_languages(labels: tuple[str, ...]):
    values = ("Sitwell", "SW-44120", EAN, "KZ/12-A")
    rows = "".join(f"<li><b>{label}:</b> {value}</li>" for label, value in zip(labels, values, strict=True))
    found = read(f"<h1>Red chair</h1><ul>{rows}</ul>")
    assert tuple(found.get(field) for field in ("brand", "sku", "ean", "han")) == values


@pytest.mark.parametrize(
    ("body", "brand", "sku"),
    [
        ("<p>Brand: Sitwell | SKU: SW-44120</p>", "Sitwell", "SW-44120"),
        ("<span>(Art.-Nr. SW-44120)</span>", None, "SW-44120"),
        ("<div>SKU: 44120 Model: KZ12-X</div>", None, "44120"),
        ("<div>Item # 443-120</div><div>Model # KZ12</div>", None, "443-120"),
        ("<div data-product-sku='SW-44120'></div><form data-sku='SW-44120'></form>", None, "SW-44120"),
        ("<form><input type='hidden' name='sku' value='SW-44120'></form>", None, "SW-44120"),
        ("<div>by <a href='/brands/sitwell'>Sitwell</a></div>", "Sitwell", None),
        ("<div><a href='/brands/all'>Sitwell and others</a></div>", None, None),
        (
            "<script>gtag('event','view_item',{currency:'EUR',items:[{item_id:'SW-44120',item_name:'Red chair',item_brand:'Sitwell'}]});"
            "</script>",
            "Sitwell",
            "SW-44120",
        ),
        (
            '<script>var utag_data = {"product_name":["Red chair"],"product_sku":["SW-44120"],"product_brand":["Sitwell"]};</script>',
            "Sitwell",
            "SW-44120",
        ),
    ],
)
def test_brand_and_code_are_found_where_shops_put_them(body: str, brand: str | None, sku: str | None):
    found = read(f"<h1>Red chair</h1>{body}")
    assert (found.get("brand"), found.get("sku")) == (brand, sku)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ("<div data-product-sku='SW-44120'></div>", "div::attr(data-product-sku)"),
        ("<form><input type='hidden' name='sku' value='SW-44120'></form>", 'input[name="sku"]::attr(value)'),
    ],
)
def test_the_evidence_names_the_attribute_or_input_that_says_it(body: str, where: str):
    assert read(f"<h1>Red chair</h1>{body}").why("sku").selector == where


def test_a_meta_element_outside_of_any_item_tells_the_gtin():
    assert read("<h1>Red chair</h1>", head=f"<meta itemprop='gtin13' content='{EAN}'>")["ean"] == EAN


@pytest.mark.parametrize(
    "marked",
    [
        {"gtin": 36000291452},
        {"identifier": [{"@type": "PropertyValue", "propertyID": "GTIN-12", "value": "036000291452"}]},
    ],
)
def test_a_gtin_that_lost_its_zero_or_is_one_of_several_identifiers_is_found(marked: dict):
    assert read("<h1>Red chair</h1>", head=ld(**marked))["ean"] == "0036000291452"


@pytest.mark.parametrize(
    ("beside", "code"),
    [("Product Code: MDL-2123", "USD"), ("MDL", "USD"), ("€ Euro | $ Australian Dollar", "AUD"), ("CAD", "CAD")],
)
def test_a_sign_stands_for_the_currency_that_the_page_names_if_it_can(beside: str, code: str):
    assert (
        read(f"<p>{beside}</p><h1>Red chair</h1><p class=price>$12.00</p><button>Add to cart</button>")["currency"]
        == code
    )


def test_a_marked_price_with_a_sign_tells_its_currency():
    found = read("<h1>Red chair</h1>", head=ld(offers={"price": "€ 1.299,00"}))
    assert (found["price"], found["currency"]) == ("1299.00", "EUR")


def test_an_article_number_in_markup_may_be_words():
    assert read("<h1>Red chair</h1>", head=ld(sku="Chair Plug"))["sku"] == "Chair Plug"


def test_the_number_of_a_database_row_is_no_article_number_where_the_shop_leaves_that_empty():
    state = {"id": 4711, "title": "Red chair", "price": 9900, "variants": [{"id": 815, "sku": "", "price": 9900}]}
    assert "sku" not in read(f"<h1>Red chair</h1><script>var product = {json.dumps(state)};</script>")


@pytest.mark.parametrize(
    ("number", "shown", "sku"),
    [
        (11944217, "", None),
        (11944217, "<p>Order 11944217 by telephone</p>", "11944217"),
        ("SW-44120", "", "SW-44120"),
    ],
)
def test_the_number_of_a_database_row_is_an_article_number_where_the_page_shows_it(number, shown: str, sku: str | None):
    """One with letters is more than the number of a row."""
    state = {"productId": number, "title": "Red chair", "price": 9900}
    found = read(f"<h1>Red chair</h1>{shown}<script>var product = {json.dumps(state)};</script>")
    assert found.get("sku") == sku


@pytest.mark.parametrize(
    ("labels", "sku"),
    [
        (("Model",), "KZ12-X"),
        (("Part number", "Model"), "B0BTHLVVXV"),
        (("Part number", "SKU"), "KZ12-X"),
    ],
)
def test_the_code_of_the_address_goes_before_a_model_that_is_the_makers_number(labels: tuple[str, ...], sku: str):
    rows = "".join(f"<tr><th>{label}</th><td>KZ12-X</td></tr>" for label in labels)
    assert read(f"<h1>Red chair</h1><table>{rows}</table>", url="http://shop.example/dp/B0BTHLVVXV")["sku"] == sku


# --- markup about other things ---


def test_the_product_named_like_the_page_is_its_subject():
    other = '<script type="application/ld+json">{"@type": "Product", "name": "Blue lamp", "sku": "L1", "brand": "Lux"}</script>'
    found = read("<h1>Red chair</h1>", head=f"<title>Red chair</title>{other}{ld(sku='C1-9', brand='Sitwell')}")
    assert (found["sku"], found["brand"]) == ("C1-9", "Sitwell")


# --- embedded state ---


def test_the_state_object_named_like_the_title_is_read():
    state = {
        "page": {
            "product": {
                "name": "Red chair",
                "sku": "RC-1",
                "brand": {"name": "Sitwell"},
                "price": {"value": 129, "currency": "EUR"},
            }
        },
        "related": [{"name": "Blue lamp", "sku": "BL-1", "price": 5}],
    }
    found = read(
        f"<h1>Red chair</h1><button>Add to cart</button><script id='__NEXT_DATA__' type='application/json'>{json.dumps(state)}</script>"
    )
    assert (found["sku"], found["brand"], found["price"]) == ("RC-1", "Sitwell", "129.00")


def test_cents_in_a_script_are_told_by_the_shown_price():
    meta = {"product": {"vendor": "Sitwell", "variants": [{"price": 12900, "name": "Red chair", "sku": "RC-1"}]}}
    found = read(f"<h1>Red chair</h1><p>$129.00</p><script>var meta = {json.dumps(meta)};</script>")
    assert (found["price"], found["sku"], found["brand"]) == ("129.00", "RC-1", "Sitwell")


# --- description ---


@pytest.mark.parametrize("way", [zero_shot, marked_offer])
def test_a_description_in_markup_that_is_written_in_html_is_read_as_text(way):
    found = read("<h1>Red chair</h1>", head=ld(description="<p>Solid <b>oak</b>.</p><p>Oiled.</p>"), way=way)
    assert found["description"] == "Solid oak. Oiled."


@pytest.mark.parametrize("way", [zero_shot, marked_offer])
def test_the_description_that_is_shown_goes_before_the_line_for_search_engines(way):
    shown = "Solid oak from a forest nearby, oiled by hand and ready to sit on."
    body = f"<h1>Red chair</h1><p>$129.00</p><div class='product-description'>{shown}</div>"
    found = read(body, head="<meta property='og:description' content='Buy red chairs!'>", way=way)
    assert found["description"] == shown


# --- availability ---


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("<p class='stock'>Out of stock</p>", "OutOfStock"),
        ("<p class='stock'>In stock</p>", "InStock"),
        ("<button>Add to cart</button>", "InStock"),
        ("<form><input type='submit' name='add_cart' value='Buy'></form>", "InStock"),
        ("<form><button>Buy</button></form>", "InStock"),
        ("<p>Dostępność: Brak</p><button>Do koszyka</button>", "OutOfStock"),
        ("<dl><dt>在庫</dt><dd>あり</dd></dl>", "InStock"),
        ("<button>Add to cart</button><p class='stock'>Ausverkauft</p>", "OutOfStock"),
        ("<p>Sold out</p><button>Add to cart</button><p>Ships in two days</p>", "OutOfStock"),
        (
            "<aside class='related-products'><p class='stock'>Sold out</p></aside>"
            "<button>Add to cart</button><p class='stock'>In stock</p>",
            "InStock",
        ),
        ("<input type='submit' class='add-to-cart' value='Sem estoque' disabled>", "OutOfStock"),
        ("<button class='add-to-cart'>Vorbestellen</button>", "PreOrder"),
        ("<div style='display: none'><button>Add to cart</button></div><p>Sold out</p>", "OutOfStock"),
        ("<p>Availability: Usually ships in 24 hours</p><p>Sold out</p>", "OutOfStock"),
        ("<a class='buy-button'>Нет в наличии</a>" + "<p><a class='btn' href='/2'>В корзину</a></p>" * 6, "OutOfStock"),
        (
            "<div><div><div><div><div><div><a class='buy-button'>В корзину</a></div></div></div></div></div>"
            + "<div><a href='/2'>Blue chair</a> <a class='btn' href='/2'>Нет в наличии</a></div>" * 6,
            "InStock",
        ),
        ("<div class='basketBtn'><input type='button' class='Addtobasket' value='SEPETE EKLE'></div>", "InStock"),
        (
            "<form><input type='submit' class='btn_cart' value='カートに入れる'></form>"
            "<ul><li><a href='/2'><img src='/2.jpg'></a><p>SOLD OUT</p></li></ul>",
            "InStock",
        ),
        ("<p class='displaynone'>SOLD OUT</p><button>장바구니</button>", "InStock"),
        ("<p>Availability: Usually ships in 24 hours</p>", "InStock"),
        ("<p>Stok<!-- -->: <b>17</b></p>", "InStock"),
        ("<p>Stock: <b>0</b></p>", "OutOfStock"),
        ("<div>No featured offers available</div>", "OutOfStock"),
    ],
)
def test_availability_is_read_where_the_product_is_sold(body: str, wanted: str):
    assert read(f"<h1>Red chair</h1>{body}")["availability"] == wanted


def test_a_button_that_only_speaks_of_buying_sells_nothing():
    assert "availability" not in read("<h1>Red chair</h1><form><button>Where to buy</button></form>")


def test_a_product_is_in_stock_while_one_of_its_variants_is():
    offers = [
        {"@type": "Offer", "availability": "https://schema.org/OutOfStock", "price": 1},
        {"@type": "Offer", "availability": "https://schema.org/InStock", "price": 1},
    ]
    assert read("<h1>Red chair</h1>", head=ld(offers=offers))["availability"] == "InStock"


@pytest.mark.parametrize("way", [zero_shot, marked_offer])
@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("<span>Out of stock</span><button disabled>Add to cart</button>", "OutOfStock"),
        ("<button disabled>Add to cart</button>", "InStock"),
        ("<span>Out of stock</span><button>Add to cart</button>", "InStock"),
        ("<span>Sold out</span><span>In stock</span><button disabled>Add to cart</button>", "InStock"),
        ("<span class='stock sold-out'>Sold out</span><button disabled>Add to cart</button>", "InStock"),
    ],
)
def test_a_button_that_is_off_and_a_phrase_that_says_why_deny_the_markup(shown: str, wanted: str, way):
    """Many a theme writes "in stock" for every product, and what it shows besides is for style sheets and scripts."""
    offer = {"@type": "Offer", "availability": "https://schema.org/InStock", "price": 1}
    assert read(f"<h1>Red chair</h1><div>{shown}</div>", head=ld(offers=offer), way=way)["availability"] == wanted
    kinds = read(f"<h1>Red chair</h1><div>{shown}</div>", head=ld(offers=[offer, offer]), way=way)
    assert kinds["availability"] == "InStock"


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("<span>Sold out</span>", "OutOfStock"),
        ("<span class='stock sold-out'>Sold out</span>", "OutOfStock"),
        ("<table><tr><th>Disponibilité</th><td>En arrivage</td></tr></table>", "PreOrder"),
        ("<span>Coming soon</span>", "InStock"),
        ("<span>Sold out</span><span>In stock</span>", "InStock"),
        ("<span>Sold out</span><button>Add to cart</button>", "InStock"),
        ("<ul><li><a href='/2'><img src='/2.jpg'></a><span>Sold out</span></li></ul>", "InStock"),
    ],
)
def test_what_the_shopper_reads_where_nothing_sells_denies_the_markup(shown: str, wanted: str):
    offer = {"@type": "Offer", "availability": "https://schema.org/InStock", "price": 1}
    assert read(f"<h1>Red chair</h1><div>{shown}</div>", head=ld(offers=offer))["availability"] == wanted


def test_a_cart_button_is_not_elsewhere_for_being_called_after_the_cart():
    button = "<button id='bouton-ajouter-panier'>Ajouter au panier</button>"
    assert read(f"<h1>Red chair</h1>{button}")["availability"] == "InStock"


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        ("", "InStock"),
        ("<p class='delivery'>Nicht mehr verfügbar</p>", "OutOfStock"),
        ("<p class='delivery'>Nur noch 3 Stück</p><button>In den Warenkorb</button>", "InStock"),
    ],
)
def test_a_limited_availability_in_the_markup_is_explained_by_the_page(shown: str, wanted: str):
    """Some shop systems mark up as limited what they show as sold out."""
    offers = {"@type": "Offer", "availability": "https://schema.org/LimitedAvailability", "price": 1}
    assert read(f"<h1>Red chair</h1>{shown}", head=ld(offers=offers))["availability"] == wanted


# --- what stands around ---


@pytest.mark.parametrize(
    ("first", "wanted"),
    [("<li><a href='/'>홈</a></li>", ["상의", "티셔츠"]), ("<li><a href='/stores'>Seoul</a></li>", None)],
)
def test_a_path_by_another_name_is_one_where_it_begins_at_the_front_page(first: str, wanted: list[str] | None):
    steps = "<li><a href='/c/1'>상의</a></li><li><a href='/c/2'>티셔츠</a></li>"
    path = f"<div class='head path'><span>현재 위치</span><ol>{first}{steps}</ol></div>"
    assert read(f"{path}<h1>Red chair</h1>").get("category") == wanted


def test_a_marked_step_that_leads_to_the_front_page_is_none_of_the_category_path():
    """Home has a name in every language; its address is the same in all."""
    steps = (("Koti", "https://shop.example/"), ("Tuolit", "/tuolit/"), ("Red chair", "/red-chair"))
    crumbs = {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": place, "name": name, "item": link}
            for place, (name, link) in enumerate(steps, 1)
        ],
    }
    head = f'<script type="application/ld+json">{json.dumps(crumbs)}</script>'
    assert read("<h1>Red chair</h1>", head=head)["category"] == ["Tuolit"]


@pytest.mark.parametrize(
    ("own", "wanted"),
    [("/red-chair", ["Chairs"]), ("/red-chair?sort=1a", ["Chairs"]), ("/lounge", ["Chairs", "Lounge"])],
)
def test_a_marked_step_that_leads_to_the_page_itself_is_the_product_by_a_shorter_name(own: str, wanted: list[str]):
    steps = (("Home", "https://shop.example/"), ("Chairs", "/chairs"), ("Lounge", f"https://www.live.example{own}"))
    items = [{"@type": "ListItem", "position": p, "name": n, "item": link} for p, (n, link) in enumerate(steps)]
    crumbs = {"@type": "BreadcrumbList", "itemListElement": items}
    head = f'<script type="application/ld+json">{json.dumps(crumbs)}</script>'
    assert read("<h1>Red lounge chair</h1>", head=head)["category"] == wanted


def test_a_path_that_the_page_shows_wins_where_it_goes_on_from_the_marked_one():
    steps = (("Home", "https://shop.example/"), ("Rooms", "/rooms"))
    items = [{"@type": "ListItem", "position": p, "name": n, "item": link} for p, (n, link) in enumerate(steps)]
    head = f'<script type="application/ld+json">{json.dumps({"@type": "BreadcrumbList", "itemListElement": items})}</script>'
    shown = (
        "<p class='breadcrumb'><a href='/'>Home</a> / <a href='/rooms'>{}</a> / <a href='/c/1'>Chairs</a> / Chair</p>"
    )
    assert read(f"{shown.format('Rooms')}<h1>Red chair</h1>", head=head)["category"] == ["Rooms", "Chairs"]
    assert read(f"{shown.format('Brands')}<h1>Red chair</h1>", head=head)["category"] == ["Rooms"]


def test_the_category_path_is_without_home_and_product():
    crumbs = {
        "@type": "BreadcrumbList",
        "itemListElement": [
            {"@type": "ListItem", "position": p, "name": n} for p, n in ((2, "Chairs"), (1, "Home"), (3, "Red chair"))
        ],
    }
    found = read(
        "<h1>Red chair</h1>",
        head=f'<title>Red chair</title><script type="application/ld+json">{json.dumps(crumbs)}</script>',
    )
    assert found["category"] == ["Chairs"]


def test_images_are_absolute_and_no_logos():
    found = read(
        "<img src='/logo.png' alt='Red chair'><h1>Red chair</h1><img src='/b.jpg' alt='Red chair, back'>",
        head=ld(image=["/a.jpg", "/a.jpg?w=2"]),
    )
    assert found["images"] == ["https://shop.example/a.jpg", "https://shop.example/b.jpg"]


def test_an_image_object_may_have_several_addresses():
    addresses = ["https://shop.example/a.jpg", "https://shop.example/b.jpg"]
    assert read("<h1>Red chair</h1>", head=ld(image={"@type": "ImageObject", "url": addresses}))["images"] == addresses


def test_rating_and_reviews_are_read_from_markup():
    review = {
        "@type": "Review",
        "author": {"name": "Ann"},
        "reviewBody": "Sits very well indeed",
        "reviewRating": {"ratingValue": 4},
    }
    found = read(
        "<h1>Red chair</h1>", head=ld(aggregateRating={"ratingValue": "4,5", "reviewCount": 12}, review=[review])
    )
    assert (found["rating"], found["rating_count"]) == ("4.5", "12")
    assert found["reviews"] == [{"author": "Ann", "text": "Sits very well indeed", "rating": "4"}]


# --- evidence ---


def test_every_value_and_every_abstention_has_its_reason():
    found = read("<h1>Red chair</h1><p>$129.00</p>")
    assert set(found) <= set(found.evidence)
    assert found.why("price").raw == "$129.00"
    assert found.why("brand").note


def test_what_complements_rules_leaves_the_visible_price_aside():
    assert "price" not in read("<h1>Red chair</h1><p>$129.00</p>", way=marked_offer)


@pytest.mark.parametrize(
    "html", ["", "<p>", "<html><body></body></html>", "\x00", "<script>{</script>" * 50, "<div>" * 1500 + "$5.00"]
)
def test_a_page_that_is_none_is_an_empty_offer_and_no_error(html: str):
    assert "price" not in zero_shot(Page("https://shop.example/", html))


def test_products_in_a_list_are_not_the_pages_subject():
    cards = "".join(
        f"<div itemscope itemtype='https://schema.org/Product'><b itemprop='name'>Lamp {i}</b><meta itemprop='price' content='{i}'></div>"
        for i in range(1, 5)
    )
    assert "price" not in read(f"<h1>Red chair</h1><p>Not sold at the moment</p>{cards}")


@pytest.mark.parametrize(
    "crowd",
    [
        "<div class='card'><span class='price'>$7.99</span><a href='/x'>Lamp</a></div>" * 8_000,
        "<script>" + "function a(){return b({x:1,price:c})};" * 20_000 + "</script>",
        "<span class='product-name'>Lamp</span>" * 8_000,
        "<p>SKU: 1</p>" * 8_000,
        f"<div class='{'price-a ' * 20_000}'>$5</div>",
        "<div itemscope itemtype='https://schema.org/Product'><b itemprop='name'>Lamp</b></div>" * 8_000,
    ],
)
def test_a_crowd_of_other_things_neither_hides_the_price_nor_takes_long(crowd: str):
    begin = time.process_time()
    assert read(f"<h1>Red chair</h1><p class='price'>$129.00</p>{crowd}")["price"] == "129.00"
    assert time.process_time() - begin < 2  # the bar for pages of megabytes


def test_the_pictures_of_the_products_own_carousel_are_its_images_and_those_of_other_products_are_not() -> None:
    html = (
        "<title>Lamp A12 - Shop</title><h1>Lamp A12</h1><p class=price>9,00 €</p>"
        "<div class=carousel><img src=/a.jpg alt='Lamp A12'></div>"
        "<div class=related-carousel><a href=/p/2><img src=/b.jpg alt='Lamp A12'></a></div>"
    )
    assert zero_shot(Page("http://shop.example/p/1", html))["images"] == ["http://shop.example/a.jpg"]


def test_a_name_without_a_heading_is_found_inside_the_title_of_the_page():
    head, body = "<title>Buy Red oak chair online - Chairs Ltd.</title>", "<div>Red oak chair</div><div>$129.00</div>"
    assert (
        zero_shot(Page("https://shop.example/p/1", f"{head}<body>{body}<div>Add to cart</div></body>"))["title"]
        == "Red oak chair"
    )


def cards(button: str) -> str:
    card = "<div><a href='/p/{0}'><img src='{0}.jpg'></a><a href='/p/{0}'>Chair {0}</a><p>${0}9.00</p>{1}</div>"
    return "".join(card.format(number, button) for number in range(2, 6))


@pytest.mark.parametrize("button", ["<div>Add to cart</div>", "<button>Add to cart</button>"])
def test_the_buttons_of_others_do_not_sell_a_product_that_is_sold_out(button: str):
    assert read(f"<h1>Red chair</h1><p>$129.00</p><p>Out of stock</p>{cards(button)}")["availability"] == "OutOfStock"


@pytest.mark.parametrize(
    "button", ["<div>Add to cart</div>", "<a href='#'>Ajouter au panier</a>", "<p>カートに入れる</p>"]
)
def test_a_text_that_says_just_what_a_cart_button_says_is_one(button: str):
    assert read(f"<h1>Red chair</h1><p>$129.00</p>{button}")["availability"] == "InStock"


def test_a_link_to_the_brands_shop_names_the_brand_among_other_words():
    page = "<h1>Sitwell red chair</h1><a href='/stores/sitwell/7'>Visit the Sitwell Store</a><p>$129.00</p>"
    assert read(page)["brand"] == "Sitwell"


def test_the_first_variant_gives_the_number_unless_the_page_is_named_like_another():
    variants = [
        {"sku": f"OAK-{n}", "name": f"Oak lamp for the large living room - {n}", "price": 1200} for n in (55, 6, 7)
    ]
    state = json.dumps({"product": {"vendor": "Lux", "type": "", "variants": variants}})

    def number(title: str) -> str | None:
        return read(
            f"<h1>{title}</h1><b class='price'>12.00 €</b><script id='p' type='application/json'>{state}</script>"
        ).get("sku")

    assert number("Oak lamp for the large living room") == "OAK-55"
    assert number("Oak lamp for the large living room - 7") == "OAK-7"


# --- whose words they are ---


def test_markup_named_like_another_product_is_not_the_pages():
    other = ld(name="Green garden hose, 20 m", sku="GH-20", brand="Hosana", offers={"price": "9.90"})
    found = read("<h1>Red chair</h1><p>$45.00</p><button>Add to cart</button>", head=f"<title>Red chair</title>{other}")
    assert (found["price"], found.get("brand"), found.get("sku")) == ("45.00", None, None)


def test_a_named_brand_beside_the_title_counts_although_the_block_is_called_a_list():
    brand = "<p class='shop-brand'>Shop all <a href='/brands/sitwell'><span class='brand-name'>SITWELL</span></a></p>"
    found = read(f"<div class='list'><h1>Sitwell red chair</h1>{brand}<p>$45.00</p></div>")
    assert found["brand"] == "SITWELL"


def test_a_brand_is_not_looked_for_far_from_the_title():
    filler = "".join(f"<p>word {n}</p>" for n in range(9))
    body = f"<div><h1>Red chair</h1>{filler}<a href='/s'>Sitwell</a></div>"
    assert "brand" not in read(body, head="<title>Sitwell Red chair - Shop</title>")


def test_the_number_of_a_database_row_is_no_article_number():
    body = "<div id='product-4580' class='post-4580'><h1>Red chair</h1><p>$45.00</p></div>"
    assert "sku" not in read(body, head=f"<title>Red chair</title>{ld(sku=4580)}")


def test_a_number_in_json_is_read_as_json_has_it_where_thousands_have_points():
    data = json.dumps({"product": {"name": "Red chair", "sku": "RC-1", "price": 1.785}})
    state = f'<script type="application/json">{data}</script>'
    found = read(f"<h1>Red chair</h1>{state}<button>In den Warenkorb</button><p>ab 1.000 Stück 2.500,00 €</p>")
    assert found.get("price") != "1785.00"


@pytest.mark.parametrize("words", ["Weiter einkaufen", "Store pickup: select store", "Backup options"])
def test_a_button_that_has_a_word_for_buying_inside_another_word_sells_nothing(words: str):
    assert read(f"<h1>Red chair</h1><p>$45.00</p><button>{words}</button>").get("availability") is None
