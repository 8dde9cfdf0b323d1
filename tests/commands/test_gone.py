"""Gone means that the shop says so: a real shop on loopback whose products fail, vanish or are forbidden from one crawl to the next."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from scout.crawl.account import AccountState
from scout.store import Store, presence
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

NUMBERS = set(PRODUCTS)


class Desk:
    """A folder with a database, and a shop that was crawled completely once."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder, self.url = folder, url
        self.options = ("-s", f"SCOUT_DATABASE=sqlite:///{folder}/scout.db", "-s", f"SCOUT_RULES_DIR={folder}/rules")

    def run(self, *arguments: str) -> Any:
        return scrapy(*arguments, *self.options)

    def crawl(self) -> int:
        code: int = self.run("crawl", "shop", "-a", f"url={self.url}", "-a", "shop=tiny", *HASTY).returncode
        return code

    def states(self) -> dict[int, str]:
        """The state of each product, as the export has it."""
        path = self.folder / "offers.csv"
        assert self.run("export", "tiny", "-o", str(path), "--gone").returncode == 0
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["age_days"] for row in rows} == {"0"}
        assert all(row["price"] for row in rows), "whatever became of it, an offer keeps its last values"
        return {int(row["url"].rpartition("/")[2]): row["state"] for row in rows}

    def report(self, *options: str) -> tuple[int, dict[str, Any]]:
        ran = self.run("report", "tiny", "--out", str(self.folder), *options)
        return ran.returncode, json.loads((self.folder / "tiny" / "report.json").read_text("utf-8"))


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "catalogue.csv"
    path.write_text("sku,title\n" + "".join(f"TS-{number:04d},{PRODUCTS[number][0]}\n" for number in sorted(NUMBERS)))
    return path


def test_what_fails_is_not_gone_and_what_the_shop_says_is_gone_is(tmp_path: Path, catalogue: Path) -> None:
    shop = tiny_shop()
    with serving(shop) as server:
        desk = Desk(tmp_path, server.url)
        assert desk.crawl() == 0
        shop |= {"/product/2": Answer("gone", 410), "/product/7": Answer("broken", 500)}
        assert desk.crawl() == 3
    states = dict.fromkeys(NUMBERS, "current") | {2: "gone", 7: "unreached"}
    assert desk.states() == states
    code, report = desk.report("--catalogue", str(catalogue), "--min-coverage", "0.1")
    assert code == 3, "nobody knows the coverage of a shop that was not read completely"
    assert report["summary"]["coverage"] is None
    assert (report["summary"]["offers"], report["summary"]["unreached"], report["summary"]["gone"]) == (9, 1, 1)
    assert [row["sku"] for row in report["gone"]] == ["TS-0002"]


def test_a_product_that_a_complete_crawl_does_not_see_is_gone_unless_it_is_forbidden(tmp_path: Path) -> None:
    shop = tiny_shop()
    with serving(shop) as server:
        desk = Desk(tmp_path, server.url)
        assert desk.crawl() == 0
        for path, page in shop.items():
            if isinstance(page, str):
                shop[path] = page.replace('href="/product/3"', 'href="/chairs"')
        shop["/robots.txt"] = "User-agent: *\nDisallow: /product/8\n"
        assert desk.crawl() == 0
    assert desk.states() == dict.fromkeys(NUMBERS, "current") | {3: "gone", 8: "unreached"}
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        assert store.shop("tiny").offers == len(list(store.offers("tiny"))) == 9


def test_a_product_that_comes_back_is_current_again(tmp_path: Path) -> None:
    shop = tiny_shop()
    with serving(shop) as server:
        desk = Desk(tmp_path, server.url)
        desk.crawl()
        page, shop["/product/2"] = shop["/product/2"], Answer("", 404)
        shop["/product/7"] = Answer("broken", 500)
        desk.crawl()
        assert desk.states()[2] == "gone"
        shop |= {"/product/2": page, "/product/7": page}
        with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
            again = store.begin_crawl("tiny")
            store.save_offers(
                "tiny", [offer for offer in store.offers("tiny", gone=True) if offer["url"].endswith("/2")], again
            )
            store.finish_crawl(again, "incomplete")
        assert desk.states()[2] == "current"


def test_the_states_are_those_of_the_account() -> None:
    assert (AccountState.GONE.value, AccountState.FORBIDDEN.value) == (presence.GONE, presence.FORBIDDEN)
