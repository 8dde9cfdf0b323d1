"""Pairs that a page holds as data only."""

import json

from scout.page import Page
from scout.specs import specifications
from scout.specs.embedded import embedded_pairs


def page(data: object, kind: str = "application/ld+json", body: str = "") -> Page:
    return Page("http://shop.example/", f"<title>Lamp</title><script type='{kind}'>{json.dumps(data)}</script>{body}")


PROPERTIES = [
    {"@type": "PropertyValue", "name": "Weight", "value": 1.5, "unitText": "kg"},
    {"name": "Colour", "value": ["red", "blue"]},
]


def test_reads_the_additional_properties_of_json_ld() -> None:
    found = embedded_pairs(page({"@type": "Product", "additionalProperty": PROPERTIES}))
    assert found == [("Weight", "1.5 kg"), ("Colour", "red, blue")]
    assert found[0].why == "embedded data"


def test_reads_lists_of_attributes_in_the_state_of_an_application() -> None:
    state = {
        "props": {
            "page": {
                "product": {"attributes": [{"label": "Weight", "value": "1 kg"}, {"label": "Colour", "value": "red"}]}
            }
        }
    }
    assert embedded_pairs(page(state, "application/json")) == [("Weight", "1 kg"), ("Colour", "red")]


def test_what_the_page_shows_goes_before_its_data() -> None:
    table = "<h2>Specifications</h2><table><tr><td>Weight</td><td>2 kg</td></tr><tr><td>Brand</td><td>Luna</td></tr></table>"
    assert specifications(page({"additionalProperty": PROPERTIES}, body=table)) == [
        ("Weight", "2 kg"),
        ("Brand", "Luna"),
    ]
    assert specifications(page({"additionalProperty": PROPERTIES})) == [("Weight", "1.5 kg"), ("Colour", "red, blue")]


def test_settings_of_the_page_and_broken_blocks_are_none() -> None:
    keys = {"attributes": [{"id": "1", "key": "viewport"}, {"id": "2", "key": "country"}]}
    assert embedded_pairs(page(keys, "application/json")) == []
    internal = {"attributes": [{"name": "upper_material", "values": "100PES"}, {"name": "lining_key", "values": "X"}]}
    assert embedded_pairs(page(internal, "application/json")) == []
    assert (
        embedded_pairs(Page("http://shop.example/", '<script type="application/json">{"attributes": [</script>')) == []
    )
