"""The words that links, buttons and element names are recognised by while walking a shop (`scout/data/walk.yaml`)."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from scout.values.tables import table

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BREAK = re.compile(r"[^\w]+|_+|\d+")


@cache
def walk_words(name: str) -> frozenset[str]:
    """The table `name` of data/walk.yaml."""
    return frozenset(table("walk")[name])


@lru_cache(maxsize=20_000)
def name_words(names: str) -> frozenset[str]:
    """The lower-case words inside class names and ids.

    >>> sorted(name_words("catalog-product-view productInfo_2"))
    ['catalog', 'info', 'product', 'view']
    """
    return frozenset(word.lower() for word in _BREAK.split(_CAMEL.sub(" ", names)) if word)
