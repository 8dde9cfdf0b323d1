"""Attributes are stored with their concept, so that shops can be compared."""

from __future__ import annotations

import io
import json

from scout.specs import Pair, Specs
from scout.store import Store
from scout.store.export import write_jsonl
from tests.store.examples import offer


def test_a_concept_is_stored_queried_across_shops_and_exported(store: Store) -> None:
    for shop, name, value in (("a", "Bildschirmdiagonale", "55 Zoll"), ("b", "Screen size", "65 in")):
        pair = Pair(name, value, concept="screen_size", quantity=value[:2], unit="in")
        part = Pair("Shelf width", "4 cm", concept="width", qualifier="shelf")
        crawl = store.begin_crawl(shop)
        store.save_offers(shop, [offer(1, specs=Specs([pair, part]))], crawl=crawl)
    rows = [(row["shop"], row["name"], row["quantity"], row["unit"]) for row in store.concept_values("screen_size")]
    assert rows == [("a", "Bildschirmdiagonale", "55", "in"), ("b", "Screen size", "65", "in")]
    assert [row["qualifier"] for row in store.concept_values("width")] == ["shelf", "shelf"]
    file = io.BytesIO()
    write_jsonl(file, store.offers("b"), ["concepts"])
    assert json.loads(file.getvalue())["concepts"][0] == {
        "concept": "screen_size",
        "name": "Screen size",
        "value": "65 in",
        "quantity": "65",
        "unit": "in",
    }
