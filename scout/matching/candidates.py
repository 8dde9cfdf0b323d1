"""Blocking: for each offer the few rows of the other side that share its rarest features.

What an offer may cost is bounded by a budget of postings to look at, so that the time grows with the number of offers and not
with its square: in a larger catalogue the same budget buys rarer, more telling features.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from scout.matching.features import Side
from scout.matching.vectors import Ints, Rows, frequencies

BUDGET = 1000  # postings an offer may look at
KEPT = 10  # candidates kept for each row, from either side
DETAIL = np.float32(0.3)  # what a column in common counts beside the title, for being looked at
BLOCK = 2000  # rows multiplied at once: bounds the memory of the product


def candidate_pairs(left: Side, right: Side) -> tuple[Ints, Ints]:
    """Pairs of rows worth a closer look: the best few of each row on either side, by n-grams and words found."""
    i, j = best_partners(asking(left), answering(right))
    asked, found = best_partners(asking(right), answering(left))
    offers = right.price.shape[0]
    pairs = np.unique(np.concatenate([i, found]) * offers + np.concatenate([j, asked]))
    return pairs // offers, pairs % offers


def asking(side: Side) -> Rows:
    """What a row looks for: its n-grams, the words of its title and its details."""
    return sparse.hstack([side.ngrams, side.title, *(DETAIL * rows for rows in side.details.values())], format="csr")


def answering(side: Side) -> Rows:
    """Where a row is found: by its n-grams, every word of its texts and its details."""
    return sparse.hstack([side.ngrams, side.text, *side.details.values()], format="csr")


def best_partners(askers: Rows, answerers: Rows) -> tuple[Ints, Ints]:
    """For each asker the answerers with the highest product over the asker's affordable features."""
    postings = answerers.T.tocsr()
    costs = frequencies(answerers)
    found_i, found_j = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start in range(0, askers.shape[0], BLOCK):
        product = affordable(askers[start : start + BLOCK], costs) @ postings
        rows, columns = strongest(product, KEPT)
        found_i.append(rows + start)
        found_j.append(columns)
    return np.concatenate(found_i), np.concatenate(found_j)


def affordable(rows: Rows, costs: Ints) -> Rows:
    """Each row reduced to its rarest features, as many as the budget pays for and at least one."""
    owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    price = costs[rows.indices]
    met = price > 0
    owner, columns, data, price = owner[met], rows.indices[met], rows.data[met], price[met]
    order = np.lexsort((columns, price, owner))
    owner, columns, data, price = owner[order], columns[order], data[order], price[order]
    spent = np.cumsum(price)
    first = np.r_[True, owner[1:] != owner[:-1]] if len(owner) else np.zeros(0, dtype=bool)
    before = np.maximum.accumulate(np.where(first, spent - price, 0)) if len(owner) else spent
    kept = first | (spent - before <= BUDGET)
    return sparse.csr_matrix((data[kept], (owner[kept], columns[kept])), shape=rows.shape)


def strongest(product: Rows, count: int) -> tuple[Ints, Ints]:
    """The positions of the `count` largest values in each row. Sorting all of them would cost more than finding them did."""
    pointers, data, columns = product.indptr.tolist(), product.data, product.indices
    rows, found = [], []
    for row, (start, end) in enumerate(pairwise(pointers)):
        kept = columns[start:end]
        if end - start > count:
            kept = kept[np.argpartition(data[start:end], end - start - count)[-count:]]
        rows.append(np.full(len(kept), row, dtype=np.int64))
        found.append(kept)
    return np.concatenate(rows), np.concatenate(found).astype(np.int64)
