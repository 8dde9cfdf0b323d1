"""A value that a person has set wins over whatever the page says, in every crawl, until it is forgotten."""

from __future__ import annotations

from scout.offer import Evidence, Offer
from scout.store import Store, overrides
from scout.store.shops import shop_id

URL = "https://shop.example/p/1"


def offer(price: str = "9.50", **values: str) -> Offer:
    made = Offer(title="Chair", url=URL, urls=[URL, f"{URL}?b"], price=price, currency="EUR", **values)
    made.evidence["price"] = Evidence("p.price", f"€{price}")
    return made


def set_value(store: Store, name: str, value: str | None, url: str = URL, person: str = "ada") -> None:
    with store.writing() as connection:
        overrides.save_override(connection, shop_id(connection, "shop") or 0, url, name, value, person)


def test_it_survives_crawls_and_the_evidence_says_who_and_when(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("shop", [offer()], store.begin_crawl("shop"))
        set_value(store, "price", "12.00")
        for price in ("9.50", "9.90"):
            store.save_offers("shop", [offer(price)], store.begin_crawl("shop"))
            stored = store.offer("shop", URL)
            why = stored.why("price")
            assert (stored["price"], why.origin, why.raw) == ("12.00", "override", price)
            assert "set by ada on 20" in why.note and price in why.note
        assert [str(change.price) for change in store.price_history("shop", URL)] == ["9.50", "12.00"]


def test_any_of_the_products_addresses_will_do(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("shop", [offer()])
        set_value(store, "brand", "Oak", url=f"{URL}?b")
        store.save_offers("shop", [offer()])
        assert store.offer("shop", URL)["brand"] == "Oak"


def test_no_value_can_be_what_a_person_says(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("shop", [offer(brand="Cookie")])
        set_value(store, "brand", None)
        store.save_offers("shop", [offer(brand="Cookie")])
        stored = store.offer("shop", URL)
        assert "brand" not in stored
        assert stored.why("brand").selector is None and "instead of 'Cookie'" in stored.why("brand").note


def test_lists_and_category_paths_are_stored_as_such(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("shop", [offer()])
        set_value(store, "category", "Furniture > Chairs")
        set_value(store, "images", "https://shop.example/a.jpg")
        store.save_offers("shop", [offer()])
        stored = store.offer("shop", URL)
        assert (stored["category"], stored["images"]) == ("Furniture > Chairs", ["https://shop.example/a.jpg"])


def test_a_later_one_replaces_it_and_forgetting_it_believes_the_page_again(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("shop", [offer()])
        set_value(store, "price", "12.00")
        set_value(store, "price", "13.00", person="bob")
        store.save_offers("shop", [offer()])
        assert store.offer("shop", URL)["price"] == "13.00"
        with store.writing() as connection:
            overrides.remove_override(connection, shop_id(connection, "shop") or 0, [URL], "price")
        store.save_offers("shop", [offer()])
        assert (store.offer("shop", URL)["price"], store.offer("shop", URL).why("price").origin) == ("9.50", "induced")


def test_it_belongs_to_one_offer_of_one_shop(tmp_path):
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        other = Offer(title="Table", url=f"{URL}0", price="3.00")
        store.save_offers("shop", [offer(), other])
        store.save_offers("twin", [offer()])
        set_value(store, "price", "12.00")
        store.save_offers("shop", [offer(), other])
        store.save_offers("twin", [offer()])
        assert store.offer("shop", f"{URL}0")["price"] == "3.00"
        assert store.offer("twin", URL)["price"] == "9.50"
