"""How well matching does on tasks with known answers, how well it tells what is missing, and whether it knows how well.

Usage: python -m bench.matching DIR...    each with left.csv (the catalogue), right.csv (the offers) and matches.csv (left_id, right_id)

For each task: precision and recall of the decided pairs; then, with a random half of the catalogue removed (twenty times), precision and
recall of the offers that are called missing, the share of offers that are decided, and how often the stated interval holds the truth, with
its greatest width. Nothing is learned from the answers.
"""

from __future__ import annotations

import csv
import random
import sys
from dataclasses import dataclass
from pathlib import Path

from scout.matching import ListComparison, compare
from scout.matching.reliability import stated_precision

Row = dict[str, str]
ROUNDS = 20
MIN_HELD = 18  # rounds in which the stated interval holds the truth
MAX_WIDTH = 0.15  # of the interval


def rows(path: Path) -> list[Row]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rates(found: set[object], truth: set[object]) -> tuple[float, float]:
    """Precision and recall."""
    return len(found & truth) / max(1, len(found)), len(found & truth) / max(1, len(truth))


def decided_pairs(catalogue: list[Row], offers: list[Row], compared: ListComparison) -> set[tuple[str, str]]:
    """The decided pairs, by their ids."""
    return {(catalogue[m.catalogue]["id"], offers[m.offer]["id"]) for m in compared.matches if not m.undecided}


@dataclass(frozen=True)
class Round:
    """What is called missing, after half of the catalogue was removed."""

    precision: float
    recall: float
    decided: float
    held: bool
    width: float


def half_catalogue(catalogue: list[Row], offers: list[Row], truth: set[tuple[str, str]], seed: int) -> Round:
    """One round."""
    rng = random.Random(seed)
    kept = rng.sample(catalogue, len(catalogue) // 2)
    ids = {row["id"] for row in kept}
    compared = compare(kept, offers)
    known = {right for left, right in truth if left in ids}
    missing = {offers[position]["id"] for position in compared.missing}
    precision, recall = rates(set(missing), {row["id"] for row in offers} - known)
    stated = stated_precision(compared.missing.values())
    is_open = {match.offer for match in compared.matches if match.undecided}
    held = stated is None or stated.low <= round(precision, 4) <= stated.high
    width = stated.high - stated.low if stated else 0.0
    return Round(precision, recall, 1 - len(is_open) / len(offers), held, width)


def main(folders: list[str]) -> int:
    """Print the figures of each task; 1 where the stated interval is too wide or misses the truth too often."""
    failed = False
    for folder in map(Path, folders):
        catalogue, offers = rows(folder / "left.csv"), rows(folder / "right.csv")
        truth = {(row["left_id"], row["right_id"]) for row in rows(folder / "matches.csv")}
        found = decided_pairs(catalogue, offers, compare(catalogue, offers))
        precision, recall = rates(set(found), set(truth))
        print(f"{folder.name}: pairs: precision {precision:.4f} recall {recall:.4f}")
        rounds = [half_catalogue(catalogue, offers, truth, seed) for seed in range(ROUNDS)]
        means = [sum(getattr(r, name) for r in rounds) / ROUNDS for name in ("precision", "recall", "decided")]
        held, width = sum(r.held for r in rounds), max(r.width for r in rounds)
        print(
            f"{folder.name}: missing: precision {means[0]:.4f} recall {means[1]:.4f} decided {means[2]:.4f}; the interval holds the truth "
            f"in {held} of {ROUNDS} (bar {MIN_HELD}), widest {width:.3f} (bar {MAX_WIDTH})"
        )
        failed |= held < MIN_HELD or width > MAX_WIDTH
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
