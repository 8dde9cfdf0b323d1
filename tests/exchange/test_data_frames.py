"""The recipes of docs/contracts.md run as they stand there, on a file that Scout has written, and agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import scout
from scout.store import Store
from tests.commands.running import run
from tests.crawl.tiny_shop import PRODUCTS, detail
from tests.processes import ROOT
from tests.store.examples import offer

RECIPES = re.findall(r"```python\n(.*?)```", (ROOT / "docs/contracts.md").read_text(encoding="utf-8"), re.DOTALL)


def recipe(library: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the recipe calls `medians`."""
    (code,) = (code for code in RECIPES if f"import {library}\n" in code)
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["medians"]


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    database = f"sqlite:///{tmp_path}/scout.db"
    with Store.open(database) as store:
        priced = [offer(number, price=price) for number, price in enumerate(("1.10", "2.20", "9.90"), 1)]
        store.save_offers("lamps", [*priced, offer(4, price=None)])
    assert run(capsys, database, "export", "--all", "-o", str(tmp_path / "offers.parquet")).code == 0
    return tmp_path


def test_pandas_reads_what_scout_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    medians = recipe("pandas", folder, monkeypatch)
    assert medians.to_dict() == {("lamps", "Home > Lamps", "EUR"): 2.2}


def test_polars_reads_what_scout_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    medians = recipe("polars", folder, monkeypatch)
    assert medians.rows() == [("lamps", "Home > Lamps", "EUR", 2.2)]


def test_the_spider_of_the_docs_asks_for_the_page_object_of_its_shop(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = (code for code in RECIPES if "ScoutProductPage" in code)
    (folder / "rules").mkdir()
    page = scout.Page("https://shop.example/product/1", detail(1))
    scout.learn([(page, {"title": PRODUCTS[1][0]})], shop="myshop").save(folder / "rules" / "myshop.yaml")
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["MyShopPage"].rules.shop == "myshop"
