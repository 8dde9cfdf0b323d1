"""`scrapy shops`: hundreds of shops are added, listed with what is due, and removed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scout.store import MatchRecord, Store
from tests.commands.running import Ran, run
from tests.store.examples import offer

Shops = Callable[..., Ran]


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/scout.db"


@pytest.fixture
def shops(database: str, capsys: pytest.CaptureFixture[str]) -> Shops:
    return lambda *arguments: run(capsys, database, "shops", *arguments)


def test_a_shop_is_added_and_listed(shops: Shops) -> None:
    assert shops("add", "lamps", "https://shop.example", "--interval", "7d").out.startswith("lamps: added")
    assert shops("add", "lamps", "https://shop.example/en").out.startswith("lamps: changed")
    (listed,) = json.loads(shops("list", "--json").out)
    assert (listed["url"], listed["interval_seconds"], listed["is_due"]) == ("https://shop.example/en", 604_800, True)


def test_the_list_shows_last_crawl_offers_coverage_and_what_is_due(shops: Shops, database: str) -> None:
    with Store.open(database) as store:
        crawl = store.begin_crawl("lamps", url="https://shop.example")
        store.save_offers("lamps", [offer(n) for n in range(4)], crawl)
        store.finish_crawl(crawl, "finished")
        store.import_catalogue("lamps", [{"url": offer(0)["url"]}])
        store.save_matches(
            "lamps", [MatchRecord(store.known_offers("lamps")[0].id, next(store.offers("lamps")).id, 1.0, "url")]
        )
    shops("add", "chairs", "https://chairs.example", "--interval", "1d")
    shown = shops("list").out
    (line,) = (line for line in shown.splitlines() if "lamps" in line)
    assert line.split() == ["lamps", "https://shop.example", "0", "min", "ago:", "finished", "4", "1", "25.0%"]
    assert "2 shops, 1 due" in shown
    due = shops("list", "--due").out
    assert "chairs" in due
    assert "lamps" not in due


def test_no_shops_is_no_error(shops: Shops) -> None:
    assert (shops().code, shops().out) == (0, "0 shops, 0 due\n")


def test_many_shops_come_from_a_file_and_wrong_rows_are_told_by_line(shops: Shops, tmp_path: Path) -> None:
    path = tmp_path / "shops.csv"
    rows = [f"shop{n};https://shop{n}.example;{'2w' if n % 2 else ''}" for n in range(500)]
    path.write_text("\ufeffName;URL;interval\n" + "\n".join(rows) + "\nbad;ftp://x;\nworse;https://x.example;soon\n")
    ran = shops("import", str(path))
    assert (ran.code, ran.out) == (1, "500 shops added, 0 changed, 2 rows wrong\n")
    assert [line.split(":")[0] for line in ran.err.splitlines()] == ["line 502", "line 503"]
    assert len(json.loads(shops("list", "--json").out)) == 500
    assert len(json.loads(shops("list", "--json", "--due").out)) == 250


def test_a_shop_with_offers_is_removed_only_with_a_yes(shops: Shops, database: str) -> None:
    with Store.open(database) as store:
        store.save_offers("lamps", [offer()])
    refused = shops("remove", "lamps")
    assert refused.code == 2
    assert "1 offers" in refused.err
    assert shops("remove", "lamps", "--yes").code == 0
    assert shops("list").out.startswith("0 shops")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "lamps"), "scrapy shops add NAME URL"),
        (("add", "lamps", "shop.example"), "begins with http"),
        (("add", "lamps", "https://shop.example", "--interval", "soon"), "7d"),
        (("add", "a\x1b[31m", "https://shop.example"), "cannot be the name"),
        (("remove", "nobody"), "no shop called"),
        (("import", "/nowhere.csv"), "cannot be read"),
        (("paint",), "invalid choice"),
    ],
)
def test_wrong_usage_is_explained(shops: Shops, arguments: tuple[str, ...], said: str) -> None:
    ran = shops(*arguments)
    assert ran.code == 2
    assert said in ran.err


def test_a_database_that_cannot_be_opened_is_a_failure_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run(capsys, "postgresql://nobody@127.0.0.1:1/nothing", "shops", "list")
    assert ran.code == 1
    assert ran.err.startswith("Error: The database postgresql+psycopg://nobody@127.0.0.1:1/nothing refused")


def test_a_name_is_shown_as_it_is_not_as_markup(shops: Shops) -> None:
    shops("add", "[red]shop[/red]", "https://shop.example")
    assert "[red]shop[/red]" in shops("list").out
