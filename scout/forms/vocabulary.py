"""Which words to type into a search: those that are likely to bring the most offers that nobody has seen yet.

After Ntoulas, Zerfos and Cho (2005), "Downloading textual hidden web content through keyword queries": how often a word is in the
database is estimated from its share in earlier answers. An answer to one word says nothing about words that never stand beside it
(the brands beside a brand), so of all answers the one counts in which the word has its largest share.
"""

from __future__ import annotations

import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from statistics import median

MIN_ANSWER = 10  # offers of an answer from which shares are taken
MIN_OVERLAP = 5  # offers in two answers from which a total is estimated
MAX_ANSWERS = 40  # latest answers that are looked at
LATEST = 4  # cut answers by which the next one is judged: they all show the same top of the shop's order
GUESS = 10  # offers that a guess weighs as much as
MAX_PARTNERS = 15  # further words that are tried beside one whose answer was cut off
_WORD = re.compile(r"[^\W_][\w'-]*[^\W_]|[^\W_]")


def words_of(text: str) -> frozenset[str]:
    """The words of a title in lower case.

    >>> sorted(words_of("Alrano Lamp, red (2-light)"))
    ['2-light', 'alrano', 'lamp', 'red']
    """
    return frozenset(word.lower() for word in _WORD.findall(text))


class Vocabulary:
    """The words that were met, and what is expected of each."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self.known = Counter(dict(known or {}))  # what the database knows of other offers
        self.seen: dict[str, frozenset[str]] = {}  # offer -> its words
        self.count: Counter[str] = Counter()
        self.cap: int | None = None
        self._asked: dict[str, tuple[bool, frozenset[str]]] = {}  # query -> (is cut, offers)
        self._shares: dict[str, float] = {}  # word -> its largest share in an answer
        self._stated: dict[str, int] = {}
        self._cut: deque[tuple[int, int]] = deque(
            maxlen=LATEST
        )  # offers that the latest cut answers showed, and new ones
        self._split: dict[
            str, tuple[int, int]
        ] = {}  # word whose answer was split -> offers found by that, and new ones

    def add(self, offers: Mapping[str, str]) -> int:
        """Take in offers with their titles; how many are new."""
        new = {key: words_of(title) for key, title in offers.items() if key not in self.seen}
        self.seen |= new
        for found in new.values():
            self.count.update(found)
        return len(new)

    def answered(self, query: str, offers: Iterable[str], *, new: int, is_cut: bool, stated: int | None = None) -> None:
        """What a query for `query` has brought in all, how many of it were new, and how many there are if the page says so."""
        found = frozenset(offers)
        self._asked[query] = (is_cut, found)
        if stated is not None:
            self._stated[query] = stated
        if is_cut and " " not in query:
            self._cut.append((len(found), new))
        for word in query.split() if " " in query else ():
            before = self._split.get(word, (0, 0))
            self._split[word] = (before[0] + len(found), before[1] + new)
        if is_cut:
            self.cap = max(self.cap or 0, len(found))
        if len(found) >= MIN_ANSWER:
            own = words_of(query)
            shares = Counter(word for key in found for word in self.seen[key] if word not in own)
            for word, count in shares.items():
                sure = (count - math.sqrt(count)) / len(found)  # the largest of many shares is mostly luck
                self._shares[word] = max(self._shares.get(word, 0.0), sure)

    @property
    def total(self) -> float:
        """How many offers there may be, by the overlap of answers (Lincoln and Petersen)."""
        whole = [found for is_cut, found in self._asked.values() if not is_cut and len(found) >= MIN_ANSWER]
        latest = whole[-MAX_ANSWERS:]
        pairs = [(a, b) for at, a in enumerate(latest) for b in latest[:at]]
        estimates = [len(a) * len(b) / shared for a, b in pairs if (shared := len(a & b)) >= MIN_OVERLAP]
        return max(float(len(self.seen)), median(estimates) if estimates else 2.0 * len(self.seen))

    def best(self) -> str | None:
        """The query that is expected to bring the most new offers; None where none is left to try."""
        if not self.seen:
            return next((word for word, _ in self.known.most_common() if word not in self._asked), None)
        total = self.total
        single = ((self._gain(word, total), word) for word in self.count if word not in self._asked)
        pairs = ((gain, query) for gain, query in self._pairs(total) if query not in self._asked)
        gain, query = max((*single, *pairs), default=(0.0, ""))
        unmet = next((w for w, _ in self.known.most_common() if w not in self._asked and w not in self.count), None)
        return query if gain >= 1.0 or unmet is None else unmet

    def _gain(self, word: str, total: float) -> float:
        there = self._there(word, total)
        guess = 1.0 - self.count[word] / there
        if self.cap is None or there <= self.cap:
            return guess * there
        shown, new = (sum(column) for column in zip(*self._cut, strict=True)) if self._cut else (0, 0)
        return self.cap * (new + GUESS * guess) / (shown + GUESS)

    def _there(self, word: str, total: float) -> float:
        """How many offers have the word: as stated, or by its largest share; no fewer than were seen."""
        estimate = float(self._stated.get(word, 0)) or self._shares.get(word, 0.0) * total
        return max(estimate, float(self.count[word]), 1.0)

    def _pairs(self, total: float) -> Iterable[tuple[float, str]]:
        """An answer that was cut off, split by the words that stand beside its own."""
        for query, (is_cut, found) in self._asked.items():
            if not is_cut or len(words_of(query)) > 1:
                continue
            there = self._there(query, total)
            beside = Counter(word for key in found for word in self.seen[key] if word != query)
            for word, count in beside.most_common(MAX_PARTNERS):
                size = min(there * count / len(found), float(self.cap or there))
                yield size * min(self._unseen(query, there), self._unseen(word, there)), f"{query} {word}"

    def _unseen(self, word: str, there: float) -> float:
        """The share of a word's offers that nobody has seen: a guess, until splitting its answer has shown it."""
        found, new = self._split.get(word, (0, 0))
        guess = 1.0 - min(1.0, self.count[word] / there)
        return (new + GUESS * guess) / (found + GUESS)
