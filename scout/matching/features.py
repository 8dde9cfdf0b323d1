"""What speaks for and against a pair, for many pairs at once.

Columns that both lists have (author, year, category, file names of pictures) tell products apart in one pair of lists and are noise in
the next. Pairs whose titles leave little doubt show which: a column _entry_counts as far as it agrees in these and not in their runners-up.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from scout.matching import words
from scout.matching.columns import is_field
from scout.matching.facts import OfferFacts, extended
from scout.matching.lookalikes import telling_words
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
_BARE_NUMBER = re.compile(r"[\W\d_]*")
_NOT_WORD = re.compile(r"[\W_]+")

Columns = Mapping[str, Rows]


@dataclass(frozen=True)
class OfferMatrices:
    """One list of offers as sparse matrices, a row for each."""

    ngrams: Rows
    title: Rows
    text: Rows
    codes: Rows
    letters: Sequence[str]  # of the titles, with their digits and nothing else
    short_codes: Sequence[Sequence[str]]
    words: Columns  # by the names of _WORD_SETS and _AMOUNTS
    ean: Ints
    price: Floats
    details: Columns


# matrix -> the words of a row in it
_WORD_SETS: Mapping[str, Callable[[OfferFacts], Iterable[str]]] = {
    "families": lambda row: words.code_families(row.name),
    "sizes": lambda row: words.sizes(row.name),
    "skeleton": lambda row: [words.skeleton(row.name)],
    "colours": lambda row: words.named("colours", row.name),
    "editions": lambda row: words.named("editions", row.name),
    "platforms": lambda row: words.named("platforms", row.name),
    "licences": lambda row: words.named("licences", row.name),
}
_AMOUNTS = {"quantities": words.quantities, "contexts": words.numbered_words}  # matrix -> the (kind, amount) of a title


def offer_matrices(
    catalogue: Sequence[OfferFacts], offers: Sequence[OfferFacts]
) -> tuple[OfferMatrices, OfferMatrices]:
    """Both lists as matrices with the same columns."""
    both = _fully_named(catalogue, offers), _fully_named(offers, catalogue)
    letters = [[_NOT_WORD.sub("", row.name) for row in rows] for rows in both]
    ngrams = cosine_rows(*(ngram_rows(texts, _NGRAM) for texts in letters))
    texts = word_rows(
        *[(words.title_words(row.name) for row in rows) for rows in both],
        *[(words.findable_words(row.name, row.text) for row in rows) for rows in both],
        *[(words.part_numbers(row.name) for row in rows) for rows in both],
    )
    titles, findable, codes = (texts[k : k + 2] for k in range(0, 6, 2))
    bags = _word_bags(both)
    details = column_rows(*both)
    # a part number that many rows share is a family's
    uniqueness: Floats = (1 / np.maximum(1, frequencies(*findable) - 1)).astype(np.float32)
    made = [
        OfferMatrices(
            ngrams=ngrams[k],
            title=_rarity_shares(titles[k], findable[1 - k]),
            text=findable[k],
            codes=weighted(codes[k], uniqueness),
            letters=letters[k],
            short_codes=[tuple(words.short_codes(row.name)) for row in both[k]],
            ean=np.array([int(row.ean or 0) for row in both[k]], dtype=np.int64),
            price=np.array([row.price or np.nan for row in both[k]], dtype=np.float32),
            details=details[k],
            words={name: rows[k] for name, rows in bags.items()},
        )
        for k in (0, 1)
    ]
    return made[0], made[1]


def _word_bags(both: Sequence[Sequence[OfferFacts]]) -> dict[str, list[Rows]]:
    """For each set of words the matrices of both lists."""
    brands = _brand_names(both)
    sets = {**_WORD_SETS, "brand": lambda row: _brands_of(row, brands)}
    bags = {name: word_rows(*[map(bag, rows) for rows in both]) for name, bag in sets.items()}
    for name, read in _AMOUNTS.items():
        amounts = [[read(row.name) for row in rows] for rows in both]
        bags[name] = word_rows(*[(map(" ".join, bag) for bag in side) for side in amounts])
        bags[f"{name} in kind"] = word_rows(*[({kind for kind, _ in bag} for bag in side) for side in amounts])
    return bags


def _fully_named(rows: Sequence[OfferFacts], others: Sequence[OfferFacts]) -> list[OfferFacts]:
    """The rows with the names extended by what these have in columns and the others in titles: article numbers, colours, sizes."""
    codes = {code for row in others for code in words.short_codes(row.name)}
    columns = _title_columns(rows, others)
    made = []
    for row in rows:
        texts = [row.sku] if row.sku in codes else []
        texts += [row.details[column] for column in columns if column in row.details]
        made.append(replace(row, name=extended(row.name, texts)) if texts else row)
    return made


def _title_columns(rows: Sequence[OfferFacts], others: Sequence[OfferFacts]) -> list[str]:
    """The columns that the others lack, and whose words are mostly in their titles. A bare number says too little for that."""
    common = {column for row in others for column in row.details}
    vocabulary = {word for row in others for word in words.words(row.name)}
    is_told: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        for column, text in row.details.items():
            if column not in common and not is_field(column):
                is_told[column].append(not _BARE_NUMBER.fullmatch(text) and vocabulary.issuperset(words.words(text)))
    return [column for column, told in is_told.items() if 2 * sum(told) > len(told)]


_MIN_BRAND = 3  # letters: a shorter name is a word of many titles


def _brand_names(both: Iterable[Sequence[OfferFacts]]) -> frozenset[str]:
    """The brands that the rows of either list name, as they are written in titles."""
    return frozenset(row.brand for rows in both for row in rows if row.brand and len(row.brand) >= _MIN_BRAND)


def _brands_of(row: OfferFacts, brands: frozenset[str]) -> set[str]:
    """The brands that a row names; "Encore Software" is also "Encore", where that is a brand of the lists."""
    named = words.names_in(f"{row.brand or ''} {row.name}", brands)
    return named | brands & {name[:cut] for name in named for cut in range(_MIN_BRAND, len(name))}


def pair_features(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> dict[str, Floats]:
    """One array for each feature, over the pairs (i[k], j[k])."""
    made = _text_features(left, right, i, j) | _code_features(left, right, i, j) | _variant_features(left, right, i, j)
    made["brand"] = _common(left, right, i, j, "brand") > 0
    made["other brand"] = _disjoint(left, right, i, j, "brand")
    certain, _ = _clear_pairs(i, j, made["ngrams"])
    titles, texts = (left.title, right.title), (left.text, right.text)
    made["telling words"] = telling_words(titles, texts, i, j, made["ngrams"], (i[certain], j[certain]))
    made["price"] = _price_distance(left.price[i], right.price[j], certain)
    return {name: values.astype(np.float32) for name, values in made.items()}


def _text_features(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> dict[str, Any]:
    """How much the titles, the whole texts and the columns that both lists have agree."""
    known, found = dots(left.title, right.text, i, j), dots(right.title, left.text, j, i)
    ngrams = dots(left.ngrams, right.ngrams, i, j)
    likeness: Floats = (ngrams + known + found) / np.float32(3)
    return {
        "ngrams": ngrams,
        "words of the longer": np.minimum(known, found),
        "words of the shorter": np.maximum(known, found),
        "unlike": np.maximum(1 - likeness / _UNLIKE, 0),
        "details": column_agreement(left.details, right.details, i, j, likeness),
    }


def _code_features(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> dict[str, Any]:
    """Whether part numbers are the same, or of one family."""
    codes = np.maximum(dots(left.codes, right.text, i, j), dots(right.codes, left.text, j, i))
    inside, apart = _codes_inside(left, right, i, j)
    return {
        "code": np.minimum(codes, 1),
        "other code": apart & (codes == 0),
        "code inside": (inside >= _MIN_INSIDE) & (codes == 0),
        "sibling code": (_common(left, right, i, j, "families") > 0) & (codes == 0),
    }


_MIN_INSIDE = 5  # characters of a code that are not in another product's title by chance


def _codes_inside(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> tuple[Ints, Flags]:
    """For each pair the length of the longest code of one title that the other has somewhere, however it is joined or spaced; and
    whether both have codes, but not one that the other has."""
    known, found = (np.array([len(codes) for codes in side.short_codes]) > 0 for side in (left, right))
    longest = np.zeros(len(i), dtype=np.int64)
    some = np.flatnonzero(known[i] | found[j])
    for k, row, offer in zip(some.tolist(), i[some].tolist(), j[some].tolist(), strict=True):
        inside = [len(code) for code in left.short_codes[row] if code in right.letters[offer]]
        inside += [len(code) for code in right.short_codes[offer] if code in left.letters[row]]
        longest[k] = max(inside, default=0)
    return longest, known[i] & found[j] & (longest == 0)


def _variant_features(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> dict[str, Any]:
    """What tells the variants of a model apart: amounts, numbers beside a word, packs, colours, editions."""
    common, apart = partial(_common, left, right, i, j), partial(_disjoint, left, right, i, j)
    kinds, amounts, values = common("quantities in kind"), common("quantities"), common("contexts")
    colours, editions = apart("colours"), apart("editions")
    differ = colours | editions | ((kinds > 0) & (amounts == 0))
    differ |= _each_has_more(left.words["sizes"], right.words["sizes"], i, j)
    return {
        "quantity": amounts > 0,
        "other quantity": kinds > amounts,
        "context": values > 0,
        "other context": common("contexts in kind") > values,
        "colour": common("colours") > 0,
        "other colour": colours,
        "other edition": editions,
        "other platform": apart("platforms"),
        "other licence": _entry_counts(left.words["licences"], i) != _entry_counts(right.words["licences"], j),
        "variant": (common("skeleton") > 0) & differ,
    }


_UNLIKE = 0.3  # titles with less in common are not written for one product, whatever else agrees


def _common(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints, name: str) -> Floats:
    """How many words of this set the two have in common."""
    return dots(left.words[name], right.words[name], i, j)


def _rarity_shares(titles: Rows, texts: Rows) -> Rows:
    """The titles' words by their rarity, each row summing to one: the product with a text is the share of the title that it has."""
    heavy = weighted(titles, rarity(titles, texts))
    heavy.data = heavy.data / np.repeat(np.maximum(row_sums(heavy), 1e-6), np.diff(heavy.indptr)).astype(np.float32)
    return heavy


