"""Values that a spider says itself are read by their fields; what extraction has read stays as it is."""

from __future__ import annotations

import pytest

from scout.extraction.normalise import normalise
from scout.offer import Evidence, Offer
from scout.values import NumberLocale

GERMAN = NumberLocale(decimal=",", thousands=".")


def normalised(offer: Offer, locale: NumberLocale | None = None) -> Offer:
    normalise(offer, locale)
    return offer


@pytest.mark.parametrize(
    ("name", "raw", "normal"),
    [
        ("price", "1.299,00 €", "1299.00"),
        ("currency", "€", "EUR"),
        ("ean", "4006381-333931", "4006381333931"),
        ("title", "  A&amp;B\u200b \n lamp ", "A&B lamp"),
        ("category", "Furniture » Lamps", "Furniture > Lamps"),
        ("category", ["Furniture", "Lamps"], "Furniture > Lamps"),
        ("images", ["/i/1.jpg", "/i/1.jpg", "data:x"], ["https://shop.example/i/1.jpg"]),
        ("colour", " red ", "red"),
    ],
)
def test_raw_values_are_read_by_their_fields(name: str, raw: object, normal: object) -> None:
    assert normalised(Offer({"url": "https://shop.example/p/1", name: raw}), GERMAN)[name] == normal


def test_a_category_has_one_form_also_where_the_page_gave_it() -> None:
    read = Offer({"category": ["Furniture", "Lamps"]}, evidence={"category": Evidence("breadcrumb", origin="induced")})
    assert normalised(read)["category"] == "Furniture > Lamps"


def test_the_number_locale_of_the_shop_decides() -> None:
    assert normalised(Offer(price="3.350"), GERMAN)["price"] == "3350.00"


def test_what_extraction_has_read_is_not_read_twice() -> None:
    offer = Offer(price="3.35", evidence={"price": Evidence("span", origin="learned")})
    assert normalised(offer, GERMAN)["price"] == "3.35"


def test_usual_names_become_the_fields_own() -> None:
    assert dict(normalised(Offer({"name": "Lamp", "mpn": "L1", "specs": [("a", "b")]}))) == {
        "title": "Lamp",
        "han": "L1",
        "specs": {"a": "b"},
    }


def test_a_value_that_cannot_be_read_goes_with_a_note() -> None:
    offer = Offer(title="Lamp", price="on request", brand=None)
    assert normalise(offer) == ["price"]
    assert dict(offer) == {"title": "Lamp"}
    assert "on request" in offer.why("price").note


def test_no_value_has_characters_that_a_feed_or_database_rejects() -> None:
    """Neither NUL nor control characters nor half a character, however deep they are; both halves of one become it."""
    hostile = Offer({"title": "La\x00mp \ud83d\ude00", "col\ud800our": "red\x01", "url": "https://shop.example/\ud800"})
    hostile["reviews"] = [{"text": "Bri\udfffght", "stars": 5}]
    hostile["specs"] = {"Po\x00wer": "5 W"}
    assert dict(normalised(hostile)) == {
        "title": "Lamp 😀",
        "colour": "red",
        "url": "https://shop.example/",
        "reviews": [{"text": "Bright", "stars": 5}],
        "specs": {"Power": "5 W"},
    }
