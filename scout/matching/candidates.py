"""Blocking: for each offer the few rows of the other side that share its rarest features.

A budget of postings bounds the cost of an offer, so that the time grows with the number of offers and not with its square: in a larger
catalogue the same budget buys rarer, more specific features.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy import sparse

from scout.matching.features import OfferMatrices
from scout.matching.vectors import Ints, Rows, frequencies

_BUDGET = 1000  # postings to look at for an offer
_KEPT = 10  # candidates for each row, from either side
_MIN_KEPT = 3
_DETAIL = np.float32(0.3)  # weight of a common column beside the title's, when choosing candidates
_BLOCK = 2000  # rows multiplied at a time: bounds the memory of the product


def candidate_pairs(left: OfferMatrices, right: OfferMatrices) -> tuple[Ints, Ints]:
    """Pairs of rows worth a closer look: for each row of either side, the few with the most n-grams and words in common."""
    rows, offers = left.price.shape[0], right.price.shape[0]
    i, j = _best_partners(_query_rows(left), _indexed_rows(right), _kept(rows, offers))
    right_rows, left_rows = _best_partners(_query_rows(right), _indexed_rows(left), _kept(offers, rows))
    pairs = np.unique(np.concatenate([i, left_rows]) * offers + np.concatenate([j, right_rows]))
    return pairs // offers, pairs % offers


def _kept(own: int, other: int) -> int:
    """How many candidates a row searches: fewer in a list that is longer than the other, most of whose rows can have no partner."""
    return max(_MIN_KEPT, min(_KEPT, _KEPT * other // max(1, own)))


def _query_rows(side: OfferMatrices) -> Rows:
    """What a row searches by: its n-grams, the words of its title and its details."""
    return sparse.hstack([side.ngrams, side.title, *(_DETAIL * rows for rows in side.details.values())], format="csr")


def _indexed_rows(side: OfferMatrices) -> Rows:
    """What a row can be found by: its n-grams, every word of its texts and its details."""
    return sparse.hstack([side.ngrams, side.text, *side.details.values()], format="csr")


def _best_partners(queries: Rows, indexed: Rows, kept: int) -> tuple[Ints, Ints]:
    """For each query the indexed rows with the highest product over the features that its budget allows."""
    postings = indexed.T.tocsr()
    costs = frequencies(indexed)
    found_i, found_j = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for start in range(0, queries.shape[0], _BLOCK):
        product = _rarest_features(queries[start : start + _BLOCK], costs) @ postings
        rows, columns = _top_columns(product, kept)
        found_i.append(rows + start)
        found_j.append(columns)
    return np.concatenate(found_i), np.concatenate(found_j)


def _rarest_features(rows: Rows, costs: Ints) -> Rows:
    """Each row reduced to its rarest features: as many as the budget allows, and at least one."""
    owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    price = costs[rows.indices]
    known = price > 0  # by the other side
    owner, columns, data, price = owner[known], rows.indices[known], rows.data[known], price[known]
    order = np.lexsort((columns, price, owner))
    owner, columns, data, price = owner[order], columns[order], data[order], price[order]
    spent = np.cumsum(price)
    first = np.r_[True, owner[1:] != owner[:-1]] if len(owner) else np.zeros(0, dtype=bool)
    before = np.maximum.accumulate(np.where(first, spent - price, 0)) if len(owner) else spent
    kept = first | (spent - before <= _BUDGET)
    return sparse.csr_matrix((data[kept], (owner[kept], columns[kept])), shape=rows.shape)


def _top_columns(product: Rows, count: int) -> tuple[Ints, Ints]:
    """The positions of the `count` largest values in each row. Sorting all of them would cost more than the product did."""
    pointers, data, columns = product.indptr.tolist(), product.data, product.indices
    rows, found = [], []
    for row, (start, end) in enumerate(pairwise(pointers)):
        kept = columns[start:end]
        if end - start > count:
            kept = kept[np.argpartition(data[start:end], end - start - count)[-count:]]
        rows.append(np.full(len(kept), row, dtype=np.int64))
        found.append(kept)
    return np.concatenate(rows), np.concatenate(found).astype(np.int64)
