"""Choose few selectors per field: in turns, each heard only where the earlier ones are silent, and by vote within a turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scout.learning.robustness import family
from scout.learning.scoring import OutputGrade, SelectorTrial

MAX_TURNS = 4  # layouts of one shop's detail pages that show a value in different places
MAX_PER_TURN = 3  # selectors of one turn: a third decides between two
WRONG_COST = 2.0  # an empty value is better than a wrong one
UNEXPLAINED_COST = 0.3  # a stale value punishes all selectors alike; still, less is better
WEAK_WORTH = 0.6
UNASKED_COST = 0.5  # pages: of two that are right as often, the one is better that is silent where no value is known
MIN_GAIN = 1.5  # pages: a selector that only explains one page is chance
FRAGILITY_COST = 0.3  # of a vote: two fragile selectors still outvote a robust one, but one does not
MIN_COMPANION = 0.5  # robustness; what is less says nothing that the others do not
SAME_PLACE = 0.95  # share of pages on which two selectors agree, where both speak


@dataclass(frozen=True)
class ChosenTrial:
    """A chosen trial, its turn, its quality, and on how many pages it was right."""

    trial: SelectorTrial
    turn: int
    quality: float
    support: int


def gain(trial: SelectorTrial, pages: Sequence[int]) -> float:
    """What hearing the trial on these pages is worth, in pages."""
    right, weak = trial.count(OutputGrade.RIGHT, pages), trial.count(OutputGrade.WEAK, pages)
    wrong, odd = trial.count(OutputGrade.WRONG, pages), trial.count(OutputGrade.UNEXPLAINED, pages)
    return right + WEAK_WORTH * weak - WRONG_COST * wrong - UNEXPLAINED_COST * odd


def quality(trial: SelectorTrial, pages: Iterable[int]) -> float:
    """The quality index on these pages: share of right among what was said, from 0 to 1. Empty changes nothing."""
    counted = [trial.grades[page] for page in pages]
    right = counted.count(OutputGrade.RIGHT) + WEAK_WORTH * counted.count(OutputGrade.WEAK)
    said = counted.count(OutputGrade.RIGHT) + counted.count(OutputGrade.WEAK) + counted.count(OutputGrade.WRONG)
    odd = UNEXPLAINED_COST * counted.count(OutputGrade.UNEXPLAINED)
    return right / (said + odd) if said else 0.0


def _vote_weight(trial: SelectorTrial, pages: Sequence[int]) -> float:
    """Quality that trusts many pages more than few, and robust selectors more than others."""
    said = sum(1 for page in pages if trial.grades[page] in (OutputGrade.RIGHT, OutputGrade.WEAK, OutputGrade.WRONG))
    smoothed = (quality(trial, pages) * said + 0.5) / (said + 1)
    return smoothed * (1 - FRAGILITY_COST * (1 - max(0.0, min(1.0, trial.robustness))))


def choose_trials(
    trials: Sequence[SelectorTrial], pages: Sequence[int], threshold: float, same: Callable[[str, str], bool]
) -> list[ChosenTrial]:
    """The selectors to keep, judged on `pages` alone (so that others can test them)."""
    choices: list[ChosenTrial] = []
    left = list(pages)
    for turn in range(1, MAX_TURNS + 1):
        heard = [choice.trial for choice in choices]
        useful = [t for t in trials if quality(t, left) >= threshold and gain(t, left) >= MIN_GAIN]
        useful = [t for t in useful if not heard or _is_confirmed_alone(t, heard)]
        if not useful:
            break
        best = max(useful, key=lambda t: gain(t, left) + t.robustness - UNASKED_COST * _answers_unasked(t, pages))
        voices = [best, *_companions(best, useful, left, same)]
        choices += [ChosenTrial(t, turn, _vote_weight(t, left), t.count(OutputGrade.RIGHT, left)) for t in voices]
        left = [page for page in left if all(t.grades[page] == OutputGrade.EMPTY for t in voices)]
    return choices


def _answers_unasked(trial: SelectorTrial, pages: Sequence[int]) -> bool:
    """Whether a trial speaks on most pages where no value is known, and not only on `pages`, which have one.

    Most, because a catalogue lacks values that pages have: another layout on some of them is no reason to be silent there.
    """
    others = [trial.grades[page] for page in set(range(len(trial.grades))).difference(pages)]
    return others.count(OutputGrade.UNKNOWN) > others.count(OutputGrade.EMPTY)


def _companions(
    best: SelectorTrial, useful: Sequence[SelectorTrial], pages: Sequence[int], same: Callable[[str, str], bool]
) -> list[SelectorTrial]:
    """Other ways to the same values: of other kinds first, the most robust first."""
    ranked = sorted(useful, key=lambda t: (-gain(t, pages) - 2 * t.robustness, _tie_break(t)))
    companions: list[SelectorTrial] = []
    families = {family(best.selector)}
    for trial in ranked:
        if family(trial.selector) in families or not _is_good_companion(trial, best, pages, same):
            continue
        companions.append(trial)
        families.add(family(trial.selector))
        if len(companions) == MAX_PER_TURN - 1:
            break
    return companions


def _tie_break(trial: SelectorTrial) -> str:
    """An order of equally good trials that is the same in every run: by path."""
    return f"{getattr(trial.selector, 'css', trial.selector.kind)}, {trial.selector}"


def _is_good_companion(
    trial: SelectorTrial, best: SelectorTrial, pages: Sequence[int], same: Callable[[str, str], bool]
) -> bool:
    """True if a trial may speak beside the best: robust enough, no more mistaken, of one mind, and silent where nothing is known.

    A value that is missing from a page must not be replaced by what stands in its place: so a trial that speaks alone must be right
    at least as often as it cannot be checked.
    """
    if trial.robustness < min(MIN_COMPANION, best.robustness) or trial.count(OutputGrade.WRONG, pages) > best.count(
        OutputGrade.WRONG, pages
    ):
        return False
    return _do_agree(best, trial, pages, same) and _is_confirmed_alone(trial, [best])


def _is_confirmed_alone(trial: SelectorTrial, earlier: Sequence[SelectorTrial]) -> bool:
    """True if, on the pages on which all the earlier ones are silent, a trial is right at least as often as nobody can tell."""
    alone = [page for page in range(len(trial.grades)) if all(t.grades[page] == OutputGrade.EMPTY for t in earlier)]
    confirmed = trial.count(OutputGrade.RIGHT, alone) + trial.count(OutputGrade.WEAK, alone)
    return confirmed >= trial.count(OutputGrade.UNKNOWN, alone) + trial.count(OutputGrade.UNEXPLAINED, alone)


def _do_agree(a: SelectorTrial, b: SelectorTrial, pages: Sequence[int], same: Callable[[str, str], bool]) -> bool:
    both = [page for page in pages if a.grades[page] != OutputGrade.EMPTY and b.grades[page] != OutputGrade.EMPTY]
    agreeing = sum(1 for page in both if same(a.outputs[page] or "", b.outputs[page] or ""))
    return agreeing >= SAME_PLACE * len(both)
