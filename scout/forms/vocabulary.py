"""Which words to type into a search: those that are likely to bring the most offers that nobody has seen yet.

After Ntoulas, Zerfos and Cho (2005), "Downloading textual hidden web content through keyword queries". How many offers with a word are
hidden is estimated by `scout.forms.hidden`; those with two words, by the share of each in what is hidden, and by how often the two
stand together in the offers that are open. Two words at once split an answer that was cut off.

An answer that is cut off shows what the shop shows always, so that less of it is new than of what is hidden. How much less is learned
from the last such answers, and the same for single words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scout.forms.hidden import MIN_CAUGHT, Hidden, shrunk
from scout.forms.seen import Floats, Rows, SeenOffers

FORGET = 0.9  # what an answer counts in the correction when the next one of its kind has come
DOUBT = 3.0  # offers that the expectation itself counts in the correction
MAX_CORRECTION = 1.5  # what was found once more than expected was luck
Flags = NDArray[np.bool_]
SURELY_WHOLE = 0.8  # of the longest answer: a pair of which more is expected may be cut off


@dataclass
class Correction:
    """What the last queries of a kind have brought, and what was expected."""

    expected: float = DOUBT
    found: float = DOUBT

    def note(self, expected: float, found: int) -> None:
        self.expected = FORGET * self.expected + expected
        self.found = FORGET * self.found + found

    @property
    def factor(self) -> float:
        return min(MAX_CORRECTION, self.found / self.expected)


@dataclass(frozen=True)
class QueryCandidate:
    """A query, and what is expected of it for each request; `raw` is all of it, before the correction."""

    query: str
    gain: float
    raw: float
    kind: str  # word, cut or pair


class QueryVocabulary:
    """The words that were met, and what is expected of each. `best()`, `add()` and `answered()` take turns."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self.known = Counter(dict(known or {}))  # what the database knows of other offers
        self.offers = SeenOffers()
        self.hidden = Hidden(self.offers)
        self.cap: int | None = None  # the longest answer that was cut off
        self._new: set[str] = set()  # offers that were added since the last query was chosen
        self._asked: set[frozenset[str]] = set()
        self._stated: dict[int, int] = {}  # word -> how many offers have it, as the page says
        self._page = 0.0  # offers of a page, where answers have several; 0 as long as none had
        self._chosen: QueryCandidate | None = None
        self._best: str | None = None
        self._is_chosen = False  # whether _best and _chosen are those of what is known now
        self.forgive()

    def forgive(self) -> None:
        """Expect of each kind of query what was expected at first: one that failed early may pay now."""
        self._is_chosen = False
        self._corrections = {"word": Correction(), "cut": Correction()}

    @property
    def seen(self) -> Mapping[str, frozenset[str]]:
        """Every offer that was shown, with its words."""
        return self.offers.of

    @property
    def is_settled(self) -> bool:
        """Whether whole answers have shown every offer that any answer has."""
        return self.cap is not None and len(self.offers.settled) == len(self.offers)

    def add(self, offers: Mapping[str, str]) -> int:
        """Take in offers with their titles; how many are new."""
        self._is_chosen = False
        new = self.offers.add(offers)
        self._new.update(new)
        return len(new)

    def answered(
        self, query: str, offers: Iterable[str], *, is_cut: bool, stated: int | None = None, requests: int = 1
    ) -> None:
        """What a query has brought in all and in how many requests, and how many there are if the page says so."""
        words, found = sorted(set(query.split())), list(offers)
        new = self._new.intersection(found)
        self._is_chosen = False
        self._asked.add(frozenset(words))
        if requests > 1:
            self._page = max(self._page, len(found) / requests)
        if is_cut:
            self.cap = max(self.cap or 0, len(found))
        else:
            self.hidden.learn(words, found, new)
            if self.cap is not None:
                self.offers.settle(found)
        self.offers.asked(words, is_cut=is_cut)
        if stated is not None and len(words) == 1:
            self._stated[self.offers.number(query)] = stated
        if self._chosen is not None and self._chosen.query == query and self._chosen.kind in self._corrections:
            self._corrections[self._chosen.kind].note(self._chosen.raw, len(new))

    def tried(self, query: str) -> None:
        """Somebody has asked this already, for what its letters find and not as a word."""
        self._is_chosen = False
        self._asked.add(frozenset((query,)))
        self.offers.asked([query], is_cut=True)

    # --- the choice ---------------------------------------------------------------------------------------------------

    def best(self) -> str | None:
        """The query that is expected to bring the most new offers; None where none is left to try. Asking twice costs nothing."""
        if not self._is_chosen:
            self._is_chosen, self._best = True, self._choice()
        return self._best

    @property
    def promise(self) -> float:
        """The new offers that are expected of the query that was chosen last."""
        return 0.0 if self._chosen is None else self._chosen.gain

    def _choice(self) -> str | None:
        self._new.clear()
        self._chosen = max(self._candidates(), key=lambda one: one.gain, default=None) if self.seen else None
        if self._chosen is None or self._chosen.gain < 1.0:
            unmet = self._unmet()
            if unmet is not None:
                self._chosen = None
                return unmet
        return None if self._chosen is None else self._chosen.query

    def _unmet(self) -> str | None:
        """The most frequent word of other shops that nobody has asked for, and that no offer here has."""
        ranked = (word for word, _ in self.known.most_common())
        met = self.offers.numbers
        return next((word for word in ranked if frozenset(word.split()) not in self._asked and word not in met), None)

    def _candidates(self) -> Iterator[QueryCandidate]:
        """The best word, and where answers are cut off the best pair; that alone, as long as too little is known of what is hidden."""
        hidden = self._hidden_with()
        pairs = list(self._pairs(hidden)) if self.cap is not None else []
        yield from pairs
        if not pairs or self.hidden.caught >= MIN_CAUGHT:
            yield from self._words(hidden)

    def _hidden_with(self) -> Floats:
        """How many offers with each word are hidden."""
        words = self.offers.words
        hidden: Floats = words["open"] * self.hidden.ratio * self.hidden.factors()
        for word, stated in self._stated.items():
            hidden[word] = max(0.0, stated - words["count"][word])
        return hidden

    def _words(self, hidden: Floats) -> Iterator[QueryCandidate]:
        free = self.offers.free_words()
        there = self.offers.words["count"][free] + hidden[free]
        raw, is_cut = self._brought(there, hidden[free])
        gain = raw * np.where(is_cut, self._corrections["cut"].factor, self._corrections["word"].factor)
        gain /= self._requests(there)
        for at in np.lexsort((-there, gain))[-1:]:  # of two that promise the same the rarer one: it repeats less
            kind = "cut" if is_cut[at] else "word"
            yield QueryCandidate(self.offers.names[free[at]], float(gain[at]), float(raw[at]), kind)

    def _pairs(self, hidden: Floats) -> Iterator[QueryCandidate]:
        free, one, other = self.offers.free_pairs()
        both = self._hidden_with_both(hidden, free, one, other)
        there = self.offers.pairs["count"][free] + both
        raw, is_cut = self._brought(there, both)
        gain = raw * np.where(is_cut, self._corrections["cut"].factor, 1.0)
        if self.hidden.caught < MIN_CAUGHT:
            gain[there > SURELY_WHOLE * (self.cap or 0)] = 0.0
        for at in np.lexsort((-there, gain))[-1:]:
            query = f"{self.offers.names[one[at]]} {self.offers.names[other[at]]}"
            yield QueryCandidate(query, float(gain[at]), float(raw[at]), "cut" if is_cut[at] else "pair")

    def _hidden_with_both(self, hidden: Floats, pairs: Rows, one: Rows, other: Rows) -> Floats:
        """As many as the shares of both words in what is hidden make, more where they stand together more often than by chance."""
        opened, weight = self.offers.words["open"], self.offers.open_weight
        together = shrunk(self.offers.pairs["open"][pairs], opened[one] * opened[other] / weight)
        by_chance = hidden[one] * hidden[other] / (weight * self.hidden.ratio)
        both: Floats = np.minimum(by_chance * together, np.minimum(hidden[one], hidden[other]))
        return both

    def _brought(self, there: Floats, hidden: Floats) -> tuple[Floats, Flags]:
        """How many offers an answer shows that were hidden, and whether it is cut off."""
        cap = math.inf if self.cap is None else float(self.cap)
        return hidden * np.minimum(1.0, cap / np.maximum(there, 1.0)), there > cap

    def _requests(self, offers: Floats) -> Floats:
        """How many pages so many offers take, on average: the last one is half full."""
        pages: Floats = np.maximum(1.0, offers / self._page + 0.5) if self._page else np.ones_like(offers)
        return pages
