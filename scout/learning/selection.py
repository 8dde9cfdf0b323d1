"""Choose a few selectors per field. Those of a turn vote together, and only if the earlier turns find nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scout.learning.robustness import family
from scout.learning.scoring import OutputGrade, SelectorTrial
from scout.rules.selectors import DataSelector, Selector

MAX_TURNS = 4  # layouts of one shop that show a value in different places
MAX_PER_TURN = 3  # selectors: a third one decides between two
WRONG_COST = 2.0  # an empty value is better than a wrong one
UNEXPLAINED_COST = 0.3  # a stale value counts against all selectors alike; still, fewer are better
WEAK_WORTH = 0.6
UNASKED_COST = 0.5  # pages: of two selectors that are right equally often, prefer the one that finds nothing where no value is known
MIN_GAIN = 1.5  # pages: being right on a single page is chance
FRAGILITY_COST = 0.3  # of a vote: two fragile selectors still outvote a robust one, but one does not
MIN_COMPANION = 0.5  # robustness: a less robust companion adds nothing
SAME_PLACE = 0.95  # of the pages on which both find something


@dataclass(frozen=True)
class ChosenTrial:
    """A chosen trial with its turn, its quality, and the number of pages on which it was right."""

    trial: SelectorTrial
    turn: int
    quality: float
    support: int


def gain(trial: SelectorTrial, pages: Sequence[int]) -> float:
    """What using the selector on these pages is worth, in pages."""
    right, weak = trial.count(OutputGrade.RIGHT, pages), trial.count(OutputGrade.WEAK, pages)
    wrong, unexplained = trial.count(OutputGrade.WRONG, pages), trial.count(OutputGrade.UNEXPLAINED, pages)
    return right + WEAK_WORTH * weak - WRONG_COST * wrong - UNEXPLAINED_COST * unexplained


def quality(trial: SelectorTrial, pages: Iterable[int]) -> float:
    """The quality index on these pages, 0 to 1: the share of outputs that are right. Pages without output do not count."""
    counted = [trial.grades[page] for page in pages]
    right = counted.count(OutputGrade.RIGHT) + WEAK_WORTH * counted.count(OutputGrade.WEAK)
    judged = counted.count(OutputGrade.RIGHT) + counted.count(OutputGrade.WEAK) + counted.count(OutputGrade.WRONG)
    unexplained = UNEXPLAINED_COST * counted.count(OutputGrade.UNEXPLAINED)
    return right / (judged + unexplained) if judged else 0.0


def _vote_weight(trial: SelectorTrial, pages: Sequence[int]) -> float:
    """The quality as a weight, lower if there are few pages or the selector is fragile."""
    judged = sum(1 for page in pages if trial.grades[page] in (OutputGrade.RIGHT, OutputGrade.WEAK, OutputGrade.WRONG))
    smoothed = (quality(trial, pages) * judged + 0.5) / (judged + 1)
    return smoothed * (1 - FRAGILITY_COST * (1 - max(0.0, min(1.0, trial.robustness))))


def choose_trials(
    trials: Sequence[SelectorTrial], pages: Sequence[int], threshold: float, same: Callable[[str, str], bool]
) -> list[ChosenTrial]:
    """The selectors to keep, judged by `pages` alone, so that other pages can test them."""
    choices: list[ChosenTrial] = []
    left = list(pages)
    for turn in range(1, MAX_TURNS + 1):
        earlier = [choice.trial for choice in choices]
        useful = [t for t in trials if quality(t, left) >= threshold and gain(t, left) >= MIN_GAIN]
        useful = [t for t in useful if not earlier or _is_confirmed_alone(t, earlier)]
        if not useful:
            break
        best = max(useful, key=lambda t: gain(t, left) + t.robustness - UNASKED_COST * _answers_unasked(t, pages))
        together = [best, *_companions(best, useful, left, same)]
        choices += [ChosenTrial(t, turn, _vote_weight(t, left), t.count(OutputGrade.RIGHT, left)) for t in together]
        left = [page for page in left if all(t.grades[page] == OutputGrade.EMPTY for t in together)]
    return choices


def _answers_unasked(trial: SelectorTrial, pages: Sequence[int]) -> bool:
    """True if a selector finds something on most pages outside `pages`, whose values are not known.

    Most, not some: a catalogue lacks values that pages do have.
    """
    others = [trial.grades[page] for page in set(range(len(trial.grades))).difference(pages)]
    return others.count(OutputGrade.UNKNOWN) > others.count(OutputGrade.EMPTY)


def _companions(
    best: SelectorTrial, useful: Sequence[SelectorTrial], pages: Sequence[int], same: Callable[[str, str], bool]
) -> list[SelectorTrial]:
    """Up to two further selectors of other families that find the same values, the best and most robust first."""
    ranked = sorted(useful, key=lambda t: (-gain(t, pages) - 2 * t.robustness, _tie_break(t.selector)))
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


def _tie_break(selector: Selector) -> str:
    """A sort key for equally good selectors, the same in every run: the path; scripts that need no counting come first."""
    if isinstance(selector, DataSelector):
        number = f", {selector.match}" if selector.match > 1 else ""
        return f"{selector.css}{number} {selector.block} {selector.path}"
    return f"{getattr(selector, 'css', selector.kind)}, {selector}"


def _is_good_companion(
    trial: SelectorTrial, best: SelectorTrial, pages: Sequence[int], same: Callable[[str, str], bool]
) -> bool:
    """True if a selector may vote beside the best: robust enough, no more often wrong, in agreement, and confirmed where it is alone.

    If a value is missing from a page, whatever is in its place must not be read instead.
    """
    is_wrong_more_often = trial.count(OutputGrade.WRONG, pages) > best.count(OutputGrade.WRONG, pages)
    if is_wrong_more_often or trial.robustness < min(MIN_COMPANION, best.robustness):
        return False
    return _do_agree(best, trial, pages, same) and _is_confirmed_alone(trial, [best])


def _is_confirmed_alone(trial: SelectorTrial, earlier: Sequence[SelectorTrial]) -> bool:
    """True if, on the pages where the earlier selectors find nothing, this one is confirmed at least as often as it is not."""
    alone = [page for page in range(len(trial.grades)) if all(t.grades[page] == OutputGrade.EMPTY for t in earlier)]
    confirmed = trial.count(OutputGrade.RIGHT, alone) + trial.count(OutputGrade.WEAK, alone)
    return confirmed >= trial.count(OutputGrade.UNKNOWN, alone) + trial.count(OutputGrade.UNEXPLAINED, alone)


def _do_agree(a: SelectorTrial, b: SelectorTrial, pages: Sequence[int], same: Callable[[str, str], bool]) -> bool:
    both = [page for page in pages if a.grades[page] != OutputGrade.EMPTY and b.grades[page] != OutputGrade.EMPTY]
    agreeing = sum(1 for page in both if same(a.outputs[page] or "", b.outputs[page] or ""))
    return agreeing >= SAME_PLACE * len(both)
