"""Chooses the queries to a search form, for as long as they find new offers.

First the untouched form; then its lists and buttons, one element after the other. When all values of one were asked, truncated
answers are split by the values of the next element: by then it is known how long an answer can be. Elements that find nothing
alone are asked in pairs; then come words. An element, or the split of an answer, is given up when it finds too few new offers.
"""

from __future__ import annotations

import itertools
import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scout.forms.search import Question, SearchForm

if TYPE_CHECKING:
    from scout.forms.vocabulary import QueryVocabulary

CONFIRMING_QUERIES = 3  # that decide whether a further element finds anything new
PATIENCE = 12  # queries in a row that may find little before an element is given up: lists have many empty categories
WORDS_PER_PATIENCE = 7  # patience grows by one query for each so many queries asked, as lean stretches get longer
MIN_TRUNCATED = 10  # offers; an answer with fewer is not truncated, however round their number
ROUND_NUMBERS = (10, 25)  # an answer on one page with a multiple of these may be truncated
LETTERS = "easiornltdcmpubhgkfvwjyzxq0123456789"  # for a search by parts of words; by frequency

Query = tuple[tuple[str, str], ...]  # element and value, in the form's order


@dataclass(frozen=True)
class Answer:
    """The answer to a query: its offers (URL -> title), how many were new, and the number of requests."""

    offers: Mapping[str, str]
    new: int
    requests: int = 1
    stated: int | None = None  # how many there are in all, if the page says so
    is_paged: bool = False

    @property
    def looks_truncated(self) -> bool:
        """Whether the page says that there are more offers, or shows a round number of them and no further page."""
        shown = len(self.offers)
        if self.stated is not None and shown:
            return shown < self.stated
        return not self.is_paged and shown >= MIN_TRUNCATED and any(shown % step == 0 for step in ROUND_NUMBERS)


@dataclass
class QueryStrategy:
    """A series of queries of one kind: those that wait, the results of the last ones, and the answers to split."""

    waiting: deque[Query]
    has_answered: bool = False  # whether any of its queries found an offer
    patience: int = PATIENCE
    recent: deque[tuple[int, int]] = field(default_factory=deque)
    cut: deque[tuple[Query, Answer]] = field(default_factory=deque)
    has_abandoned_split: bool = False  # whether a split was given up before all its queries were asked

    def record(self, answer: Answer) -> None:
        self.has_answered = self.has_answered or bool(answer.offers)
        self.recent.append((answer.new, answer.requests))
        while len(self.recent) > self.patience:
            self.recent.popleft()

    def is_exhausted(self, min_new: float) -> bool:
        """Whether its last queries found too few new offers to go on."""
        new, requests = (sum(column) for column in zip(*self.recent, strict=True)) if self.recent else (0, 0)
        return len(self.recent) >= self.patience and new < min_new * requests

    def split(self, queries: list[Query]) -> None:
        """Replace the waiting queries by these, and measure their results afresh."""
        self.has_abandoned_split = self.has_abandoned_split or bool(self.waiting)
        self.waiting, self.recent = deque(queries), deque()
        self.patience = max(PATIENCE, math.ceil(len(queries) / 2))


