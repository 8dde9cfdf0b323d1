"""The words that tell look-alikes apart, learned from the two lists themselves.

The likeliest partners of one row are look-alikes of each other: the few words in which their titles differ tell products apart ("Dallas
Cowboys" in a list of caps). Words in which the titles of one product differ as well do not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scout.matching.vectors import CHUNK, Floats, Ints, Rows, row_sums, weighted

_LOOKALIKES = 4  # the likeliest partners of a row, which are compared with each other
_MAX_DIFFERENCE = 3  # words: titles that differ in more are not alike
_MIN_COMMON = 2  # words
_TOLERATED = 3  # times as much as a difference between look-alikes counts one within a product
_PRIOR = 2  # differences that a word needs to have half of its weight


def telling_words(
    titles: tuple[Rows, Rows], texts: tuple[Rows, Rows], i: Ints, j: Ints, likeness: Floats, same: tuple[Ints, Ints]
) -> Floats:
    """How surely words of one title that the other offer lacks mean another product, from 0 to 1, the mean of both sides. `same` are
    pairs that are certainly of one product."""
    known, found = (_presence(rows) for rows in titles)
    between = _difference_counts(found, found, *_lookalikes(i, j, likeness))
    between += _difference_counts(known, known, *_lookalikes(j, i, likeness))
    within = _difference_counts(known, found, *same)
    weights = (between / (between + _TOLERATED * within + _PRIOR)).astype(np.float32)
    missed = (
        _most_telling(weighted(known, weights), texts[1], i, j),
        _most_telling(weighted(found, weights), texts[0], j, i),
    )
    mean: Floats = np.mean(missed, axis=0)
    return mean


def _presence(rows: Rows) -> Rows:
    """The same words, each with the value one."""
    made = rows.copy()
    made.data = np.ones_like(made.data)
    return made


def _lookalikes(ends: Ints, partners: Ints, likeness: Floats) -> tuple[Ints, Ints]:
    """Pairs among the likeliest partners of each end, each once."""
    order = np.lexsort((-likeness, ends))
    ends, partners = ends[order], partners[order]
    rank = np.arange(len(ends)) - np.searchsorted(ends, ends)
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for distance in range(1, _LOOKALIKES):
        both = (ends[distance:] == ends[:-distance]) & (rank[distance:] < _LOOKALIKES)
        pairs.append(np.sort(np.stack((partners[:-distance], partners[distance:]), axis=1)[both], axis=1))
    one, other = np.unique(np.concatenate(pairs), axis=0).T
    return one, other


def _difference_counts(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """For each word the number of pairs of similar titles of which only one has it."""
    counts = np.zeros(left.shape[1], dtype=np.float32)
    for part in _parts(len(i)):
        one, other = left[i[part]], right[j[part]]
        common = one.multiply(other)
        only = one - common, other - common
        sizes = np.stack([row_sums(rows) for rows in only])
        alike = (sizes.min(axis=0) > 0) & (sizes.max(axis=0) <= _MAX_DIFFERENCE) & (row_sums(common) >= _MIN_COMMON)
        for rows in only:
            counts += np.asarray(rows[alike].sum(axis=0), dtype=np.float32).ravel()
    return counts


def _most_telling(titles: Rows, texts: Rows, i: Ints, j: Ints) -> Floats:
    """For each pair the greatest weight of a word of title i[k] that text j[k] lacks."""
    greatest = np.zeros(len(i), dtype=np.float32)
    for part in _parts(len(i)):
        title = titles[i[part]]
        greatest[part] = (title - title.multiply(texts[j[part]])).max(axis=1).toarray().ravel()
    return greatest


def _parts(count: int) -> Iterator[slice]:
    return (slice(start, start + CHUNK) for start in range(0, count, CHUNK))
