"""Which known offers to learn from: few, to spare the shop, and as different as possible."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from scout.values import parse_price

MAX_LOOKED_AT = 2_000  # offers of a large catalogue that are compared; more would change nothing
PRICE_RANGES = 10


def choose_offers(rows: Sequence[Mapping[str, Any]], limit: int) -> list[Mapping[str, Any]]:
    """Up to `limit` rows that cover categories, price ranges, brands and filled fields; the same ones every time."""
    pool = sorted(rows, key=_shuffle_key)[:MAX_LOOKED_AT]
    ranges = _price_ranges(pool)
    traits = [_traits(row, ranges.get(position)) for position, row in enumerate(pool)]
    seen: Counter[Hashable] = Counter()
    chosen: list[Mapping[str, Any]] = []
    left = set(range(len(pool)))
    while left and len(chosen) < limit:
        best = max(left, key=lambda position: (sum(1 / (1 + seen[trait]) for trait in traits[position]), -position))
        left.remove(best)
        seen.update(traits[best])
        chosen.append(pool[best])
    return chosen


def _shuffle_key(row: Mapping[str, Any]) -> str:
    """A sort key that is unrelated to the catalogue's order."""
    return hashlib.sha256(str(row.get("url") or sorted(map(str, row.items()))).encode("utf-8", "replace")).hexdigest()


def _price_ranges(rows: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """For each row with a price, its decile in the order of prices."""
    prices = {
        position: price.amount
        for position, row in enumerate(rows)
        if row.get("price") and (price := parse_price(str(row["price"])))
    }
    ordered = sorted(prices, key=lambda position: prices[position])
    return {position: rank * PRICE_RANGES // len(ordered) for rank, position in enumerate(ordered)}


def _traits(row: Mapping[str, Any], price_range: int | None) -> list[Hashable]:
    filled: list[Hashable] = [("field", name) for name, value in row.items() if value not in (None, "", [])]
    named = [(name, str(row[name])) for name in ("category", "brand") if row.get(name)]
    return [*filled, *named, ("price", price_range)]
