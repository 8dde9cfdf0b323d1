"""Cross-validation: what to expect of the chosen selectors on pages outside the sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from scout.learning.scoring import OutputGrade, SelectorTrial
from scout.learning.selection import ChosenTrial, choose_trials

FOLDS = 3  # of ten offers, three folds leave at least six to learn from
MIN_PAGES = 4  # fewer cannot be split into pages to learn from and pages to test on


def voted_grade(choices: Sequence[ChosenTrial], page: int) -> OutputGrade:
    """The grade of what the chosen selectors vote for on one page."""
    for turn in sorted({choice.turn for choice in choices}):
        voters = [c for c in choices if c.turn == turn and c.trial.grades[page] != OutputGrade.EMPTY]
        if voters:
            weights: Counter[OutputGrade] = Counter()
            for choice in voters:
                weights[choice.trial.grades[page]] += choice.quality  # type: ignore[assignment]
            return weights.most_common(1)[0][0]
    return OutputGrade.EMPTY


def cross_validate(
    trials: Sequence[SelectorTrial], pages: Sequence[int], threshold: float, same: Callable[[str, str], bool]
) -> tuple[float | None, float | None]:
    """The expected (precision, accuracy); None if there are too few pages. Values that the catalogue has stale do not count."""
    if len(pages) < MIN_PAGES:
        return None, None
    grades: Counter[OutputGrade] = Counter()
    for fold in range(FOLDS):
        held_out = pages[fold::FOLDS]
        choices = choose_trials(trials, [page for page in pages if page not in held_out], threshold, same)
        grades.update(voted_grade(choices, page) for page in held_out)
    right = grades[OutputGrade.RIGHT] + grades[OutputGrade.WEAK]
    wrong = grades[OutputGrade.WRONG]
    tested = right + wrong + grades[OutputGrade.EMPTY]
    return round(right / max(1, right + wrong), 4), round(right / max(1, tested), 4)
