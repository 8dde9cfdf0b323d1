"""The paper's services as one deployment (Hübscher 2018, sections 1.4 and 2.5), started as docs/scaling.md says.

PostgreSQL holds queue and rules, two workers of scrapyd crawl and parse, Spark reads all pages once more, and the matcher is a job on
the database.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scout.archive.files import canonical_json_line
from scout.store import Store
from tests.crawl.commands import FAST, scrapy
from tests.crawl.serving import Server, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.reliability.scrapyd_daemon import Scrapyd, copy_project, deploy, running_scrapyd
from tests.store.postgres import PostgresMissing, running_postgres

SHOP = "tiny"
PACE = {**FAST, "DOWNLOAD_DELAY": 1.0}  # slow enough that the second worker comes while there is work
LACKING = 3  # products that the catalogue does not have

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
        reason="pyspark or Java is not installed: `make spark` installs them (450 MB)",
    ),
]


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """The one database of the deployment."""
    try:
        with running_postgres() as server:
            yield server.empty_database()
    except PostgresMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A node with two workers, to which the project is deployed."""
    with running_scrapyd(tmp_path_factory.mktemp("node"), max_proc=2) as daemon:
        clone = copy_project(tmp_path_factory.mktemp("clone"))
        done = deploy(clone, daemon, "--version", "1")
        assert done.returncode == 0 and '"status": "ok"' in done.stdout, done.stdout + done.stderr
        yield daemon


@pytest.fixture(scope="module")
def crawled(database: str, scrapyd: Scrapyd, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The shop, after two workers that share nothing but the database have crawled it."""
    with serving(tiny_shop()) as shop:
        jobs = []
        for _ in range(2):
            rules = tmp_path_factory.mktemp("machine") / "rules"
            settings = {**PACE, "SCOUT_DATABASE": database, "SCOUT_RULES_DIR": rules, "SCOUT_RENDER": "never"}
            setting = [f"{name}={value}" for name, value in (settings | {"SCOUT_KEEP_PAGES": "products"}).items()]
            asked = {"project": "scout", "spider": "shop", "url": shop.url, "shop": SHOP, "setting": setting}
            jobs.append(scrapyd.ask("schedule.json", **asked)["jobid"])
        for job in jobs:
            scrapyd.wait_for(job)
    return shop


def command(database: str, folder: Path, *arguments: str) -> str:
    """What a command on another machine says: it has the database and an empty rules directory."""
    done = scrapy(*arguments, "-s", f"SCOUT_DATABASE={database}", "-s", f"SCOUT_RULES_DIR={folder}/rules")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def stored(database: str) -> list[bytes]:
    with Store.open(database) as store:
        return sorted(canonical_json_line(offer) for offer in store.offers(SHOP))


def test_section_1_4_two_workers_share_one_crawl_through_the_queue_in_the_database(
    database: str, scrapyd: Scrapyd, crawled: Server
) -> None:
    with Store.open(database) as store:
        (crawl,) = store.crawls(SHOP)
        assert crawl.reason == "finished" and len(list(store.offers(SHOP))) == len(PRODUCTS)
    pages = [path for path in crawled.asked if path.startswith(("/product/", "/chairs", "/lamps"))]
    assert len(pages) == len(set(pages)), "no page was asked for by both"
    logs = [path.read_text() for path in sorted((scrapyd.directory / "logs").rglob("*.log"))]
    assert len(logs) == 2 and all("'scout/walk/level/" in log for log in logs), "both have read pages"


def test_section_2_6_the_rules_are_had_from_the_database_where_there_is_no_file(
    database: str, crawled: Server, tmp_path: Path
) -> None:
    shown = command(database, tmp_path, "rules", SHOP, "--xpaths")
    assert "prod-title: " in shown and "list-href: " in shown


def test_section_2_5_the_parser_reads_all_pages_once_more_in_bulk_on_spark(
    database: str, crawled: Server, tmp_path: Path
) -> None:
    before = stored(database)
    with Store.open(database) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE offers SET price = '1.00', brand = NULL, digest = ''")
    assert stored(database) != before
    said = command(database, tmp_path, "reextract", SHOP, "--spark", "local[2]", "--staging", str(tmp_path))
    assert f"{len(PRODUCTS)} pages read" in said and stored(database) == before


def test_section_1_4_the_matcher_finds_what_is_missing_from_the_catalogue(
    database: str, crawled: Server, tmp_path: Path
) -> None:
    with Store.open(database) as store:
        offers = sorted(store.offers(SHOP), key=lambda offer: str(offer["url"]))
    catalogue = tmp_path / "catalogue.csv"
    with catalogue.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, ["url", "title", "price"], extrasaction="ignore")
        rows.writeheader()
        rows.writerows(offers[LACKING:])
    command(database, tmp_path, "catalogue", "import", SHOP, str(catalogue))
    command(database, tmp_path, "report", SHOP, "--out", str(tmp_path / "reports"))
    missing = json.loads((tmp_path / "reports" / SHOP / "report.json").read_text())
    assert {row["url"] for row in missing["missing"]} == {offer["url"] for offer in offers[:LACKING]}
