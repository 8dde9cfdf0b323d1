"""The accuracy gate: a floor is only lowered by a commit that says so, and belongs to its data."""

from __future__ import annotations

from pathlib import Path

from bench.gate import FLOORS, ROOT, digest, flat, gates, lowered, main, said

ENTRY = "a:\n  script: x.py\n  data: [d]\n  digest: abc\n  floors: {{accuracy: {floor}}}\n"


def test_a_lower_floor_and_a_removed_gate_are_noticed():
    before, higher, lower = (gates(ENTRY.format(floor=floor)) for floor in (0.9, 0.95, 0.8))
    assert lowered(before, higher) == []
    assert lowered(before, lower) == ["a"]
    assert lowered(before, {}) == ["a"]


def test_the_word_is_for_the_gate_that_it_names_and_stands_on_a_line_of_its_own():
    message = "Set the floors anew\n\nNot meant: Lowers floor: lists\nLowers floor: learned-few\nLowers floor:  walk \n"
    assert said(message) == {"learned-few", "walk"}


def test_the_digest_changes_with_a_name_and_with_a_content(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("bench.gate.SHARED", tmp_path)
    file = tmp_path / "a.txt"
    file.write_text("one")
    first = digest([tmp_path])
    file.write_text("two")
    second = digest([tmp_path])
    file.rename(tmp_path / "b.txt")
    assert len({first, second, digest([tmp_path])}) == 3


def test_the_short_sample_of_ci_needs_nothing_but_the_project(monkeypatch, tmp_path: Path):
    monkeypatch.setattr("bench.gate.SHARED", tmp_path)
    short = [gate for gate in gates((ROOT / FLOORS).read_text(encoding="utf-8")).values() if gate.short]
    assert short and all(gate.paths() and digest(gate.paths()) == gate.digest for gate in short)


def test_a_gate_without_its_data_is_left_out_and_named(monkeypatch, tmp_path: Path, capsys):
    monkeypatch.setattr("bench.gate.SHARED", tmp_path)
    assert main(["learned"]) == 0
    assert "left out learned" in capsys.readouterr().out


def test_nested_figures_are_named_by_their_path():
    assert flat({"all": {"accuracy": 1}, "list": [0.5, True], "name": "x"}) == [("all/accuracy", 1.0), ("list/0", 0.5)]


def test_the_floors_file_can_be_read():
    assert all(gate.floors for gate in gates((ROOT / FLOORS).read_text(encoding="utf-8")).values())
