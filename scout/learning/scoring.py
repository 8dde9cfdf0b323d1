"""How good a selector is: its output on every sample page, compared with the catalogue (after paper 1, section 2.10).

Catalogues are partly stale and rewritten. So a page counts against a selector only if another well-supported selector reads its known
value; if none does, the catalogue is more likely wrong than the page.
"""

from __future__ import annotations

import re
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

_WORD = re.compile(r"[^\W_]+")
MIN_TRUNCATED = 6  # letters that a truncated value must have
CONSTANT_SHARE = 0.8  # if fewer known values are the same, a selector whose output never changes is not believed
MIN_OVERLAP = 0.6  # share of words that a rewritten value must have in common


class OutputGrade(IntEnum):
    """What a selector's output on a page is worth."""

    EMPTY = 0  # found nothing
    RIGHT = 1
    WEAK = 2  # the catalogue's value is a truncated or rewritten form
    WRONG = 3  # another selector reads the known value on this page
    UNEXPLAINED = 4  # differs, but no selector reads the known value: it is stale or wrong
    UNKNOWN = 5  # found something where the catalogue has no value


@dataclass
class KnownValues:
    """A field's known values: for each sample page the accepted alternatives (none if unknown) and their keys.

    `can_be_stale`: they come from a catalogue, and not from the pages themselves.
    """

    kind: Field
    values: list[tuple[str, ...]]
    can_be_stale: bool = True
    keys: list[frozenset[object]] = field(default_factory=list)
    _reads: dict[str, frozenset[object]] = field(default_factory=dict)
    _grades: dict[tuple[int, str], OutputGrade] = field(default_factory=dict)  # most selectors find the same texts

    def __post_init__(self) -> None:
        self.keys = [frozenset[object]().union(*(self.kind.keys(value) for value in values)) for values in self.values]

    @cached_property
    def usual_length(self) -> float:
        """The median length of the known values."""
        lengths = sorted(len(value) for values in self.values for value in values)
        return lengths[len(lengths) // 2] if lengths else 1.0

    @cached_property
    def commonest_share(self) -> float:
        """The share of pages that have the most common known value."""
        counts = Counter(key for keys in self.keys for key in keys)
        return max(counts.values(), default=0) / max(1, sum(1 for keys in self.keys if keys))

    def keys_of(self, output: str) -> frozenset[object]:
        """The keys of an output, computed once."""
        if output not in self._reads:
            self._reads[output] = self.kind.keys(output)
        return self._reads[output]

    def grade(self, page: int, output: str | None) -> OutputGrade:
        """The grade of an output, as far as this page alone can tell."""
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
        if any(is_rewritten(output, value) for value in self.values[page]):
            return OutputGrade.WEAK
        return OutputGrade.UNEXPLAINED if self.can_be_stale else OutputGrade.WRONG


def is_rewritten(output: str, value: str) -> bool:
    """True if `value` may be a catalogue's version of `output`: truncated, reordered, or with parts left out."""
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

    robustness: float = 0.5  # 0 to 1: how likely it works on pages that differ a little
    says_field: bool = False  # the name of the field is in its label, its path or its key

    def count(self, grade: OutputGrade, pages: Iterable[int]) -> int:
        """On how many of `pages` it has that grade."""
        return sum(1 for page in pages if self.grades[page] == grade)


def raw_texts(selector: Selector, pages: Sequence[Page]) -> list[str | None]:
    """The selector's raw text on each page."""
    return [selector.find(page) for page in pages]


def try_cut(selector: Selector, cut: Cut, raw: Sequence[str | None], known: KnownValues) -> SelectorTrial:
    """The selector with that cut, graded on all pages."""
    texts = [None if text is None else text if cut is NO_CUT else cut.apply(text) for text in raw]
    grades = [known.grade(page, text) for page, text in enumerate(texts)]
    likely = robustness(selector) - cut_risk(cut) - verbosity_risk(texts, known.usual_length)
    return SelectorTrial(selector, cut, texts, grades, likely, says_field(selector, known.kind.name))


def says_field(selector: Selector, name: str) -> bool:
    """True if a selector relies on the words of the field's name.

    >>> from scout.rules import TextSelector
    >>> says_field(TextSelector('p[class="publisher name"]'), "publisher"), says_field(TextSelector("p#dates"), "publication_date")
    (True, False)
    """
    return set(_WORD.findall(name)) <= set(_WORD.findall(selector.describe().lower()))


def is_constant(trial: SelectorTrial, known: KnownValues) -> bool:
    """True if a selector finds the same on every page although the known values differ: the shop's name, for example."""
    outputs = [text for text in trial.outputs if text]
    return len(outputs) > 2 and len(set(outputs)) == 1 and known.commonest_share < CONSTANT_SHARE


def distinguishes_states(trial: SelectorTrial, known: KnownValues) -> bool:
    """True if a selector was right about two different states, or if the field is not a state.

    A footer that says "available" is right about nine offers in ten, and wrong about the tenth, which is the one that matters.
    """
    if not known.kind.kind.is_state:
        return True
    graded = zip(trial.outputs, trial.grades, strict=True)
    return len({known.keys_of(text) for text, grade in graded if text and grade == OutputGrade.RIGHT}) > 1


def settle_unexplained(trials: Sequence[SelectorTrial], min_support: int) -> None:
    """Turn UNEXPLAINED into WRONG on the pages where a well-supported trial reads the known value."""
    readable: set[int] = set()
    for trial in trials:
        right = [page for page, grade in enumerate(trial.grades) if grade == OutputGrade.RIGHT]
        if len(right) >= min_support:
            readable.update(right)
    for trial in trials:
        for page in readable:
            if trial.grades[page] == OutputGrade.UNEXPLAINED:
                trial.grades[page] = OutputGrade.WRONG
