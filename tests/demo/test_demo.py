"""The main job on a real shop: what Scout says is missing is what the shop's own database says, to the last offer."""

import json
import sqlite3

import pytest

from tests.demo.flow import NAME, Answer, Demo
from tests.shops.oscar.running import running
from tests.shops.test_oscar import PRODUCTS


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The demo, run once: its folder, what it said, and its answer."""
    folder, said = tmp_path_factory.mktemp("demo") / "demo", []
    with running() as shop:
        answer = Demo(shop, folder, said.append).run()
    return folder, "\n".join(said), answer


def test_the_answer_is_exactly_what_the_shops_database_says(finished):
    _, _, answer = finished
    assert list(answer.differences()) == []
    assert len(answer.said) == sum(row["listed"] == "no" for row in PRODUCTS)


def test_every_product_is_stored_once_with_its_values(finished):
    folder, _, _ = finished
    with sqlite3.connect(folder / "scout.db") as database:
        stored = {
            row[0]: row[1:]
            for row in database.execute("SELECT sku, title, price, currency, brand, ean, han FROM offers")
        }
        (count,) = database.execute("SELECT count(*) FROM offers").fetchone()
    assert count == len(PRODUCTS)
    for row in PRODUCTS:
        assert stored[row["sku"]] == (row["title"], row["price"], "EUR", row["brand"], row["ean"], row["han"])


def test_offers_that_are_gone_from_the_shop_are_told_too(finished):
    folder, _, _ = finished
    report = json.loads((folder / "reports" / NAME / "report.json").read_text())
    assert len(report["gone"]) == 7


def test_progress_and_the_commands_are_visible(finished):
    _, said, _ = finished
    for command in ("shops add", "learn", "crawl shop", "report"):
        assert f"$ scout {command}" in said
    assert f"scout crawl: done: {len(PRODUCTS)} offers" in said


def test_a_wrong_answer_is_told_article_by_article():
    answer = Answer(
        said={"A": "http://a", "B": "http://b"}, true={"B": "http://b", "C": "http://c"}, offers=3, report=None
    )
    assert not answer.is_right
    assert [line.split()[0] for line in answer.differences()] == ["C", "A"]
