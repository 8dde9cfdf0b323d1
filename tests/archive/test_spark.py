"""The same offers, byte for byte, whether the pages are read in a pool of processes or as a Spark job, from any archive, into any place."""

from __future__ import annotations

import importlib.util
import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from scout.archive.files import canonical_json_line
from scout.archive.process_pool import read_in_processes
from scout.archive.reextraction import PageReader
from scout.archive.spark import _pages
from scout.rules import ShopRules
from scout.store import Store
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop

ARCHIVES = ("pages.warc.gz", "pages.parquet")

needs_spark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
    reason="pyspark or Java is not installed: `make spark` installs them (450 MB)",
)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the database of a crawl that has kept its pages, and its rules."""
    directory = tmp_path_factory.mktemp("crawled")
    with serving(tiny_shop()) as shop:
        crawl = ("crawl", "shop", "-a", f"url={shop.url}", "-a", "shop=tiny", *HASTY, "-s", "SCOUT_KEEP_PAGES=True")
        done = scrapy(*crawl, *settings(directory))
    assert done.returncode == 0, done.stderr
    for name in ARCHIVES:
        assert scrapy("pages", "--to", str(directory / name), *settings(directory)).returncode == 0
    return directory


def settings(directory: Path) -> tuple[str, ...]:
    return "-s", f"SCOUT_DATABASE=sqlite:///{directory}/scout.db", "-s", f"SCOUT_RULES_DIR={directory}/rules"


def stored(directory: Path) -> list[tuple[bytes, datetime]]:
    """Each offer, and when it was last seen in the shop, which is not when its page was read anew."""
    with Store.open(f"sqlite:///{directory}/scout.db") as store:
        return sorted((canonical_json_line(offer), offer.last_seen) for offer in store.offers("tiny"))


def rows(path: Path) -> list[str]:
    """The rows of a Parquet file, or of a directory of them, as canonical lines."""
    parquet = pytest.importorskip("pyarrow.parquet")
    return sorted(json.dumps(row, sort_keys=True) for row in parquet.read_table(path).to_pylist())


def spoil(directory: Path) -> None:
    with Store.open(f"sqlite:///{directory}/scout.db") as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE offers SET price = '1.00', brand = NULL, digest = ''")


def reextract(directory: Path, *arguments: str) -> None:
    done = scrapy("reextract", *arguments, *settings(directory))
    assert done.returncode == 0 and f"{len(PRODUCTS)} pages read" in done.stdout, done.stdout + done.stderr


def test_the_database_and_both_archives_hold_the_same_pages(crawled: Path) -> None:
    """...and so give the offers of the crawl, whichever is read."""
    from scout.archive import read_pages

    with Store.open(f"sqlite:///{crawled}/scout.db") as store:
        pages = list(store.pages("tiny"))
    rules = {"tiny": ShopRules.load(crawled / "rules" / "tiny.yaml")}
    lines = [
        canonical_json_line(offer)
        for outcome in read_in_processes(pages, PageReader(rules), 1)
        for offer in outcome.offers
    ]
    assert len(lines) == len(PRODUCTS)
    for name in ARCHIVES:
        assert list(read_pages(crawled / name)) == pages
        found = read_in_processes(read_pages(crawled / name), PageReader(rules), 2)
        assert [canonical_json_line(offer) for outcome in found for offer in outcome.offers] == lines


@pytest.mark.parametrize("arguments", [(), ("--from", "pages.warc.gz"), ("--from", "pages.parquet")])
def test_offers_that_were_spoiled_are_mended_from_any_archive(crawled: Path, arguments: tuple[str, ...]) -> None:
    before = stored(crawled)
    spoil(crawled)
    assert stored(crawled) != before
    reextract(crawled, *(part if part.startswith("--") else str(crawled / part) for part in arguments))
    assert stored(crawled) == before


@pytest.mark.long
@needs_spark
@pytest.mark.timeout(900)
def test_spark_gives_the_same_offers_byte_for_byte(crawled: Path, tmp_path: Path) -> None:
    """Into the database from the database, and into Parquet from both archives, against the pool of processes."""
    before = stored(crawled)
    spoil(crawled)
    reextract(crawled, "--spark", "local[*]")
    assert stored(crawled) == before
    for name in ARCHIVES:
        pool, spark = tmp_path / f"pool-{name}.parquet", tmp_path / f"spark-{name}.parquet"
        reextract(crawled, "--from", str(crawled / name), "--to", str(pool))
        reextract(crawled, "--from", str(crawled / name), "--to", str(spark), "--spark", "local[*]")
        assert rows(pool) == rows(spark) and len(rows(spark)) == len(PRODUCTS)


class Session:
    """Notes what Spark is asked to read."""

    def __init__(self) -> None:
        self.tables: tuple[str, ...] = ()
        self.sparkContext = self.read = self.rdd = self

    def parquet(self, *tables: str) -> Session:
        self.tables = tables
        return self

    def map(self, _: object) -> Session:
        return self


def test_spark_is_given_the_address_of_a_table_as_the_user_wrote_it() -> None:
    session = Session()
    _pages(session, ["s3a://bucket/pages.parquet", "/shared/pages.parquet"])
    assert session.tables == ("s3a://bucket/pages.parquet", "/shared/pages.parquet")
