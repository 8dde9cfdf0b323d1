"""What a tool found in a shop, against what is true of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scout.values import parse_price
from scout.values.text import clean_text


@dataclass(frozen=True)
class Score:
    """Products found with the right price, with a wrong one, not found or without their price; rows that are no product, or one again."""

    found: int
    wrong: int
    missing: int
    invented: int


def score(rows: Iterable[Mapping[str, Any]], truth: Mapping[str, str | None], hidden: frozenset[str]) -> Score:
    """Titles tell which product a row is; prices count as read if they name the right amount in whatever notation.

    >>> score([{"title": "A", "price": "€ 2.50"}, {"title": "A", "price": "2.5"}, {"title": "Blog"}], {"A": "2.50", "B": "1"}, frozenset())
    Score(found=1, wrong=0, missing=1, invented=2)
    """
    seen: dict[str, str | None] = {}
    invented = 0
    for row in rows:
        title = clean_text(str(row.get("title") or ""))
        if title in hidden:
            continue
        if title not in truth or title in seen:
            invented += 1
            continue
        seen[title] = _amount(row.get("price"))
    wanted = {title: _amount(price) for title, price in truth.items()}
    found = sum(seen[title] == wanted[title] for title in seen)
    wrong = sum(seen[title] not in (None, wanted[title]) for title in seen)
    return Score(found, wrong, len(truth) - found - wrong, invented)


def _amount(price: Any) -> str | None:
    read = parse_price(str(price)) if price not in (None, "") else None
    return None if read is None else f"{read.amount:.2f}"
