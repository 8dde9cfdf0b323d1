"""The offers that a search has shown so far: their words, which words stand together, and which offers speak for hidden ones.

An offer is settled once an answer that was not cut off has shown it: all offers with the words of that query are known, and so the
offer says little about those that are still hidden. The others are open. What is hidden is, like these, covered by no whole answer:
the two differ only in whether an answer that was cut off has shown them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scout.forms.words import words_of

MAX_PAIRED = 14  # words of a title that are paired: a description as a title would have thousands of pairs
OF_SETTLED = 0.05  # weight of a settled offer beside an open one: hidden offers may have words that nobody has met
FIRST = 1024  # numbers that a column has room for at first

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Columns:
    """Rows of numbers that grow: a few named columns, and a row for each word or pair of words."""

    def __init__(self, names: str) -> None:
        self.size = 0
        self._columns = {name: np.zeros(FIRST) for name in names.split()}

    def __getitem__(self, name: str) -> Floats:
        """The column as far as it is filled; writing into it changes it."""
        return self._columns[name][: self.size]

    def append(self, **row: float) -> int:
        """The number of the new row; columns that are not named have 0."""
        if self.size == len(next(iter(self._columns.values()))):
            self._columns = {name: np.concatenate([one, np.zeros(self.size)]) for name, one in self._columns.items()}
        self.size += 1
        for name, value in row.items():
            self._columns[name][self.size - 1] = value
        return self.size - 1


class SeenOffers:
    """Counts of words and of pairs of words in the offers that were shown: `count` all of them, `open` by their weight."""

    def __init__(self) -> None:
        self.of: dict[str, frozenset[str]] = {}  # offer -> its words
        self.settled: set[str] = set()
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}
        self.words = Columns(
            "count open asked whole"
        )  # asked, whole: 1 where a query was just that word, and was not cut off
        self.pairs = Columns("count open asked one other")
        self._pair_numbers: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.of)

    @property
    def open_weight(self) -> float:
        """The weight of all offers together."""
        return len(self.of) - (1 - OF_SETTLED) * len(self.settled)

    def add(self, offers: Mapping[str, str]) -> list[str]:
        """Take in offers with their titles; those that are new."""
        new = [key for key in offers if key not in self.of]
        for key in new:
            self.of[key] = words_of(offers[key])
            words, pairs = self._rows(key)
            for table, rows in ((self.words, words), (self.pairs, pairs)):
                table["count"][rows] += 1
                table["open"][rows] += 1
        return new

    def settle(self, offers: Iterable[str]) -> None:
        """These offers, which were added before, are all there are with the words of some query."""
        for key in offers:
            if key not in self.settled:
                self.settled.add(key)
                words, pairs = self._rows(key)
                self.words["open"][words] -= 1 - OF_SETTLED
                self.pairs["open"][pairs] -= 1 - OF_SETTLED

    def number(self, word: str) -> int:
        """The row of a word, new or not."""
        if word not in self.numbers:
            self.names.append(word)
            self.numbers[word] = self.words.append()
        return self.numbers[word]

    def pair_number(self, one: int, other: int) -> int:
        """The row of a pair of words, new or not."""
        both = (one, other) if one < other else (other, one)
        if both not in self._pair_numbers:
            self._pair_numbers[both] = self.pairs.append(one=both[0], other=both[1])
        return self._pair_numbers[both]

    def asked(self, words: Collection[str], *, is_cut: bool) -> None:
        """Somebody has asked for these words."""
        rows = [self.number(word) for word in words]
        if len(rows) == 1:
            self.words["asked"][rows] = 1
            self.words["whole"][rows] = not is_cut
        elif len(rows) == 2:
            self.pairs["asked"][self.pair_number(*rows)] = 1

    def free_words(self) -> Rows:
        """The rows of words that nobody has asked for."""
        return np.flatnonzero(self.words["asked"] == 0)

    def free_pairs(self) -> tuple[Rows, Rows, Rows]:
        """The rows of pairs that nobody has asked for, and of their words; those with a word of which all is known left out."""
        one, other = (self.pairs[name].astype(np.intp) for name in ("one", "other"))
        whole = self.words["whole"]
        free = np.flatnonzero((self.pairs["asked"] == 0) & (whole[one] == 0) & (whole[other] == 0))
        return free, one[free], other[free]

    def _rows(self, key: str) -> tuple[list[int], list[int]]:
        words = [self.number(word) for word in sorted(self.of[key])]
        return words, [self.pair_number(one, other) for one, other in combinations(words[:MAX_PAIRED], 2)]
