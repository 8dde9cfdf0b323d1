"""The benchmarks: `make bench` runs programs only, and what the shipped weights are trained on can be made again."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

from bench import frontier
from bench.__main__ import benchmarks, main
from tests.crawl.commands import ROOT

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
