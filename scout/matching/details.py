"""What else two lists say about their rows: columns that both have, each believed as far as it proves itself.

An author, a year, a category or the file name of a picture tells products apart in one pair of lists and is noise in the next. Pairs whose
titles leave little doubt show which: where a column agrees in these and not in their runners-up, it counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scout.matching.decision import rivals
from scout.matching.facts import Facts
from scout.matching.vectors import Floats, Ints, Rows, cosine_rows, dots, word_rows
from scout.matching.words import words

MOST_COLUMNS = 8
LEAST_FILLED = 0.05  # of the rows on either side: a rarer column decides little and is learned from too few
EXPECTED = {True: 0.6, False: 0.35}  # how alike a column is in right and in wrong pairs, before any are seen
PATIENCE = 20  # so many pairs outweigh what is expected
LEAD = 0.02  # of a title over the next best: of several that are the same, none is sure

Columns = Mapping[str, Rows]


def column_rows(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> tuple[Columns, Columns]:
    """The columns that both lists fill, each as unit rows of its words: the product of two rows is how alike they are."""
    both = (catalogue, offers)
    made = {}
    for name in common_columns(*both):
        bags = word_rows(*[(words(row.details.get(name, "")) for row in rows) for rows in both])
        made[name] = cosine_rows(bags[0], bags[1])
    return {name: rows[0] for name, rows in made.items()}, {name: rows[1] for name, rows in made.items()}


def common_columns(catalogue: Sequence[Facts], offers: Sequence[Facts]) -> list[str]:
    """The names of the columns that both lists fill often enough, the fullest first."""
    filled = [counted_columns(rows) for rows in (catalogue, offers)]
    shares = {
        name: min(filled[0][name] / len(catalogue), filled[1][name] / len(offers))
        for name in filled[0]
        if name in filled[1]
    }
    often = sorted(
        (name for name, share in shares.items() if share >= LEAST_FILLED), key=lambda name: (-shares[name], name)
    )
    return often[:MOST_COLUMNS]


def counted_columns(rows: Sequence[Facts]) -> dict[str, int]:
    """In how many rows each column is filled."""
    counts: dict[str, int] = {}
    for row in rows:
        for name in row.details:
            counts[name] = counts.get(name, 0) + 1
    return counts


def agreement(left: Columns, right: Columns, i: Ints, j: Ints, likeness: Floats) -> Floats:
    """How far the columns speak for (above 0) or against each pair; 0 where they are silent. `likeness` is the titles'."""
    total = np.zeros(len(i), dtype=np.float32)
    sure, others = clear_pairs(i, j, likeness)
    for name in left:
        known = (np.diff(left[name].indptr)[i] > 0) & (np.diff(right[name].indptr)[j] > 0)
        alike = dots(left[name], right[name], i, j)
        right_mean, wrong_mean = usual(alike[sure & known], True), usual(alike[others & known], False)
        if right_mean > wrong_mean:
            signed = (right_mean - wrong_mean) * (alike - (right_mean + wrong_mean) / 2)
            total += np.where(known, signed, 0).astype(np.float32)
    return np.clip(total, -1, 1)


def usual(alike: Floats, is_right: bool) -> float:
    """The mean likeness, held to what is expected where few pairs were seen."""
    return (float(alike.sum()) + PATIENCE * EXPECTED[is_right]) / (len(alike) + PATIENCE)


def clear_pairs(i: Ints, j: Ints, likeness: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which pairs are surely right by their titles, and which are the other pairs of the same rows.

    Surely right is the better half of those that are ahead of every other pair of either end.
    """
    first = np.ones(len(i), dtype=bool)
    for ends in (i, j):
        first &= likeness > rivals(ends, likeness, int(ends.max(initial=0)) + 1) + LEAD
    sure = first & (likeness >= (np.median(likeness[first]) if first.any() else 0))
    taken = np.zeros(int(i.max(initial=0)) + 1, dtype=bool)
    taken[i[sure]] = True
    return sure, taken[i] & ~sure
