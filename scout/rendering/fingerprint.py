"""Fingerprints of a page's levels by Bloom filter, and how similar two pages are by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import zip_longest

BITS = 4096  # a level of 600 different tags sets at most a quarter of them, so that few collide
HASHES = 2

Fingerprint = tuple[int, ...]


def bloom_filter(features: Iterable[str]) -> int:
    """The features as bits of one number, in which each of them is found again; one that it does not have seldom is."""
    bits = 0
    for feature in features:  # not hash(): that differs from process to process
        digest = blake2b(feature.encode(), digest_size=4 * HASHES).digest()
        for i in range(0, len(digest), 4):
            bits |= 1 << int.from_bytes(digest[i : i + 4], "big") % BITS
    return bits


def fingerprint(levels: Sequence[Counter[str]]) -> Fingerprint:
    """One Bloom filter per level. A tag that stands there n times counts about log n times: fifty records resemble sixty."""
    return tuple(
        bloom_filter(f"{name}#{i}" for name, count in level.items() for i in range(count.bit_length()))
        for level in levels
    )


def similarity(a: Fingerprint, b: Fingerprint) -> float:
    """The share of bits that both have among those that either has, over all levels: 1.0 for the same structure."""
    levels = list(zip_longest(a, b, fillvalue=0))
    either = sum((one | other).bit_count() for one, other in levels)
    return sum((one & other).bit_count() for one, other in levels) / either if either else 1.0
