"""The product of a page that shows none: a shell for the browser to fill, whose data holds one product and no heading names it.

What is not named by the page must be told by its place: alone, under a key that speaks of one product, and not below a list of several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from math import inf
from typing import Any, NamedTuple

from scout.extraction.ballot import Claim
from scout.extraction.embedded_state import MAX_NODES, StateProduct, inner_values, state_claims, values
from scout.extraction.lexicon import Lexicon, data_key
from scout.page import Page
from scout.values.routes import split_url
from scout.values.text import text_key

MIN_WEIGHT = 2.5  # "price" counts 4 and in a variant still 2.6; "amount" and "value", which name anything, 2 and 1
MAX_MEMBERS = 50  # of a list that are looked at: it repeats itself

_ONE_PRODUCT = re.compile(
    r"(?:(?:current|main|selected|page)?(?:product|item|goods|article|offer)(?:data|details?|info)?\d*"
    r"|data|details?|result|entity|attributes|fields)?"  # or no key at all: the whole answer of an API
)
_CONFIRMING = frozenset({"sku", "brand", "ean", "han", "description"})


class _Found(NamedTuple):
    """Where the data holds one product, or (`product` is None) a list of several."""

    depth: int
    product: StateProduct | None = None


def lone_product_claims(page: Page, words: Lexicon) -> list[Claim]:
    """What the page's one product object says; empty where the data holds none or several, and at the shop's entrance."""
    parts = split_url(page.url)
    if parts.path in ("", "/") and not parts.query:
        return []
    found = list(chain.from_iterable(_found(value, where, words) for where, value in values(page)))
    highest_list = min((f.depth for f in found if f.product is None), default=inf)
    ones = [(f.depth, list(state_claims([f.product], words))) for f in found if f.product]
    names = {text_key(claim.raw) for claim in chain(*(said for _, said in ones)) if claim.field == "title"}
    return ones[0][1] if len(names) == 1 and max(depth for depth, _ in ones) <= highest_list else []


def _found(value: Any, where: str, words: Lexicon) -> Iterator[_Found]:
    """Single products and lists of products, the outermost first; what is inside a product is its own."""
    queue: list[tuple[str, str, int, Any]] = [("", where, 0, value)]
    for count, (key, path, depth, node) in enumerate(queue):  # grows while it is read
        if count > MAX_NODES:
            return
        is_list = isinstance(node, list)
        products = sum(_is_product(one, words) for one in (node[:MAX_MEMBERS] if is_list else [node]))
        if products > 1:
            yield _Found(depth)
        elif products and not is_list and _ONE_PRODUCT.fullmatch(key):
            yield _Found(depth, StateProduct(node, path, 1.0))
        elif not products:
            queue += [(own, place, depth + 1, v) for own, place, v in inner_values(node, path, MAX_MEMBERS)]


def _is_product(node: Any, words: Lexicon) -> bool:
    """A name, a price, and at least one thing more that a product has: all of its own, and not of a product right inside."""
    return _speaks_of_one(node, words) and not any(_speaks_of_one(inner, words) for inner in node.values())


def _speaks_of_one(node: Any, words: Lexicon) -> bool:
    if not isinstance(node, dict) or words.by_key.keys().isdisjoint(map(data_key, node)):
        return False
    said = list(state_claims([StateProduct(node, "", 1.0)], words))
    sure = {c.field for c in said if c.weight >= MIN_WEIGHT and (c.field != "price" or any(map(str.isdigit, c.raw)))}
    return {"price", "title"} <= sure and not _CONFIRMING.isdisjoint(c.field for c in said)
