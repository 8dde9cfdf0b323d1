"""The offers that a search has shown so far: their words, which words stand together, and which offers speak for hidden ones.

An offer is settled once an answer that was not cut off has shown it: all offers with the words of that query are known, and so the
offer says nothing about those that are still hidden. The others are open, and what is hidden looks like them.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import combinations

MAX_PAIRED = 14  # words of a title that are paired: a description as a title would have thousands of pairs
OF_SETTLED = 0.1  # weight of a settled offer beside an open one: hidden offers may have words that nobody has met
_WORD = re.compile(r"[^\W_][\w'-]*[^\W_]|[^\W_]")

Pair = tuple[str, str]  # two words in alphabetical order


def words_of(text: str) -> frozenset[str]:
    """The words of a title in lower case.

    >>> sorted(words_of("Alrano Lamp, red (2-light)"))
    ['2-light', 'alrano', 'lamp', 'red']
    """
    return frozenset(word.lower() for word in _WORD.findall(text))


def pair(one: str, other: str) -> Pair:
    """The two words as they are counted."""
    return (one, other) if one < other else (other, one)


class SeenOffers:
    """Counts of words and pairs of words in the offers that were shown; all of them grow and shrink with each answer."""

    def __init__(self) -> None:
        self.words: dict[str, frozenset[str]] = {}  # offer -> its words
        self.count: Counter[str] = Counter()
        self.pairs: Counter[Pair] = Counter()
        self.open: Counter[str] = Counter()
        self.by_others: Counter[str] = Counter()  # word -> its offers that a query without the word has shown
        self.only_by: Counter[frozenset[str]] = (
            Counter()
        )  # words -> offers that only queries with these words have shown
        self._open_pairs: Counter[Pair] = Counter()
        self._settled: set[str] = set()
        self._common: dict[str, frozenset[str]] = {}  # offer -> words that all queries had that have shown it
        self._heap: list[tuple[float, Pair]] = []  # pairs by weight; what has changed since is corrected on the way out

    def __len__(self) -> int:
        return len(self.words)

    @property
    def open_offers(self) -> int:
        return len(self.words) - len(self._settled)

    def add(self, offers: Mapping[str, str]) -> int:
        """Take in offers with their titles; how many are new."""
        new = {key: words_of(title) for key, title in offers.items() if key not in self.words}
        self.words |= new
        for words in new.values():
            self.count.update(words)
            self.open.update(words)
            for both in _pairs(words):
                self.pairs[both] += 1
                self._open_pairs[both] += 1
                heapq.heappush(self._heap, (-self.weight(both), both))
        return len(new)

    def shown(self, query: frozenset[str], offers: Iterable[str], *, is_cut: bool) -> None:
        """A query has shown these offers, which were added before; they are all there are unless it was cut off."""
        for key in offers:
            self._note(key, query)
            if not is_cut:
                self._settle(key)

    def _note(self, key: str, query: frozenset[str]) -> None:
        before = self._common.get(key)
        common = query if before is None else before & query
        if common == before:
            return
        self.by_others.update((self.words[key] if before is None else before) - query)
        if before is not None:
            self.only_by[before] -= 1
        self.only_by[common] += 1
        self._common[key] = common

    def _settle(self, key: str) -> None:
        if key not in self._settled:
            self._settled.add(key)
            self.open.subtract(self.words[key])
            self._open_pairs.subtract(_pairs(self.words[key]))

    def weight(self, both: Pair) -> float:
        """How much a pair promises: its open offers, and a little for the settled ones."""
        return (1 - OF_SETTLED) * self._open_pairs[both] + OF_SETTLED * self.pairs[both]

    @property
    def total_weight(self) -> float:
        """The weight of a pair that every offer would have."""
        return (1 - OF_SETTLED) * self.open_offers + OF_SETTLED * len(self.words)

    def best_pair(self, is_useless: Callable[[Pair], bool]) -> Pair | None:
        """The pair of the largest weight; those that are useless now are not offered again until they are met again."""
        while self._heap:
            promised, both = self._heap[0]
            weight = self.weight(both)
            if weight == -promised and not is_useless(both):
                return both
            heapq.heappop(self._heap)
            if weight < -promised:
                heapq.heappush(self._heap, (-weight, both))
        return None

    def together(self, word: str, others: Collection[str]) -> int:
        """How many offers have the word beside one of the others."""
        return sum(self.pairs[pair(word, other)] for other in others)


def _pairs(words: frozenset[str]) -> Iterable[Pair]:
    return combinations(sorted(words)[:MAX_PAIRED], 2)
