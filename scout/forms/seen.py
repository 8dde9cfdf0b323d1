"""The offers that a search has shown so far: their words, which words occur together, and which offers resemble hidden ones.

An offer is settled once a complete answer has shown it: all offers with the words of that query are known, so that it says little
about hidden ones. The others are open. Neither open nor hidden offers were in a complete answer; the only difference is that a
truncated answer has shown the open ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scout.forms.words import title_words

MAX_PAIRED = 14  # words of a title; a long one would have thousands of pairs
SETTLED_WEIGHT = 0.05  # relative to an open offer; not 0, as hidden offers may have words that open ones lack
INITIAL_SIZE = 1024  # of a column

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Columns:
    """A table of numbers that grows: a few named columns, and a row for each word or pair of words."""

    def __init__(self, names: str) -> None:
        self.size = 0
        self._columns = {name: np.zeros(INITIAL_SIZE) for name in names.split()}

    def __getitem__(self, name: str) -> Floats:
        """The used part of a column, as a writable view."""
        return self._columns[name][: self.size]

    def append(self, **row: float) -> int:
        """Add a row, 0 in columns that are not given; returns its number."""
        if self.size == len(next(iter(self._columns.values()))):
            self._columns = {name: np.concatenate([one, np.zeros(self.size)]) for name, one in self._columns.items()}
        self.size += 1
        for name, value in row.items():
            self._columns[name][self.size - 1] = value
        return self.size - 1


class SeenOffers:
    """Counts of words and pairs of words in the seen offers: `count` of all, `open` weighted."""

    def __init__(self) -> None:
        self.words_of_offer: dict[str, frozenset[str]] = {}  # offer -> its words
        self.settled: set[str] = set()
        self.word_names: list[str] = []
        self.word_rows: dict[str, int] = {}
        # asked: 1 if the word alone was a query; whole: 1 if its answer was complete
        self.words = Columns("count open asked whole")
        self.pairs = Columns("count open asked one other")
        self._pair_rows: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.words_of_offer)

    @property
    def open_weight(self) -> float:
        """The sum of all offers' weights."""
        return len(self.words_of_offer) - (1 - SETTLED_WEIGHT) * len(self.settled)

    def add(self, offers: Mapping[str, str]) -> list[str]:
        """Add offers (URL -> title); returns the new ones."""
        new = [key for key in offers if key not in self.words_of_offer]
        for key in new:
            self.words_of_offer[key] = title_words(offers[key])
            words, pairs = self._rows(key)
            for table, rows in ((self.words, words), (self.pairs, pairs)):
                table["count"][rows] += 1
                table["open"][rows] += 1
        return new

    def settle(self, offers: Iterable[str]) -> None:
        """Mark these offers, which were added before, as shown by a complete answer."""
        for key in offers:
            if key not in self.settled:
                self.settled.add(key)
                words, pairs = self._rows(key)
                self.words["open"][words] -= 1 - SETTLED_WEIGHT
                self.pairs["open"][pairs] -= 1 - SETTLED_WEIGHT

    def word_row(self, word: str) -> int:
        """The row of a word, added if it is new."""
        if word not in self.word_rows:
            self.word_names.append(word)
            self.word_rows[word] = self.words.append()
        return self.word_rows[word]

    def pair_row(self, one: int, other: int) -> int:
        """The row of a pair of words, added if it is new."""
        both = (one, other) if one < other else (other, one)
        if both not in self._pair_rows:
            self._pair_rows[both] = self.pairs.append(one=both[0], other=both[1])
        return self._pair_rows[both]

    def mark_asked(self, words: Collection[str], *, is_truncated: bool) -> None:
        """Record a query for these words."""
        rows = [self.word_row(word) for word in words]
        if len(rows) == 1:
            self.words["asked"][rows] = 1
            self.words["whole"][rows] = not is_truncated
        elif len(rows) == 2:
            self.pairs["asked"][self.pair_row(*rows)] = 1

    def unasked_words(self) -> Rows:
        """The rows of words that were not asked for."""
        return np.flatnonzero(self.words["asked"] == 0)

    def unasked_pairs(self) -> tuple[Rows, Rows, Rows]:
        """The rows of pairs that were not asked for and of their words, without pairs of a word with a complete answer."""
        one, other = (self.pairs[name].astype(np.intp) for name in ("one", "other"))
        whole = self.words["whole"]
        free = np.flatnonzero((self.pairs["asked"] == 0) & (whole[one] == 0) & (whole[other] == 0))
        return free, one[free], other[free]

    def _rows(self, key: str) -> tuple[list[int], list[int]]:
        words = [self.word_row(word) for word in sorted(self.words_of_offer[key])]
        return words, [self.pair_row(one, other) for one, other in combinations(words[:MAX_PAIRED], 2)]
