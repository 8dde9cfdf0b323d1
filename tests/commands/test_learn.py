"""learn, rules, explain and evaluate on the command line, against a small shop on loopback."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scout.offer import Offer
from scout.rules import ShopRules
from scout.spiders.offers import offers_with_pages
from scout.store import Store
from tests.crawl.serving import Answer, Server, serving
from tests.learning.shop import html, offers
from tests.processes import run
from tests.shops.rendered import PRODUCTS, rendered_shop

COUNT = 12
LONGEST = 60


@dataclass
class Desk:
    """A user's folder and the shop."""

    folder: Path
    server: Server

    @property
    def catalogue(self) -> Path:
        return self.folder / "offers.csv"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`scrapy ARGUMENTS`, in a process of its own, because a reactor runs once."""
        settings = {
            "SCOUT_DATABASE": f"sqlite:///{self.folder}/scout.db",
            "SCOUT_RULES_DIR": str(self.folder / "rules"),
            "DOWNLOAD_DELAY": "0",
            "SCOUT_RETRY_PAUSE": "0.05",
            "AUTOTHROTTLE_ENABLED": "False",
        }
        options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        return run("scrapy", *arguments, *options, timeout=LONGEST)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    known = offers(COUNT)
    table: dict[str, str | Answer] = {f"/p{n}": html(offer, n) for n, offer in enumerate(known)}
    table["/moved"] = Answer("", 302, {"Location": "/"})
    table["/"] = "<h1>Welcome</h1>"
    with serving(table) as server:
        folder = tmp_path_factory.mktemp("desk")
        rows = [{"url": f"{server.url}p{n}?gclid=x", **offer} for n, offer in enumerate(known)]
        rows += [{"url": f"{server.url}gone", **known[0]}, {"url": f"{server.url}moved", **known[1]}]
        with (folder / "offers.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        yield Desk(folder, server)


@pytest.fixture(scope="module")
def learned(desk: Desk) -> subprocess.CompletedProcess[str]:
    return desk.run("learn", "chairs", "--offers", str(desk.catalogue))


def test_learn_writes_rules_and_shows_each_field(desk: Desk, learned: subprocess.CompletedProcess[str]):
    assert learned.returncode == 0, learned.stderr
    assert "title" in learned.stdout and "12 of 12" in learned.stdout
    rules = ShopRules.load(desk.folder / "rules" / "chairs.yaml")
    assert rules.shop == "chairs" and rules.fields["price"].rules


def test_pages_that_are_gone_are_left_out_with_the_reason(learned: subprocess.CompletedProcess[str]):
    assert "2 left out" in learned.stdout
    assert "HTTP 404" in learned.stdout and "redirected to the front page" in learned.stdout


def test_the_shop_sees_clean_addresses_once(desk: Desk, learned: subprocess.CompletedProcess[str]):
    assert not [path for path in desk.server.asked if "gclid" in path]
    assert desk.server.asked.count("/p3") == 1


def test_learning_again_fetches_only_what_is_missing_and_a_missed_precision_is_exit_code_3(
    desk: Desk, learned: subprocess.CompletedProcess[str]
):
    again = desk.run("learn", "chairs", "--min-precision", "1.01")
    assert again.returncode == 3, again.stderr
    assert desk.server.asked.count("/p3") == 1 and desk.server.asked.count("/gone") == 2


def test_learn_without_any_known_offer_is_wrong_usage(desk: Desk):
    ran = desk.run("learn", "nobody")
    assert ran.returncode == 2 and "Traceback" not in ran.stderr


def test_a_catalogue_without_addresses_is_wrong_usage_and_names_its_columns(desk: Desk):
    bare = desk.folder / "bare.csv"
    bare.write_text("title,price\nChair,1\n", encoding="utf-8")
    ran = desk.run("learn", "bare", "--offers", str(bare))
    assert ran.returncode == 2 and "title, price" in ran.stderr


def test_rows_whose_address_is_none_are_passed_over(desk: Desk, learned: subprocess.CompletedProcess[str]):
    mixed = desk.folder / "mixed.csv"
    rows = desk.catalogue.read_text(encoding="utf-8").splitlines()
    mixed.write_text("\n".join([*rows, rows[1].replace(rows[1].split(",")[0], "see the shop")]), encoding="utf-8")
    ran = desk.run("learn", "mixed", "--offers", str(mixed))
    assert ran.returncode == 0 and "Learned from 12 of 14" in ran.stdout and "Traceback" not in ran.stderr


def test_an_address_that_is_none_is_wrong_usage(desk: Desk):
    vague = desk.folder / "vague.csv"
    vague.write_text("url,title\nsee the shop,Chair\n", encoding="utf-8")
    ran = desk.run("learn", "vague", "--offers", str(vague))
    assert ran.returncode == 2 and "begin with http://" in ran.stderr and "Traceback" not in ran.stderr


def test_learning_nothing_is_a_failure_that_leaves_the_rules_alone(
    desk: Desk, learned: subprocess.CompletedProcess[str]
):
    before = (desk.folder / "rules" / "chairs.yaml").read_text(encoding="utf-8")
    (desk.folder / "rules" / "single.yaml").write_text(before, encoding="utf-8")
    single = desk.folder / "single.csv"
    single.write_text(f"url,title\n{desk.server.url}p1,A thing that the page does not name\n", "utf-8")
    ran = desk.run("learn", "single", "--offers", str(single))
    assert ran.returncode == 1 and "no field could be learned" in ran.stderr
    assert (desk.folder / "rules" / "single.yaml").read_text(encoding="utf-8") == before


def test_explain_shows_selector_raw_text_and_votes(desk: Desk, learned: subprocess.CompletedProcess[str]):
    ran = desk.run("explain", f"{desk.server.url}p3", "--shop", "chairs", "--json")
    assert ran.returncode == 0, ran.stderr
    price = json.loads(ran.stdout)["price"]
    assert price["value"] == offers(COUNT)[3]["price"]
    assert "," in price["raw"] and price["origin"] == "learned" and price["votes"]


def test_explain_of_a_page_that_is_gone_fails_with_the_reason(desk: Desk):
    ran = desk.run("explain", f"{desk.server.url}gone")
    assert ran.returncode == 1 and "HTTP 404" in ran.stderr


def test_evaluate_measures_on_offers_it_has_not_learned_from(desk: Desk, learned: subprocess.CompletedProcess[str]):
    picture = desk.folder / "fields.html"
    ran = desk.run("evaluate", "chairs", "--plot", str(picture), "--min-accuracy", "0.9")
    assert ran.returncode == 0, ran.stderr + ran.stdout
    assert "accuracy from 8" in ran.stdout and "<svg" in picture.read_text()


def test_several_shops_are_evaluated_at_once_with_their_mean(desk: Desk, learned: subprocess.CompletedProcess[str]):
    assert desk.run("catalogue", "import", "stools", str(desk.catalogue)).returncode == 0
    picture = desk.folder / "shops.html"
    ran = desk.run("evaluate", "chairs", "stools", "--plot", str(picture))
    assert ran.returncode == 0, ran.stderr + ran.stdout
    assert "mean" in ran.stdout and "stools" in ran.stdout and picture.read_text().count("<svg") == 4


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A user who knows ten offers of a shop that is built in the browser."""
    with rendered_shop("spa") as shop:
        folder = tmp_path_factory.mktemp("scripted")
        known = list(PRODUCTS.values())[::4][:10]
        rows = [{"url": f"{shop.url}p/{p['id']}", **{k: p[k] for k in ("title", "price", "sku")}} for p in known]
        with (folder / "offers.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        yield Desk(folder, shop)  # type: ignore[arg-type]  # its address is in the catalogue


def test_a_shop_that_is_built_in_the_browser_is_learned_as_a_crawl_sees_it(scripted: Desk):
    ran = scripted.run("learn", "lamps", "--offers", str(scripted.catalogue))
    assert ran.returncode == 0, ran.stderr
    rules = ShopRules.load(scripted.folder / "rules" / "lamps.yaml")
    assert rules.levels and rules.levels["detail"]["mode"] in ("endpoint", "browser")
    assert all(rules.fields[name].found == 10 for name in ("title", "price", "sku"))


def test_learning_says_that_the_pages_need_a_browser_where_there_is_none(scripted: Desk):
    arguments = ("--offers", str(scripted.catalogue), "--fresh", "-s", "SCOUT_BROWSER=/nonexistent")
    ran = scripted.run("learn", "other", *arguments)
    assert ran.returncode == 1
    assert "no field could be learned" in ran.stderr and "make browser" in ran.stderr


def test_a_catalogue_without_addresses_teaches_where_a_crawl_has_found_its_numbers(tmp_path: Path):
    """By EAN, or by article number if the titles have a word in common; what no number proves teaches nothing."""
    known = [{"ean": "4006381333931", "price": "1"}, {"sku": "A-100", "title": "Oak chair"}, {"title": "Elm bench"}]
    crawled = [
        Offer(url="http://shop.example/1", title="Lamp", ean="4006381333931"),
        Offer(url="http://shop.example/2", title="Chair of oak", sku="a100"),
        Offer(url="http://shop.example/3", title="Elm bench"),
    ]
    with Store.open(f"sqlite:///{tmp_path}/scout.db") as store:
        store.save_offers("chairs", crawled)
        store.import_catalogue("chairs", known)
        found = offers_with_pages(store, "chairs")
    assert [row["url"] for row in found] == ["http://shop.example/1", "http://shop.example/2"]
    assert found[0]["price"] == "1"
