"""Shipping, delivery time, condition, VAT, category paths, currencies, images."""

from __future__ import annotations

from decimal import Decimal

import pytest

from scout.values import country_currency, parse_currency
from scout.values.images import image_id
from scout.values.words import category_path, parse_condition, parse_delivery_days, parse_shipping, parse_vat


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("zzgl. 4,95 € Versand", "4.95"),
        ("12,99 € zzgl. 4,95 € Versand", "4.95"),
        ("Shipping: $5.00", "5.00"),
        ("+ £3.99 delivery", "3.99"),
        ("Versandkostenfrei", "0"),
        ("Free shipping", "0"),
        ("Livraison gratuite", "0"),
        ("包邮", "0"),
        ("0,00 €", "0"),
    ],
)
def test_the_cost_of_shipping_is_read(text: str, cost: str) -> None:
    assert parse_shipping(text) == Decimal(cost)


@pytest.mark.parametrize("text", ["zzgl. Versand", "Free shipping over $50", "Versandkostenfrei ab 30 €", "Red"])
def test_a_condition_is_no_cost_of_shipping(text: str) -> None:
    assert parse_shipping(text) is None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Lieferzeit: 2-4 Werktage", "2-4"),
        ("1 – 3 Tage", "1-3"),
        ("ships in 1 week", "7"),
        ("2 to 3 business days", "2-3"),
        ("Livraison sous 5 jours", "5"),
        ("Доставка 3 дня", "3"),
        ("3天内发货", "3"),
        ("Tomorrow", "1"),
        ("Red", None),
    ],
)
def test_a_delivery_time_is_read_in_days(text: str, days: str | None) -> None:
    assert parse_delivery_days(text) == days


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("https://schema.org/NewCondition", "New"),
        ("http://schema.org/RefurbishedCondition", "Refurbished"),
        ("Brand new", "New"),
        ("generalüberholt", "Refurbished"),
        ("Like new", "Used"),
        ("d'occasion", "Used"),
        ("二手", "Used"),
        ("Red", None),
    ],
)
def test_a_condition_is_read(text: str, condition: str | None) -> None:
    assert parse_condition(text) == condition


@pytest.mark.parametrize(
    ("text", "vat"),
    [
        ("inkl. 19 % MwSt.", "included"),
        ("excl. VAT", "excluded"),
        ("25,00 € HT", "excluded"),
        ("税込", "included"),
        ("Red", None),
    ],
)
def test_whether_the_tax_is_included_is_read(text: str, vat: str | None) -> None:
    assert parse_vat(text) == vat


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Home > Books » Crime", ("Books", "Crime")),
        ("Startseite / Garten / Möbel", ("Garten", "Möbel")),
        ("Books/Crime", ("Books", "Crime")),
        ("PC / Phone > Cables - long", ("PC / Phone", "Cables - long")),
        ("Best | Gifts >", ("Best | Gifts",)),
        ("首页 > 图书", ("图书",)),
        ("Home", ("Home",)),
        ("", ()),
    ],
)
def test_a_category_path_has_steps_and_no_home(text: str, steps: tuple[str, ...]) -> None:
    assert category_path(text) == steps


@pytest.mark.parametrize(
    ("text", "hint", "code"),
    [
        ("€", None, "EUR"),
        ("usd", None, "USD"),
        ("US$ 12", None, "USD"),
        ("kr", "DKK", "DKK"),
        ("kr", None, None),
        ("Red", None, None),
    ],
)
def test_a_currency_is_named_or_left_open(text: str, hint: str | None, code: str | None) -> None:
    assert parse_currency(text, hint) == code


@pytest.mark.parametrize(
    ("lang", "url", "code"),
    [
        ("en-GB", None, "GBP"),
        ("sv", None, "SEK"),
        ("nb-NO", None, "NOK"),
        ("en", "https://shop.com.au/p", "AUD"),
        ("en", "https://shop.ca/p", "CAD"),
        ("en", "https://shop.co/p", "USD"),
        ("de_CH", None, "CHF"),
        (None, None, None),
    ],
)
def test_a_pages_country_hints_at_its_currency(lang: str | None, url: str | None, code: str | None) -> None:
    assert country_currency(lang, url) == code


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("https://cdn.example/files/chair_600x600.jpg?v=12", "/media/chair.webp"),
        ("//a.example/i/41abcXYZ._AC_SL1500_.jpg", "https://b.example/i/41abcXYZ.jpg"),
        ("/p/chair-300x300.png", "/p/chair-1024x768.png"),
        ("/p/chair@2x.png", "/p/chair.png"),
        ("/p/chair_large.png", "/p/chair_thumb.png"),
        ("/image.php?id=77&w=200", "/image.php?w=800&id=77"),
        ("/12-home_default/chair.jpg", "/12-large_default/chair.jpg"),
        ("/products/77/1.jpg", "/products/77/1.jpg?width=100"),
    ],
)
def test_two_addresses_of_one_picture_are_equal(a: str, b: str) -> None:
    assert image_id(a) == image_id(b) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("/p/chair.jpg", "/p/table.jpg"),
        ("/products/77/1.jpg", "/products/78/1.jpg"),
        ("/image.php?id=77", "/image.php?id=78"),
        ("/chair-1.jpg", "/chair-2.jpg"),
    ],
)
def test_two_pictures_are_not_equal(a: str, b: str) -> None:
    assert image_id(a) != image_id(b)


@pytest.mark.parametrize("url", ["", "data:image/png;base64,AAAA", "http://[broken"])
def test_what_is_no_pictures_address_has_no_id(url: str) -> None:
    assert image_id(url) is None
