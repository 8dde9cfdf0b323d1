"""What to ask a search form next, for as long as it brings new offers.

First the form as it stands; then its lists and buttons, one element after the other. When all values of one are asked, the answers
that were cut off are split by the values of the next element: by then it is known how long an answer can be. Elements that bring
nothing alone are asked in pairs; then words. An element, or the split of an answer, is left as soon as it brings too little.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from scout.forms.search import Question, SearchForm

if TYPE_CHECKING:
    from scout.forms.vocabulary import QueryVocabulary

CONFIRM = 3  # queries of a further element that decide whether it knows anything that the others did not
PATIENCE = 12  # queries in a row that may bring little before an element is left: lists hold many empty categories
OF_WORDS = 7  # one in so many words may bring little: the more were asked, the longer the lean stretches between
MIN_CUT = 10  # offers: an answer with fewer is not cut off, however round their number is
ROUND = (
    10,
    25,
)  # a page without further pages whose number of offers is a multiple of these is suspected to be cut off
LETTERS = (
    "easiornltdcmpubhgkfvwjyzxq0123456789"  # for a search that finds beginnings or parts of words, frequent ones first
)

Query = tuple[tuple[str, str], ...]  # element and value, in the form's order


@dataclass(frozen=True)
class Answer:
    """What a query brought: all its offers with their titles, how many were new, in how many requests."""

    offers: Mapping[str, str]
    new: int
    requests: int = 1
    stated: int | None = None  # how many there are, where the page says so
    is_paged: bool = False

    @property
    def looks_cut(self) -> bool:
        """Whether there is more than was shown: the page says so, or it shows a round number and no further page."""
        shown = len(self.offers)
        if self.stated is not None and shown:
            return shown < self.stated
        return not self.is_paged and shown >= MIN_CUT and any(shown % step == 0 for step in ROUND)


@dataclass
class Arm:
    """One way of asking: queries that wait, how the last ones did, and which answers are to be split."""

    waiting: deque[Query]
    has_answered: bool = False  # whether any of its queries brought an offer at all
    patience: int = PATIENCE
    recent: deque[tuple[int, int]] = field(default_factory=deque)
    cut: deque[tuple[Query, Answer]] = field(default_factory=deque)
    has_left: bool = False  # whether a split was left before all of it was asked

    def note(self, answer: Answer) -> None:
        self.has_answered = self.has_answered or bool(answer.offers)
        self.recent.append((answer.new, answer.requests))
        while len(self.recent) > self.patience:
            self.recent.popleft()

    def is_spent(self, min_new: float) -> bool:
        """Whether its last queries brought too little to go on."""
        new, requests = (sum(column) for column in zip(*self.recent, strict=True)) if self.recent else (0, 0)
        return len(self.recent) >= self.patience and new < min_new * requests

    def split(self, queries: list[Query]) -> None:
        """Ask these instead of what still waits; how they do is measured anew."""
        self.has_left = self.has_left or bool(self.waiting)
        self.waiting, self.recent = deque(queries), deque()
        self.patience = max(PATIENCE, math.ceil(len(queries) / 2))


class Probe:
    """Chooses the queries to a search form. `next()` and `answered()` take turns."""

    def __init__(
        self, search: SearchForm, known: Mapping[str, int], *, min_new: float, max_queries: int = 10_000
    ) -> None:
        self.search, self.min_new, self.max_queries = search, min_new, max_queries
        self.vocabulary: QueryVocabulary = _vocabulary(known)
        self.asked: set[Query] = set()
        self._ways = self._all_ways()
        self._arm: Arm | None = Arm(deque([()]))
        self._is_covered = False  # some way of asking has been asked through without being cut off
        self._has_answers = False
        self._was_cut = False
        self._longest = 0.0  # offers of the longest answer: no shorter one was cut off. Where there are pages, none is

    def next(self) -> Query | None:
        """The next query, or None when asking has stopped to pay."""
        while self._arm is not None and len(self.asked) < self.max_queries:
            query = self._next_of(self._arm)
            if query is not None:
                self.asked.add(query)
                return query
            self._leave(self._arm)
        return None

    def _next_of(self, arm: Arm) -> Query | None:
        if isinstance(arm, Words):
            return None if arm.is_spent(self.min_new) and not self._promises(arm) else self._word()
        while True:
            while arm.waiting and not arm.is_spent(self.min_new):
                query = arm.waiting.popleft()
                if query not in self.asked:
                    return query
            if not self._split(arm):
                return None

    def _promises(self, words: Words) -> bool:
        """Whether the next word is expected to pay although the last ones did not; kinds of queries that failed get another chance.

        Only where answers are cut off: else the last ones have said how much there is left.
        """
        if self.vocabulary.cap is None:
            return False
        if self._is_promising():
            return True
        if len(self.vocabulary.seen) < words.forgiven_at + PATIENCE:
            return False  # the last chance has brought nothing
        words.forgiven_at = len(self.vocabulary.seen)
        self.vocabulary.forgive()
        return self._is_promising()

    def _is_promising(self) -> bool:
        return self.vocabulary.best() is not None and self.vocabulary.promise >= self.min_new

    def _word(self) -> Query | None:
        best = self.vocabulary.best()
        return None if best is None else ((self.search.texts[0].name, best),)

    def _leave(self, arm: Arm) -> None:
        if arm.has_answered and not (isinstance(arm, Words) or arm.waiting or arm.has_left or self._was_cut):
            self._is_covered = True
        self._was_cut = False
        self._arm = next(self._ways, None)
        if self._arm is not None and self._is_covered:
            self._arm.patience = CONFIRM

    def _all_ways(self) -> Iterator[Arm]:
        """Every way of asking after the form as it stands, made when its turn comes."""
        choices = self.search.choices
        for choice in choices:
            tried = Arm(deque(_values(choice)))
            if not self._has_answers:
                tried.patience = CONFIRM  # it may be that the element alone is not enough
            yield tried
        if not self._has_answers:
            for one, other in itertools.combinations(choices, 2):
                pairs = itertools.product(_values(one), _values(other))
                yield Arm(deque(itertools.islice((a + b for a, b in pairs), self.max_queries)))
        if self.search.texts:
            name = self.search.texts[0].name
            yield Arm(deque(((name, letter),) for letter in LETTERS), patience=CONFIRM)
            yield Words(deque())

    def answered(self, query: Query, answer: Answer) -> None:
        """Take in what a query has brought."""
        arm = self._arm
        assert arm is not None
        arm.note(answer)
        if answer.offers and not self._is_covered:
            arm.patience = max(arm.patience, PATIENCE)
        self._has_answers = self._has_answers or bool(answer.offers)
        self._longest = max(self._longest, math.inf if answer.is_paged else len(answer.offers))
        is_cut = self._is_cut(answer)
        if isinstance(arm, Words):
            word, found = query[-1][1], answer.offers
            self.vocabulary.answered(word, found, is_cut=is_cut, stated=answer.stated, requests=answer.requests)
            arm.patience = self._patience(arm)
            return
        if is_cut:
            arm.cut.append((query, answer))
        if self.search.texts and [self.search.texts[0].name] == [name for name, _ in query]:
            self.vocabulary.tried(query[0][1])

    def _patience(self, words: Words) -> int:
        """Little where a whole answer has shown every offer that any answer has; else the more, the more was asked."""
        if self.vocabulary.is_settled:
            return PATIENCE
        return max(words.patience, 0 if self._is_covered else len(self.asked) // OF_WORDS)

    def _is_cut(self, answer: Answer) -> bool:
        """Whether the answer was cut off, as far as is known by now: not where a longer one was shown."""
        return answer.looks_cut and (answer.stated is not None or len(answer.offers) >= self._longest)

    @property
    def completeness(self) -> str:
        """How much of what there is was found, as far as the answers tell."""
        found, total = len(self.vocabulary.seen), self.vocabulary.hidden.total
        if total is not None:
            said = f"found {found} of an estimated {total:.0f} ({found / total:.0%}; by what whole answers have shown again)"
        elif self._is_covered:
            said = f"found {found}: one element was asked through, and no answer was cut off"
        else:
            said = f"found {found}; how many there are cannot be told, because hardly any answer was whole"
        return said + (f"; stopped after {self.max_queries} queries" if len(self.asked) >= self.max_queries else "")

    def recall(self, query: Query, answer: Answer) -> bool:
        """Take in what an earlier run has asked, in its order; False where this form would not have been asked that."""
        expected = self.next()
        arm = self._arm
        if arm is None or (expected != query and not isinstance(arm, Words)):
            if arm is not None and expected is not None:
                self.asked.discard(expected)
                arm.waiting.appendleft(expected)
            return False
        if expected is not None and expected != query:
            self.asked.discard(expected)  # the database knows other words by now
        self.asked.add(query)
        new = self.vocabulary.add(answer.offers)
        self.answered(query, replace(answer, new=new))
        return True

    def _split(self, arm: Arm) -> bool:
        """Ask what was cut off once more for each value of the next element; where there is none, words have to do it."""
        while arm.cut:
            query, answer = arm.cut.popleft()
            used = {name for name, _ in query}
            further = next((choice for choice in self.search.choices if choice.name not in used), None)
            if not self._is_cut(answer):
                continue
            if further is not None and query:
                arm.split([query + value for value in _values(further)])
                return True
            self._was_cut = True
        return False


@dataclass
class Words(Arm):
    """Words, chosen one by one."""

    forgiven_at: int = 0  # offers that were seen when kinds of queries that had failed got their last chance


def _vocabulary(known: Mapping[str, int]) -> QueryVocabulary:
    from scout.forms.vocabulary import QueryVocabulary  # brings numpy, which other spiders need not wait for

    return QueryVocabulary(known)


def _values(question: Question) -> list[Query]:
    return [((question.name, value),) for value in question.element.values]
