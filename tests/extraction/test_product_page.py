"""What kind of page it is, by evidence and not by its address."""

from __future__ import annotations

import pytest

from scout.extraction.process_page import ProductKnowledge, process_page
from scout.extraction.product_page import evidence
from scout.extraction.weights import bias
from scout.page import Page
from scout.walking.page_types import page_type

URL = "http://shop.example/x"


def page(body: str, head: str = "", body_class: str = "", url: str = URL) -> Page:
    return Page(
        url, f"<html><head><title>Blue lamp | Shop</title>{head}</head><body class='{body_class}'>{body}</body></html>"
    )


CARD = (
    "<li class='card'><a href='/p/{0}'><img src='/{0}.jpg'></a><h3><a href='/p/{0}'>Lamp {0}</a></h3>"
    "<span>€ {0},00</span><button>Add to cart</button></li>"
)
BARE = "<div class='card'><a href='/p/{0}'>Lamp {0}</a><b>€ {0},00</b><button>Add to cart</button></div>"
BARE_CARDS = "<div class='list'><div class='grid'>" + "".join(BARE.format(i) for i in range(1, 8)) + "</div></div>"
SIZE = "<div class='size'><span>{0} cm</span><b>€ {0},00</b><button>Add to cart</button></div>"
CARDS = "<ul>" + "".join(CARD.format(i) for i in range(1, 8)) + "</ul>"


@pytest.mark.parametrize(
    "found",
    [
        page("<h1>Blue lamp</h1><p>€ 20,00</p><button>In den Warenkorb</button>"),
        page("<h1>Blue lamp</h1><p>€ 20,00</p>", head="<meta property='og:type' content='product'>"),
        page(
            "<h1>Blue lamp</h1>",
            head='<script type="application/ld+json">{"@type": "Product", "name": "Blue lamp"}</script>',
        ),
        page("<h1>Blue lamp</h1>", body_class="single-product postid-7"),
        page("<div itemscope itemtype='http://schema.org/Product'><h1 itemprop='name'>Blue lamp</h1></div>"),
        page(f"<h1>Blue lamp</h1><p>€ 20,00</p><button>Buy now</button><h2>Similar</h2>{CARDS}"),
        page(f"<h1>Blue lamp</h1><p>€ 20,00</p><button>Buy now</button><h2>Similar</h2>{BARE_CARDS}"),
        page(f"<h1>Blue lamp</h1><div><div>{''.join(map(SIZE.format, (20, 30, 40)))}</div></div>"),
    ],
)
def test_a_product_is_told_by_what_it_says_of_itself_or_by_price_and_button_beside_the_title(found):
    assert page_type(found) == "detail"


@pytest.mark.parametrize(
    "found",
    [
        page(f"<h1>Lamps</h1>{CARDS}"),
        page(f"<h1>Lamps</h1><ul>{CARD.format(1)}</ul>"),
        page(f"<h1>Lamps</h1>{BARE_CARDS}"),
        page("<h1>Our story</h1><p>Lamps from € 20,00 since 1920.</p>"),
        page("<h1>Lamps</h1>", head="<meta property='og:type' content='product.group'>"),
        page(f"<h1>Lamps</h1>{CARDS}", head="<meta property='og:type' content='product'>"),
        page("<h1>Spring</h1><p>Lamps are back.</p>", body_class="collection-type-blog view-item"),
        page(f"<h1>Lamps</h1>{CARDS}<form style='display:none'><button>Add to cart</button></form>"),
    ],
)
def test_lists_and_articles_are_no_products(found):
    assert page_type(found) != "detail"


@pytest.mark.parametrize(
    "amount",
    [
        "1.299,90 TL",
        "1,200 ر.س",
        "Rp 1.299.000",
        "RM129.00",
        "1 299 грн",
        "129 лв.",
        "Rs. 1,299",
        "QAR 129",
        "₪129",
        "R$ 129,90",
        "1.299.000đ",
    ],
)
def test_an_amount_is_one_in_the_currencies_of_many_countries(amount: str):
    assert "price" in evidence(page(f"<h1>Blue lamp</h1><p>{amount}</p>")).features


@pytest.mark.parametrize(
    "amount",
    [
        "<b>1 290</b> <i>грн</i>",
        "<i>$</i><b>329.00</b>",
        "<bdi><i>$</i>329.00</bdi>",
        "<i>R$</i> <b>1</b>.<b>299</b>,<b>90</b>",
    ],
)
def test_an_amount_may_be_made_of_several_elements(amount: str):
    assert "price" in evidence(page(f"<h1>Blue lamp</h1><p>{amount}</p>")).features


@pytest.mark.parametrize("text", ["Model L200", "2 TLC 5", "kraft 7", "A4 80 g", "12 Monate", "TOP 10"])
def test_other_numbers_are_none(text: str):
    assert "price" not in evidence(page(f"<h1>Blue lamp</h1><p>{text}</p>")).features


