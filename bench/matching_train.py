"""Train the weights of the evidence on pairs that are known, and say how well they do on domains they have not seen.

Usage: python -m bench.matching_train DIR... > weights.txt
       each DIR with left.csv, right.csv and matches.csv (bench.matching_tasks writes some), or gt.csv as the AutoFuzzyJoin benchmark has it

What is fitted is a logistic regression that is held to the weights that a person would begin with. (Matching used to fit it again to the
pairs that identifiers prove in a user's own lists: that gained nothing on abt-buy and lost up to 0.01 F1 on amazon-google.) The tasks that
the project is judged by are not among the folders. Deterministic: the same folders give the same weights. They go to
scout/data/matching.yaml.

The shipped weights come from the 15 tasks of bench.matching_tasks and the 50 of AutoFuzzyJoin (in the package autofj on PyPI, MIT). When
they were trained, the tasks were still drawn in another order in each process, so that draw cannot be had again; the tasks as they are
drawn now give weights that differ by 0.001 in three places (ngrams 0.231, known words found 0.385, other number -0.102) and nowhere else.
They were not shipped because they gain nothing: pairs 0.974 and 0.788 as before, what is missing 0.9505 precision instead of 0.9513.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold

from scout.matching.candidates import candidate_pairs
from scout.matching.facts import read_facts
from scout.matching.features import contradictions, offer_matrices, pair_features
from scout.matching.similarity import weighted_sum
from scout.matching.vectors import Floats

# where a person would begin; what the fit is held to
BEGIN: Mapping[str, float] = {
    "ngrams": 0.2,
    "known words found": 0.4,
    "found words known": 0.4,
    "code": 0.08,
    "model": 0.2,
    "other code": -0.05,
    "quantity": 0.03,
    "other number": -0.08,
    "brand": 0.03,
    "other brand": -0.2,
    "price": -0.2,
    "details": 0.8,
}
HOLDS = (0.1, 0.03, 0.01, 0.003, 0.001)  # how strongly the fit is held, for each example: the gain of each is printed
HOLD = (
    0.1  # what is shipped: a looser fit gains more on tasks like the trained ones, and loses on lists of another kind
)
STEEPNESS = 10.0  # a tenth of a score about tells right from wrong: one unit of the logistic curve
TEXT = ("ngrams", "known words found", "found words known")  # whose weights sum to one, so that scores keep their scale
FOLDS = 5
MOST_PAIRS = 4000  # of one task: a large one must not outvote the others
SEED = 1
TRUTHS = {"matches.csv": ("left_id", "right_id"), "gt.csv": ("id_l", "id_r")}


class Task(NamedTuple):
    """The candidates of a task: what speaks for each, and whether it is right."""

    name: str
    evidence: dict[str, Floats]
    is_right: np.ndarray


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def task(folder: Path) -> Task:
    """The candidates of the task in a folder that nothing vetoes."""
    known, found = rows(folder / "left.csv"), rows(folder / "right.csv")
    name = next(name for name in TRUTHS if (folder / name).exists())
    truth = {(row[TRUTHS[name][0]], row[TRUTHS[name][1]]) for row in rows(folder / name)}
    left, right = offer_matrices(read_facts(known), read_facts(found))
    i, j = candidate_pairs(left, right)
    evidence = pair_features(left, right, i, j)
    is_right = np.array([(known[a]["id"], found[b]["id"]) in truth for a, b in zip(i, j, strict=True)])
    usable = np.flatnonzero(~contradictions(left, right, i, j))
    kept = np.sort(np.random.default_rng(SEED).permutation(usable)[:MOST_PAIRS])
    return Task(folder.name, {key: values[kept] for key, values in evidence.items()}, is_right[kept])


def logistic_weights(
    evidence: Mapping[str, Floats], is_right: NDArray[np.bool_], initial: Mapping[str, float], hold: float
) -> dict[str, float]:
    """Logistic regression that starts at the initial weights, is held to them, and never changes a sign."""
    names = list(initial)
    values = np.stack([evidence[name] for name in names], axis=1).astype(np.float64)
    start = STEEPNESS * np.array([initial[name] for name in names])
    signs = np.where(is_right, 1.0, -1.0)
    counts = np.where(is_right, 0.5 / max(1, int(is_right.sum())), 0.5 / max(1, int((~is_right).sum())))

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights, bias = parameters[:-1], parameters[-1]
        margins = signs * (values @ weights + bias)
        away = weights - start
        slopes = -counts * signs / (1 + np.exp(np.clip(margins, -50, 50)))
        gradient = np.append(values.T @ slopes + 2 * hold / STEEPNESS * away, slopes.sum())
        return float(counts @ np.logaddexp(0, -margins) + hold / STEEPNESS * away @ away), gradient

    bounds = [(0, None) if weight >= 0 else (None, 0) for weight in start]
    found = minimize(
        loss, np.append(start, -STEEPNESS / 2), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)]
    ).x
    fitted = dict(zip(names, found[:-1].tolist(), strict=True))
    scale = sum(fitted[name] for name in TEXT) or STEEPNESS
    return {name: value / scale for name, value in fitted.items()}


def fitted(tasks: list[Task], hold: float) -> dict[str, float]:
    """The weights for all pairs of the tasks."""
    evidence = {name: np.concatenate([task.evidence[name] for task in tasks]) for name in BEGIN}
    return logistic_weights(evidence, np.concatenate([task.is_right for task in tasks]), BEGIN, hold)


def ranking(task: Task, weights: Mapping[str, float]) -> float:
    """How well the weights put the right pairs of a task before the wrong ones: the area under precision and recall."""
    return float(average_precision_score(task.is_right, weighted_sum(task.evidence, weights)))


def held_out(tasks: list[Task], hold: float) -> float:
    """The mean ranking of tasks by weights that were fitted to the others."""
    folds = GroupKFold(FOLDS).split(tasks, groups=range(len(tasks)))
    scores = []
    for seen, unseen in folds:
        weights = fitted([tasks[k] for k in seen], hold)
        scores += [ranking(tasks[k], weights) for k in unseen]
    return float(np.mean(scores))


def main(folders: list[str]) -> int:
    """Print what each strength gains on unseen domains, and the weights to ship."""
    tasks = [made for made in map(task, map(Path, folders)) if made.is_right.any()]
    if len(tasks) < FOLDS:
        print(__doc__)
        return 2
    print(f"# {len(tasks)} tasks; where it begins: {np.mean([ranking(task, BEGIN) for task in tasks]):.4f}")
    for hold in HOLDS:
        print(f"# held by {hold}: {held_out(tasks, hold):.4f} on unseen tasks")
    for name, weight in fitted(tasks, HOLD).items():
        print(f"  {name}: {weight:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
