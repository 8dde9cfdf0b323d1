"""`scrapy reextract` reads kept pages by today's rules: the same offers as the crawl's, in one process or in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from scout.archive import KeptPage, write_pages
from scout.store import Store
from tests.commands.running import run
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import serving
from tests.crawl.tiny_shop import PRODUCTS, detail, tiny_shop

VALUES = ("url", "title", "price", "currency", "availability", "brand", "sku", "category", "specs", "images")


def offers(database: str) -> list[dict]:
    with Store.open(database) as store:
        return [{name: offer.get(name) for name in VALUES} for offer in store.offers()]


def test_kept_pages_give_the_same_offers_and_broken_ones_are_mended(capsys, tmp_path) -> None:
    database, rules = f"sqlite:///{tmp_path}/scout.db", f"SCOUT_RULES_DIR={tmp_path}/rules"
    with serving(tiny_shop()) as shop:
        crawl = ("crawl", "shop", "-a", f"url={shop.url}", *HASTY, "-s", f"SCOUT_DATABASE={database}", "-s", rules)
        done = scrapy(*crawl, "-s", "SCOUT_KEEP_PAGES=True")
    assert done.returncode == 0, done.stderr
    before = offers(database)
    assert len(before) == len(PRODUCTS)
    with Store.open(database) as store, store.writing() as connection:
        connection.exec_driver_sql("UPDATE offers SET price = '1.00', brand = NULL, digest = ''")
    assert offers(database) != before
    ran = run(capsys, database, "reextract", "--jobs", "2", "-s", rules)
    assert ran.code == 0 and f"{len(PRODUCTS)} pages read" in ran.out, ran.err
    assert offers(database) == before


@pytest.mark.parametrize(
    ("shop", "code", "out", "err"), [((), 1, "SCOUT_KEEP_PAGES", ""), (("nosuch",), 2, "", "scout shops list")]
)
def test_without_kept_pages_it_says_what_to_do(capsys, tmp_path, shop, code, out, err) -> None:
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "reextract", *shop)
    assert ran.code == code and out in ran.out and err in ran.err


def archive(path: Path, *urls: str) -> str:
    """A file with a product page at each address."""
    write_pages(path, [KeptPage(url, detail(number), "tiny", "detail") for number, url in enumerate(urls, 1)])
    return str(path)


def test_pages_that_cannot_be_read_are_counted_and_named_and_the_others_are_read(capsys, tmp_path) -> None:
    pages = [KeptPage(f"https://tiny.example/{n}", detail(n), "tiny", "detail") for n in (1, 2)]
    pages += [KeptPage("http://[foo/x", detail(3)), KeptPage("http://[bar/x", detail(4))]
    write_pages(tmp_path / "pages.parquet", pages)
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "reextract", "--from", str(tmp_path / "pages.parquet"))
    assert ran.code == 1 and "4 pages read: 2 offers new" in ran.out
    assert "2 without an offer: broken" in ran.out and "http://[foo/x: broken: ValueError" in ran.out


def test_of_a_damaged_file_the_rest_is_told_and_the_other_files_are_read(capsys, tmp_path) -> None:
    damaged = archive(tmp_path / "a.warc", "https://tiny.example/1", "https://tiny.example/2")
    whole = Path(damaged).read_bytes()
    Path(damaged).write_bytes(whole[: len(whole) * 3 // 4])
    write_pages(tmp_path / "b.warc", [KeptPage("https://tiny.example/3", detail(3), "tiny", "detail")])
    files = ("--from", damaged, "--from", str(tmp_path / "b.warc"))
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "reextract", "tiny", *files)
    assert ran.code == 1 and "2 offers new" in ran.out
    assert f"{damaged}: broken: read up to its page 1: " in ran.out and "ends in the middle of a record" in ran.out


def test_offers_that_the_database_refuses_are_told_with_an_exit_code_as_in_a_crawl(capsys, tmp_path) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store, store.writing() as connection:
        refusing = (
            "CREATE TRIGGER no BEFORE INSERT ON offers WHEN NEW.url LIKE '%/2' BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        connection.exec_driver_sql(refusing)
    name = archive(tmp_path / "pages.warc", "https://tiny.example/1", "https://tiny.example/2")
    ran = run(capsys, database, "reextract", "--from", name, "--jobs", "1")
    assert ran.code == 1 and "1 offers new" in ran.out and "1 offers refused by the database" in ran.out
    assert "refused by the database: https://tiny.example/2" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "s3a://bucket/pages.parquet"), "--spark MASTER"),
        (("--to", "s3a://bucket/offers.parquet"), "--spark MASTER"),
        (("--spark", "local", "--from", "s3a://bucket/pages.warc.gz"), "only read Parquet"),
        (("--spark", "local", "--from", "/nowhere/pages.parquet"), "There is no file"),
        (("--spark", "local", "--to", "offers.jsonl"), "A Spark job writes Parquet"),
    ],
)
def test_a_place_that_cannot_be_read_or_written_is_told_before_any_work(capsys, tmp_path, arguments, said) -> None:
    ran = run(capsys, f"sqlite:///{tmp_path}/scout.db", "reextract", *arguments)
    assert ran.code == 2 and said in ran.err
