"""Offers are stored once per product, updated, and come back as they went in; on SQLite and on PostgreSQL."""

from __future__ import annotations

from decimal import Decimal

import pytest
from sqlalchemy import func, select

from scout.items import CrawledOffer, Visit
from scout.offer import Evidence, Offer
from scout.specs import Pair, Specs
from scout.store import SaveCounts, Store
from scout.store.models import Category, Image, Model, OfferAddress, Review, Specification, StoredOffer, VisitedPage
from tests.store.examples import offer


def rows(store: Store, model: type[Model]) -> int:
    with store.reading() as connection:
        return connection.execute(select(func.count()).select_from(model)).scalar_one()


def test_an_offer_comes_back_as_it_was_saved(store: Store) -> None:
    saved = offer()
    assert store.save_offers("lamps", [saved]) == SaveCounts(new=1)
    (found,) = store.offers("lamps")
    assert dict(found) == dict(saved, specs=dict(saved["specs"]))
    assert found.evidence == saved.evidence
    assert found.first_seen.tzinfo is not None


def test_saving_again_changes_nothing_and_duplicates_nothing(store: Store) -> None:
    store.save_offers("lamps", [offer(1), offer(2)])
    assert store.save_offers("lamps", [offer(1), offer(2)]) == SaveCounts(unchanged=2)
    assert [rows(store, model) for model in (StoredOffer, OfferAddress, Image, Specification, Review)] == [
        2,
        2,
        4,
        4,
        2,
    ]


def test_a_changed_offer_is_updated_with_its_parts(store: Store) -> None:
    store.save_offers("lamps", [offer()])
    changed = offer(title="Lamp, new", images=["https://shop.example/i/9.jpg"], specs=[("Colour", "blue")], reviews=[])
    assert store.save_offers("lamps", [changed]) == SaveCounts(changed=1)
    (found,) = store.offers("lamps")
    assert (found["title"], found["images"], found["specs"]) == ("Lamp, new", changed["images"], {"Colour": "blue"})
    assert "reviews" not in found


def test_a_specification_keeps_its_sections_quantities_and_repeated_names(store: Store) -> None:
    pairs = [Pair("Width", "40 cm", section="Chair", quantity="40", unit="cm"), Pair("Width", "50 cm", section="Box")]
    store.save_offers("lamps", [offer(specs=Specs(pairs))])
    (found,) = store.offers("lamps")
    assert found["specs"] == {"Width": "40 cm"} and found["specs"].pairs == tuple(pairs)
    assert [(p.section, p.quantity, p.unit) for p in found["specs"].pairs] == [
        ("Chair", "40", "cm"),
        ("Box", None, None),
    ]
    assert store.save_offers("lamps", [offer(specs=found["specs"])]) == SaveCounts(unchanged=1)


def test_a_later_crawl_replaces_all_values(store: Store) -> None:
    first, second = store.begin_crawl("lamps"), store.begin_crawl("lamps")
    store.save_offers("lamps", [offer()], first)
    store.save_offers("lamps", [Offer(url=offer()["url"], title="Lamp")], second)
    (found,) = store.offers("lamps")
    assert "price" not in found
    assert found.crawl == second


def test_one_product_under_two_addresses_is_one_offer(store: Store) -> None:
    crawl = store.begin_crawl("lamps")
    first, other = "https://shop.example/p/1", "https://shop.example/sale/1"
    store.save_offers("lamps", [offer(1)], crawl)
    again = Offer(url=other, urls=[other, first], title="Lamp 1", colour="red")
    assert store.save_offers("lamps", [again], crawl) == SaveCounts(again=1)
    (found,) = store.offers("lamps")
    assert (found["url"], found["urls"]) == (first, [first, other])
    assert (found["price"], found["colour"]) == ("12.90", "red"), (
        "within one crawl nothing that an earlier page said is lost"
    )
    assert store.offer("lamps", other) == found


def test_two_offers_that_turn_out_to_be_one_product_become_one(store: Store) -> None:
    store.save_offers("lamps", [offer(1), offer(2)])
    both = offer(1, urls=[offer(1)["url"], offer(2)["url"]])
    store.save_offers("lamps", [both])
    (found,) = store.offers("lamps")
    assert set(found["urls"]) == {offer(1)["url"], offer(2)["url"]}


