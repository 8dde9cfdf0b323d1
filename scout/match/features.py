"""What speaks for and against a pair, for many pairs at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scout.match.facts import Facts
from scout.match.vectors import Floats, Ints, Rows, cosine_rows, dots, ngram_rows, rarity, row_sums, weighted, word_rows
from scout.match.words import codes, numbers, words

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
    numbers: Rows
    brand: Rows
    price: Floats


def sides(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> tuple[Side, Side]:
    """Both lists as matrices over common columns."""
    both = (catalogue, offers)
    ngrams = cosine_rows(*(ngram_rows([NOT_WORD.sub("", row.title) for row in rows], NGRAM) for rows in both))
    texts = word_rows(
        *[[words(row.title) for row in rows] for rows in both], *[[words(row.text) for row in rows] for rows in both]
    )
    code_bags = word_rows(*[[codes(row.title) for row in rows] for rows in both])
    number_bags = word_rows(*[[numbers(row.title) for row in rows] for rows in both])
    brands = word_rows(*[[[row.brand] if row.brand else [] for row in rows] for rows in both])
    prices = [np.array([row.price or np.nan for row in rows], dtype=np.float32) for rows in both]
    made = [Side(ngrams[k], texts[k], texts[k + 2], code_bags[k], number_bags[k], brands[k], prices[k]) for k in (0, 1)]
    return made[0], made[1]


def features(left: Side, right: Side, i: Ints, j: Ints) -> dict[str, Floats]:
    """One array for each feature, over the pairs (i[k], j[k])."""
    return {
        "ngrams": dots(left.ngrams, right.ngrams, i, j),
        "known words found": coverage(left.title, right.text, i, j),
        "found words known": coverage(right.title, left.text, j, i),
        "code": (dots(left.codes, right.codes, i, j) > 0).astype(np.float32),
        "other code": disjoint(left.codes, right.codes, i, j),
        "other number": both_have_more(left.numbers, right.numbers, i, j),
        "brand": agreement(left.brand, right.brand, i, j),
        "price": price_distance(left.price[i], right.price[j]),
    }


def coverage(titles: Rows, texts: Rows, i: Ints, j: Ints) -> Floats:
    """How much of a title, by the rarity of its words, stands in the other's text."""
    heavy = weighted(titles, rarity(titles, texts))
    total = row_sums(heavy)[i]
    share: Floats = dots(heavy, texts, i, j) / np.maximum(total, np.float32(1e-6))
    return share


def sizes(matrix: Rows, positions: Ints) -> Ints:
    """How many entries the rows at the positions have."""
    result: Ints = np.diff(matrix.indptr)[positions]
    return result


def disjoint(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where both have some and none in common."""
    some = (sizes(left, i) > 0) & (sizes(right, j) > 0)
    apart: Floats = (some & (dots(left, right, i, j) == 0)).astype(np.float32)
    return apart


def both_have_more(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where each side has one that the other lacks: "8 GB" against "16 GB", but not against a title without any."""
    common = dots(left, right, i, j)
    return ((sizes(left, i) > common) & (sizes(right, j) > common)).astype(np.float32)


def agreement(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """1 where they are the same, -1 where both are known and differ, 0 where one is unknown."""
    some = (sizes(left, i) > 0) & (sizes(right, j) > 0)
    same = dots(left, right, i, j) > 0
    return (some * np.where(same, 1, -1)).astype(np.float32)


def price_distance(one: Floats, other: Floats) -> Floats:
    """How far apart two prices are as a ratio, from 0 (equal) to 1."""
    with np.errstate(invalid="ignore"):
        distance = np.minimum(np.abs(np.log(one / other)), MAX_PRICE_RATIO)
    return np.where(np.isnan(distance), UNKNOWN_PRICE, distance).astype(np.float32)
