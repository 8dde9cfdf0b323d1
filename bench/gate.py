"""The accuracy gate: measured figures against their floors.

usage: python -m bench.gate [NAME ...] [--short] [--shared DIR] [--without-data] [--since COMMIT]

bench/floors.yaml names, for each gate, the script that measures, the data with its digest, and the figures that must be reached (floors)
or not exceeded (ceilings). Scripts are in bench/ or in the eval/ folder of the shared directory; data is in the shared directory's data/,
or in the project where its name begins with `bench/`. The shared directory is ../shared unless --shared says otherwise.

A gate fails if a figure misses its bound, or if the data has changed since the bounds were set. A gate whose data or script is not
there is named, and the run fails, unless --without-data accepts that. --short runs the gates that ship with the project.

--since looks at the history instead: only a commit with the line `Lowers floor: NAME` in its message may lower a floor, raise a ceiling
or remove a gate.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
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
LOWERS = "Lowers floor:"  # begins the line of a commit message that admits a lower floor


class CannotMeasure(Exception):
    """The gate's figures cannot be compared with its bounds; the message says why, and what to do."""


@dataclass(frozen=True)
class Gate:
    """One measurement and the bounds of its figures."""

    name: str
    script: str
    data: tuple[str, ...]
    arguments: tuple[str, ...]
    digest: str
    floors: Mapping[str, float]
    ceilings: Mapping[str, float]
    short: bool

    @classmethod
    def from_entry(cls, name: str, entry: Mapping[str, Any]) -> Gate:
        """Read one entry of the floors file."""
        return cls(
            name,
            entry["script"],
            tuple(entry["data"]),
            tuple(map(str, entry.get("arguments", ()))),
            entry["digest"],
            entry.get("floors", {}),
            entry.get("ceilings", {}),
            entry.get("short", False),
        )

    def data_paths(self, shared: Path) -> list[Path]:
        """The files and folders of the data; [] unless every pattern in `data` matches something."""
        matches = [
            sorted((ROOT if pattern.startswith("bench/") else shared / "data").glob(pattern)) for pattern in self.data
        ]
        return [path for paths in matches for path in paths] if all(matches) else []

    def script_path(self, shared: Path) -> Path | None:
        """The script that measures, or None if it is not there."""
        candidates = (shared / "eval" / self.script, ROOT / "bench" / self.script)
        return next((path for path in candidates if path.exists()), None)

    def what_is_missing(self, shared: Path) -> str:
        """The data or script that the gate needs and that is not there; empty if all is."""
        if not self.data_paths(shared):
            return f"{', '.join(self.data)} is not in {shared / 'data'}"
        return "" if self.script_path(shared) else f"{self.script} is not in {shared / 'eval'}"

    def measure(self, shared: Path) -> dict[str, float]:
        """The script's figures, nested ones by their path: `total/price`."""
        paths, script = self.data_paths(shared), self.script_path(shared)
        if (actual := digest(paths, shared)) != self.digest:
            raise CannotMeasure(
                f"the data has changed since the floors were set (digest {actual}, was {self.digest}). "
                f"Restore the data, or measure again and set digest and floors of {self.name} in {FLOORS}"
            )
        given = [
            str(path) for path in paths if path.is_relative_to(shared)
        ]  # the project's own scripts know their own data
        done = subprocess.run(
            [sys.executable, str(script), *given, *self.arguments],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise CannotMeasure(f"{self.script} failed:\n{done.stderr[-2000:]}")
        figures = flatten(json.loads(done.stdout.strip().splitlines()[-1]))
        if absent := [name for name in (*self.floors, *self.ceilings) if name not in figures]:
            raise CannotMeasure(f"{self.script} does not report {', '.join(absent)}; it reports {', '.join(figures)}")
        return figures

    def passes(self, shared: Path) -> bool:
        """Measure, print every figure beside its bound, and say whether all are kept."""
        try:
            figures = self.measure(shared)
        except CannotMeasure as error:
            print(f"FAILED {self.name}: {error}", flush=True)
            return False
        kept = {
            f"{name} {figures[name]:.4f} (floor {floor})": figures[name] >= floor for name, floor in self.floors.items()
        }
        kept |= {
            f"{name} {figures[name]:g} (ceiling {top:g})": figures[name] <= top for name, top in self.ceilings.items()
        }
        missed = "; ".join(text for text, is_kept in kept.items() if not is_kept)
        print(f"FAILED {self.name}: {missed}" if missed else f"ok     {self.name}: {'; '.join(kept)}", flush=True)
        return not missed


def flatten(value: Any, path: str = "") -> dict[str, float]:
    """Every number in nested data by its path; entries of a list by their `shop` or `task` if they name one, else by position."""
    if isinstance(value, list):
        named = [inner if isinstance(inner, Mapping) else {} for inner in value]
        value = {
            of.get("shop") or of.get("task") or i: inner for i, (of, inner) in enumerate(zip(named, value, strict=True))
        }
    if isinstance(value, Mapping):
        inner_paths = [(f"{path}/{key}" if path else str(key), inner) for key, inner in value.items()]
        return {
            name: number for inner_path, inner in inner_paths for name, number in flatten(inner, inner_path).items()
        }
    return {path: float(value)} if isinstance(value, (int, float)) and not isinstance(value, bool) else {}


def digest(paths: Sequence[Path], shared: Path = SHARED) -> str:
    """A short hash of the names and contents of all files."""
    total = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                name = file.relative_to(shared if file.is_relative_to(shared) else ROOT)
                total.update(f"{name}\n".encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:16]


def read_gates(text: str) -> dict[str, Gate]:
    """The gates of a floors file."""
    return {name: Gate.from_entry(name, entry) for name, entry in (yaml.safe_load(text) or {}).items()}


# --- the history ------------------------------------------------------------------------------------------------------
def git(*arguments: str) -> str:
    """What git prints; empty if it fails."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout


def lowered(before: Mapping[str, Gate], after: Mapping[str, Gate]) -> list[str]:
    """Gates that were removed, or of which a bound was loosened or removed."""

    def is_looser(old: Gate, new: Gate) -> bool:
        return any(new.floors.get(name, float("-inf")) < floor for name, floor in old.floors.items()) or any(
            new.ceilings.get(name, float("inf")) > ceiling for name, ceiling in old.ceilings.items()
        )

    return [name for name, old in before.items() if name not in after or is_looser(old, after[name])]


def admitted(message: str) -> set[str]:
    """The gates that a commit message says it lowers, each on a line of its own."""
    return {line.removeprefix(LOWERS).strip() for line in message.splitlines() if line.startswith(LOWERS)}


def silently_lowered(since: str) -> list[str]:
    """A sentence for every floor that a commit after `since` lowers without saying so."""
    complaints = []
    for commit in git("rev-list", "--reverse", f"{since}..HEAD", "--", str(FLOORS)).split():
        before, after = (read_gates(git("show", f"{at}:{FLOORS}")) for at in (f"{commit}^", commit))
        silent = set(lowered(before, after)) - admitted(git("show", "-s", "--format=%B", commit))
        complaints += [f"{commit[:10]} lowers {name} without a line `{LOWERS} {name}`" for name in sorted(silent)]
    return complaints


# --- the command ------------------------------------------------------------------------------------------------------
def run_gates(gates: Sequence[Gate], shared: Path, *, without_data: bool) -> int:
    """Run every gate, also after one that fails; 0 if all pass and none was left unchecked."""
    missing = {gate.name: why for gate in gates if (why := gate.what_is_missing(shared))}
    results = [gate.passes(shared) for gate in gates if gate.name not in missing]
    for name, why in missing.items():
        print(f"not checked {name}: {why}")
    if missing and not without_data:
        print(
            f"{len(missing)} of {len(gates)} gates were not checked: {', '.join(missing)}. "
            "Say where their data is with --shared DIR, or accept this with --without-data."
        )
    return int(not all(results) or (bool(missing) and not without_data))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="gates to run (default: all)")
    parser.add_argument("--short", action="store_true", help="only the gates that ship with the project")
    parser.add_argument(
        "--shared", type=Path, default=SHARED, metavar="DIR", help="holds data/ and eval/ (default: ../shared)"
    )
    parser.add_argument(
        "--without-data", action="store_true", help="accept that gates without their data are not checked"
    )
    parser.add_argument("--since", metavar="COMMIT", help="check that no commit since then lowers a floor silently")
    options = parser.parse_args(arguments)
    if options.since:
        complaints = silently_lowered(options.since)
        print("\n".join(complaints) or "No floor was lowered silently.")
        return int(bool(complaints))
    known = read_gates((ROOT / FLOORS).read_text(encoding="utf-8"))
    if unknown := set(options.names) - known.keys():
        parser.error(f"unknown gate {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    gates = [known[name] for name in options.names or known]
    return run_gates(
        [gate for gate in gates if gate.short or not options.short],
        options.shared.resolve(),
        without_data=options.without_data,
    )


if __name__ == "__main__":
    raise SystemExit(main())
