"""Choose a few selectors per field. Those of a turn vote together, and only if the earlier turns find nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scout.learning.scoring import OutputGrade, SelectorTrial
from scout.rules.selectors import DataSelector, Selector, source

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
    is_reserve: bool = False


def _support(trial: SelectorTrial, pages: Iterable[int]) -> tuple[int, int]:
    """The pages on which a selector is right, and those that say so weakly, which count only as far as others confirm them.

    Where no page is exactly right, "rewritten" values are other values: the brand with which each title begins.
    """
    grades = [trial.grades[page] for page in pages]
    right = grades.count(OutputGrade.RIGHT)
    return right, min(right, grades.count(OutputGrade.WEAK))


def gain(trial: SelectorTrial, pages: Sequence[int]) -> float:
    """What using the selector on these pages is worth, in pages."""
    right, weak = _support(trial, pages)
    wrong, unexplained = trial.count(OutputGrade.WRONG, pages), trial.count(OutputGrade.UNEXPLAINED, pages)
    return right + WEAK_WORTH * weak - WRONG_COST * wrong - UNEXPLAINED_COST * unexplained


def quality(trial: SelectorTrial, pages: Sequence[int]) -> float:
    """The quality index on these pages, 0 to 1: the share of outputs that are right. Pages without output do not count."""
    counted = [trial.grades[page] for page in pages]
    exact, weak = _support(trial, pages)
    right = exact + WEAK_WORTH * weak
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
        useful = [t for t in trials if quality(t, left) >= threshold and gain(t, left) >= _least_gain(t)]
        useful = [t for t in useful if not earlier or _is_confirmed_alone(t, earlier)]
        if not useful:
            break
        best = max(useful, key=lambda t: gain(t, left) + t.robustness - UNASKED_COST * _answers_unasked(t, pages))
        together = [best, *_companions(best, useful, left, same)]
        choices += [ChosenTrial(t, turn, _vote_weight(t, left), t.count(OutputGrade.RIGHT, left)) for t in together]
        left = [page for page in left if all(t.grades[page] == OutputGrade.EMPTY for t in together)]
    return choices


def choose_reserves(
    trials: Sequence[SelectorTrial], choices: Sequence[ChosenTrial], pages: Sequence[int]
) -> list[ChosenTrial]:
    """For each source that no chosen selector relies on, the best selector that was never wrong."""
    seated = {source(choice.trial.selector)[0] for choice in choices}
    reserves: dict[str, SelectorTrial] = {}
    for trial in sorted(trials, key=lambda t: (-gain(t, pages) - t.robustness, _tie_break(t.selector))):
        right = trial.count(OutputGrade.RIGHT, pages)
        if (
            right >= max(MIN_GAIN, len(pages) / 2)
            and quality(trial, pages) == 1
            and source(trial.selector)[0] not in seated
        ):
            reserves.setdefault(source(trial.selector)[0], trial)
    return [
        ChosenTrial(t, 1, _vote_weight(t, pages), t.count(OutputGrade.RIGHT, pages), is_reserve=True)
        for t in reserves.values()
    ]


def _least_gain(trial: SelectorTrial) -> float:
    """One page is enough for a selector that says what it reads."""
    return 1 if trial.says_field else MIN_GAIN


def _answers_unasked(trial: SelectorTrial, pages: Sequence[int]) -> bool:
    """True if a selector finds something on most pages outside `pages`, whose values are not known.

    Most, not some: a catalogue lacks values that pages do have.
    """
    others = [trial.grades[page] for page in set(range(len(trial.grades))).difference(pages)]
    return others.count(OutputGrade.UNKNOWN) > others.count(OutputGrade.EMPTY)


def _companions(
    best: SelectorTrial, useful: Sequence[SelectorTrial], pages: Sequence[int], same: Callable[[str, str], bool]
) -> list[SelectorTrial]:
    """Up to two further selectors that rely on something else and find the same values, the best and most robust first."""
    ranked = sorted(useful, key=lambda t: (-gain(t, pages) - 2 * t.robustness, _tie_break(t.selector)))
    good = [trial for trial in ranked if _is_good_companion(trial, best, pages, same)]
    seated = [best]
    for name_seat in (lambda trial: source(trial.selector)[0], _family):
        for trial in good:
            if len(seated) < MAX_PER_TURN and name_seat(trial) not in map(name_seat, seated):
                seated.append(trial)
    return seated[1:]


def _family(trial: SelectorTrial) -> tuple[str, str]:
    """What selectors of one source and one element have in common: they fail together."""
    last = getattr(trial.selector, "css", "").rpartition(" ")[2]
    return source(trial.selector)[0], "position" if ":nth" in last else last


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