def _entry_counts(matrix: Rows, positions: Ints) -> Ints:
    """The number of entries in the rows at the positions."""
    result: Ints = np.diff(matrix.indptr)[positions]
    return result


def _disjoint(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints, name: str) -> Flags:
    """Which pairs both have some words of this set, and none in common."""
    some = (_entry_counts(left.words[name], i) > 0) & (_entry_counts(right.words[name], j) > 0)
    apart: Flags = some & (_common(left, right, i, j, name) == 0)
    return apart


def contradictions(left: OfferMatrices, right: OfferMatrices, i: Ints, j: Ints) -> Flags:
    """Which pairs cannot be one product: they have different EANs."""
    one, other = left.ean[i], right.ean[j]
    veto: Flags = (one > 0) & (other > 0) & (one != other)
    return veto


def _each_has_more(left: Rows, right: Rows, i: Ints, j: Ints) -> Flags:
    """Where each side has one that the other lacks: "desk 120" against "desk 160", but not against a title without any."""
    common = dots(left, right, i, j)
    more: Flags = (_entry_counts(left, i) > common) & (_entry_counts(right, j) > common)
    return more


def _price_distance(one: Floats, other: Floats, certain: Flags) -> Floats:
    """How far the ratio of two prices is from what it usually is in clear pairs, from 0 to 1: one list may have net prices, or another
    currency without saying so."""
    with np.errstate(invalid="ignore"):
        ratios = np.log(one / other)
    seen = ratios[certain & ~np.isnan(ratios)]
    usual = np.median(np.r_[np.zeros(_PRIOR_PAIRS), seen])
    distance = np.minimum(np.abs(ratios - usual), _MAX_PRICE_RATIO)
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
