"""Values that a spider says itself are read by their fields; what extraction has read stays as it is."""

from __future__ import annotations

import pytest

from scout.offer import Evidence, Offer
from scout.pipelines.normalise import NormalisePipeline
from scout.rules import ShopRules
from scout.values import NumberLocale
from tests.pipelines.crawlers import crawler, stats

GERMAN = ShopRules(shop="lamps", locale=NumberLocale(decimal=",", thousands="."))


def normalised(offer: Offer, rules: ShopRules | None = None) -> Offer:
    return NormalisePipeline.from_crawler(crawler(rules)).process_item(offer)


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
        "specs": [("a", "b")],
    }


def test_a_value_that_cannot_be_read_goes_with_a_note_and_a_count() -> None:
    made = crawler()
    offer = NormalisePipeline.from_crawler(made).process_item(Offer(title="Lamp", price="on request", brand=None))
    assert dict(offer) == {"title": "Lamp"}
    assert "on request" in offer.why("price").note
    assert stats(made) == {"normalise/unreadable/price": 1}
