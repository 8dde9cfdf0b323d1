"""What to expect of the chosen selectors on pages that were not in the sample: cross-validation over the sample's pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from scout.learning.scoring import OutputGrade, SelectorTrial
from scout.learning.selection import ChosenTrial, choose_trials

FOLDS = 3  # with ten offers, three folds still leave seven to learn from
MIN_PAGES = 4  # fewer cannot be split into something to learn from and something to test on


def voted_grade(choices: Sequence[ChosenTrial], page: int) -> OutputGrade:
    """The mark of what the choices say by vote on one page."""
    for turn in sorted({choice.turn for choice in choices}):
        heard = [c for c in choices if c.turn == turn and c.trial.grades[page] != OutputGrade.EMPTY]
        if heard:
            weights: Counter[OutputGrade] = Counter()
            for choice in heard:
                weights[choice.trial.grades[page]] += choice.quality  # type: ignore[assignment]
            return weights.most_common(1)[0][0]
    return OutputGrade.EMPTY


def cross_validate(
    trials: Sequence[SelectorTrial], pages: Sequence[int], threshold: float, same: Callable[[str, str], bool]
) -> tuple[float | None, float | None]:
    """(precision, accuracy) to expect; None if there are too few pages to say. A value that the catalogue has stale does not count."""
    if len(pages) < MIN_PAGES:
        return None, None
    marks: Counter[OutputGrade] = Counter()
    for fold in range(FOLDS):
        held_out = pages[fold::FOLDS]
        choices = choose_trials(trials, [page for page in pages if page not in held_out], threshold, same)
        marks.update(voted_grade(choices, page) for page in held_out)
    right = marks[OutputGrade.RIGHT] + marks[OutputGrade.WEAK]
    wrong = marks[OutputGrade.WRONG]
    tested = right + wrong + marks[OutputGrade.EMPTY]
    return round(right / max(1, right + wrong), 4), round(right / max(1, tested), 4)
