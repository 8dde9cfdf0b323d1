"""Estimates how many offers a search still hides, and with which words, from complete (not truncated) answers.

A complete answer shows all offers with the words of its query, and so how many hidden offers there were for each open one (see
scout.forms.seen). This ratio is modelled as a product of a factor for the whole shop and one for each word. A shop that sorts its
answers by title has shown all titles that begin with A: the factor of that beginning goes to 0, and other words of these offers are
not affected. Factors are shrunk towards 1, the more so the less they differ (empirical Bayes).

The total is Schnabel's estimate (1938): each complete answer is a catch, and the offers in it that were known before are recaptures.
As queries are chosen to find hidden offers, these are caught too often, and the estimate is hardly ever too low.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import numpy as np

from scout.forms.seen import SETTLED_WEIGHT, Columns, Floats, SeenOffers

DECAY = 0.95  # of an answer's weight in the shop's factor with each further answer, as truncated answers go on showing hidden offers
WORD_DECAY = 0.985  # the same for a word's factor, with each further answer that has the word
CATCH_DECAY = 0.95  # the same for the total
PRIOR_WEIGHT = 10.0  # in offers, of the prior: as many hidden offers as open ones
ANSWER_PRIOR_WEIGHT = 8.0  # in offers, of the expected ratio in the ratio of a single answer
MIN_PRIOR_WEIGHT, MAX_PRIOR_WEIGHT = 2.0, 20.0  # in offers, of the prior 1 in a factor
MIN_MISSED = 3.0  # expected offers with a word in answers without it, from which their absence is significant
MIN_SAMPLE = 60  # offers in complete answers that an estimate needs


class HiddenOffers:
    """The estimates. Call `learn()` for each complete answer after adding its offers and before settling them."""

    def __init__(self, offers: SeenOffers) -> None:
        self._offers = offers
        self._words = Columns("found expected beside")  # beside: new offers in answers with the word
        self._found = self._expected = PRIOR_WEIGHT
        self._marked = self._again = 0.0  # Schnabel's sums: catch x offers known before; recaptures
        self._first = 0  # offers that a complete answer has shown first
        self.caught = 0  # offers in all complete answers, with repetitions

    @property
    def ratio(self) -> float:
        """Hidden offers per open offer; 1 as long as no offer is settled."""
        return self._found / self._expected if self._offers.settled else 1.0

    @property
    def total(self) -> float | None:
        """The estimated number of offers; None if too few answers were complete."""
        if self.caught < MIN_SAMPLE or not self._again:
            return None
        return max(float(len(self._offers)), self._marked / self._again)

    def factors(self) -> Floats:
        """For each word, its hidden offers relative to those of an average word."""
        while self._words.size < self._offers.words.size:
            self._words.append()
        if self._offers.settled:
            return shrink_towards_one(self._words["found"], self._words["expected"])
        return self._factors_without_truncation()

    def _factors_without_truncation(self) -> Floats:
        """Without truncated answers: a word that is rare beside the asked words, such as another brand, has more hidden offers."""
        beside, shown = np.maximum(self._words["beside"], 1.0), max(1, self._first)
        missed = self._offers.words["count"] * (1 - beside / shown)
        is_apart = (missed >= MIN_MISSED) & (beside > 1)
        factors: Floats = np.where(is_apart, 2 * shown / beside - 1, 1.0)
        return factors

    def learn(self, query: Collection[str], found: Collection[str], new: Collection[str]) -> None:
        """Learn from a complete answer: all offers with the words of the query, and which of them are new."""
        known = [key for key in found if key not in new]
        asked = [self._offers.word_row(word) for word in query]
        factors = self.factors()
        query_factor = float(np.prod(factors[asked]))
        known_weight = sum(map(self._weight, known))
        for word in asked:
            self._record_word(word, len(new), known_weight * self.ratio * query_factor / factors[word])
        prior = ANSWER_PRIOR_WEIGHT * self.ratio * query_factor
        self._learn_others(query, known, new, (len(new) + prior) / (known_weight + ANSWER_PRIOR_WEIGHT))
        self._found = DECAY * self._found + (1 - DECAY) * PRIOR_WEIGHT + len(new)
        self._expected = DECAY * self._expected + (1 - DECAY) * PRIOR_WEIGHT + known_weight * query_factor
        self._marked = CATCH_DECAY * self._marked + (len(self._offers) - len(new)) * len(found)
        self._again = CATCH_DECAY * self._again + len(known)
        self.caught += len(found)
        self._first += len(new)

    def _learn_others(self, query: Collection[str], known: Iterable[str], new: Collection[str], ratio: float) -> None:
        """Update the other words in the answer, relative to the answer's own ratio."""
        found = Counter(word for key in new for word in self._offers.words_of_offer[key])
        there: Counter[str] = Counter()
        for key in known:
            weight = self._weight(key)
            for word in self._offers.words_of_offer[key]:
                there[word] += weight  # type: ignore[assignment]  # a Counter of floats
        for word in sorted((found.keys() | there.keys()) - set(query)):
            self._record_word(self._offers.word_rows[word], found[word], there[word] * ratio)
            self._words["beside"][self._offers.word_rows[word]] += len(new)

    def _weight(self, key: str) -> float:
        return SETTLED_WEIGHT if key in self._offers.settled else 1.0

    def _record_word(self, word: int, found: float, expected: float) -> None:
        for name, value in (("found", found), ("expected", expected)):
            column = self._words[name]
            column[word] = WORD_DECAY * column[word] + value


def shrink_towards_one(found: Floats, expected: Floats) -> Floats:
    """found / expected, shrunk towards 1, the more so the less the ratios differ beyond chance."""
    square = float(expected @ expected)
    spread = float(((found - expected) ** 2 - found).sum()) / square if square else 0.0
    prior = min(MAX_PRIOR_WEIGHT, max(MIN_PRIOR_WEIGHT, 1 / spread if spread > 0 else MAX_PRIOR_WEIGHT))
    factors: Floats = (found + prior) / (expected + prior)
    return factors
