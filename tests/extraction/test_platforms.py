"""Product pages in the manner of the common shop systems, made up and cut down to what has misled the extraction before."""

from __future__ import annotations

from typing import Any

import pytest

from scout.extraction.zero_shot import zero_shot
from scout.page import Page

# What the page shows -> language, body, the values that it must give.
PAGES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a block that holds the list price as well is named for both, and cross-selling is not the product's": (
        "de-DE",
        "<h1 class='product-detail-name'>Akkuschrauber X1</h1><div class='product-detail-buy'>"
        "<p class='product-detail-price with-list-price'>1.299,00 €* "
        "<span class='list-price'><span class='list-price-price'>1.499,00 €*</span>"
        " <span class='list-price-percentage'>(13.34% gespart)</span></span></p>"
        "<div class='product-detail-price-unit'>Inhalt: 2 Stück (649,50 €* / 1 Stück)</div>"
        "<p class='delivery-information'>Sofort verfügbar, Lieferzeit: 2-5 Tage</p></div>"
        "<div class='cms-block cross-selling'><div class='product-price'>19,99 €*</div></div>",
        {"price": "1299.00", "list_price": "1499.00", "currency": "EUR", "availability": "InStock"},
    ),
    "a suggested price is the product's own, and no suggestion of another product": (
        "de",
        "<h1>Wanderschuh Alpin</h1><div class='price_wrapper'><strong class='price'>129,90 €</strong>"
        "<div class='suggested-price'>Unverbindliche Preisempfehlung des Herstellers: <span>149,95 €</span></div></div>",
        {"price": "129.90", "list_price": "149.95"},
    ),
    "a compared price is the former one": (
        "pt-BR",
        "<h1>Camiseta Básica</h1><div id='price_display'>R$1.299,90</div><div class='js-compare-price-display'>R$1.599,90</div>"
        "<div><span>10</span> x de <span class='js-installment-price'>R$129,99</span> sem juros</div>"
        "<input type='submit' class='js-addtocart' value='Adicionar ao carrinho'>",
        {"price": "1299.90", "list_price": "1599.90", "currency": "BRL", "availability": "InStock"},
    ),
    "of two labelled prices the promotional one is paid": (
        "zh-CN",
        "<h1>便携式蓝牙音箱</h1><dl class='price-panel'><dt>价格</dt><dd><em>¥</em> <span class='price'>399.00</span></dd></dl>"
        "<dl class='promo-panel'><dt>促销价</dt><dd><em>¥</em> <span class='price'>299.00</span></dd></dl>"
        "<div class='buy-nav'><button>立即购买</button></div>",
        {"price": "299.00", "list_price": "399.00", "currency": "CNY", "availability": "InStock"},
    ),
    "a pound is British also on a page whose language is American by default": (
        "en",
        "<h1>Cordless Drill 18V</h1><p class='price'>£129.99</p><div class='stock-wrapper'>In Stock</div>",
        {"price": "129.99", "currency": "GBP", "availability": "InStock"},
    ),
    "little of it is left, but there is some": (
        "pl",
        "<h1>Rower górski</h1><strong id='projector_price_value'>2 499,00 zł</strong>"
        "<div id='projector_status'><strong>Produkt dostępny w małej ilości</strong></div>",
        {"price": "2499.00", "currency": "PLN", "availability": "InStock"},
    ),
    "a phrase beside the title says that there is none, whatever its element is called": (
        "ru",
        "<h1>Ноутбук Агат 15</h1><div class='item_old_price'>54 990 руб.</div><div class='item_current_price'>49 990 руб.</div>"
        "<div>Артикул: АГ-15-2</div><span class='quantity'>Нет в наличии</span>",
        {
            "price": "49990.00",
            "list_price": "54990.00",
            "currency": "RUB",
            "sku": "АГ-15-2",
            "availability": "OutOfStock",
        },
    ),
    "the price in a sidebar that is the product's": (
        "en-US",
        "<main><h1>Red chair</h1><p>A chair.</p></main><aside class='product-sidebar'><div class='amount-box'>$129.00</div>"
        "<button>Add to cart</button></aside>",
        {"price": "129.00", "availability": "InStock"},
    ),
    "labels that only readers of the screen hear tell the two prices apart, whatever the elements are called": (
        "de",
        "<h1 class='_2q'>Akazienhonig 500 g</h1><div class='_1d'><span class='nn'>Standardpreis</span><span class='_2t'>9,50 €</span>"
        "<span class='nn'>Sale-Preis</span><span class='_23'>8,20 €</span></div><div class='x8'><span>16,40 €</span><span>/</span>"
        "<span>1kg</span></div><button class='_3k'>In den Warenkorb</button>",
        {"price": "8.20", "list_price": "9.50"},
    ),
    "what is saved stands behind the price and is no label of it": (
        "da",
        "<h1>Pendel RO 30 cm</h1><p class='pr'><span>Før 1.499,-</span> <span>1.124,-</span> <span>Spar 375,-</span></p>"
        "<a class='btn add'>Læg i kurv</a><p>Eller fra 94 kr./md. med ViaBill</p>",
        {"price": "1124.00", "list_price": "1499.00", "currency": "DKK"},
    ),
    "a percentage in pieces belongs to no number before it, and confirms the former price": (
        "en-US",
        "<h1>Lantern</h1><div class='price'><span>$98.99</span></div><div class='more'><div class='price list'><span>$169.10</span></div>"
        "<span><span>41</span><span>% </span><span>Off</span></span></div>",
        {"price": "98.99", "list_price": "169.10"},
    ),
    "the badge of a sale and that of a sold-out product are on every page of some themes": (
        "en-GB",
        "<div class='product__info'><h1>Linen apron</h1><div class='price'><s>£42.00</s> <span>£32.00</span> <b class='badge'>Sale</b>"
        "<span class='badge price__badge-sold-out'>Sold out</span></div><form action='/cart/add'><button>Add to cart</button></form></div>",
        {"price": "32.00", "list_price": "42.00", "availability": "InStock"},
    ),
    "a product that is sold out does not cost what others do, even if these have no pictures": (
        "en-GB",
        "<div><h1>Harbour Lights</h1><p class='status'>Sold out</p></div><section><h3>Customers also bought</h3><ul>"
        "<li><a href='/a'>Tidal</a> £21.99</li><li><a href='/b'>North Pier</a> £19.99</li><li><a href='/c'>Low Tide</a> £23.99</li></ul>",
        {"price": None, "currency": None, "availability": "OutOfStock"},
    ),
    "what is sold by the metre has no other price": (
        "de",
        "<h1>Musselin salbei</h1><p class='preis'>12,90 € / Meter</p><button>In den Warenkorb legen</button>",
        {"price": "12.90", "currency": "EUR"},
    ),
    "a title in a table's row is no label of the price beside it": (
        "de",
        "<table><tr><td><h1>Wobbler 9 cm</h1></td><td>6,49 EUR</td></tr></table>"
        "<table><tr><td><a href='/x'>Rute</a><br><span class='productOldPrice'>statt 59,95 EUR</span><br>Nur 44,95 EUR</td></tr></table>",
        {"price": "6.49", "list_price": None},
    ),
    "a shop that says whole sentences for readers of the screen": (
        "pl",
        "<h1>Świeca sosnowa</h1><p><span>Pierwotna cena wynosiła: 59,00 zł.</span> <span>Aktualna cena wynosi: 47,20 zł.</span></p>"
        "<p>Najniższa cena z 30 dni przed obniżką: 49,90 zł</p>",
        {"price": "47.20", "list_price": "59.00"},
    ),
    "the maker's logo leads to the maker, and is no other product": (
        "pl",
        "<div class='head'><h1>Kask Enduro</h1><a class='logo' href='/firm-pol-9-Skalny.html'><img alt='Skalny' src='/f.gif'></a></div>"
        "<strong class='price'>319,00 zł</strong><button>Dodaj do koszyka</button>",
        {"price": "319.00", "brand": "Skalny"},
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_that_kind_is_read(name: str) -> None:
    lang, body, wanted = PAGES[name]
    title = Page("https://shop.example/", body).root.find(".//h1").text_content()
    page = Page("https://shop.example/p/item", f"<html lang='{lang}'><title>{title}</title><body>{body}</body></html>")
    offer = zero_shot(page)
    assert {field: offer.get(field) for field in wanted} == wanted
