"""Blocking: for each offer the few rows of the other side that share its rarest features.

What an offer may cost is bounded by a budget of postings to look at, so that the time grows with the number of offers and not
with its square: in a larger catalogue the same budget buys rarer, more telling features.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from scout.match.vectors import Ints, Rows, frequencies

BUDGET = 3000  # postings an offer may look at
KEPT = 10  # candidates kept for each row, from either side
BLOCK = 2000  # rows multiplied at once: bounds the memory of the product


def candidate_pairs(left: Rows, right: Rows) -> tuple[Ints, Ints]:
    """Pairs of rows worth a closer look: the best few of each row on either side, by the dot product of their rare features."""
    i, j = best_partners(left, right)
    asked, answering = best_partners(right, left)
    pairs = np.unique(np.concatenate([i, answering]).astype(np.int64) * right.shape[0] + np.concatenate([j, asked]))
    return pairs // right.shape[0], pairs % right.shape[0]


def best_partners(askers: Rows, answerers: Rows) -> tuple[Ints, Ints]:
    """For each asker the answerers with the highest product over the asker's affordable features."""
    postings = answerers.T.tocsr()
    wanted = affordable(askers, frequencies(answerers))
    found_i, found_j = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start in range(0, wanted.shape[0], BLOCK):
        product = (wanted[start : start + BLOCK] @ postings).tocsr()
        rows, columns = strongest(product, KEPT)
        found_i.append(rows + start)
        found_j.append(columns)
    return np.concatenate(found_i), np.concatenate(found_j)


def affordable(rows: Rows, costs: Ints) -> Rows:
    """Each row reduced to its rarest features, as many as the budget pays for and at least one."""
    rows = rows.tocsr()
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
    """The positions of the `count` largest values in each row; of equals the first column wins."""
    owner = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
    order = np.lexsort((product.indices, -product.data, owner))
    rank = np.arange(len(order)) - product.indptr[owner[order]]
    kept = order[rank < count]
    return owner[kept].astype(np.int64), product.indices[kept].astype(np.int64)
