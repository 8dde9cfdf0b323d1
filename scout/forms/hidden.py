"""How many offers a search still hides, and with which words: learned from the answers that were not cut off.

Such an answer shows everything with the words of its query, and so how many offers had been hidden for each that was open. This ratio
is taken to be a product: one factor for the whole shop, one for each word. A shop that orders its answers by title has shown all that
begins with an A; whatever else these offers' words say, the factor of that beginning is near 0, and no other word is blamed for it. As
always when much is estimated from little, each factor is drawn towards 1 by as much as the factors do not differ (empirical Bayes).

The total is that of Schnabel (1938): each whole answer is a catch, and the offers in it that were known before are recaptures. Queries
are chosen for what they may bring, so that hidden offers are caught too often: there are hardly ever fewer found than it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from scout.forms.seen import OF_SETTLED, Columns, Floats, SeenOffers

FORGET = 0.95  # what an answer counts for the shop's factor when the next one has come: cut answers go on showing what was hidden
FORGET_WORD = 0.985  # the same for a word's factor, for each answer with the word
FORGET_CATCH = 0.95  # the same for the total
DOUBT = 10.0  # offers that the guess of as many hidden as open ones counts
DOUBT_ANSWER = 8.0  # offers that what was expected counts in the ratio of a single answer
WEAKEST, STRONGEST = 2.0, 20.0  # offers that the guess of 1 counts in a factor
MIN_MISSED = 3.0  # offers with a word that by chance would be in the answers without it, from which their absence means something
MIN_CAUGHT = 60  # offers of whole answers from which anything is said of the total


class Hidden:
    """The estimates. `learn()` takes whole answers, after their offers were added and before they are settled."""

    def __init__(self, offers: SeenOffers) -> None:
        self._offers = offers
        self._words = Columns("found expected beside")  # beside: offers that answers with the word have shown first
        self._found = self._expected = DOUBT
        self._marked = self._again = 0.0  # Schnabel: offers caught x offers known before; offers caught again
        self._first = 0  # offers that whole answers have shown first
        self.caught = 0  # offers that whole answers have shown, as often as they have

    @property
    def ratio(self) -> float:
        """Hidden offers for each open one; as many, as long as no answer was cut off, for then all that were seen are open."""
        return self._found / self._expected if self._offers.settled else 1.0

    @property
    def total(self) -> float | None:
        """How many offers there are; None where too few answers were whole to tell."""
        if self.caught < MIN_CAUGHT or not self._again:
            return None
        return max(float(len(self._offers)), self._marked / self._again)

    def factors(self) -> Floats:
        """For each word, how many times as many hidden offers there are as for the average word."""
        while self._words.size < self._offers.words.size:
            self._words.append()
        if self._offers.settled:
            return shrunk(self._words["found"], self._words["expected"])
        return self._uncut_factors()

    def _uncut_factors(self) -> Floats:
        """Where nothing was cut off, the answer to a brand says nothing of other brands: more than is known is hidden of these."""
        beside, shown = np.maximum(self._words["beside"], 1.0), max(1, self._first)
        missed = self._offers.words["count"] * (1 - beside / shown)
        is_apart = (missed >= MIN_MISSED) & (beside > 1)
        factors: Floats = np.where(is_apart, 2 * shown / beside - 1, 1.0)
        return factors

    def learn(self, query: Collection[str], found: Collection[str], new: Collection[str]) -> None:
        """A whole answer: everything that has the words of the query, and what of it nobody had seen."""
        known = [key for key in found if key not in new]
        asked = [self._offers.number(word) for word in query]
        factors = self.factors()
        own = float(np.prod(factors[asked]))
        there = sum(map(self._weight, known))
        for word in asked:
            self._note(word, len(new), there * self.ratio * own / factors[word])
        here = (len(new) + DOUBT_ANSWER * self.ratio * own) / (there + DOUBT_ANSWER)
        self._learn_others(query, known, new, here)
        self._found = FORGET * self._found + (1 - FORGET) * DOUBT + len(new)
        self._expected = FORGET * self._expected + (1 - FORGET) * DOUBT + there * own
        self._marked = FORGET_CATCH * self._marked + (len(self._offers) - len(new)) * len(found)
        self._again = FORGET_CATCH * self._again + len(known)
        self.caught += len(found)
        self._first += len(new)

    def _learn_others(self, query: Collection[str], known: Iterable[str], new: Collection[str], ratio: float) -> None:
        """The words beside those of the query, measured by what the answer brought as a whole."""
        found = Counter(word for key in new for word in self._offers.of[key])
        there: Counter[str] = Counter()
        for key in known:
            weight = self._weight(key)
            for word in self._offers.of[key]:
                there[word] += weight  # type: ignore[assignment]  # a Counter of floats
        for word in sorted((found.keys() | there.keys()) - set(query)):
            self._note(self._offers.numbers[word], found[word], there[word] * ratio)
            self._words["beside"][self._offers.numbers[word]] += len(new)

    def _weight(self, key: str) -> float:
        return OF_SETTLED if key in self._offers.settled else 1.0

    def _note(self, word: int, found: float, expected: float) -> None:
        for name, value in (("found", found), ("expected", expected)):
            column = self._words[name]
            column[word] = FORGET_WORD * column[word] + value


def shrunk(found: Floats, expected: Floats) -> Floats:
    """found / expected, drawn towards 1: by as much as could be if all were 1 and only chance made them differ."""
    square = float(expected @ expected)
    spread = float(((found - expected) ** 2 - found).sum()) / square if square else 0.0
    doubt = min(STRONGEST, max(WEAKEST, 1 / spread if spread > 0 else STRONGEST))
    factors: Floats = (found + doubt) / (expected + doubt)
    return factors
