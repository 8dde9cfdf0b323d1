"""Feeds in Scout's project: a row for each variant, no live formula, well-formed whatever a shop says, and no failure in silence."""

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import logging
import marshal
import pickle
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from scrapy import Spider
from scrapy.utils.test import get_crawler

from scout.extensions.feeds import OfferFeeds, OfferXmlItemExporter, SafeCsvItemExporter
from scout.extraction.process_page import process_offer
from scout.items import CrawledOffer
from scout.offer import Offer
from scout.settings import FEED_EXPORTERS
from scout.store import Store
from tests.store.examples import offer

FORMULAS = ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1"]


def exported(*items: Any, **options: Any) -> list[list[str]]:
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))


def test_no_cell_is_a_formula_and_a_negative_number_stays_one() -> None:
    found = exported(*[{"title": text, "price": "-5.00", "count": -3} for text in FORMULAS])
    assert found[1:] == [[f"'{text}", "-5.00", "-3"] for text in FORMULAS]


def test_the_header_is_no_formula_either() -> None:
    assert exported({"=1+1": "x"})[0] == ["'=1+1"]


def test_an_offer_that_lacks_a_field_does_not_take_the_column_from_the_others() -> None:
    header, first, second = exported(Offer(url="https://shop.example/p/1", title="Lamp"), offer(2))
    assert second[header.index("price")] == "12.90"
    assert first[header.index("price")] == ""
    assert second[header.index("images")] == " ".join(offer(2)["images"])
    assert second[header.index("specs")] == '[["Colour", "red"], ["Power", "5 W"]]'


def test_a_field_that_comes_too_late_for_a_column_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        exported(Offer(url="https://shop.example/p/1"), offer(2), offer(3))
    assert [record.message for record in caplog.records] == [
        "The CSV file has no column for energy_class: name it in FEED_EXPORT_FIELDS"
    ]


def test_the_users_choice_of_fields_is_kept() -> None:
    assert exported(offer(1), fields_to_export=["title", "price"]) == [["title", "price"], ["Lamp 1", "12.90"]]


def xml_of(*items: Any) -> Any:
    file = io.BytesIO()
    exporter = OfferXmlItemExporter(file)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return etree.fromstring(file.getvalue())


def test_an_xml_feed_is_well_formed_whatever_the_shop_calls_things() -> None:
    shop = Offer({"title": "Lamp", "1st <field>": "x", "specs": {"Max. power (W)": "5 < 6"}})
    shop["reviews"] = [{"author": "Ann", "text": "Bright."}]
    (item,) = xml_of(shop)
    assert [child.tag for child in item] == ["title", "_1st__field_", "specs", "reviews"]
    assert [(spec.findtext("name"), spec.findtext("value")) for spec in item.find("specs")] == [
        ("Max. power (W)", "5 < 6")
    ]
    assert item.findtext("reviews/value/author") == "Ann"


class Feeding:
    """A crawler's feeds without a crawl."""

    def __init__(self, **feeds: dict[str, Any]) -> None:
        settings = {"FEEDS": {name: {"format": "jsonlines", **feed} for name, feed in feeds.items()}}
        self.crawler = get_crawler(Spider, {**settings, "FEED_EXPORTERS": FEED_EXPORTERS})
        self.crawler.spider = self.crawler._create_spider("shop")
        self.feeds = OfferFeeds.from_crawler(self.crawler)
        self.feeds.open_spider(self.crawler.spider)

    def give(self, *items: Any) -> None:
        for item in items:
            self.feeds.item_scraped(item, self.crawler.spider)

    def close(self) -> OfferFeeds:
        asyncio.run(self.feeds.close_spider(self.crawler.spider))
        return self.feeds


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_product_and_its_variants_are_rows_and_the_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "offers.jsonl"
    feeding = Feeding(**{str(path): {"overwrite": True}})
    feeding.give(CrawledOffer.of(offer(1), variant_offers=(offer(2, parent=offer(1)["url"]),)), {"own": "item"})
    assert len(rows(path)) == 3, "a row is in the file as soon as it is written"
    assert feeding.close().written == {str(path): f"3 rows in {path}"}


