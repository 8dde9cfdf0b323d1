"""What is no offer has a named reason; a single wrong value is taken out and the offer lives on."""

from __future__ import annotations

import pytest

from scout.extraction.offer_checks import drop_reason, remove_wrong_values
from scout.offer import Evidence, Offer
from tests.store.examples import offer


def test_a_complete_offer_stays_as_it_is() -> None:
    found = offer()
    assert remove_wrong_values(found) == [] and found == offer() and drop_reason(found) is None


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Offer(title="Lamp", price="1.00"), "NoAddress"),
        (Offer(url="file:///etc/passwd", title="Lamp", price="1.00"), "NoAddress"),
        (Offer(url="https://shop.example/p/1", price="1.00"), "NoTitle"),
        (Offer(url="https://shop.example/p/1", title="x" * 2_000, price="1.00"), "NoTitle"),
        (Offer(url="https://shop.example/about", title="About us"), "NotAProduct"),
    ],
)
def test_what_is_no_offer_has_a_reason(found: Offer, reason: str) -> None:
    remove_wrong_values(found)
    assert drop_reason(found) == reason


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ean", "4006381333932"),
        ("ean", "2000000043333"),  # for use inside one shop
        ("price", "0.00"),
        ("price", "-5.00"),
        ("price", "cheap"),
        ("currency", "Euro"),
        ("availability", "maybe"),
        ("canonical", "javascript:void(0)"),
    ],
)
def test_a_wrong_value_is_taken_out_with_a_note(name: str, value: str) -> None:
    found = offer(**{name: value})
    found.evidence[name] = Evidence("span", raw=value, origin="learned")
    assert remove_wrong_values(found) == [name]
    assert name not in found
    why = found.why(name)
    assert why is not None and (why.selector, value in (why.note or "")) == ("span", True)


def test_a_number_of_the_shops_own_stays_where_a_persons_rule_reads_it() -> None:
    found = offer(ean="2000000043333")
    found.evidence["ean"] = Evidence("span", raw="2000000043333", origin="manual")
    assert remove_wrong_values(found) == []


@pytest.mark.parametrize("state", ["InStock", "OutOfStock", "PreOrder", "BackOrder"])
def test_every_state_of_the_schema_is_a_valid_availability(state: str) -> None:
    assert remove_wrong_values(offer(availability=state)) == []


def test_images_that_are_no_addresses_are_taken_out_one_by_one() -> None:
    found = offer(images=["https://shop.example/1.jpg", "javascript:alert(1)"])
    assert remove_wrong_values(found) == ["images"]
    assert found["images"] == ["https://shop.example/1.jpg"]


def test_a_row_whose_provider_declares_it_need_not_look_like_a_product() -> None:
    assert drop_reason(Offer(url="https://guide.example/#row=1", title="Zur Post"), is_declared=True) is None
