"""How well matching does on tasks with known answers, and how well it tells what is missing.

Usage: python -m bench.matching DIR...    each with left.csv (the catalogue), right.csv (the offers) and matches.csv (left_id, right_id)

For each task: precision, recall and F1 of the pairs; then, with a random third of the catalogue removed (eleven times), precision and
recall of the offers that are called missing, in the mean and at worst. Nothing is learned from the answers.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

from scout.matching import match

Row = dict[str, str]
ROUNDS = 11
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.9  # of what is called missing


def rows(path: Path) -> list[Row]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pairs(catalogue: list[Row], offers: list[Row]) -> set[tuple[str, str]]:
    """The pairs that are found, by their ids."""
    return {(catalogue[pair.catalogue]["id"], offers[pair.offer]["id"]) for pair in match(catalogue, offers)}


def rates(found: set[object], truth: set[object]) -> tuple[float, float]:
    """Precision and recall."""
    return len(found & truth) / max(1, len(found)), len(found & truth) / max(1, len(truth))


def missing_rates(
    catalogue: list[Row], offers: list[Row], truth: set[tuple[str, str]], seed: int
) -> tuple[float, float]:
    """Precision and recall of "missing", after a third of the catalogue was removed."""
    rng = random.Random(seed)
    kept = [row for row in catalogue if rng.random() > 1 / 3]
    ids = {row["id"] for row in kept}
    known = {offer for _, offer in pairs(kept, offers)}
    really_known = {right for left, right in truth if left in ids}
    everything = {row["id"] for row in offers}
    return rates(set(everything - known), set(everything - really_known))


def main(folders: list[str]) -> int:
    """Print the figures of each task; 1 where a bar for "missing" is not met."""
    failed = False
    for folder in map(Path, folders):
        catalogue, offers = rows(folder / "left.csv"), rows(folder / "right.csv")
        truth = {(row["left_id"], row["right_id"]) for row in rows(folder / "matches.csv")}
        precision, recall = rates(set(pairs(catalogue, offers)), set(truth))
        print(
            f"{folder.name}: precision {precision:.4f} recall {recall:.4f} F1 {2 * precision * recall / (precision + recall or 1):.4f}"
        )
        found = [missing_rates(catalogue, offers, truth, seed) for seed in range(ROUNDS)]
        precision, recall = (sum(values) / ROUNDS for values in zip(*found, strict=True))
        worst = [min(values) for values in zip(*found, strict=True)]
        print(
            f"{folder.name}: missing: precision {precision:.4f} (worst {worst[0]:.4f}, bar {LEAST_PRECISION}) "
            f"recall {recall:.4f} (worst {worst[1]:.4f}, bar {LEAST_RECALL})"
        )
        failed |= precision < LEAST_PRECISION or recall < LEAST_RECALL
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