def test_a_full_disk_stops_one_feed_and_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "offers.jsonl"
    feeding = Feeding(**{"/dev/full": {}, str(path): {}})
    feeding.give(offer(1), offer(2))
    feeds = feeding.close()
    assert feeds.failures == {"/dev/full": "/dev/full is incomplete: No space left on device, after 0 rows"}
    assert feeds.written == {str(path): f"2 rows added to {path}"} and len(rows(path)) == 2
    assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) == 1


def test_a_feed_whose_end_cannot_be_written_has_failed(tmp_path: Path) -> None:
    """The closing bracket of a JSON file is written when all is over."""
    feeding = Feeding(**{"/dev/full": {"format": "json", "store_empty": True}})
    assert "No space left" in feeding.close().failures["/dev/full"]


@pytest.mark.parametrize("meddle", [Path.unlink, lambda path: path.write_text("")], ids=["removed", "emptied"])
def test_a_file_that_somebody_took_away_is_not_said_to_have_rows(tmp_path: Path, meddle: Any) -> None:
    path = tmp_path / "offers.jsonl"
    feeding = Feeding(**{str(path): {"overwrite": True}})
    feeding.give(offer(1))
    meddle(path)
    feeds = feeding.close()
    assert feeds.written == {} and str(path) in feeds.failures


def test_a_compressed_feed_is_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "offers.jsonl.gz"
    plugins = ["scrapy.extensions.postprocessing.GzipPlugin"]
    feeding = Feeding(**{str(path): {"overwrite": True, "postprocessing": plugins}})
    feeding.give(offer(1))
    assert feeding.close().written == {str(path): f"1 rows in {path}"}
    assert json.loads(gzip.decompress(path.read_bytes()))["title"] == "Lamp 1"


def test_a_row_that_no_exporter_can_write_is_missing_and_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "offers.jsonl"
    feeding = Feeding(**{str(path): {}})
    feeding.give({"odd": object()}, offer(2))
    feeds = feeding.close()
    assert "a row is missing: TypeError" in feeds.failures[str(path)]
    assert [row["url"] for row in rows(path)] == [offer(2)["url"]]


NASTY = {"title": "La\x00mp \ud800", "specs": [("Max. power (W)", "5\udfff"), ("Größe", "L\x0b")], "=1+1": "\x01=x"}


def test_all_formats_of_feeds_and_exports_have_the_same_clean_values(tmp_path: Path) -> None:
    """Whatever a shop says, from the pipelines on: NUL, control characters, halves of characters, odd names."""
    (clean, *_) = process_offer(offer(1, **NASTY)).offers
    formats = ("json", "jsonlines", "csv", "xml", "pickle", "marshal")
    feeding = Feeding(**{str(tmp_path / name): {"format": name} for name in formats})
    feeding.give(clean)
    assert feeding.close().failures == {}
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store:
        store.save_offers("lamps", [clean])
        (stored,) = store.offers("lamps")
    wanted = {"title": "Lamp", "specs": {"Max. power (W)": "5", "Größe": "L"}, "=1+1": "=x"}
    (as_json,), (as_line,) = json.loads((tmp_path / "json").read_text()), rows(tmp_path / "jsonlines")
    as_pickle, as_marshal = (
        pickle.loads((tmp_path / "pickle").read_bytes()),
        marshal.loads((tmp_path / "marshal").read_bytes()),
    )
    for values in (stored, as_json, as_line, as_pickle, as_marshal):
        assert {name: values[name] for name in wanted} == wanted
    (as_csv,) = csv.DictReader(io.StringIO((tmp_path / "csv").read_text(), newline=""))
    assert json.loads(as_csv["specs"]) == wanted["specs"] and as_csv["'=1+1"] == "'=x"
    (item,) = etree.parse(tmp_path / "xml").getroot()
    assert {spec.findtext("name"): spec.findtext("value") for spec in item.find("specs")} == wanted["specs"]
