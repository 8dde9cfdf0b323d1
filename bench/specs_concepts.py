"""Concepts of attribute names: how many of the names in annotated pages get one, and how many of those that were judged are right.

usage: python -m bench.specs_concepts FOLDER      (truth.json, as eval/specs.py reads it)
The judged list is `specs_concepts.tsv`; a name whose concept has changed since counts as not judged.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from scout.specs.concepts import concept_of
from scout.specs.units import quantity
from scout.specs.vocabulary import vocabulary

JUDGED = Path(__file__).with_name("specs_concepts.tsv")


def coverage(folder: Path) -> tuple[int, int]:
    """How many distinct names there are, and how many of them get a concept."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    units = {
        name: found.unit if (found := quantity(name, value)) else None
        for pairs in truth.values()
        for name, value in pairs
    }
    return len(units), sum(concept_of(name, unit, vocabulary()).concept is not None for name, unit in units.items())


def judged() -> list[tuple[str, str, bool]]:
    """Each name that was judged, with the concept that it had and whether that was right."""
    lines = (line for line in JUDGED.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [(name, concept, verdict == "right") for name, concept, verdict in (line.split("\t") for line in lines)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    names, found = coverage(parser.parse_args().folder)
    entries = judged()
    right = sum(verdict for _, _, verdict in entries)
    print(f"{found} of {names} names have a concept ({found / names:.3f}; bar 0.7)")
    print(f"{right} of {len(entries)} judged ones are right ({right / len(entries):.3f}; bar 0.9)")


if __name__ == "__main__":
    main()