class Probe:
    """Chooses the queries to a search form. Call `next_query()` and `record_answer()` in turn."""

    def __init__(
        self, search: SearchForm, known: Mapping[str, int], *, min_new: float, max_queries: int = 10_000
    ) -> None:
        self.search, self.min_new, self.max_queries = search, min_new, max_queries
        self.vocabulary: QueryVocabulary = _vocabulary(known)
        self.asked: set[Query] = set()
        self._strategies = self._all_strategies()
        self._strategy: QueryStrategy | None = QueryStrategy(deque([()]))
        self._is_covered = False  # all queries of some strategy were asked, and no answer was truncated
        self._has_answers = False
        self._was_truncated = False
        # offers of the longest answer: shorter ones were not truncated. Infinite if answers have pages
        self._longest = 0.0

    def next_query(self) -> Query | None:
        """The next query; None if further queries are not worth it."""
        while self._strategy is not None and len(self.asked) < self.max_queries:
            query = self._next_of_strategy(self._strategy)
            if query is not None:
                self.asked.add(query)
                return query
            self._end_strategy(self._strategy)
        return None

    def _next_of_strategy(self, strategy: QueryStrategy) -> Query | None:
        if isinstance(strategy, WordStrategy):
            is_done = strategy.is_exhausted(self.min_new) and not self._is_worth_continuing(strategy)
            return None if is_done else self._next_word_query()
        while True:
            while strategy.waiting and not strategy.is_exhausted(self.min_new):
                query = strategy.waiting.popleft()
                if query not in self.asked:
                    return query
            if not self._split(strategy):
                return None

    def _is_worth_continuing(self, words: WordStrategy) -> bool:
        """Whether the next word promises enough although the last ones found little; corrections get another chance once.

        Only if answers are truncated: otherwise the last answers have shown how much is left.
        """
        if self.vocabulary.cap is None:
            return False
        if self._is_promising():
            return True
        if len(self.vocabulary.seen) < words.forgiven_at + PATIENCE:
            return False  # the last chance has found too little
        words.forgiven_at = len(self.vocabulary.seen)
        self.vocabulary.reset_corrections()
        return self._is_promising()

    def _is_promising(self) -> bool:
        return self.vocabulary.best_query() is not None and self.vocabulary.expected_gain >= self.min_new

    def _next_word_query(self) -> Query | None:
        best = self.vocabulary.best_query()
        return None if best is None else ((self.search.texts[0].name, best),)

    def _end_strategy(self, strategy: QueryStrategy) -> None:
        is_unfinished = strategy.waiting or strategy.has_abandoned_split or self._was_truncated
        if strategy.has_answered and not is_unfinished and not isinstance(strategy, WordStrategy):
            self._is_covered = True
        self._was_truncated = False
        self._strategy = next(self._strategies, None)
        if self._strategy is not None and self._is_covered:
            self._strategy.patience = CONFIRMING_QUERIES

    def _all_strategies(self) -> Iterator[QueryStrategy]:
        """All strategies after the untouched form, made when needed."""
        choices = self.search.choices
        for choice in choices:
            tried = QueryStrategy(deque(_values(choice)))
            if not self._has_answers:
                tried.patience = CONFIRMING_QUERIES  # the form may need more than this element
            yield tried
        if not self._has_answers:
            for one, other in itertools.combinations(choices, 2):
                pairs = itertools.product(_values(one), _values(other))
                yield QueryStrategy(deque(itertools.islice((a + b for a, b in pairs), self.max_queries)))
        if self.search.texts:
            name = self.search.texts[0].name
            yield QueryStrategy(deque(((name, letter),) for letter in LETTERS), patience=CONFIRMING_QUERIES)
            yield WordStrategy(deque())

    def record_answer(self, query: Query, answer: Answer) -> None:
        """Record the answer to the last query."""
        strategy = self._strategy
        assert strategy is not None
        strategy.record(answer)
        if answer.offers and not self._is_covered:
            strategy.patience = max(strategy.patience, PATIENCE)
        self._has_answers = self._has_answers or bool(answer.offers)
        self._longest = max(self._longest, math.inf if answer.is_paged else len(answer.offers))
        is_truncated = self._is_truncated(answer)
        if isinstance(strategy, WordStrategy):
            word, found = query[-1][1], answer.offers
            self.vocabulary.record_answer(
                word, found, is_truncated=is_truncated, stated=answer.stated, requests=answer.requests
            )
            strategy.patience = self._patience(strategy)
            return
        if is_truncated:
            strategy.cut.append((query, answer))
        if self.search.texts and [self.search.texts[0].name] == [name for name, _ in query]:
            self.vocabulary.mark_tried(query[0][1])

    def _patience(self, words: WordStrategy) -> int:
        """Little if complete answers have shown every known offer; otherwise it grows with the number of queries."""
        if self.vocabulary.is_settled:
            return PATIENCE
        return max(words.patience, 0 if self._is_covered else len(self.asked) // WORDS_PER_PATIENCE)

    def _is_truncated(self, answer: Answer) -> bool:
        """Whether the answer is truncated, as far as is known by now: not if a longer one was seen."""
        return answer.looks_truncated and (answer.stated is not None or len(answer.offers) >= self._longest)

    @property
    def is_proven(self) -> bool:
        """Whether what was found is all, as far as repetitions tell, or because no answer was truncated."""
        found, total = len(self.vocabulary.seen), self.vocabulary.hidden.total
        is_all = self._is_covered if total is None else found >= round(total)
        return is_all and len(self.asked) < self.max_queries

    @property
    def completeness(self) -> str:
        """A sentence on how many of the offers were found."""
        found, total = len(self.vocabulary.seen), self.vocabulary.hidden.total
        if total is not None:
            share = f"{found / total:.0%}; by repetitions in complete answers"
            text = f"found {found} of an estimated {total:.0f} ({share})"
        elif self._is_covered:
            text = f"found {found}: all values of one element were asked, and no answer was truncated"
        else:
            text = f"found {found}; no estimate of the total: hardly any answer was complete"
        return text + (f"; stopped after {self.max_queries} queries" if len(self.asked) >= self.max_queries else "")

    def _split(self, strategy: QueryStrategy) -> bool:
        """Repeat a truncated query for each value of the next element; False if there is none to split."""
        while strategy.cut:
            query, answer = strategy.cut.popleft()
            used = {name for name, _ in query}
            further = next((choice for choice in self.search.choices if choice.name not in used), None)
            if not self._is_truncated(answer):
                continue
            if further is not None and query:
                strategy.split([query + value for value in _values(further)])
                return True
            self._was_truncated = True
        return False


@dataclass
class WordStrategy(QueryStrategy):
    """Queries by words, chosen one at a time."""

    forgiven_at: int = 0  # offers that were seen when corrections were last reset


def _vocabulary(known: Mapping[str, int]) -> QueryVocabulary:
    from scout.forms.vocabulary import QueryVocabulary  # imports numpy, which other spiders need not load

    return QueryVocabulary(known)


def _values(question: Question) -> list[Query]:
    return [((question.name, value),) for value in question.element.values]
