"""What speaks for and against a pair, for many pairs at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scout.matching.details import Columns, agreement, column_rows
from scout.matching.facts import Facts
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
from scout.matching.words import (
    codes,
    colours,
    editions,
    findable_words,
    long_codes,
    numbers,
    quantities,
    sizes,
    skeleton,
    telling_words,
)

NGRAM = 4
MAX_PRICE_RATIO = 1.0  # natural logarithm: beyond e a price says "another product" no louder
UNKNOWN_PRICE = 0.4  # between equal and contradicting
NOT_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Side:
    """One list of rows as sparse matrices."""

    ngrams: Rows
    title: Rows
    text: Rows
    codes: Rows
    models: Rows
    numbers: Rows
    sizes: Rows
    skeleton: Rows
    brand: Rows
    colours: Rows
    editions: Rows
    kinds: Rows
    quantities: Rows
    ean: Ints
    price: Floats
    details: Columns


# what is compared as a set of words -> how a row has it
BAGS: Mapping[str, Callable[[Facts], Iterable[str]]] = {
    "codes": lambda row: codes(row.title),
    "models": lambda row: long_codes(row.title),
    "numbers": lambda row: numbers(row.title),
    "sizes": lambda row: sizes(row.title),
    "skeleton": lambda row: [skeleton(row.title)],
    "brand": lambda row: [row.brand] if row.brand else [],
    "colours": lambda row: colours(row.title),
    "editions": lambda row: editions(row.title),
    "kinds": lambda row: {kind for kind, _ in quantities(row.title)},
    "quantities": lambda row: {f"{kind} {amount}" for kind, amount in quantities(row.title)},
}


def sides(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> tuple[Side, Side]:
    """Both lists as matrices over common columns."""
    both = (catalogue, offers)
    ngrams = cosine_rows(*(ngram_rows([NOT_WORD.sub("", row.title) for row in rows], NGRAM) for rows in both))
    titles = [(telling_words(row.title) for row in rows) for rows in both]
    texts = word_rows(*titles, *[(findable_words(row.title, row.text) for row in rows) for rows in both])
    bags = {name: word_rows(*[map(bag, rows) for rows in both]) for name, bag in BAGS.items()}
    details = column_rows(*both)
    made = [
        Side(
            ngrams=ngrams[k],
            title=shares(texts[k], texts[3 - k]),
            text=texts[2 + k],
            ean=np.array([int(row.ean or 0) for row in both[k]], dtype=np.int64),
            price=np.array([row.price or np.nan for row in both[k]], dtype=np.float32),
            details=details[k],
            **{name: rows[k] for name, rows in bags.items()},
        )
        for k in (0, 1)
    ]
    return made[0], made[1]


def features(left: Side, right: Side, i: Ints, j: Ints) -> dict[str, Floats]:
    """One array for each feature, over the pairs (i[k], j[k])."""
    likeness = {
        "ngrams": dots(left.ngrams, right.ngrams, i, j),
        "known words found": dots(left.title, right.text, i, j),
        "found words known": dots(right.title, left.text, j, i),
    }
    return likeness | {
        "code": (dots(left.codes, right.codes, i, j) > 0).astype(np.float32),
        "model": (dots(left.models, right.models, i, j) > 0).astype(np.float32),
        "other code": disjoint(left.codes, right.codes, i, j),
        "quantity": (dots(left.quantities, right.quantities, i, j) > 0).astype(np.float32),
        "other number": both_have_more(left.numbers, right.numbers, i, j),
        "brand": (dots(left.brand, right.brand, i, j) > 0).astype(np.float32),
        "other brand": disjoint(usual(left.brand, right.brand), usual(right.brand, left.brand), i, j),
        "price": price_distance(left.price[i], right.price[j]),
        "details": agreement(left.details, right.details, i, j, np.mean(list(likeness.values()), axis=0)),
    }


def shares(titles: Rows, texts: Rows) -> Rows:
    """The titles' words as parts of one, by their rarity: the product with the other's text is how much of the title it has."""
    heavy = weighted(titles, rarity(titles, texts))
    heavy.data = heavy.data / np.repeat(np.maximum(row_sums(heavy), 1e-6), np.diff(heavy.indptr)).astype(np.float32)
    return heavy


def counts(matrix: Rows, positions: Ints) -> Ints:
    """How many entries the rows at the positions have."""
    result: Ints = np.diff(matrix.indptr)[positions]
    return result


def disjoint(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where both have some and none in common."""
    some = (counts(left, i) > 0) & (counts(right, j) > 0)
    apart: Floats = (some & (dots(left, right, i, j) == 0)).astype(np.float32)
    return apart


def other_quantity(left: Side, right: Side, i: Ints, j: Ints) -> Floats:
    """1 where both measure something of the same kind and no amount of theirs agrees."""
    compared = dots(left.kinds, right.kinds, i, j) > 0
    agreed = dots(left.quantities, right.quantities, i, j) > 0
    return (compared & ~agreed).astype(np.float32)


def contradiction(left: Side, right: Side, i: Ints, j: Ints) -> Flags:
    """Whether something says that the two cannot be one product: another EAN, colour, edition or capacity, or titles that
    differ in their numbers and in nothing else."""
    one, other = left.ean[i], right.ean[j]
    veto: Flags = (one > 0) & (other > 0) & (one != other)
    same_model = (
        dots(left.models, right.models, i, j) > 0
    )  # then "red" may be that of a display, and "home" where a shop sees it
    veto |= (disjoint(left.colours, right.colours, i, j) > 0) & ~same_model
    veto |= (disjoint(left.editions, right.editions, i, j) > 0) & ~same_model
    veto |= other_quantity(left, right, i, j) > 0
    only_numbers_differ = dots(left.skeleton, right.skeleton, i, j) > 0
    veto |= only_numbers_differ & (both_have_more(left.sizes, right.sizes, i, j) > 0)
    return veto


def both_have_more(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where each side has one that the other lacks: "8 GB" against "16 GB", but not against a title without any."""
    common = dots(left, right, i, j)
    return ((counts(left, i) > common) & (counts(right, j) > common)).astype(np.float32)


def usual(names: Rows, others: Rows) -> Rows:
    """The names that the other list uses as well: only these can contradict, all others may be another spelling."""
    common = weighted(names, (frequencies(others) > 0).astype(np.float32))
    common.eliminate_zeros()
    return common


def price_distance(one: Floats, other: Floats) -> Floats:
    """How far apart two prices are as a ratio, from 0 (equal) to 1."""
    with np.errstate(invalid="ignore"):
        distance = np.minimum(np.abs(np.log(one / other)), MAX_PRICE_RATIO)
    return np.where(np.isnan(distance), UNKNOWN_PRICE, distance).astype(np.float32)
