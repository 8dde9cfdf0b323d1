"""PartOfShop: a walk that is to stay in the category at which it starts: its lists, their pages and products, its subcategories.

Whether the start is a category is known when its page has been read. A front page or a product's page stands for the whole shop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import parse_qsl, urlsplit

from scout.extraction.product_page import is_home_address

_EXTENSION = re.compile(r"\.\w{2,5}$")
_DEEPER = ("_", "-", "/", ".", ",")  # between the numbers of a category and its subcategory: path=20_27
T = TypeVar("T")


@dataclass
class PartOfShop(Generic[T]):
    """The part of the shop that the address `start` names; what lies outside waits until it is known whether there is such a part."""

    start: str
    is_decided: bool = False
    is_limited: bool = False
    outside: list[T] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.is_decided = self.is_decided or is_home_address(self.start)

    def holds(self, url: str) -> bool:
        """Whether the address belongs to the part; all do where there is no part."""
        return (self.is_decided and not self.is_limited) or is_below(url, self.start)

    def wait(self, step: T) -> None:
        """Keep what lies outside while nothing is decided."""
        if not self.is_decided:
            self.outside.append(step)

    def decide(self, *, is_category: bool) -> list[T]:
        """The page of `start` is known. What waited is to be asked for where it is no category."""
        if self.is_decided:
            return []
        waited, self.outside = self.outside, []
        self.is_decided, self.is_limited = True, is_category
        return [] if is_category else waited


def is_below(url: str, start: str) -> bool:
    """Whether one address lies below another, by its path, or by the parameters of the same path.

    >>> is_below("http://s/chairs/oak?page=2", "http://s/chairs.html"), is_below("http://s/chairs-2", "http://s/chairs")
    (True, False)
    >>> is_below("http://s/i.php?path=20_27", "http://s/i.php?path=20"), is_below("http://s/i.php?path=200", "http://s/i.php?path=20")
    (True, False)
    """
    parts, root = urlsplit(url), urlsplit(start)
    if root.query:
        values = dict(parse_qsl(parts.query))
        return parts.path == root.path and all(
            values.get(name) == value or values.get(name, "").startswith(tuple(value + mark for mark in _DEEPER))
            for name, value in parse_qsl(root.query)
        )
    stem = _EXTENSION.sub("", root.path.rstrip("/"))
    return parts.path.rstrip("/") == root.path.rstrip("/") or parts.path.startswith(f"{stem}/")