def test_the_last_page_of_a_list_with_one_record_is_no_product():
    """A record leads to one other page by its picture, here a background, and by its name; the total of an empty cart is no price."""
    record = (
        "<div class='item'><a href='/p/1'><span style='background-image: url(/1.jpg)'></span></a><h3><a href='/p/1'>Lamp 1</a></h3>"
        "<span>€ 20,00</span><button>Add to cart</button></div>"
    )
    cart = "<div>Cart: <b>€ 0,00</b></div>"
    found = evidence(page(f"{cart}<h1>Blue lamp</h1><div class='grid'>{record}</div>"))
    assert not {"price", "buy"} & found.features.keys()
    assert found.score < 0


def test_a_price_that_is_a_link_to_another_page_is_not_the_pages_own():
    facets = "<ul>" + "".join(f"<li><a href='?max={i}0'>€ {i}0</a></li>" for i in (1, 2, 5)) + "</ul>"
    assert "price" not in evidence(page(f"<h1>Blue lamp</h1>{facets}")).features


def test_a_page_that_sells_its_subject_is_a_product_though_its_body_is_named_as_those_of_lists():
    bought = "<p>€ 20,00</p><form><input type='submit' name='add_cart' value='Buy'></form><a href='/p/2'>Red lamp</a>"
    assert page_type(page(f"<h1>Blue lamp</h1><div>{bought}</div>", body_class="category")) == "detail"


def test_the_only_record_of_a_list_is_no_product_though_it_can_be_bought_there():
    record = "<div><a href='/p/1'>Lamp 1</a><p>€ 20,00</p><form><input type='submit' name='add_cart' value='Buy'></form></div>"
    assert page_type(page(f"<h1>Blue lamp</h1>{record}", body_class="category")) != "detail"


def test_names_of_the_body_that_speak_for_both_kinds_of_page_decide_nothing():
    assert page_type(page(f"<h1>Blue lamp</h1>{CARDS}", body_class="product_page page_product_list")) == "list"


def test_a_button_that_says_that_the_product_has_run_out_is_its_buy_button():
    assert "buy" in evidence(page("<h1>Blue lamp</h1><p>€ 20,00</p><button>Momentan ausverkauft</button>")).features


def test_lists_categories_homes_and_the_rest():
    overview = "<ul>" + "".join(f"<li><a href='/c/{i}'>Category {i}</a></li>" for i in range(9)) + "</ul>"
    assert page_type(page(f"<h1>Lamps</h1>{CARDS}")) == "list"
    assert page_type(page(f"<h1>All</h1>{overview}")) == "category"
    assert page_type(page(CARDS, url="http://shop.example/")) == "home"
    assert page_type(page("<h1>Imprint</h1><p>Lamps Ltd.</p>")) == "other"


def test_a_page_that_a_script_wrote_without_a_heading_is_a_product_by_name_price_and_button():
    item = "<div><p class='p_name'>Red chair</p><p><b>￥358</b></p></div><a href='#' class='add_to_cart'>Buy</a>"
    assert page_type(Page(URL, f"<title>Sitwell</title><body><main>{item}</main></body>")) == "detail"


def test_the_evidence_is_named_and_adds_up_to_the_score():
    found = evidence(page("<h1>Blue lamp</h1><p>€ 20,00</p><button>Buy now</button>"))
    assert {"title", "price", "buy"} <= found.features.keys()
    assert found.score == pytest.approx(sum(found.reasons().values()) + bias("page"))


def test_a_frame_that_carries_the_data_of_one_product_is_its_page_and_one_with_those_of_several_is_not():
    product = '{"title": "Blue lamp 3000", "price": "20.00", "sku": "BL3000", "brand": "Nord"}'
    frame = "<div id='app'></div><script type='application/json'>{}</script>"
    assert "data" in evidence(page(frame.format(f'{{"product": {product}}}'))).features
    two = product.replace("3000", "4000")
    assert "data" not in evidence(page(frame.format(f'{{"products": [{product}, {two}]}}'))).features


def test_a_catalogue_page_with_a_name_alone_is_an_offer_where_the_page_itself_says_that_it_is_a_products():
    """Shops that show prices only after logging in show nothing else that products have."""
    bare = "<h1>Blue lamp</h1><p>Made of oiled oak.</p>"
    known = ProductKnowledge("shop.example")
    assert process_page(page(bare, body_class="single-product"), None, known).reason is None
    assert process_page(page(bare), None, known).reason == "NotAProduct"


def test_the_amount_from_which_shipping_is_free_is_no_price_of_the_page():
    header = "<div>Free shipping over € 50,00</div>"
    assert "price" not in evidence(page(f"{header}<h1>Blue lamps</h1><p>All about lamps</p>")).features
    assert "price" in evidence(page(f"{header}<h1>Blue lamp</h1><p>€ 20,00</p>")).features


def test_markup_counts_more_if_it_is_named_like_the_page():
    def named(name: str) -> float:
        product = f'<script type="application/ld+json">{{"@type": "Product", "name": "{name}"}}</script>'
        return evidence(page("<h1>Blue lamp</h1>", head=product)).score

    assert named("Blue lamp") > named("Garden hose of 20 metres")
