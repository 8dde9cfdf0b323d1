"""Texts as sparse rows: hashed character n-grams and words, weighted by rarity over both sides."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_BITS = 20  # a million buckets: collisions are rare for a million titles
CHUNK = 100_000  # pairs or texts at a time: bounds the memory, does not change the result
Rows = Any  # scipy.sparse.csr_matrix, which has no types
Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def _mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One round of a multiplicative hash (splitmix64's constants)."""
    hashes = hashes * np.uint64(0xBF58476D1CE4E5B9)
    result: NDArray[np.uint64] = hashes ^ (hashes >> np.uint64(29))
    return result


def ngram_rows(texts: Sequence[str], size: int) -> Rows:
    """One sparse row of character n-gram counts for each text."""
    parts = [_ngram_chunk(texts[start : start + CHUNK], size) for start in range(0, len(texts), CHUNK)]
    return sparse.vstack(parts, format="csr") if parts else sparse.csr_matrix((0, 1 << _BITS), dtype=np.float32)


def _ngram_chunk(texts: Sequence[str], size: int) -> Rows:
    """Hash all windows of `size` characters of the joined texts at once; those that span two texts are dropped."""
    characters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    windows = max(0, len(characters) - size + 1)
    hashes = np.full(windows, size, dtype=np.uint64)
    for offset in range(size):
        hashes = _mixed(hashes ^ characters[offset : offset + windows])
    whole = owner[:windows] == owner[size - 1 :] if windows else np.zeros(0, dtype=bool)
    columns = (hashes[whole] >> np.uint64(64 - _BITS)).astype(np.int32)
    return _counted(owner[:windows][whole], columns, (len(texts), 1 << _BITS))


def _counted(rows: Any, columns: Any, shape: tuple[int, int]) -> Rows:
    """The sparse matrix that counts each (row, column)."""
    matrix = sparse.csr_matrix((np.ones(len(columns), dtype=np.float32), (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    return matrix


class TokenNumbers:
    """Numbers for words, given in the order in which they are met, so that the result is the same in every run."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def rows(self, bags: Iterable[Iterable[str]]) -> tuple[Sequence[int], Sequence[int]]:
        """Row pointers and word numbers of the bags, each word once a bag."""
        pointers, columns = array("l", [0]), array("i")
        numbers = self.numbers
        for bag in bags:
            columns.extend([numbers.setdefault(word, len(numbers)) for word in dict.fromkeys(bag)])
            pointers.append(len(columns))
        return pointers, columns


def word_rows(*sides: Iterable[Iterable[str]]) -> list[Rows]:
    """For each side a sparse matrix of its bags of words, over one common vocabulary."""
    vocabulary = TokenNumbers()
    made = []
    for pointers, columns in [vocabulary.rows(side) for side in sides]:
        shape = (len(pointers) - 1, max(1, len(vocabulary.numbers)))
        made.append(sparse.csr_matrix((np.ones(len(columns), dtype=np.float32), columns, pointers), shape=shape))
    return made


def frequencies(*sides: Rows) -> Ints:
    """The number of rows, over all sides, in which each column occurs."""
    total: Ints = np.sum([np.bincount(side.indices, minlength=side.shape[1]) for side in sides], axis=0)
    return total


def rarity(*sides: Rows) -> Floats:
    """The weight of each column: the logarithm of its rarity over all sides."""
    total = sum(side.shape[0] for side in sides)
    weights: Floats = np.log((1 + total) / np.maximum(1, frequencies(*sides))).astype(np.float32)
    return weights


def weighted(matrix: Rows, weights: Floats) -> Rows:
    """The matrix with each column multiplied by its weight."""
    result = matrix.copy()
    result.data = result.data * weights[result.indices]
    return result


def _unit_rows(matrix: Rows) -> Rows:
    """The matrix with rows of length one."""
    lengths = np.sqrt(row_sums(matrix.multiply(matrix).tocsr()))
    result = matrix.copy()
    result.data = result.data / np.repeat(np.maximum(lengths, 1e-9), np.diff(matrix.indptr)).astype(np.float32)
    return result


def row_sums(matrix: Rows) -> Floats:
    """The sum of each row."""
    sums: Floats = np.asarray(matrix.sum(axis=1)).ravel()
    return sums


def cosine_rows(left: Rows, right: Rows) -> tuple[Rows, Rows]:
    """Both sides as unit rows of damped counts times rarity: the dot product of two rows is their cosine."""
    weights = rarity(left, right) + np.float32(1)
    scaled = []
    for side in (left, right):
        damped = side.copy()
        damped.data = 1 + np.log(damped.data)
        scaled.append(_unit_rows(weighted(damped, weights)))
    return scaled[0], scaled[1]


def dots(left: Rows, right: Rows, i: Ints, j: Ints) -> Floats:
    """The dot products of row i[k] of `left` with row j[k] of `right`."""
    result = np.zeros(len(i), dtype=np.float32)
    for start in range(0, len(i), CHUNK):
        part = slice(start, start + CHUNK)
        result[part] = row_sums(left[i[part]].multiply(right[j[part]]))
    return result
