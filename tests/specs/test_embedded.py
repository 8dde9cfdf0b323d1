"""Pairs that a page holds as data only."""

import json
from html import escape

import pytest

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


LISTED = json.dumps([{"name": "Weight", "value": "1 kg"}, {"name": "Colour", "value": "red"}])
NAMED = json.dumps({"Net weight": "1 kg", "Colour": "red", "Watt": 40})


@pytest.mark.parametrize(
    "written",
    [
        f'<script>window.__STATE__ = {{product: {{id: 3, "specifications": {LISTED}}}}};</script>',
        f"<script>self.__next_f.push([1, {json.dumps(chr(123) + chr(34) + 'specs' + chr(34) + ':' + LISTED + '}')}])</script>",
        f"<x-table data-specifications='{LISTED}'></x-table>",
        f'<x-table :specs="{escape(LISTED)}"></x-table>',
    ],
)
def test_reads_lists_of_attributes_in_code_and_in_attributes_of_elements(written: str) -> None:
    found = embedded_pairs(Page("http://shop.example/", f"<title>Lamp</title>{written}"))
    assert found == [("Weight", "1 kg"), ("Colour", "red")]


def test_reads_attributes_in_groups_and_takes_no_choices_for_them() -> None:
    groups = [{"group": "Size", "items": PROPERTIES[:1]}, {"group": "Look", "items": PROPERTIES[1:]}]
    assert embedded_pairs(page({"specs": groups})) == [("Weight", "1.5 kg"), ("Colour", "red, blue")]
    choices = [{"label": "Colour", "options": [{"label": "Red", "value": "r"}, {"label": "Blue", "value": "b"}]}]
    assert embedded_pairs(page({"attributes": choices})) == []


def test_reads_lists_in_what_an_attribute_says_of_the_whole_product() -> None:
    data = escape(json.dumps({"id": 7, "attributes": PROPERTIES}))
    assert len(embedded_pairs(Page("http://shop.example/", f"<div data-product='{data}'></div>"))) == 2


def test_reads_an_object_whose_keys_are_names_and_no_settings() -> None:
    found = embedded_pairs(page({"product": {"specs": json.loads(NAMED)}}, "application/json"))
    assert found == [("Net weight", "1 kg"), ("Colour", "red"), ("Watt", "40")]
    settings = {"attributes": {"className": "a", "dataId": "b", "lang": "en", "PlanType": "main"}}
    assert embedded_pairs(page(settings, "application/json")) == []


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
