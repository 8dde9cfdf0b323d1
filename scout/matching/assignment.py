"""One to one: the set of pairs with the highest sum of scores in which no row occurs twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from scout.matching.vectors import Floats, Ints

SMALL = 10_000  # cells of a group that is quicker solved as a full table
LARGEST = 200_000  # pairs of a group that is solved exactly, in seconds; the time grows with the square


def one_to_one(i: Ints, j: Ints, gain: Floats) -> Ints:
    """Positions in the lists of the pairs that are kept. Only pairs with a positive gain can be.

    Pairs that cannot influence each other (different connected groups) are solved apart, each optimally; a group too large for
    that takes its pairs greedily, the best first.
    """
    usable = np.flatnonzero(gain > 0)
    if not len(usable):
        return usable
    rows, i_dense = np.unique(i[usable], return_inverse=True)
    columns, j_dense = np.unique(j[usable], return_inverse=True)
    graph = sparse.csr_matrix(
        (np.ones(len(usable), dtype=np.int8), (i_dense, j_dense + len(rows))), shape=(len(rows) + len(columns),) * 2
    )
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels[i_dense], kind="stable")
    borders = np.flatnonzero(np.diff(labels[i_dense][order])) + 1
    groups = np.split(usable[order], borders)
    kept = [group if len(group) == 1 else solved(i, j, gain, group) for group in groups]
    return np.sort(np.concatenate(kept))


def solved(i: Ints, j: Ints, gain: Floats, group: Ints) -> Ints:
    """The kept pairs of one connected group."""
    if len(group) > LARGEST:
        return greedy(i, j, gain, group)
    rows, r = np.unique(i[group], return_inverse=True)
    columns, c = np.unique(j[group], return_inverse=True)
    if len(rows) == 1 or len(columns) == 1:
        return group[[int(np.argmax(gain[group]))]]
    solve = dense_pairs if len(rows) * len(columns) <= SMALL else sparse_pairs
    if len(columns) < len(rows):  # the solvers walk over the rows: the shorter list is the quicker
        return group[solve(c, r, gain[group].astype(np.float64))]
    return group[solve(r, c, gain[group].astype(np.float64))]


def dense_pairs(r: Ints, c: Ints, gain: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which pairs of a small group are kept."""
    gains = np.zeros((r.max() + 1, c.max() + 1))
    gains[r, c] = gain
    a, b = linear_sum_assignment(gains, maximize=True)
    partner = np.full(len(gains), -1)
    partner[a] = b
    return np.asarray(partner[r] == c)


def sparse_pairs(r: Ints, c: Ints, gain: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which pairs of a large group are kept. Each row also has a column of its own, "no partner", so that a full matching exists."""
    rows, columns = int(r.max()) + 1, int(c.max()) + 1
    alone = np.arange(rows)
    most = float(gain.max()) + 1  # costs must not be zero
    costs = np.concatenate([most - gain, np.full(rows, most)])
    where = (np.concatenate([r, alone]), np.concatenate([c, columns + alone]))
    a, b = min_weight_full_bipartite_matching(sparse.csr_matrix((costs, where), shape=(rows, columns + rows)))
    partner = np.full(rows, -1)
    partner[a] = b
    return np.asarray(partner[r] == c)


def greedy(i: Ints, j: Ints, gain: Floats, group: Ints) -> Ints:
    """The pairs taken by falling gain, where both ends are still free."""
    taken_i: set[int] = set()
    taken_j: set[int] = set()
    kept = []
    for position in group[np.argsort(-gain[group], kind="stable")].tolist():
        row, column = int(i[position]), int(j[position])
        if row not in taken_i and column not in taken_j:
            taken_i.add(row)
            taken_j.add(column)
            kept.append(position)
    return np.array(kept, dtype=np.int64)
