"""`scrapy report` and `scrapy catalogue`: from the database to files, with exit codes for schedules."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from lxml import html

from scout.offer import Offer
from scout.store import Store
from tests.commands.running import Ran, run

Scrapy = Callable[..., Ran]


def offer(number: int, price: str = "10.00") -> Offer:
    address = f"https://shop.example/p/{number}"
    return Offer(
        url=address,
        title=f"Lamp number {number}",
        price=price,
        currency="EUR",
        sku=f"SKU-{number}",
        category="Home > Lamps",
    )


def crawled(store: Store, shop: str, numbers: range, reason: str = "finished", price: str = "10.00") -> None:
    crawl = store.begin_crawl(shop, url="https://shop.example")
    store.save_offers(shop, [offer(n, price) for n in numbers], crawl)
    store.finish_crawl(crawl, reason, {"response_received_count": 12})


@pytest.fixture
def database(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(url) as store:
        crawled(store, "lamps", range(10))
    return url


@pytest.fixture
def scrapy(database: str, capsys: pytest.CaptureFixture[str]) -> Scrapy:
    return lambda *arguments: run(capsys, database, *map(str, arguments))


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "catalogue.csv"
    path.write_text(
        "Artikelnummer;Bezeichnung;Preis\n"
        + "".join(f"SKU-{n};Lamp number {n};10,00\n" for n in range(8))
        + "SKU-99;Old lamp;5,00\n"
    )
    return path


def report(folder: Path, shop: str = "lamps") -> dict[str, object]:
    told: dict[str, object] = json.loads((folder / shop / "report.json").read_text("utf-8"))
    return told


def test_a_report_ends_with_the_answer_and_the_path(scrapy: Scrapy, catalogue: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = scrapy("report", "lamps", "--catalogue", catalogue, "--out", out)
    assert ran.code == 0
    assert (
        ran.out.splitlines(keepends=True)[-1]
        == f"2 of 10 offers of lamps are missing from the catalogue; 80.0 % are covered. {out}/lamps/report.html\n"
    )
    assert {path.name for path in (out / "lamps").iterdir()} == {
        *(
            "report.html",
            "coverage.json",
            "report.json",
            "report.xlsx",
            "missing.csv",
            "undecided.csv",
            "changed.csv",
            "gone.csv",
            "accepted.csv",
            "matched.csv",
        )
    }
    with (out / "lamps" / "missing.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [row["sku"] for row in csv.DictReader(file)] == ["SKU-8", "SKU-9"]


def test_the_matches_are_stored_and_the_page_says_what_the_database_says(
    scrapy: Scrapy, database: str, catalogue: Path, tmp_path: Path
) -> None:
    scrapy("report", "lamps", "--catalogue", catalogue, "--out", tmp_path)
    with Store.open(database) as store:
        status, matches = store.shop("lamps"), store.matches("lamps")
    assert (len(matches), status.coverage) == (8, 0.8)
    page = html.fromstring((tmp_path / "lamps" / "report.html").read_bytes())
    counts = {
        name: page.get_element_by_id(f"count-{name}").text_content().strip()
        for name in ("offers", "matched", "missing")
    }
    assert counts == {
        "offers": str(status.offers),
        "matched": str(len(matches)),
        "missing": str(status.offers - len(matches)),
    }


def test_too_little_coverage_is_exit_code_3(scrapy: Scrapy, catalogue: Path, tmp_path: Path) -> None:
    assert scrapy("report", "lamps", "--catalogue", catalogue, "--out", tmp_path, "--min-coverage", "0.9").code == 3
    assert scrapy("report", "lamps", "--out", tmp_path, "--min-coverage", "80%").code == 0


def test_the_coverage_of_an_incomplete_crawl_is_not_judged(
    scrapy: Scrapy, database: str, catalogue: Path, tmp_path: Path
) -> None:
    with Store.open(database) as store:
        crawled(store, "lamps", range(8), reason="incomplete")
    ran = scrapy("report", "lamps", "--catalogue", catalogue, "--out", tmp_path, "--min-coverage", "0.1")
    assert ran.code == 3
    assert "the coverage is not known, because the last crawl is not complete" in ran.err
    assert "At least 2 of the 10 offers known of lamps" in ran.out
    assert json.loads(scrapy("shops", "list", "--json").out)[0]["coverage"] is None


def test_a_shop_without_a_catalogue_is_not_judged_and_nothing_is_missing(scrapy: Scrapy, tmp_path: Path) -> None:
    ran = scrapy("report", "lamps", "--out", tmp_path, "--min-coverage", "0")
    assert ran.code == 3
    assert "lamps: nothing to compare with: import a catalogue" in ran.err
    assert report(tmp_path)["missing"] == []


def test_german_is_spoken(scrapy: Scrapy, catalogue: Path, tmp_path: Path) -> None:
    assert (
        "fehlen im Katalog; 80,0 %"
        in scrapy("report", "lamps", "--catalogue", catalogue, "--out", tmp_path, "--lang", "de").out
    )


def test_all_shops_get_one_page_over_them(scrapy: Scrapy, database: str, catalogue: Path, tmp_path: Path) -> None:
    with Store.open(database) as store:
        crawled(store, "../chairs", range(3))
        store.import_catalogue("lamps", [{"sku": "SKU-1", "name": "Lamp number 1"}])
    ran = scrapy("report", "--all", "--out", tmp_path / "out")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith("out/index.html")
    assert "of 1 shops" in ran.out and "Nothing to compare with for 1 more shops" in ran.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir())[1:] == ["index.html", "lamps"]


def test_what_a_person_decides_is_used_by_every_later_report(scrapy: Scrapy, catalogue: Path, tmp_path: Path) -> None:
    scrapy("catalogue", "import", "lamps", catalogue)
    url = "https://shop.example/p/{}".format
    assert scrapy("matches", "accept", "lamps", url(8), "SKU-1").code == 0
    assert scrapy("matches", "reject", "lamps", url(2), "SKU-2").code == 0
    assert scrapy("matches", "reject", "lamps", url(3)).code == 0
    scrapy("report", "lamps", "--out", tmp_path)
    scrapy("catalogue", "import", "lamps", catalogue)  # a new import changes nothing
    scrapy("report", "lamps", "--out", tmp_path)
    told = report(tmp_path)
    matched = {row["url"]: row["reason"] for row in told["matched"]}  # type: ignore[attr-defined]
    assert matched[url(8)] == "decided by a person"
    assert not {url(1), url(2), url(3)} & matched.keys()


def test_decisions_are_read_from_the_reports_csv(scrapy: Scrapy, catalogue: Path, tmp_path: Path) -> None:
    scrapy("catalogue", "import", "lamps", catalogue)
    decided = tmp_path / "undecided.csv"
    url = "https://shop.example/p/{}".format

    def read(*rows: str, header: str = "url,catalogue,decision,title") -> Ran:
        decided.write_text("\n".join((header, *rows)), "utf-8")
        return scrapy("matches", "read", "lamps", decided)

    right = read(f"{url(8)},SKU-1,same,Lamp 8", f"{url(9)},SKU-2,,Lamp 9")
    assert right.out.startswith("decisions about offers of lamps saved: 1")
    assert read().out.startswith("decisions about offers of lamps saved: 0")  # a list on which nothing is undecided
    wrong = {
        "line 2: the decision is same, other or missing, not 'perhaps'": (f"{url(8)},SKU-1,perhaps,x",),
        "line 3: lamps has no offer at": (f"{url(8)},SKU-1,same,x", f"{url(88)},SKU-1,same,x"),
        "line 3: line 2 decides about": (f"{url(8)},SKU-1,same,x", f"{url(8)},SKU-2,same,x"),
        "line 2: has 2 cells, the header 4": (f"{url(8)},SKU-1",),
    }
    for said, rows in wrong.items():
        refused = read(*rows)
        assert refused.code == 2 and said in refused.err
    assert "has no catalogue, decision: give the file undecided.csv" in read(f"{url(8)},x", header="url,title").err


def test_rows_that_share_all_names_are_told_apart_by_a_mark(scrapy: Scrapy, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("title,price\nLamp,10\nLamp,20\n", "utf-8")
    scrapy("catalogue", "import", "lamps", rows)
    refused = scrapy("matches", "accept", "lamps", "https://shop.example/p/8", "Lamp")
    assert refused.code == 2 and "2 rows" in refused.err
    one, other = re.findall(r"'(Lamp #\w{8})'", refused.err)
    assert one != other
    assert scrapy("matches", "accept", "lamps", "https://shop.example/p/8", other).code == 0


def test_a_dry_run_says_how_a_catalogue_is_read_and_changes_nothing(
    scrapy: Scrapy, database: str, catalogue: Path
) -> None:
    ran = scrapy("catalogue", "import", "lamps", catalogue, "--dry-run")
    assert "Artikelnummer → sku: 9 of 9 rows" in ran.out
    assert ran.out.endswith("9 known offers of lamps would be imported; nothing is changed\n")
    with Store.open(database) as store:
        assert not store.known_offers("lamps")


def test_an_accepted_offer_does_not_come_back(scrapy: Scrapy, catalogue: Path, tmp_path: Path) -> None:
    scrapy("catalogue", "import", "lamps", catalogue)
    ran = scrapy("catalogue", "accept", "lamps", "https://shop.example/p/8", "--reason", "only sold in the shop")
    assert ran.out == "1 offers of lamps accepted as missing: only sold in the shop\n"
    scrapy("report", "lamps", "--out", tmp_path)
    told = report(tmp_path)
    assert [row["sku"] for row in told["missing"]] == ["SKU-9"]  # type: ignore[attr-defined]
    assert [row["reason"] for row in told["accepted"]] == ["only sold in the shop"]  # type: ignore[attr-defined]
    assert scrapy("catalogue", "accepted", "lamps").out == "https://shop.example/p/8\tonly sold in the shop\n"


def test_an_import_says_which_rows_it_left_out(scrapy: Scrapy, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("name,price\nlamp,1\nchair,2,3\n")
    ran = scrapy("catalogue", "import", "lamps", path)
    assert ran.out.endswith(
        "\nleft out: line 3: has 3 cells, the header 2\n1 known offers of lamps imported, 0 removed\n"
    )


def test_a_catalogue_can_be_a_query(scrapy: Scrapy, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        "create table p (art text, n text); insert into p values ('SKU-1', 'Lamp number 1'), ('SKU-2', 'Lamp number 2');"
    )
    connection.close()
    (tmp_path / "mapping.yaml").write_text("art: sku\nn: title\n")
    source, mapping = f"sqlite:///{path}", tmp_path / "mapping.yaml"
    ran = scrapy("catalogue", "import", "lamps", source, "--query", "select * from p", "--mapping", mapping)
    assert ran.out.endswith("n → title: 2 of 2 rows\n2 known offers of lamps imported, 0 removed\n")
    assert scrapy("catalogue", "import", "lamps", source, "--query", "select * from nowhere").code == 1


def test_gone_changed_and_vanished_follow_the_last_complete_crawl(
    scrapy: Scrapy, database: str, catalogue: Path, tmp_path: Path
) -> None:
    with Store.open(database) as store:
        crawled(store, "lamps", range(2, 10), price="12.00")
    scrapy("report", "lamps", "--catalogue", catalogue, "--out", tmp_path)
    told = report(tmp_path)
    summary = told["summary"]
    assert summary["offers"] == 8  # type: ignore[index]
    assert summary["gone"] == 3  # type: ignore[index]
    assert summary["changed"] == 6  # type: ignore[index]
    text = (tmp_path / "lamps" / "report.html").read_text("utf-8")
    assert "<b>2</b> vanished" in text
    assert "10.00 EUR → 12.00 EUR" in text


def test_an_unfinished_crawl_calls_nothing_gone(scrapy: Scrapy, database: str, catalogue: Path, tmp_path: Path) -> None:
    with Store.open(database) as store:
        crawled(store, "lamps", range(3), reason="shutdown")
    scrapy("report", "lamps", "--catalogue", catalogue, "--out", tmp_path)
    assert report(tmp_path)["summary"]["gone"] is None  # type: ignore[index]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("report",), 2, "say which shops"),
        (("report", "nowhere"), 2, "no shop called 'nowhere'"),
        (("report", "lamps", "--min-coverage", "7"), 2, "no rate"),
        (("report", "lamps", "--min-coverage", "most"), 2, "most is no rate between 0 and 1"),
        (("report", "lamps", "--out", "/dev/null"), 1, "cannot be written: "),
        (("report", "lamps", "--catalogue", "nowhere.csv"), 1, "nowhere.csv: cannot be read"),
        (("catalogue", "import", "lamps", "sqlite:///no/x.db", "--query", "select 1"), 1, "there is no file no/x.db"),
        (("catalogue", "import", "lamps", "postgresql://u:secret@h/d"), 1, "say what to read: "),
        (("catalogue", "import", "lamps", "postgresql//u:secret@h", "--query", "select 1"), 1, "not a database URL"),
        (("report", "--all", "--catalogue", "x.csv"), 2, "name that shop"),
        (("catalogue", "accept", "lamps", "https://shop.example/none", "--reason", "x"), 2, "has no offer at"),
        (("catalogue", "accept", "lamps"), 2, "--reason TEXT"),
    ],
)
def test_wrong_usage_is_told_in_words(scrapy: Scrapy, arguments: tuple[str, ...], code: int, said: str) -> None:
    ran = scrapy(*arguments)
    assert ran.code == code
    assert said in ran.out + ran.err
    assert "Traceback" not in ran.out + ran.err and "secret" not in ran.out + ran.err
