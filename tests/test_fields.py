"""Fields: each knows how two values of it are compared, and what its normal form is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scout.fields import ALIASES, KINDS, field
from scout.values import NumberLocale

BASE = "https://shop.example/p/1"


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("name", "title"), ("gtin", "ean"), ("isbn", "ean"), ("isbn13", "ean"), ("GTIN13", "ean"), ("mpn", "han"),
        ("manufacturer", "brand"), ("image", "images"), ("Price", "price"),
        ("list price", "list_price"), ("author", "author"), ("Screen size", "Screen size"),
    ],
)  # fmt: skip
def test_an_alias_is_its_field_and_an_unknown_name_stays_itself(alias: str, name: str) -> None:
    assert field(alias).name == name


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("price", "1.299,00 €", "1299"),
        ("price", "2879.2", "2879.20"),
        ("price", "3.350", "3350.00"),
        ("price", "3.350", "3.35"),
        ("title", "The “Big”  Book – II", 'THE "BIG" BOOK - II'),
        ("title", "MÃ¼ller", "müller"),
        ("brand", "SONY", "Sony"),
        ("ean", "036000291452", "0036000291452"),
        ("ean", "0-306-40615-2", "9780306406157"),
        ("sku", "SKU: ab-12", "AB-12"),
        ("han", "Art.Nr.: X 1", "x 1"),
        ("availability", "In stock", "https://schema.org/InStock"),
        ("images", "/a/chair_600x600.jpg", "https://cdn.example/chair.webp?v=1"),
        ("url", "http://www.shop.example/p/1/", "https://shop.example/p/1"),
        ("url", "https://shop.example/p/1?utm_source=x", "https://shop.example/p/1"),
        ("category", "Home > Books > Crime", "books » crime"),
        ("currency", "€", "EUR"),
        ("condition", "Neu", "https://schema.org/NewCondition"),
        ("base_price", "4,99 € / 100 ml", "4.99 € per 100 ml"),
        ("shipping", "Free shipping", "0,00 €"),
        ("author", "Ann  LEE", "ann lee"),
    ],
)  # fmt: skip
def test_two_ways_to_write_a_value_are_the_same(name: str, a: str, b: str) -> None:
    assert field(name).same(a, b)


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("price", "12.99", "12.98"),
        ("price", "1299", "12.99"),
        ("price", "", ""),
        ("price", "call us", "call us"),
        ("author", "Mankell, Henning", "Henning Mankell"),
        ("ean", "4006381333931", "4006381333932"),
        ("ean", "n/a", "n/a"),
        ("availability", "In stock", "Out of stock"),
        ("title", "", " "),
        ("images", "/a.jpg", "/b.jpg"),
    ],
)
def test_different_or_unreadable_values_are_not_the_same(name: str, a: str, b: str) -> None:
    assert not field(name).same(a, b)


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("price", "1.299,00 €", "1299.00"),
        ("price", "1299", "1299.00"),
        ("price", "12.9", "12.90"),
        ("price", "3.350", None),
        ("price", "0,00 €", None),
        ("price", "4,99 € / 100 ml", None),
        ("price", "on request", None),
        ("currency", "12,99 €", "EUR"),
        ("currency", "$", None),
        ("ean", "EAN 036000291452", "0036000291452"),
        ("ean", "4006381333932", None),
        ("sku", "SKU: AB-12", "AB-12"),
        ("sku", "(AB-12)", "AB-12"),
        ("sku", "Kit (16mm)", "Kit (16mm)"),
        ("sku", "AB-12)", "AB-12"),
        ("availability", "Sofort lieferbar", "InStock"),
        ("title", " A &amp; B ", "A & B"),
        ("title", " ", None),
        ("images", "../i/a b.jpg", "https://shop.example/i/a%20b.jpg"),
        ("images", "data:image/gif;base64,R0", None),
        ("url", "/p/2", "https://shop.example/p/2"),
        ("category", "Home > Books > Crime", "Books > Crime"),
        ("base_price", "4,99 € / 100 ml", "4.99 EUR / 100 ml"),
        ("delivery_time", "2-4 Werktage", "2-4"),
        ("shipping", "4,95 €", "4.95"),
        ("vat", "inkl. MwSt.", "included"),
        ("description", "<p>Solid <em>oak</em>,<br>oiled.</p>", "Solid oak, oiled."),
        ("description", "&lt;ul&gt;&lt;li&gt;Oak&lt;/li&gt;&lt;li class=x&gt;3 &lt; 4&lt;/li&gt;", "Oak 3 < 4"),
        ("description", "<p></p>", None),
    ],
)
def test_a_value_is_read_in_its_normal_form_or_not_at_all(name: str, raw: str, value: str | None) -> None:
    assert field(name).read(raw, base_url=BASE) == value


def test_an_ambiguous_price_has_two_keys_and_with_a_locale_one() -> None:
    price = field("price")
    assert price.keys("3.350") == {Decimal("3350"), Decimal("3.35")}
    assert price.keys("3.350", locale=NumberLocale(decimal=",")) == {Decimal("3350")}
    assert price.read("3.350", locale=NumberLocale(decimal=".")) == "3.35"


def test_every_alias_leads_to_a_field_that_says_how_it_is_compared() -> None:
    assert set(ALIASES.values()) <= set(KINDS) | {"title", "brand"}


def test_images_and_category_are_lists() -> None:
    assert field("image").many
    assert field("category").many
    assert not field("price").many


LETTERS = "abcXYZ äöß\xa00123456789.,'-:/€$£¥%&;#<>()“–×ЖЯя中文円在"


@settings(derandomize=True)
@given(st.sampled_from(sorted({*KINDS, "title", "author"})), st.text(LETTERS, max_size=30))
def test_any_text_can_be_asked_of_any_field_and_what_is_read_equals_its_raw_text(name: str, raw: str) -> None:
    asked = field(name)
    value = asked.read(raw, base_url=BASE)
    if (
        value is not None
        and asked.keys(raw)
        and name not in ("url", "canonical", "parent", "images", "delivery_time", "vat")
    ):
        assert asked.same(raw, value)
