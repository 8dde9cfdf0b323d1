"""Fingerprints of a page's levels by Bloom filter, and how similar two pages are by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

BITS = 4096  # a level of 600 different tags sets at most a quarter of them, so that few collide
HASHES = 2


@dataclass(frozen=True)
class BloomFilter:
    """A set of strings as bits of one integer: may claim what was never added, never forgets what was."""

    bits: int = 0

    @classmethod
    def of(cls, features: Iterable[str]) -> BloomFilter:
        """The filter that holds all `features`."""
        bits = 0
        for feature in features:
            for position in _positions(feature):
                bits |= 1 << position
        return cls(bits)

    def __contains__(self, feature: str) -> bool:
        return all(self.bits >> position & 1 for position in _positions(feature))


def _positions(feature: str) -> Iterable[int]:
    # not hash(): that differs from process to process
    digest = blake2b(feature.encode(), digest_size=4 * HASHES).digest()
    return (int.from_bytes(digest[i : i + 4], "big") % BITS for i in range(0, len(digest), 4))


Fingerprint = tuple[BloomFilter, ...]


def fingerprint(levels: Sequence[Counter[str]]) -> Fingerprint:
    """One Bloom filter per level. A tag that stands there n times counts about log n times: fifty records resemble sixty."""
    return tuple(
        BloomFilter.of(f"{name}#{i}" for name, count in level.items() for i in range(count.bit_length()))
        for level in levels
    )


def similarity(a: Fingerprint, b: Fingerprint) -> float:
    """The share of bits that both have among those that either has, over all levels: 1.0 for the same structure."""
    both = either = 0
    for i in range(max(len(a), len(b))):
        left, right = (f[i].bits if i < len(f) else 0 for f in (a, b))
        both += (left & right).bit_count()
        either += (left | right).bit_count()
    return both / either if either else 1.0