def test_offers_of_one_batch_that_the_database_knows_as_one_are_one(store: Store) -> None:
    first, second = offer(1)["url"], offer(2)["url"]
    store.save_offers("lamps", [offer(1, urls=[first, second])])
    assert store.save_offers("lamps", [offer(1, price="9.00"), offer(2, price="9.00")]) == SaveCounts(
        changed=1, again=1
    )
    assert len(store.price_history("lamps", first)) == 2


@pytest.mark.parametrize("is_one_batch", [True, False])
def test_a_product_met_under_another_address_in_the_same_crawl_is_one_offer(store: Store, is_one_batch: bool) -> None:
    crawl = store.begin_crawl("lamps")
    other = "https://shop.example/sale/1"
    pages = [offer(1), offer(1, url=other, urls=[other], canonical=None, description=None)]
    saved = sum(
        (store.save_offers("lamps", part, crawl) for part in ([pages] if is_one_batch else [[p] for p in pages])),
        SaveCounts(),
    )
    assert saved == SaveCounts(new=1, again=1)
    (found,) = store.offers("lamps")
    assert found["urls"] == [offer(1)["url"], other]


@pytest.mark.parametrize("difference", [{"price": "13.00"}, {"sku": "L-9"}, {"title": "Other"}, {"brand": "Lux"}])
def test_products_that_differ_in_what_tells_products_apart_are_two(store: Store, difference: dict[str, object]) -> None:
    crawl = store.begin_crawl("lamps")
    other = "https://shop.example/p/9"
    assert store.save_offers("lamps", [offer(1), offer(1, url=other, urls=[other], **difference)], crawl) == SaveCounts(
        new=2
    )


def test_products_of_different_crawls_are_told_by_address_only(store: Store) -> None:
    first, second = store.begin_crawl("lamps"), store.begin_crawl("lamps")
    other = "https://shop.example/p/9"
    store.save_offers("lamps", [offer(1)], first)
    assert store.save_offers("lamps", [offer(1, url=other, urls=[other])], second) == SaveCounts(new=1)


def test_what_a_person_accepted_survives_when_two_offers_become_one(store: Store) -> None:
    store.save_offers("lamps", [offer(1), offer(2)])
    first, second = (found.id for found in store.offers("lamps"))
    store.accept_missing("lamps", [second], "a spare part")
    store.save_offers("lamps", [offer(1, urls=[offer(1)["url"], offer(2)["url"]])])
    assert store.accepted_missing("lamps") == {first: "a spare part"}


def test_variants_without_an_address_of_their_own_are_offers_of_their_own(store: Store) -> None:
    parent = offer(1)
    variants = [offer(1, parent=parent["url"], sku=sku) for sku in ("L-red", "L-blue")]
    assert store.save_offers("lamps", [parent, *variants]) == SaveCounts(new=3)
    assert store.save_offers("lamps", [*variants, parent]) == SaveCounts(unchanged=3)


def test_history_has_a_row_for_each_change_of_price_currency_or_availability(store: Store) -> None:
    url = offer()["url"]
    for change in (
        {},
        {"title": "Other"},
        {"price": "11.00"},
        {"price": "11.00"},
        {"price": "11.00", "availability": "OutOfStock"},
    ):
        store.save_offers("lamps", [offer(**change)])
    history = store.price_history("lamps", url)
    assert [(row.price, row.availability) for row in history] == [
        (Decimal("12.90"), "InStock"),
        (Decimal("11.00"), "InStock"),
        (Decimal("11.00"), "OutOfStock"),
    ]
    assert store.price_history("lamps", "https://shop.example/nowhere") == []


@pytest.mark.parametrize("price", ["0.10", "12.90", "1299.00", "0.005", "99999999999999999999.99"])
def test_money_is_exact(store: Store, price: str) -> None:
    store.save_offers("lamps", [offer(price=price)])
    assert next(store.offers("lamps"))["price"] == price
    assert store.price_history("lamps", offer()["url"])[0].price == Decimal(price)


def test_a_price_that_is_no_amount_is_kept_but_not_as_a_price(store: Store) -> None:
    store.save_offers("lamps", [offer(price="NaN")])
    assert next(store.offers("lamps"))["price"] == "NaN"
    assert store.price_history("lamps", offer()["url"])[0].price is None


