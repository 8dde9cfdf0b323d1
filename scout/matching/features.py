"""What speaks for and against a pair, for many pairs at once.

Columns that both lists have (author, year, category, file names of pictures) tell products apart in one pair of lists and are noise in
the next. Pairs whose titles leave little doubt show which: a column _entry_counts as far as it agrees in these and not in their runners-up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from scout.matching import words
from scout.matching.facts import OfferFacts
from scout.matching.vectors import (
    Flags,
    Floats,
    Ints,
    Rows,
    cosine_rows,
    dots,
    frequencies,
    ngram_rows,
    rarity,
    row_sums,
    weighted,
    word_rows,
)

MAX_COLUMNS = 8
# of the rows on either side: a rarer column decides little, and there are too few rows to learn from
_MIN_FILLED = 0.05
_EXPECTED = {True: 0.6, False: 0.35}  # how alike a column is in right and in wrong pairs, before any are seen
_PRIOR_PAIRS = 20  # that many pairs count as much as what is expected
_LEAD = 0.02  # of a title over the next best: of several equal ones, none is certain
_NGRAM = 4
_MAX_PRICE_RATIO = 1.0  # natural logarithm: beyond a factor of e, a price difference counts no more
_UNKNOWN_PRICE = 0.4  # between equal and contradicting
_NOT_WORD = re.compile(r"[\W_]+")

Columns = Mapping[str, Rows]


@dataclass(frozen=True)
class OfferMatrices:
    """One list of offers as sparse matrices, a row for each."""

    ngrams: Rows
    title: Rows
    text: Rows
    words: Columns  # by the names of _WORD_SETS
    ean: Ints
    price: Floats
    details: Columns


# matrix -> the words of a row in it
_WORD_SETS: Mapping[str, Callable[[OfferFacts], Iterable[str]]] = {
    "codes": lambda row: words.codes(row.title),
    "models": lambda row: words.long_codes(row.title),
    "numbers": lambda row: words.numbers(row.title),
    "sizes": lambda row: words.sizes(row.title),
    "skeleton": lambda row: [words.skeleton(row.title)],
    "brand": lambda row: [row.brand] if row.brand else [],
    "colours": lambda row: words.colours(row.title),
    "editions": lambda row: words.editions(row.title),
    "kinds": lambda row: {kind for kind, _ in words.quantities(row.title)},
    "quantities": lambda row: {f"{kind} {amount}" for kind, amount in words.quantities(row.title)},
}


def offer_matrices(
    catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts]
) -> tuple[OfferMatrices, OfferMatrices]:
    """Both lists as matrices with the same columns."""
    both = (catalogue, offers)
    ngrams = cosine_rows(*(ngram_rows([_NOT_WORD.sub("", row.title) for row in rows], _NGRAM) for rows in both))
    titles = [(words.title_words(row.title) for row in rows) for rows in both]
    texts = word_rows(*titles, *[(words.findable_words(row.title, row.text) for row in rows) for rows in both])
    bags = {name: word_rows(*[map(bag, rows) for rows in both]) for name, bag in _WORD_SETS.items()}
    details = column_rows(*both)
    made = [
        OfferMatrices(
            ngrams=ngrams[k],
            title=_rarity_shares(texts[k], texts[3 - k]),
            text=texts[2 + k],
            ean=np.array([int(row.ean or 0) for row in both[k]], dtype=np.int64),
            price=np.array([row.price or np.nan for row in both[k]], dtype=np.float32),
            details=details[k],
            words={name: rows[k] for name, rows in bags.items()},
        )
        for k in (0, 1)
    ]
    return made[0], made[1]


def pair_features(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> dict[str, Floats]:
    """One array for each feature, over the pairs (i[k], j[k])."""
    likeness = {
        "ngrams": dots(left.ngrams, right.ngrams, i, j),
        "known words found": dots(left.title, right.text, i, j),
        "found words known": dots(right.title, left.text, j, i),
    }
    shared = partial(_share_a_word, left, right, i, j)
    brands = (left.words["brand"], right.words["brand"])
    return likeness | {
        "code": shared("codes").astype(np.float32),
        "model": shared("models").astype(np.float32),
        "other code": _disjoint(left.words["codes"], right.words["codes"], i, j),
        "quantity": shared("quantities").astype(np.float32),
        "other number": _each_has_more(left.words["numbers"], right.words["numbers"], i, j),
        "brand": shared("brand").astype(np.float32),
        "other brand": _disjoint(_shared_names(*brands), _shared_names(*reversed(brands)), i, j),
        "price": _price_distance(left.price[i], right.price[j]),
        "details": column_agreement(left.details, right.details, i, j, np.mean(list(likeness.values()), axis=0)),
    }


def _rarity_shares(titles: Rows, texts: Rows) -> Rows:
    """The titles' words by their rarity, each row summing to one: the product with a text is the share of the title that it has."""
    heavy = weighted(titles, rarity(titles, texts))
    heavy.data = heavy.data / np.repeat(np.maximum(row_sums(heavy), 1e-6), np.diff(heavy.indptr)).astype(np.float32)
    return heavy


def _entry_counts(matrix: Rows, positions: Ints) -> Ints:
    """The number of entries in the rows at the positions."""
    result: Ints = np.diff(matrix.indptr)[positions]
    return result


