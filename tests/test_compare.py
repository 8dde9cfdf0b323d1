"""The comparison in the docs is what its run measured, and the shops' truth is theirs."""

from __future__ import annotations

from bench.compare.__main__ import TOOLS, written_lines
from bench.compare.page import PAGE, load_run, tables
from bench.compare.scoring import Score, score
from bench.compare.shops import SHOPS


def test_every_figure_of_the_page_is_that_of_the_run() -> None:
    assert tables(load_run()) in PAGE.read_text(encoding="utf-8")


def test_the_run_has_every_tool_on_every_shop_and_its_lines() -> None:
    run = load_run()
    measured = {(result["tool"], result["shop"]) for result in run["results"]}
    assert measured == {(tool, shop.name) for tool in ("Scout", *TOOLS) for shop in SHOPS}
    assert run["lines"] == {"Scout": 0, **{tool: written_lines(script) for tool, script in TOOLS.items()}}
    products = {shop.name: len(shop.truth) for shop in SHOPS}
    counted = [(result["found"] + result["wrong"] + result["missing"], result["shop"]) for result in run["results"]]
    assert [count for count, shop in counted if count != products[shop]] == []


def test_a_wrong_price_is_wrong_and_a_price_that_is_not_there_is_missing() -> None:
    truth = {"A": "1.00", "B": "2.00", "C": None}
    rows = [{"title": "A", "price": "9"}, {"title": "B"}, {"title": "C"}, {"title": "Blog", "price": "1"}]
    assert score(rows, truth, frozenset()) == Score(found=1, wrong=1, missing=1, invented=1)
