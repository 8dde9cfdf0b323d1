"""The accuracy gate: bounds belong to their data, are only loosened by a commit that says so, and are never skipped silently."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.gate import FLOORS, ROOT, Gate, admitted, digest, flatten, lowered, main, read_gates, run_gates

ENTRY = "a:\n  script: x.py\n  data: [d]\n  digest: abc\n  floors: {{accuracy: {floor}}}\n  ceilings: {{wrong: {ceiling}}}\n"


def shipped_gates() -> dict[str, Gate]:
    return read_gates((ROOT / FLOORS).read_text(encoding="utf-8"))


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A shared directory with one data set and a script that prints what it holds."""
    (tmp_path / "data").mkdir()
    (tmp_path / "eval").mkdir()
    (tmp_path / "data" / "figures.json").write_text(json.dumps({"accuracy": 0.9, "wrong": 2}))
    (tmp_path / "eval" / "printed.py").write_text("import sys; print(open(sys.argv[1]).read())")
    return tmp_path


def gate(shared: Path, floor: float = 0.9, ceiling: float = 2, **others: str) -> Gate:
    entry = {
        "script": "printed.py",
        "data": ["figures.json"],
        "digest": digest([shared / "data" / "figures.json"], shared),
    }
    return Gate.from_entry("tiny", entry | {"floors": {"accuracy": floor}, "ceilings": {"wrong": ceiling}} | others)


def test_a_gate_that_keeps_its_bounds_passes(shared: Path, capsys):
    assert run_gates([gate(shared)], shared, without_data=False) == 0
    assert "ok     tiny: accuracy 0.9000 (floor 0.9); wrong 2 (ceiling 2)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("bounds", "named"),
    [
        ({"floor": 0.95}, "FAILED tiny: accuracy 0.9000 (floor 0.95)"),
        ({"ceiling": 1}, "FAILED tiny: wrong 2 (ceiling 1)"),
    ],
)
def test_a_missed_bound_fails_and_is_named(shared: Path, capsys, bounds, named):
    assert run_gates([gate(shared, **bounds)], shared, without_data=False) == 1
    assert named in capsys.readouterr().out


def test_changed_data_fails_and_the_message_says_what_to_do(shared: Path, capsys):
    old = gate(shared)
    (shared / "data" / "figures.json").write_text(json.dumps({"accuracy": 1.0, "wrong": 0}))
    assert run_gates([old], shared, without_data=False) == 1
    out = capsys.readouterr().out
    assert "the data has changed since the floors were set" in out
    assert "Restore the data, or measure again and set digest and floors of tiny in bench/floors.yaml" in out


def test_a_figure_that_the_script_does_not_report_fails(shared: Path, capsys):
    assert run_gates([gate(shared, floors={"recall": 0.5})], shared, without_data=False) == 1
    assert "printed.py does not report recall; it reports accuracy, wrong" in capsys.readouterr().out


def test_a_script_that_fails_fails_its_gate(shared: Path, capsys):
    (shared / "eval" / "printed.py").write_text("raise SystemExit('no such column')")
    assert run_gates([gate(shared)], shared, without_data=False) == 1
    assert "no such column" in capsys.readouterr().out


@pytest.mark.parametrize("lost", ["data/figures.json", "eval/printed.py"])
def test_a_gate_that_cannot_be_checked_is_named_and_fails_the_run(shared: Path, capsys, lost):
    tiny = gate(shared)
    (shared / lost).unlink()
    assert run_gates([tiny], shared, without_data=False) == 1
    out = capsys.readouterr().out
    assert f"not checked tiny: {Path(lost).name} is not in" in out
    assert "1 of 1 gates were not checked: tiny" in out and "--without-data" in out


def test_without_data_accepts_what_cannot_be_checked_but_not_what_fails(shared: Path, capsys):
    absent = replace(gate(shared, data=["elsewhere"]), name="absent")
    assert run_gates([absent], shared, without_data=True) == 0
    assert "not checked absent" in capsys.readouterr().out
    assert run_gates([absent, gate(shared, floor=0.95)], shared, without_data=True) == 1


def test_the_command_fails_without_the_data(tmp_path: Path, capsys):
    assert main(["learned", "lists", "--shared", str(tmp_path)]) == 1
    assert "2 of 2 gates were not checked: learned, lists" in capsys.readouterr().out
    assert main(["learned", "lists", "--shared", str(tmp_path), "--without-data"]) == 0


def test_the_short_gates_need_nothing_but_the_project(tmp_path: Path):
    short = [gate for gate in shipped_gates().values() if gate.short]
    assert short
    for gate in short:
        assert not gate.what_is_missing(tmp_path)
        assert digest(gate.data_paths(tmp_path), tmp_path) == gate.digest, f"set the digest of {gate.name} anew"


def test_a_looser_bound_and_a_removed_gate_are_noticed():
    before = read_gates(ENTRY.format(floor=0.9, ceiling=3))
    assert lowered(before, read_gates(ENTRY.format(floor=0.95, ceiling=2))) == []
    assert lowered(before, read_gates(ENTRY.format(floor=0.8, ceiling=3))) == ["a"]
    assert lowered(before, read_gates(ENTRY.format(floor=0.9, ceiling=4))) == ["a"]
    assert lowered(before, {}) == ["a"]


def test_a_commit_message_admits_the_gates_that_it_names_on_lines_of_their_own():
    message = "Set the floors anew\n\nNot meant: Lowers floor: lists\nLowers floor: learned-few\nLowers floor:  walk \n"
    assert admitted(message) == {"learned-few", "walk"}


def test_the_digest_changes_with_a_name_and_with_a_content(tmp_path: Path):
    file = tmp_path / "a.txt"
    file.write_text("one")
    first = digest([tmp_path], tmp_path)
    file.write_text("two")
    second = digest([tmp_path], tmp_path)
    file.rename(tmp_path / "b.txt")
    assert len({first, second, digest([tmp_path], tmp_path)}) == 3


def test_nested_figures_are_named_by_their_path_and_listed_ones_by_their_name():
    nested = {"all": {"accuracy": 1}, "list": [0.5, True], "name": "x"}
    assert flatten(nested) == {"all/accuracy": 1.0, "list/0": 0.5}
    assert flatten([{"task": "a", "f1": 0.5}, {"shop": "b", "f1": 1}]) == {"a/f1": 0.5, "b/f1": 1.0}


def test_every_shipped_gate_has_bounds():
    assert all(gate.floors for gate in shipped_gates().values())
