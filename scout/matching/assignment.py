"""One to one: the set of pairs with the highest sum of gains in which no row and no column occurs twice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from scout.matching.vectors import Floats, Ints

_MAX_DENSE_CELLS = 10_000  # up to this size, a full table is the faster way to solve a group
MAX_EXACT_PAIRS = 200_000  # of a group that is solved exactly, in seconds; the time grows with the square


def one_to_one(i: Ints, j: Ints, gain: Floats) -> Ints:
    """The positions of the chosen pairs (i[k], j[k]); only pairs with a positive gain can be chosen.

    Groups of pairs that share no row or column are solved one by one, each optimally; a group too large for that chooses greedily,
    the highest gain first.
    """
    usable = np.flatnonzero(gain > 0)
    if not len(usable):
        return usable
    rows, i_dense = np.unique(i[usable], return_inverse=True)
    columns, j_dense = np.unique(j[usable], return_inverse=True)
    nodes, ones = len(rows) + len(columns), np.ones(len(usable), dtype=np.int8)
    graph = sparse.csr_matrix((ones, (i_dense, j_dense + len(rows))), shape=(nodes, nodes))
    _, labels = connected_components(graph, directed=False)
    order = np.argsort(labels[i_dense], kind="stable")
    borders = np.flatnonzero(np.diff(labels[i_dense][order])) + 1
    groups = np.split(usable[order], borders)
    kept = [group if len(group) == 1 else _solve_group(i, j, gain, group) for group in groups]
    return np.sort(np.concatenate(kept))


def _solve_group(i: Ints, j: Ints, gain: Floats, group: Ints) -> Ints:
    """The chosen pairs of one connected group."""
    if len(group) > MAX_EXACT_PAIRS:
        return _solve_greedily(i, j, gain, group)
    rows, r = np.unique(i[group], return_inverse=True)
    columns, c = np.unique(j[group], return_inverse=True)
    if len(rows) == 1 or len(columns) == 1:
        return group[[int(np.argmax(gain[group]))]]
    solve = _solve_dense if len(rows) * len(columns) <= _MAX_DENSE_CELLS else _solve_sparse
    if len(columns) < len(rows):  # the solvers iterate over rows: fewer rows are faster
        return group[solve(c, r, gain[group].astype(np.float64))]
    return group[solve(r, c, gain[group].astype(np.float64))]


def _solve_dense(r: Ints, c: Ints, gain: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which pairs of a small group are chosen."""
    gains = np.zeros((r.max() + 1, c.max() + 1))
    gains[r, c] = gain
    a, b = linear_sum_assignment(gains, maximize=True)
    partner = np.full(len(gains), -1)
    partner[a] = b
    return np.asarray(partner[r] == c)


def _solve_sparse(r: Ints, c: Ints, gain: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which pairs of a large group are chosen. Each row also gets a column of its own, "no partner", so that a full matching exists."""
    rows, columns = int(r.max()) + 1, int(c.max()) + 1
    alone = np.arange(rows)
    most = float(gain.max()) + 1  # costs must not be zero
    costs = np.concatenate([most - gain, np.full(rows, most)])
    where = (np.concatenate([r, alone]), np.concatenate([c, columns + alone]))
    a, b = min_weight_full_bipartite_matching(sparse.csr_matrix((costs, where), shape=(rows, columns + rows)))
    partner = np.full(rows, -1)
    partner[a] = b
    return np.asarray(partner[r] == c)


def _solve_greedily(i: Ints, j: Ints, gain: Floats, group: Ints) -> Ints:
    """Choose by falling gain wherever both ends are still free."""
    used_rows: set[int] = set()
    used_columns: set[int] = set()
    kept = []
    for position in group[np.argsort(-gain[group], kind="stable")].tolist():
        row, column = int(i[position]), int(j[position])
        if row not in used_rows and column not in used_columns:
            used_rows.add(row)
            used_columns.add(column)
            kept.append(position)
    return np.array(kept, dtype=np.int64)
