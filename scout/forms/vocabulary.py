"""Which words to type into a search: those that are likely to bring the most offers that nobody has seen yet.

After Ntoulas, Zerfos and Cho (2005), "Downloading textual hidden web content through keyword queries": how many offers have a word is
estimated from its share in the answers to other words. Three things are added for shops that cut their answers off:

    facets    the answer to a brand says nothing about other brands. Words that were asked and hardly ever stand together form a facet,
              and for a word of the same kind what the facet's queries have shown does not count.
    open      what is hidden looks like the offers that only cut answers have shown (see `scout.forms.seen`), so of two words the one
              with more of those is asked.
    pairs     two words at once split an answer that was cut off. They are chosen by the open offers that have both: of what is hidden,
              as large a share has them.

What is expected of each kind of query is corrected by what the last ones of its kind have brought.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from scout.forms.seen import Pair, SeenOffers, words_of

__all__ = ["Vocabulary", "words_of"]

MIN_ANSWER = 5  # offers of a whole answer from which the total is estimated
MIN_WHOLE = 30  # offers of all such answers together
UNKNOWN_TOTAL = 2.0  # times what was seen, until whole answers tell
LEAST_TOTAL = 1.02  # times what was seen: there may always be more
FEW_TOGETHER = (
    0.1  # of the offers that would have two words by chance: words that stand together less often exclude each other
)
MIN_EXPECTED = 3.0  # offers with both words, by chance, from which their absence means something
CERTAINLY_CUT = 1.1  # times the longest answer: the least number of offers behind an answer that was cut off
SAME = 0.9  # of a word's offers: a pair that has so many of them asks for nothing else than the word
FORGET = 0.8  # what an answer counts in the correction when the next one of its kind has come
DOUBT = 3.0  # offers that the expectation itself counts in the correction
MAX_CORRECTION = 1.5  # what was found once more than expected was luck
MOST_OPEN = 9.0  # times that an open offer counts at most where nearly all are settled
AGAIN = 20  # facets and total are estimated anew when so much of the queries (1/20) are new

Kind = Literal["whole", "cut", "pair"]


@dataclass
class Facet:
    """Words that were asked and exclude each other; how many offers have one of them, and how many only its queries have shown."""

    words: list[str] = field(default_factory=list)
    offers: int = 0
    only: int = 0


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


@dataclass(frozen=True, order=True)
class Candidate:
    """A query, and what is expected of it; of two that promise the same the rarer word is asked, it repeats less."""

    gain: float
    rarity: float
    query: str
    kind: Kind
    raw: float  # the gain before the correction


class Vocabulary:
    """The words that were met, and what is expected of each. `best()`, `add()` and `answered()` take turns."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        self.known = Counter(dict(known or {}))  # what the database knows of other offers
        self.offers = SeenOffers()
        self.cap: int | None = None  # the longest answer that was cut off
        self.total = 0.0  # how many offers there may be
        self._asked: dict[frozenset[str], int] = {}  # words of a query -> offers that it has shown
        self._tried: set[str] = set()
        self._whole: set[frozenset[str]] = set()  # queries whose answers were not cut off
        self._stated: dict[frozenset[str], int] = {}
        self._facets: list[Facet] = []
        self._apart: dict[str, int] = {}  # word -> offers that say nothing about it
        self._page = 0.0  # offers of a page, where answers have several; 0 as long as none had
        self._estimated_at = 0
        self._chosen: Candidate | None = None
        self._best: str | None = None
        self._is_chosen = False  # whether _best and _chosen are those of what is known now
        self.forgive()

    def forgive(self) -> None:
        """Expect of each kind of query what was expected at first: one that failed early may pay now."""
        self._is_chosen = False
        self._corrections = {"whole": Correction(), "cut": Correction(), "pair": Correction()}

    @property
    def seen(self) -> Mapping[str, frozenset[str]]:
        """Every offer that was shown, with its words."""
        return self.offers.words

    def add(self, offers: Mapping[str, str]) -> int:
        """Take in offers with their titles; how many are new."""
        self._is_chosen = False
        return self.offers.add(offers)

    def answered(
        self,
        query: str,
        offers: Iterable[str],
        *,
        new: int,
        is_cut: bool,
        stated: int | None = None,
        requests: int = 1,
    ) -> None:
        """What a query has brought in all and in how many requests, how many of it were new, and how many there are if the page says so."""
        words, found = frozenset(query.split()), list(offers)
        self._is_chosen = False
        self._asked[words] = len(found)
        if requests > 1:
            self._page = max(self._page, len(found) / requests)
        if stated is not None:
            self._stated[words] = stated
        if is_cut:
            self.cap = max(self.cap or 0, len(found))
        else:
            self._whole.add(words)
        self.offers.shown(words, found, is_cut=is_cut)
        if self._chosen is not None and self._chosen.query == query:
            self._corrections[self._chosen.kind].note(self._chosen.raw, new)

    def tried(self, query: str) -> None:
        """Somebody has asked this already, for what its letters find and not as a word."""
        self._is_chosen = False
        self._tried.add(query)

    # --- the choice ---------------------------------------------------------------------------------------------------

    def best(self) -> str | None:
        """The query that is expected to bring the most new offers; None where none is left to try. Asking twice costs nothing."""
        if not self._is_chosen:
            self._is_chosen, self._best = True, self._choice()
        return self._best

    def _choice(self) -> str | None:
        if not self.seen:
            return self._unmet()
        if len(self._asked) >= self._estimated_at + max(1, self._estimated_at // AGAIN):
            self._estimate()
        self._chosen = max((*self._words(), *self._pairs()), default=None)
        is_poor = self._chosen is None or self._chosen.gain < 1.0
        unmet = self._unmet() if is_poor else None
        if unmet is not None or self._chosen is None:
            self._chosen = None
            return unmet
        return self._chosen.query

    @property
    def promise(self) -> float:
        """The new offers that are expected of the query that was chosen last."""
        return 0.0 if self._chosen is None else self._chosen.gain

    def _unmet(self) -> str | None:
        """The most frequent word of other shops that nobody has asked for, and that no offer here has."""
        ranked = (word for word, _ in self.known.most_common() if word not in self._tried)
        met = self.offers.count
        return next((word for word in ranked if frozenset(word.split()) not in self._asked and word not in met), None)

    def _words(self) -> Iterator[Candidate]:
        for word in self.offers.count:
            if frozenset((word,)) not in self._asked and word not in self._tried:
                yield self._word(word)

    def _word(self, word: str) -> Candidate:
        there, seen = self._there(word), self.offers.count[word]
        kind: Kind = "whole"
        if self.cap is None:
            raw = there - seen
        elif there <= self.cap:
            crowd = min(MOST_OPEN, len(self.offers) / max(1, self.offers.open_offers))
            raw = (there - seen) * crowd * self.offers.open[word] / max(1, seen)
        else:
            kind, raw = "cut", self.cap * (1.0 - seen / there)
        return Candidate(raw * self._corrections[kind].factor / self._requests(there), -there, word, kind, raw)

    def _requests(self, offers: float) -> float:
        """How many pages so many offers take."""
        return max(1.0, math.ceil(offers / self._page)) if self._page else 1.0

    def _pairs(self) -> Iterator[Candidate]:
        both = self.offers.best_pair(self._is_useless) if self.cap is not None else None
        if both is not None:
            raw = (self.total - len(self.offers)) * self.offers.weight(both) / self.offers.total_weight
            yield Candidate(raw * self._corrections["pair"].factor, -raw, " ".join(both), "pair", raw)

    def _is_useless(self, both: Pair) -> bool:
        """Whether asking for both cannot help: asked before, one of them is known whole, still too many, or the same as one alone."""
        count = self.offers.pairs[both]
        alone = min(self.offers.count[word] for word in both)
        return (
            frozenset(both) in self._asked
            or any(frozenset((word,)) in self._whole for word in both)
            or count >= (self.cap or 0)
            or count >= SAME * alone
        )

    # --- estimates ----------------------------------------------------------------------------------------------------

    def _there(self, word: str) -> float:
        """How many offers have the word: as stated, as known, or by its share in what others have shown."""
        query = frozenset((word,))
        if query in self._stated:
            return float(self._stated[query])
        if query in self._whole:
            return float(self._asked[query])
        least = CERTAINLY_CUT * (self.cap or 0) if query in self._asked else 1.0
        return max(self._share(word) * self.total, float(self.offers.count[word]), least)

    def _share(self, word: str) -> float:
        """The word's share in the offers that were not found by asking for it, or for what excludes it."""
        own = max(self._offers_apart(word), self.offers.only_by[frozenset((word,))])
        return self.offers.by_others[word] / max(1, len(self.offers) - own)

    def _offers_apart(self, word: str) -> int:
        if word not in self._apart:
            self._apart[word] = sum(facet.only for facet in self._facets if self._belongs(word, facet))
        return self._apart[word]

    def _belongs(self, word: str, facet: Facet) -> bool:
        """Whether the word is of the facet's kind: often enough met, and hardly ever beside one of its words."""
        if word in facet.words:
            return True
        expected = self.offers.count[word] * facet.offers / len(self.offers)
        return expected >= MIN_EXPECTED and self.offers.together(word, facet.words) <= FEW_TOGETHER * expected

    def _estimate(self) -> None:
        self._estimated_at, self._apart = len(self._asked), {}
        asked = {word: shown for words, shown in self._asked.items() if len(words) == 1 and shown for word in words}
        self._facets = self._found_facets(asked)
        whole = {
            word: shown for word, shown in asked.items() if shown >= MIN_ANSWER and frozenset((word,)) in self._whole
        }
        shares, offers = sum(map(self._share, whole)), sum(whole.values())
        is_known = shares > 0 and offers >= MIN_WHOLE
        seen = float(len(self.offers))
        self.total = max(LEAST_TOTAL * seen, offers / shares if is_known else UNKNOWN_TOTAL * seen)

    def _found_facets(self, asked: Iterable[str]) -> list[Facet]:
        """Each word that was asked into the largest facet whose words it excludes; frequent words first."""
        facets: list[Facet] = []
        for word in sorted(asked, key=lambda word: -self.offers.count[word]):
            count = self.offers.count[word]
            fitting = (facet for facet in facets if self._excludes(word, facet))
            chosen = max(fitting, key=lambda facet: facet.offers, default=None)
            if chosen is None:
                facets.append(chosen := Facet())
            chosen.words.append(word)
            chosen.offers += count
            chosen.only += self.offers.only_by[frozenset((word,))]
        return [facet for facet in facets if len(facet.words) > 1]

    def _excludes(self, word: str, facet: Facet) -> bool:
        by_chance = self.offers.count[word] * facet.offers / len(self.offers)
        return self.offers.together(word, facet.words) <= FEW_TOGETHER * by_chance