def _disjoint(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where both have some and none in common."""
    some = (_entry_counts(left, i) > 0) & (_entry_counts(right, j) > 0)
    apart: Floats = (some & (dots(left, right, i, j) == 0)).astype(np.float32)
    return apart


def _share_a_word(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints, name: str) -> Flags:
    """Which pairs have something in common in the matrix of this name."""
    common: Flags = dots(left.words[name], right.words[name], i, j) > 0
    return common


def contradictions(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> Flags:
    """Which pairs cannot be one product: another EAN, colour, edition or capacity, or titles that differ in their sizes alone."""
    one, other = left.ean[i], right.ean[j]
    veto: Flags = (one > 0) & (other > 0) & (one != other)
    shared = partial(_share_a_word, left, right, i, j)
    # with the same model number, "red" may be the display's and "home" the room's
    same_model = shared("models")
    for name in ("colours", "editions"):
        veto |= (_disjoint(left.words[name], right.words[name], i, j) > 0) & ~same_model
    veto |= shared("kinds") & ~shared("quantities")  # amounts of the same kind, none of which agrees
    only_numbers_differ = shared("skeleton")
    veto |= only_numbers_differ & (_each_has_more(left.words["sizes"], right.words["sizes"], i, j) > 0)
    return veto


def _each_has_more(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where each side has one that the other lacks: "8 GB" against "16 GB", but not against a title without any."""
    common = dots(left, right, i, j)
    return ((_entry_counts(left, i) > common) & (_entry_counts(right, j) > common)).astype(np.float32)


def _shared_names(names: Rows, others: Rows) -> Rows:
    """The names that the other list uses as well: only these can contradict, any other may be a different spelling."""
    common = weighted(names, (frequencies(others) > 0).astype(np.float32))
    common.eliminate_zeros()
    return common


def _price_distance(one: Floats, other: Floats) -> Floats:
    """The distance of two prices as a ratio, from 0 (equal) to 1."""
    with np.errstate(invalid="ignore"):
        distance = np.minimum(np.abs(np.log(one / other)), _MAX_PRICE_RATIO)
    return np.where(np.isnan(distance), _UNKNOWN_PRICE, distance).astype(np.float32)


# --- columns that both lists have --------------------------------------------------------------------------------------
def column_rows(catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts]) -> tuple[Columns, Columns]:
    """The columns that both lists fill, each as unit rows of its words: the product of two rows is their cosine."""
    both = (catalogue, offers)
    made = {}
    for name in common_columns(*both):
        bags = word_rows(*[(words.words(row.details.get(name, "")) for row in rows) for rows in both])
        made[name] = cosine_rows(bags[0], bags[1])
    return {name: rows[0] for name, rows in made.items()}, {name: rows[1] for name, rows in made.items()}


def common_columns(catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts]) -> list[str]:
    """The columns that both lists fill often enough, the fullest first."""
    known, found = (_filled_shares(rows) for rows in (catalogue, offers))
    shares = {name: min(known[name], found[name]) for name in known.keys() & found.keys()}
    often = [name for name, share in shares.items() if share >= _MIN_FILLED]
    return sorted(often, key=lambda name: (-shares[name], name))[:MAX_COLUMNS]


def _filled_shares(rows: Sequence[OfferFacts]) -> dict[str, float]:
    """The share of the rows in which each column is filled."""
    counts = Counter(name for row in rows for name in row.details)
    return {name: count / len(rows) for name, count in counts.items()}


def column_agreement(left: Columns, right: Columns, i: Ints, j: Ints, likeness: Floats) -> Floats:
    """How far the columns speak for (above 0) or against (below 0) each pair; 0 where one is empty. `likeness` is the titles'."""
    total = np.zeros(len(i), dtype=np.float32)
    certain, others = _clear_pairs(i, j, likeness)
    for name in left:
        known = (np.diff(left[name].indptr)[i] > 0) & (np.diff(right[name].indptr)[j] > 0)
        alike = dots(left[name], right[name], i, j)
        right_mean = _mean_likeness(alike[certain & known], True)
        wrong_mean = _mean_likeness(alike[others & known], False)
        if right_mean > wrong_mean:
            signed = (right_mean - wrong_mean) * (alike - (right_mean + wrong_mean) / 2)
            total += np.where(known, signed, 0).astype(np.float32)
    return np.clip(total, -1, 1)


def _mean_likeness(alike: Floats, is_right: bool) -> float:
    """The mean likeness, close to what is expected where there are few pairs."""
    return (float(alike.sum()) + _PRIOR_PAIRS * _EXPECTED[is_right]) / (len(alike) + _PRIOR_PAIRS)


def _clear_pairs(i: Ints, j: Ints, likeness: Floats) -> tuple[Flags, Flags]:
    """Which pairs are certainly right by their titles, and which are the other pairs of the same rows.

    Certain is the better half of the pairs that are ahead of all others of either end.
    """
    first = np.ones(len(i), dtype=bool)
    for ends in (i, j):
        first &= likeness > best_rivals(ends, likeness, int(ends.max(initial=0)) + 1) + _LEAD
    certain = first & (likeness >= (np.median(likeness[first]) if first.any() else 0))
    has_certain = np.zeros(int(i.max(initial=0)) + 1, dtype=bool)
    has_certain[i[certain]] = True
    return certain, has_certain[i] & ~certain


def best_rivals(ends: Ints, scores: Floats, count: int) -> Floats:
    """For each pair, the best score of its end with another partner; 0 where there is none."""
    order = np.lexsort((-scores, ends))
    sorted_ends = ends[order]
    first = np.r_[True, sorted_ends[1:] != sorted_ends[:-1]]
    second = np.r_[False, first[:-1]] & ~first
    best = np.zeros(count, dtype=np.float32)
    next_best = np.zeros(count, dtype=np.float32)
    winner = np.full(count, -1, dtype=np.int64)
    best[sorted_ends[first]] = scores[order[first]]
    winner[sorted_ends[first]] = order[first]
    next_best[sorted_ends[second]] = scores[order[second]]
    rival = np.where(winner[ends] == np.arange(len(ends)), next_best[ends], best[ends])
    return np.maximum(rival, 0).astype(np.float32)
