"""Chooses the words to search for: those that are likely to find the most new offers.

After Ntoulas, Zerfos and Cho (2005), "Downloading textual hidden web content through keyword queries". `scout.forms.hidden` estimates
the hidden offers with a word; those with two words are estimated from the share of each in the hidden offers, and from how often the
two occur together in open ones. Two words at once split a truncated answer.

Truncated answers tend to show the same offers, so that fewer of them are new than expected. How many fewer is learned from the last
such answers, and likewise for single words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scout.forms.hidden import MIN_SAMPLE, HiddenOffers, shrink_towards_one
from scout.forms.seen import Floats, Rows, SeenOffers

DECAY = 0.9  # of an answer's weight in the correction with each further answer of its kind
PRIOR_WEIGHT = 3.0  # in offers, of the prior: no correction
MAX_CORRECTION = 1.5  # a single lucky answer must not raise it further
Flags = NDArray[np.bool_]
MAX_FILL = 0.8  # of the longest answer; the answer to a pair with more expected offers may be truncated


@dataclass
class Correction:
    """New offers that the last queries of a kind found, and how many were expected."""

    expected: float = PRIOR_WEIGHT
    found: float = PRIOR_WEIGHT

    def record(self, expected: float, found: int) -> None:
        self.expected = DECAY * self.expected + expected
        self.found = DECAY * self.found + found

    @property
    def factor(self) -> float:
        return min(MAX_CORRECTION, self.found / self.expected)


@dataclass(frozen=True)
class QueryCandidate:
    """A query with its expected gain, in new offers per request; `raw` is in all and before correction."""

    query: str
    gain: float
    raw: float
    kind: str  # word, cut or pair


class QueryVocabulary:
    """The words seen so far, and the expected gain of each. Call `best_query()`, `add()` and `record_answer()` in turn."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self.known = Counter(dict(known or {}))  # words of other offers in the database
        self.offers = SeenOffers()
        self.hidden = HiddenOffers(self.offers)
        self.cap: int | None = None  # the longest truncated answer
        self._new: set[str] = set()  # offers added since the last query was chosen
        self._asked: set[frozenset[str]] = set()
        self._stated: dict[int, int] = {}  # row of a word -> how many offers have it, if a page says so
        self._page = 0.0  # offers per page, if answers have several pages; else 0
        self._chosen: QueryCandidate | None = None
        self._best_query: str | None = None
        self._is_chosen = False  # whether _best_query and _chosen are up to date
        self.reset_corrections()

    def reset_corrections(self) -> None:
        """Forget the corrections: a kind of query that failed early may succeed now."""
        self._is_chosen = False
        self._corrections = {"word": Correction(), "cut": Correction()}

    @property
    def seen(self) -> Mapping[str, frozenset[str]]:
        """Every seen offer with its words."""
        return self.offers.words_of_offer

    @property
    def is_settled(self) -> bool:
        """Whether complete answers have shown every seen offer."""
        return self.cap is not None and len(self.offers.settled) == len(self.offers)

    def add(self, offers: Mapping[str, str]) -> int:
        """Add offers (URL -> title); returns how many are new."""
        self._is_chosen = False
        new = self.offers.add(offers)
        self._new.update(new)
        return len(new)

    def record_answer(
        self, query: str, offers: Iterable[str], *, is_truncated: bool, stated: int | None = None, requests: int = 1
    ) -> None:
        """Record all offers that a query found; `stated` is how many the page says there are."""
        words, found = sorted(set(query.split())), list(offers)
        new = self._new.intersection(found)
        self._is_chosen = False
        self._asked.add(frozenset(words))
        if requests > 1:
            self._page = max(self._page, len(found) / requests)
        if is_truncated:
            self.cap = max(self.cap or 0, len(found))
        else:
            self.hidden.learn(words, found, new)
            if self.cap is not None:
                self.offers.settle(found)
        self.offers.mark_asked(words, is_truncated=is_truncated)
        if stated is not None and len(words) == 1:
            self._stated[self.offers.word_row(query)] = stated
        if self._chosen is not None and self._chosen.query == query and self._chosen.kind in self._corrections:
            self._corrections[self._chosen.kind].record(self._chosen.raw, len(new))

    def mark_tried(self, query: str) -> None:
        """Record that this was asked as part of a word, not as a word."""
        self._is_chosen = False
        self._asked.add(frozenset((query,)))
        self.offers.mark_asked([query], is_truncated=True)

    # --- the choice ---------------------------------------------------------------------------------------------------

    def best_query(self) -> str | None:
        """The query with the largest expected gain; None if none is left. The result is cached."""
        if not self._is_chosen:
            self._is_chosen, self._best_query = True, self._choose_query()
        return self._best_query

    @property
    def expected_gain(self) -> float:
        """New offers per request that are expected of the best query."""
        return 0.0 if self._chosen is None else self._chosen.gain

    def _choose_query(self) -> str | None:
        self._new.clear()
        self._chosen = max(self._query_candidates(), key=lambda one: one.gain, default=None) if self.seen else None
        if self._chosen is None or self._chosen.gain < 1.0:
            unseen = self._unseen_word()
            if unseen is not None:
                self._chosen = None
                return unseen
        return None if self._chosen is None else self._chosen.query

    def _unseen_word(self) -> str | None:
        """The most frequent word of other shops that was not asked for and that no seen offer has."""
        ranked = (word for word, _ in self.known.most_common() if word not in self.offers.word_rows)
        return next((word for word in ranked if frozenset(word.split()) not in self._asked), None)

    def _query_candidates(self) -> Iterator[QueryCandidate]:
        """The best word, and if answers are truncated the best pair; only the pair as long as too little is known about hidden offers."""
        hidden = self._hidden_with()
        pairs = list(self._pair_candidates(hidden)) if self.cap is not None else []
        yield from pairs
        if not pairs or self.hidden.caught >= MIN_SAMPLE:
            yield from self._word_candidates(hidden)

    def _hidden_with(self) -> Floats:
        """The estimated number of hidden offers with each word."""
        words = self.offers.words
        hidden: Floats = words["open"] * self.hidden.ratio * self.hidden.factors()
        for word, stated in self._stated.items():
            hidden[word] = max(0.0, stated - words["count"][word])
        return hidden

    def _word_candidates(self, hidden: Floats) -> Iterator[QueryCandidate]:
        free = self.offers.unasked_words()
        there = self.offers.words["count"][free] + hidden[free]
        raw, is_truncated = self._expected_new(there, hidden[free])
        gain = raw * np.where(is_truncated, self._corrections["cut"].factor, self._corrections["word"].factor)
        gain /= self._requests(there)
        for at in np.lexsort((-there, gain))[-1:]:  # of equal ones the rarer, which repeats fewer offers
            kind = "cut" if is_truncated[at] else "word"
            yield QueryCandidate(self.offers.word_names[free[at]], float(gain[at]), float(raw[at]), kind)

    def _pair_candidates(self, hidden: Floats) -> Iterator[QueryCandidate]:
        free, one, other = self.offers.unasked_pairs()
        both = self._hidden_with_both(hidden, free, one, other)
        there = self.offers.pairs["count"][free] + both
        raw, is_truncated = self._expected_new(there, both)
        gain = raw * np.where(is_truncated, self._corrections["cut"].factor, 1.0)
        if self.hidden.caught < MIN_SAMPLE:
            gain[there > MAX_FILL * (self.cap or 0)] = 0.0
        for at in np.lexsort((-there, gain))[-1:]:
            query = f"{self.offers.word_names[one[at]]} {self.offers.word_names[other[at]]}"
            yield QueryCandidate(query, float(gain[at]), float(raw[at]), "cut" if is_truncated[at] else "pair")

    def _hidden_with_both(self, hidden: Floats, pairs: Rows, one: Rows, other: Rows) -> Floats:
        """The estimated number of hidden offers with both words: by chance, times how much more often they occur together."""
        opened, weight = self.offers.words["open"], self.offers.open_weight
        together = shrink_towards_one(self.offers.pairs["open"][pairs], opened[one] * opened[other] / weight)
        by_chance = hidden[one] * hidden[other] / (weight * self.hidden.ratio)
        both: Floats = np.minimum(by_chance * together, np.minimum(hidden[one], hidden[other]))
        return both

    def _expected_new(self, there: Floats, hidden: Floats) -> tuple[Floats, Flags]:
        """The expected new offers in an answer, and whether it is truncated."""
        cap = math.inf if self.cap is None else float(self.cap)
        return hidden * np.minimum(1.0, cap / np.maximum(there, 1.0)), there > cap

    def _requests(self, offers: Floats) -> Floats:
        """The expected number of pages for so many offers; on average, the last one is half full."""
        pages: Floats = np.maximum(1.0, offers / self._page + 0.5) if self._page else np.ones_like(offers)
        return pages
