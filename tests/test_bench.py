"""The benchmarks: `make bench` runs programs only, and what the shipped weights are trained on can be made again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from xml.etree import ElementTree

import pytest

from bench import frontier, page_cost, speed_walk
from bench.__main__ import benchmarks, main
from bench.lamp_shop import PER_PAGE, Shop
from tests.crawl.commands import ROOT

SVG = "{http://www.w3.org/2000/svg}"
RETOLD = """
import random
from bench.matching_tasks import retold
product = {"title": "Lamp 5", "price": "9.50", "brand": "Lumo", "author": "A", "publisher": "P", "engine": "E", "category": "Lamps"}
print([retold(product, random.Random(seed)) for seed in range(20)])
"""


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("no-such-benchmark", 2)])
def test_asking_for_help_or_for_what_there_is_not_runs_nothing(
    argument: str, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([argument])
    told = capfd.readouterr()
    assert ended.value.code == code and "frontier" in told.out + told.err and "==" not in told.out


def test_a_benchmark_gives_help_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        frontier.main(["--help"])
    assert ended.value.code == 0 and "--postgres" in capsys.readouterr().out


@pytest.mark.parametrize("name", benchmarks())
def test_every_benchmark_of_speed_can_be_run(name: str) -> None:
    assert callable(getattr(import_module(f"bench.{name}"), "main", None)), "a module that does nothing always passes"


def test_the_frontier_is_among_them() -> None:
    assert "frontier" in benchmarks()


def test_matching_tasks_are_the_same_in_every_process() -> None:
    """Texts have another hash in each, and sets of them another order."""
    environments = [{**os.environ, "PYTHONHASHSEED": seed} for seed in "123"]
    command = [sys.executable, "-c", RETOLD]
    told = {
        subprocess.run(command, cwd=ROOT, env=each, capture_output=True, check=True).stdout for each in environments
    }
    assert len(told) == 1


def test_a_stage_is_that_of_the_innermost_function_that_has_one() -> None:
    crawl = ("scrapy/core/scraper.py:call_spider", "scout/spiders/shop.py:parse")
    stages = {
        (*crawl, "scout/values/text.py:text_key"): "walk",
        (*crawl, "scout/page.py:root", "lxml/html/__init__.py:document_fromstring"): "parse",
        (*crawl, "<frozen importlib._bootstrap>:_load", "scout/rules/files.py:<module>"): "start",
        crawl[:1]: "download",
    }
    assert {stack: page_cost.stage_of(stack) for stack in stages} == stages


def test_a_bar_of_a_flame_graph_is_as_wide_as_its_time() -> None:
    picture = page_cost.flame_graph("a <crawl>", {("a.py:f", "b.py:g"): 3.0, ("a.py:f",): 1.0})
    widths = [float(bar.get("width", "")) for bar in ElementTree.fromstring(picture).iter(f"{SVG}rect")]
    assert widths == [page_cost.WIDTH, page_cost.WIDTH * 0.75]


def test_the_speed_of_a_crawl_is_one_line_of_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The hand-written spider needs 1 s for the start and 2 s for the rest, Scout 2 s and twice as long a page."""
    shop, start = Shop(480), Shop(PER_PAGE)
    rest = 4.0 * (shop.all_pages - start.all_pages) / (shop.pages - start.pages)
    used = iter([9.0, 2.0, *[3.0, 2.0 + rest, 1.0, 2.0] * speed_walk.ROUNDS])
    monkeypatch.setattr(speed_walk, "seconds", lambda *_: next(used))
    assert speed_walk.main(480, as_json=True) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["crawl_over_hand_written"] == 0.5 and told["start_over_hand_written"] == 2.0
