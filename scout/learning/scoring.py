"""How good is a selector: its output on every sample page, compared with what the catalogue says (paper 1, 2.10, and better).

A catalogue is partly stale and rewritten. So a page only counts against a selector where its known value is read by another
well-supported selector; where no selector reads it, the catalogue is likelier to be wrong than the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

from scout.fields import Field
from scout.learning.cutting import fold
from scout.learning.robustness import cut_risk, robustness, verbosity_risk
from scout.page import Page
from scout.rules.cuts import NO_CUT, Cut
from scout.rules.selectors import Selector
from scout.values.text import alphanumeric

MIN_TRUNCATED = 6  # letters that a truncated value must share
CONSTANT_SHARE = 0.8  # of the known values must be the same for a selector to be believed that never changes
MIN_OVERLAP = 0.6  # share of words that a rewritten value must share


class OutputGrade(IntEnum):
    """What a selector's output on a page is worth."""

    EMPTY = 0  # said nothing
    RIGHT = 1
    WEAK = 2  # the catalogue's value is a truncated or rewritten form
    WRONG = 3  # and another selector reads the known value on this page
    UNEXPLAINED = 4  # differs, but nothing reads the known value: stale or poisoned
    UNKNOWN = 5  # spoke where the catalogue holds no value


@dataclass
class KnownValues:
    """A field's known values on the sample pages: per page the accepted alternatives (none: unknown) and their keys."""

    kind: Field
    values: list[tuple[str, ...]]
    keys: list[frozenset[object]] = field(default_factory=list)
    _reads: dict[str, frozenset[object]] = field(default_factory=dict)
    _grades: dict[tuple[int, str], OutputGrade] = field(
        default_factory=dict
    )  # most selectors find what others found too

    def __post_init__(self) -> None:
        self.keys = [frozenset[object]().union(*(self.kind.keys(value) for value in values)) for values in self.values]

    @cached_property
    def usual_length(self) -> float:
        """Characters of a known value."""
        lengths = sorted(len(value) for values in self.values for value in values)
        return lengths[len(lengths) // 2] if lengths else 1.0

    @cached_property
    def commonest_share(self) -> float:
        """The share of the pages that have the commonest of the known values."""
        counts = Counter(key for keys in self.keys for key in keys)
        return max(counts.values(), default=0) / max(1, sum(1 for keys in self.keys if keys))

    def keys_of(self, output: str) -> frozenset[object]:
        """The keys of an output, worked out once."""
        if output not in self._reads:
            self._reads[output] = self.kind.keys(output)
        return self._reads[output]

    def grade(self, page: int, output: str | None) -> OutputGrade:
        """The mark of an output, as far as it can be told from this page alone."""
        if output is None:
            return OutputGrade.EMPTY
        if (page, output) not in self._grades:
            self._grades[page, output] = self._grade(page, output)
        return self._grades[page, output]

    def _grade(self, page: int, output: str) -> OutputGrade:
        keys = self.keys_of(output)
        if not keys:
            return OutputGrade.EMPTY
        if not self.values[page]:
            return OutputGrade.UNKNOWN
        if not keys.isdisjoint(self.keys[page]):
            return OutputGrade.RIGHT
        return (
            OutputGrade.WEAK
            if any(is_rewritten(output, value) for value in self.values[page])
            else OutputGrade.UNEXPLAINED
        )


def is_rewritten(output: str, value: str) -> bool:
    """True if a catalogue may have made `value` of `output`: truncated, reordered, a part left out."""
    a, b = alphanumeric(output), alphanumeric(value)
    if a.isdigit() or b.isdigit():
        return False
    if a == b and a:
        return True
    if min(len(a), len(b)) >= MIN_TRUNCATED and (a.startswith(b) or b.startswith(a)):
        return True
    words, others = set(fold(output).split()), set(fold(value).split())
    shared = len({w.strip(",.") for w in words} & {w.strip(",.") for w in others})
    return len(others) >= 2 and shared / max(len(words), len(others)) >= MIN_OVERLAP


@dataclass
class SelectorTrial:
    """A selector and a cut, tried on all sample pages."""

    selector: Selector
    cut: Cut
    outputs: list[str | None]
    grades: list[OutputGrade]

    robustness: float = 0.5  # how likely it survives on pages that are a little different, 0 to 1

    def count(self, mark: OutputGrade, pages: Iterable[int]) -> int:
        """On how many of `pages` it has that mark."""
        return sum(1 for page in pages if self.grades[page] == mark)


def raw_texts(selector: Selector, pages: Sequence[Page]) -> list[str | None]:
    """The raw text that the selector finds on each page."""
    return [selector.find(page) for page in pages]


def try_cut(selector: Selector, cut: Cut, raw: Sequence[str | None], known: KnownValues) -> SelectorTrial:
    """The selector's marks with that cut."""
    texts = [None if text is None else text if cut is NO_CUT else cut.apply(text) for text in raw]
    marks = [known.grade(page, text) for page, text in enumerate(texts)]
    return SelectorTrial(
        selector, cut, texts, marks, robustness(selector) - cut_risk(cut) - verbosity_risk(texts, known.usual_length)
    )


def is_constant(trial: SelectorTrial, known: KnownValues) -> bool:
    """True if a selector says the same on every page although the known values differ: the shop's own name, say."""
    said = {text for text in trial.outputs if text}
    return (
        len(said) == 1 and len([text for text in trial.outputs if text]) > 2 and known.commonest_share < CONSTANT_SHARE
    )


def distinguishes_states(trial: SelectorTrial, known: KnownValues) -> bool:
    """True if a selector of a state was right about two different ones, or the field is none.

    A footer that says "available" is right about nine offers of ten, and wrong about the tenth, which is the one that counts.
    """
    if not known.kind.kind.is_state:
        return True
    right = (text for text, mark in zip(trial.outputs, trial.grades, strict=True) if text and mark == OutputGrade.RIGHT)
    return len({known.keys_of(text) for text in right}) > 1


def settle_unexplained(trials: Sequence[SelectorTrial], min_support: int) -> None:
    """Turn UNEXPLAINED into WRONG on the pages where a well-supported trial reads the known value."""
    readable: set[int] = set()
    for trial in trials:
        right = [page for page, mark in enumerate(trial.grades) if mark == OutputGrade.RIGHT]
        if len(right) >= min_support:
            readable.update(right)
    for trial in trials:
        for page in readable:
            if trial.grades[page] == OutputGrade.UNEXPLAINED:
                trial.grades[page] = OutputGrade.WRONG
