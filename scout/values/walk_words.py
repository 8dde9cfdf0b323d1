"""The walk's words, read once from the package's data."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources

import yaml

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BREAK = re.compile(r"[^\w]+|_+|\d+")


@lru_cache(maxsize=1)
def _tables() -> dict[str, list[str]]:
    text = resources.files("scout").joinpath("data/walk.yaml").read_text(encoding="utf-8")
    tables: dict[str, list[str]] = yaml.safe_load(text)
    return tables


@cache
def words(name: str) -> frozenset[str]:
    """The table `name` of data/walk.yaml."""
    return frozenset(_tables()[name])


@lru_cache(maxsize=20_000)
def tokens(names: str) -> frozenset[str]:
    """The lower-case words inside class names and ids.

    >>> sorted(tokens("catalog-product-view productInfo_2"))
    ['catalog', 'info', 'product', 'view']
    """
    return frozenset(word.lower() for word in _BREAK.split(_CAMEL.sub(" ", names)) if word)
