"""Which offer is which known offer: by identifiers where there are any, else by their texts and prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scout.errors import UsageError
from scout.matching.facts import OfferFacts, read_facts
from scout.matching.ids import SCORES, id_pairs

__all__ = ["ListComparison", "Match", "compare", "match"]

MATCHED_PRECISION = 0.967  # what is expected of the pairs that are called the same by their likeness
MIN_MATCHED = 0.8  # and of each of them: many certain pairs do not carry a guess
# what is expected of the offers that are called missing; whatever would lower it is undecided
MISSING_PRECISION = 0.942
MAX_CANDIDATES = 3  # of an undecided offer
MIN_CANDIDATE = (
    0.08  # probability of a candidate for whose sake an offer is undecided: a person cannot choose among strangers
)
_MIN_OTHER = 0.05  # and of the others beside it
BY_PERSON = "decided by a person"
Pair = tuple[int, int]  # (catalogue row, offer)


@dataclass(frozen=True)
class Match:
    """A known offer and a found one that are the same, by their positions in the two lists, how probably, and why.

    Where `undecided`, they may be the same, but the evidence is not enough: the offer is neither matched nor missing.
    """

    catalogue: int
    offer: int
    score: float
    reason: str
    undecided: bool = False


@dataclass(frozen=True)
class ListComparison:
    """Two lists compared: the pairs, decided or not, and the missing offers with the probability that they are missing."""

    matches: list[Match]
    missing: dict[int, float] = field(default_factory=dict)


def match(catalogue: Sequence[Mapping[str, Any]], offers: Sequence[Mapping[str, Any]]) -> list[Match]:
    """The pairs of known and found offers that are the same product, and the undecided ones, in the catalogue's order.

    Decided pairs are one to one. The usual column names are understood (name, manufacturer, gtin ...); a column called id is never
    evidence. UsageError where offers without a common identifier are left and scipy, which compares them, is not installed.
    """
    return compare(catalogue, offers).matches


def compare(
    catalogue: Sequence[Mapping[str, Any]],
    offers: Sequence[Mapping[str, Any]],
    *,
    accepted: Collection[Pair] = (),
    rejected: Collection[Pair] = (),
    absent: Collection[int] = (),
) -> ListComparison:
    """Three answers: each offer is matched, missing or undecided. Pairs that a person accepted or rejected, and offers that a person
    called absent from the catalogue, are settled."""
    known, found = read_facts(catalogue), read_facts(offers)
    pairs = [Match(row, offer, 1.0, BY_PERSON) for row, offer in accepted]
    settled_rows, settled_offers = {row for row, _ in accepted}, {offer for _, offer in accepted} | set(absent)
    for row, offer, reason in id_pairs(known, found):
        if row not in settled_rows and offer not in settled_offers and (row, offer) not in rejected:
            pairs.append(Match(row, offer, SCORES[reason], reason))
    rows_left = _remaining(len(known), {pair.catalogue for pair in pairs})
    offers_left = _remaining(len(found), {pair.offer for pair in pairs} | set(absent))
    missing = dict.fromkeys([*offers_left, *absent], 1.0)
    if rows_left and offers_left:
        places = {row: k for k, row in enumerate(rows_left)}, {offer: k for k, offer in enumerate(offers_left)}
        barred = {(places[0][r], places[1][o]) for r, o in rejected if r in places[0] and o in places[1]}
        similar = _compare_texts([known[row] for row in rows_left], [found[offer] for offer in offers_left], barred)
        pairs += [
            Match(rows_left[m.catalogue], offers_left[m.offer], m.score, m.reason, m.undecided) for m in similar.matches
        ]
        missing = {offers_left[offer]: probability for offer, probability in similar.missing.items()}
        missing |= dict.fromkeys(absent, 1.0)
    return ListComparison(sorted(pairs, key=lambda pair: (pair.catalogue, pair.offer)), dict(sorted(missing.items())))


def _remaining(count: int, matched: set[int]) -> list[int]:
    """The positions up to `count` that are not matched yet."""
    return [position for position in range(count) if position not in matched]


def _compare_texts(
    known: Sequence[OfferFacts], found: Sequence[OfferFacts], rejected: Collection[Pair]
) -> ListComparison:
    """The three answers for offers without a common identifier."""
    try:  # brings numpy and scipy, which a crawl need not wait for
        from scout.matching.similarity import likely_pairs, missing_probabilities, surest
    except ImportError as error:
        raise UsageError(
            f"Matching offers without a common identifier needs scipy: pip install 'scout-offers[matching]' ({error})"
        ) from error
    pairs = likely_pairs(known, found, rejected)
    absent = missing_probabilities(pairs, len(found))
    is_missing = surest(absent, MISSING_PRECISION)
    is_match = surest(pairs.probability, MATCHED_PRECISION, MIN_MATCHED) & ~is_missing[pairs.j]
    matches = [_match(pairs, k) for k in is_match.nonzero()[0].tolist()]
    is_open = ~is_missing
    is_open[pairs.j[is_match]] = False
    matches += [_match(pairs, k, undecided=True) for k in _candidates(pairs, is_open, set(pairs.i[is_match].tolist()))]
    missing = set(range(len(found))).difference(match.offer for match in matches)
    return ListComparison(matches, {offer: round(float(absent[offer]), 3) for offer in sorted(missing)})


def _match(pairs: Any, k: int, *, undecided: bool = False) -> Match:
    score = round(float(pairs.probability[k]), 3)
    return Match(int(pairs.i[k]), int(pairs.j[k]), score, pairs.reason(k), undecided)


def _candidates(pairs: Any, is_open: Any, taken: set[int]) -> Iterator[int]:
    """The likeliest pairs of each offer that is neither matched nor surely missing, if any of them is worth a look."""
    by_offer: dict[int, list[int]] = defaultdict(list)
    for k in is_open[pairs.j].nonzero()[0].tolist():
        if int(pairs.i[k]) not in taken:
            by_offer[int(pairs.j[k])].append(k)
    for options in by_offer.values():
        best = sorted(options, key=lambda k: -pairs.probability[k])[:MAX_CANDIDATES]
        if pairs.probability[best[0]] >= MIN_CANDIDATE:
            yield from (k for k in best if pairs.probability[k] >= _MIN_OTHER)