def test_what_no_database_can_hold_is_taken_out(store: Store) -> None:
    hostile = offer(title="a\x00b\ud800c", specs=[("k\x00", "v\udfff")], colour=["\x00", float("nan")])
    hostile["url"] = hostile["url"] + "\x00"
    hostile.evidence["title"] = Evidence("h1", raw="a\x00b")
    assert store.save_offers("lamps", [hostile]).new == 1
    (found,) = store.offers("lamps")
    assert (found["title"], found["specs"], found["colour"]) == ("abc", {"k": "v"}, ["", None])
    assert store.save_offers("lamps", [hostile]) == SaveCounts(unchanged=1)


def test_addresses_may_be_of_any_length(store: Store) -> None:
    url = "https://shop.example/?q=" + "ä" * 20_000
    store.save_offers("lamps", [offer(url=url, urls=[url])])
    assert store.offer("lamps", url) is not None


def test_categories_are_a_tree_without_doubles(store: Store) -> None:
    store.save_offers("lamps", [offer(1), offer(2, category=["Home", "Lamps", "Desk"]), offer(3, category="Home")])
    store.save_offers("lamps", [offer(4)])
    with store.reading() as connection:
        found = {row.id: row for row in connection.execute(select(Category.__table__))}
    names = {" > ".join(row.path): row for row in found.values()}
    assert sorted(names) == ["Home", "Home > Lamps", "Home > Lamps > Desk"]
    assert found[names["Home > Lamps > Desk"].parent_id].name == "Lamps"
    assert names["Home"].parent_id is None


def test_visits_are_remembered_once_per_address(store: Store) -> None:
    crawl = store.begin_crawl("lamps")
    item = CrawledOffer.of(offer())
    for status in (200, 304):
        item.visit = Visit(item["url"], level="detail", status=status, html="<h1>ö\ud800</h1>")
        store.save_offers("lamps", [item], crawl)
    with store.reading() as connection:
        (page,) = connection.execute(select(VisitedPage.__table__)).all()
    assert (page.status, page.level, page.crawl_id) == (304, "detail", crawl)
    assert [(page.url, page.html) for page in store.pages("lamps")] == [(item["url"], "<h1>ö?</h1>")]


def test_offers_that_the_last_complete_crawl_did_not_meet_are_gone(store: Store) -> None:
    first = store.begin_crawl("lamps")
    store.save_offers("lamps", [offer(1), offer(2)], first)
    store.finish_crawl(first, "finished")
    second = store.begin_crawl("lamps")
    store.save_offers("lamps", [offer(2)], second)
    assert len(list(store.offers("lamps"))) == 2, "a crawl that is not complete tells nothing about what is gone"
    store.finish_crawl(second, "finished")
    assert [found["title"] for found in store.offers("lamps")] == ["Lamp 2"]
    assert len(list(store.offers("lamps", gone=True))) == 2


def test_an_offer_that_is_read_anew_is_as_present_as_its_parent_else_as_the_last_complete_crawl(store: Store) -> None:
    first = store.begin_crawl("lamps")
    store.save_offers("lamps", [offer(1), offer(2)], first)
    store.finish_crawl(first, "finished")
    second = store.begin_crawl("lamps")
    store.save_offers("lamps", [offer(2)], second)
    store.finish_crawl(second, "finished")
    found = [offer(n, sku=f"L-{n}-red", parent=offer(n)["url"]) for n in (1, 2)]
    assert store.save_offers("lamps", [*found, offer(3)]) == SaveCounts(new=3)
    shown = {record.get("sku") for record in store.offers("lamps")}
    assert shown == {offer(2)["sku"], "L-2-red", offer(3)["sku"]}, "a variant of what is gone is gone"
    assert store.shop("lamps").offers == 3
    third = store.begin_crawl("lamps")
    store.finish_crawl(third, "finished")
    assert not list(store.offers("lamps")), "the next crawl has not met them"


def test_shops_do_not_share_offers(store: Store) -> None:
    store.save_offers("lamps", [offer()])
    assert store.save_offers("other", [offer()]) == SaveCounts(new=1)
    assert len(list(store.offers())) == 2


def test_more_offers_than_a_batch_are_saved_and_read(store: Store) -> None:
    assert store.save_offers("lamps", (offer(n) for n in range(1_101))) == SaveCounts(new=1_101)
    assert len({found["url"] for found in store.offers("lamps")}) == 1_101
