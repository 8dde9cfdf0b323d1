"""Variants of a product: whether a catalogue lists them one by one, or only the product."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scout.matching import Match


def product_key(offer: Mapping[str, Any]) -> str:
    """The address of an offer's product, which its variants share."""
    return str(offer.get("parent") or offer.get("url") or "")


def families(offers: Sequence[Mapping[str, Any]]) -> dict[str, list[int]]:
    """The positions of the offers of each product; an offer without an address is a product of its own."""
    found: dict[str, list[int]] = defaultdict(list)
    for position, offer in enumerate(offers):
        found[product_key(offer) or f"#{position}"].append(position)
    return found


def lists_variants(offers: Sequence[Mapping[str, Any]], matches: Iterable[Match]) -> bool:
    """Whether the catalogue lists variants: most products with several variants, as far as it has them, are in several rows of it."""
    rows: dict[int, int] = {}
    for match in sorted(matches, key=lambda match: match.score):
        rows[match.offer] = match.catalogue  # the best last
    listed = [{rows[p] for p in family if p in rows} for family in families(offers).values() if len(family) > 1]
    known = [found for found in listed if found]
    return 2 * sum(len(found) > 1 for found in known) >= len(known)


def representatives(offers: Sequence[Mapping[str, Any]], matches: Iterable[Match]) -> list[int]:
    """One offer for each product: the one that a row of the catalogue resembles most, else the first."""
    scores = {match.offer: match.score for match in sorted(matches, key=lambda match: match.score)}
    return [
        max(family, key=lambda position: (scores.get(position, 0.0), -position)) for family in families(offers).values()
    ]
