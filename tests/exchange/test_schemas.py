"""What Scout writes for programs is what the published schemas say, whatever state a crawl is in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker, ValidationError

from scout.crawl.account import AccountState
from scout.exchange.schemas import COVERAGE, EVIDENCE, FORMAT, NAMES, load_schema
from scout.store import Store
from tests.commands.running import run
from tests.crawl.commands import HASTY, scrapy
from tests.crawl.serving import Answer, serving
from tests.crawl.tiny_shop import PRODUCTS, tiny_shop
from tests.store.examples import offer


def validate(name: str, data: Any) -> None:
    Draft202012Validator(load_schema(name), format_checker=FormatChecker()).validate(data)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a crawl that lost a page, and with a complete one after it."""
    folder = tmp_path_factory.mktemp("crawled")
    database = f"sqlite:///{folder}/scout.db"
    pages = {**tiny_shop(), "/product/3": Answer("", 500)}
    own = (
        "-s",
        f"SCOUT_DATABASE={database}",
        "-s",
        "SCOUT_RETRY_ROUNDS=0",
        "-s",
        f"SCOUT_RULES_DIR={folder}/rules",
        *HASTY,
    )
    with serving(pages) as shop:
        assert scrapy("crawl", "shop", "-a", f"url={shop.url}", "-a", "shop=tiny", *own).returncode == 3
        pages["/product/3"] = tiny_shop()["/product/3"]
        assert scrapy("crawl", "shop", "-a", "shop=tiny", *own).returncode == 0
        assert scrapy("crawl", "shop", "-a", "shop=tiny", "-a", "max_pages=4", *own).returncode == 3
    return database


@pytest.mark.parametrize("name", NAMES)
def test_the_schemas_are_valid_and_carry_their_version(name: str) -> None:
    schema = load_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"]["const"] == FORMAT[name]


def test_the_coverage_of_every_crawl_is_what_its_schema_says(crawled: str, capsys: pytest.CaptureFixture[str]) -> None:
    coverages = json.loads(run(capsys, crawled, "crawls", "tiny", "--json").out)
    assert [coverage["state"] for coverage in coverages] == ["interrupted", "complete"]
    for coverage in coverages:
        validate(COVERAGE, coverage)
        assert sum(coverage["account"].values()) == coverage["shown"]
    assert coverages[1]["estimate"] == {"low": len(PRODUCTS), "high": len(PRODUCTS)}


def test_a_report_has_the_coverage_of_the_newest_crawl_beside_it(
    crawled: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, crawled, "report", "tiny", "--out", str(tmp_path)).code == 0
    coverage = json.loads((tmp_path / "tiny" / "coverage.json").read_text(encoding="utf-8"))
    validate(COVERAGE, coverage)
    assert coverage["state"] == "interrupted"


def test_the_schema_knows_every_state_of_an_account() -> None:
    named = load_schema(COVERAGE)["properties"]["account"]["propertyNames"]["enum"]
    assert sorted(named) == sorted(state.value for state in AccountState)


def test_a_complete_crawl_without_an_estimate_is_against_the_schema(
    crawled: str, capsys: pytest.CaptureFixture[str]
) -> None:
    complete = json.loads(run(capsys, crawled, "crawls", "tiny", "--json").out)[1]
    with pytest.raises(ValidationError):
        validate(COVERAGE, complete | {"estimate": None})


def test_the_evidence_of_every_crawled_offer_is_what_its_schema_says(
    crawled: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "offers.jsonl"
    assert run(capsys, crawled, "export", "tiny", "--evidence", "-o", str(file)).code == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(PRODUCTS)
    for line in lines:
        validate(EVIDENCE, line["evidence"])
        assert line["evidence"]["fields"]["price"]["raw"].endswith(line["price"])


def test_evidence_is_a_column_of_every_format_and_only_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store:
        store.save_offers("lamps", [offer(1)])
    plain, file = tmp_path / "plain.csv", tmp_path / "offers.csv"
    assert run(capsys, database, "export", "lamps", "-o", str(plain)).code == 0
    assert run(capsys, database, "export", "lamps", "--fields", "url", "--evidence", "-o", str(file)).code == 0
    assert "evidence" not in plain.read_text(encoding="utf-8").splitlines()[0]
    header, row = file.read_text(encoding="utf-8").splitlines()
    assert header == "url,evidence" and "span.price" in row
