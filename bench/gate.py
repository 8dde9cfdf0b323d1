"""The accuracy gate: every data set's figures against their floors.

usage: python -m bench.gate [NAME ...] [--short] [--since COMMIT]

bench/floors.yaml names for each gate the script (of ../shared/eval, or of bench), the data with its digest, and the floors. A gate fails
where a figure is below its floor, or where the data is not the data the floor was set on. `--short` runs those marked short (for CI).
`--since` looks at the history instead: a floor may only be lowered by a commit whose message has the line `Lowers floor: NAME`. Data is
in ../shared/data, or in the project where its name begins with `bench/` (there, what makes the data stands for it). Gates whose data is
not there are left out, and named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
FLOORS = Path("bench/floors.yaml")
WORD = "Lowers floor:"


@dataclass(frozen=True)
class Gate:
    """One measurement and what it must reach."""

    name: str
    script: str
    data: tuple[str, ...]
    arguments: tuple[str, ...]
    digest: str
    floors: Mapping[str, float]
    short: bool = False

    @classmethod
    def of(cls, name: str, entry: Mapping[str, Any]) -> Gate:
        """From its entry in the file; `data` may be a pattern."""
        arguments = tuple(map(str, entry.get("arguments", ())))
        floors = {key: float(value) for key, value in entry["floors"].items()}
        return cls(
            name, entry["script"], tuple(entry["data"]), arguments, entry["digest"], floors, entry.get("short", False)
        )

    def paths(self) -> list[Path]:
        """The files and folders that the data is in."""
        roots = [(ROOT if pattern.startswith("bench/") else SHARED / "data", pattern) for pattern in self.data]
        return sorted(path for root, pattern in roots for path in root.glob(pattern))

    def figures(self) -> dict[str, float]:
        """What the script measures, nested results by their path: `total/price`."""
        script = next(path for path in (SHARED / "eval" / self.script, ROOT / "bench" / self.script) if path.exists())
        given = [str(path) for path in self.paths() if path != script]  # a script that makes its own data is given none
        command = [sys.executable, str(script), *given, *self.arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.script} failed:\n{done.stderr[-2000:]}")
        return dict(flat(json.loads(done.stdout.strip().splitlines()[-1])))


def flat(value: Any, path: str = "") -> list[tuple[str, float]]:
    """Every number in nested data with its path."""
    if isinstance(value, Mapping):
        return [pair for key, inner in value.items() for pair in flat(inner, f"{path}/{key}" if path else str(key))]
    if isinstance(value, list):
        return [
            pair
            for number, inner in enumerate(value)
            for pair in flat(inner, f"{path}/{number}" if path else str(number))
        ]
    return [(path, float(value))] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def digest(paths: Sequence[Path]) -> str:
    """Of the names and contents of all files."""
    total = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                root = SHARED if file.is_relative_to(SHARED) else ROOT
                total.update(f"{file.relative_to(root)}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:16]


def gates(text: str) -> dict[str, Gate]:
    """The gates of a floors file."""
    return {name: Gate.of(name, entry) for name, entry in yaml.safe_load(text).items()}


def passes(gate: Gate) -> bool:
    """Measure, print, judge."""
    found = digest(gate.paths())
    if found != gate.digest:
        print(f"{gate.name}: the data is not the data of the floor (digest {found}, not {gate.digest})")
        return False
    figures = gate.figures()
    missing = [name for name in gate.floors if name not in figures]
    if missing:
        print(f"{gate.name}: {gate.script} does not report {', '.join(missing)}; it reports {', '.join(figures)}")
        return False
    low = {name for name, floor in gate.floors.items() if figures[name] < floor}
    told = ", ".join(f"{n} {figures[n]:.4f} {'<' if n in low else '>='} {floor}" for n, floor in gate.floors.items())
    print(f"{'FAILED' if low else 'ok':6s} {gate.name}: {told}", flush=True)
    return not low


# --- the history ------------------------------------------------------------------------------------------------------
def git(*arguments: str) -> str:
    """What git says; empty where it says no."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout


def lowered(before: Mapping[str, Gate], after: Mapping[str, Gate]) -> list[str]:
    """Gates that were removed, or have a floor that is lower or gone."""
    names = []
    for name, old in before.items():
        new = after.get(name)
        if new is None or any(new.floors.get(figure, float("-inf")) < floor for figure, floor in old.floors.items()):
            names.append(name)
    return names


def unsaid(since: str) -> list[str]:
    """Commits after `since` that lower a floor without the word."""
    found = []
    for commit in git("rev-list", "--reverse", f"{since}..HEAD", "--", str(FLOORS)).split():
        texts = [git("show", f"{at}:{FLOORS}") for at in (f"{commit}^", commit)]
        before, after = (gates(text) if text else {} for text in texts)
        silent = set(lowered(before, after)) - said(git("show", "-s", "--format=%B", commit))
        found += [f"{commit[:10]} lowers {name} without a line `{WORD} {name}`" for name in sorted(silent)]
    return found


def said(message: str) -> set[str]:
    """The gates that a commit's message says it lowers, each on a line of its own."""
    return {line.removeprefix(WORD).strip() for line in message.splitlines() if line.startswith(WORD)}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where every gate passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="gates to run (default: all)")
    parser.add_argument("--short", action="store_true", help="only those marked short")
    parser.add_argument("--since", metavar="COMMIT", help="check that no commit since then lowers a floor silently")
    options = parser.parse_args(arguments)
    if options.since:
        silent = unsaid(options.since)
        print("\n".join(silent) or "no floor was lowered silently")
        return int(bool(silent))
    known = gates((ROOT / FLOORS).read_text(encoding="utf-8"))
    if unknown := set(options.names) - known.keys():
        parser.error(f"there is no gate {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = [
        gate
        for gate in known.values()
        if (not options.names or gate.name in options.names) and (gate.short or not options.short)
    ]
    for gate in chosen:
        if not gate.paths():
            print(f"left out {gate.name}: {', '.join(gate.data)} is not in {SHARED / 'data'}")
    results = [passes(gate) for gate in chosen if gate.paths()]  # all of them, also after one that fails
    return int(not all(results))


if __name__ == "__main__":
    raise SystemExit(main())
