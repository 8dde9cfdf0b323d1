"""bench.sensitivity: which numbers in code decide nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from bench.sensitivity import Number, Trial, modules, numbers

NAME = "scout.made_for_sensitivity"
SOURCE = """
ENOUGH = 10
SPARE = 0.5
WEIGHTS = {"near": 2.0, "far": 0.001}
UNREAD, LIMIT, IS_ON, NAMED = 3, 60_000, True, "x"

def is_enough(size):
    return size * WEIGHTS["near"] + WEIGHTS["far"] > ENOUGH and size > SPARE

def unasked():
    return UNREAD
"""


@pytest.fixture
def made(tmp_path: Path) -> Iterator[ModuleType]:
    """A module with numbers that decide, that do not, and that nobody asks for."""
    file = tmp_path / "made.py"
    file.write_text(SOURCE)
    spec = spec_from_file_location(NAME, file)
    assert spec is not None and spec.loader is not None
    sys.modules[NAME] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[NAME]


def test_numbers_that_decide_are_told_from_those_that_do_not_and_those_not_reached(made: ModuleType) -> None:
    trial = Trial([lambda: made.is_enough(6)], tried=5)
    kinds = {f"{n.name} {n.key or ''}".strip(): trial.outcome(n).kind for n in numbers(made)}
    assert kinds == {
        "ENOUGH": "changes something",
        "WEIGHTS near": "changes something",
        "SPARE": "changes nothing",
        "WEIGHTS far": "changes nothing",
        "UNREAD": "not reached",
    }
    assert (made.ENOUGH, made.SPARE, made.WEIGHTS) == (10, 0.5, {"near": 2.0, "far": 0.001}), "all moved back"


@pytest.mark.parametrize(("value", "moved"), [(1, (0, 2)), (10, (7, 14)), (-1, (-0, -2)), (0.5, (0.35, 0.7))])
def test_a_whole_number_stays_whole_and_moves_by_one_at_least(value: float, moved: tuple[float, float]) -> None:
    found = Number("m", "N", value)
    assert (found.moved(0.7), found.moved(1.4)) == pytest.approx(moved)


def test_the_numbers_of_a_room_are_found_under_their_names() -> None:
    found = {str(number).partition(" =")[0] for module in modules("specs") for number in numbers(module)}
    assert "scout.specs.signs.MANY_WORDS" in found, "one of several that are named in one line"
