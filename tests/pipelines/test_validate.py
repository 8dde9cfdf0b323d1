"""What is no offer is dropped by a named reason; a single wrong value is taken out and the offer lives on."""

from __future__ import annotations

import pytest
from scrapy.exceptions import DropItem

from scout.items import context_of
from scout.offer import Evidence, Offer
from scout.pipelines.validate import NoAddress, NotAProduct, NoTitle, ValidatePipeline
from tests.pipelines.crawlers import crawler, stats
from tests.store.examples import offer


def test_a_complete_offer_passes_unchanged() -> None:
    assert ValidatePipeline.from_crawler(crawler()).process_item(offer()) == offer()


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (Offer(title="Lamp", price="1.00"), NoAddress),
        (Offer(url="file:///etc/passwd", title="Lamp", price="1.00"), NoAddress),
        (Offer(url="https://shop.example/p/1", price="1.00"), NoTitle),
        (Offer(url="https://shop.example/p/1", title="x" * 2_000, price="1.00"), NoTitle),
        (Offer(url="https://shop.example/about", title="About us"), NotAProduct),
    ],
)
def test_what_is_no_offer_is_dropped_by_its_reason(found: Offer, reason: type[DropItem]) -> None:
    made = crawler()
    with pytest.raises(reason):
        ValidatePipeline.from_crawler(made).process_item(found)
    assert stats(made)[f"validate/{reason.__name__}"] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ean", "4006381333932"),
        ("price", "0.00"),
        ("price", "-5.00"),
        ("price", "cheap"),
        ("currency", "Euro"),
        ("availability", "maybe"),
        ("canonical", "javascript:void(0)"),
    ],
)
def test_a_wrong_value_is_taken_out_with_a_note(name: str, value: str) -> None:
    made = crawler()
    found = offer(**{name: value})
    found.evidence[name] = Evidence("span", raw=value, origin="learned")
    passed = ValidatePipeline.from_crawler(made).process_item(found)
    assert name not in passed
    why = passed.why(name)
    assert (why.selector, value in why.note) == ("span", True)
    assert stats(made) == {f"validate/wrong/{name}": 1, "validate/valid": 1}


@pytest.mark.parametrize("state", ["InStock", "OutOfStock", "PreOrder", "BackOrder"])
def test_every_state_of_the_schema_is_a_valid_availability(state: str) -> None:
    assert ValidatePipeline.from_crawler(crawler()).process_item(offer(availability=state))["availability"] == state


def test_images_that_are_no_addresses_are_taken_out_one_by_one() -> None:
    found = offer(images=["https://shop.example/1.jpg", "javascript:alert(1)"])
    assert ValidatePipeline.from_crawler(crawler()).process_item(found)["images"] == ["https://shop.example/1.jpg"]


def test_a_row_whose_provider_declares_it_need_not_look_like_a_product() -> None:
    made, row = crawler(), Offer(url="https://guide.example/#row=1", title="Zur Post")
    context_of(row).is_declared = True
    assert ValidatePipeline.from_crawler(made).process_item(row) is row
    assert stats(made)["validate/declared"] == 1
