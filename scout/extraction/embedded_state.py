"""Embedded application state: the objects that a page's own scripts are given, and which of them is the page's product.

`__NEXT_DATA__`, `__INITIAL_STATE__`, `dataLayer.push(...)`, Shopify's and Magento's product data, WooCommerce's variations: all of them are
JSON (or nearly), so none needs a reader of its own. An object is the product's when it is named like the page's title; its keys are
read by the template's `keys`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz

from scout.extraction.ballot import Claim
from scout.extraction.lexicon import Lexicon, data_key
from scout.extraction.queries import query
from scout.extraction.script_data import embedded_values, lenient_json
from scout.page import Page
from scout.values import parse_currency
from scout.values.numbers import program_number
from scout.values.tables import table
from scout.values.text import clean_text, text_key

MAX_NODES = 60_000  # objects and lists of one page's scripts that are walked
MAX_LISTED = 500  # entries of one list that are walked
MAX_SCRIPT = 3_000_000  # characters of one script that are looked at
MAX_DEPTH = 3  # levels inside the product's object that still speak of the product
SAME_NAME = 90  # ratio from which a name is the title's

_ATTRIBUTES = query(
    "//@*[starts-with(name(), 'data-') and string-length() > 30 and (starts-with(., '{\"') or starts-with(., '[{'))]",
)
SET_CURRENCY = 2.5  # a shop may offer several; enough where no markup says it
_SETTING = r"""(?i:(?:_?code)?["']?\s*[:=]\s*(?:\{\s*"active"\s*:\s*)?\\?["']([A-Z]{3})\b)"""
_CURRENCIES = re.compile("urrency" + _SETTING), re.compile("URRENCY" + _SETTING)  # a plain beginning is found at once
_FLIGHT = "self.__next_f.push("
_CHUNK = re.compile(r'self\.__next_f\.push\(\[1,\s*("(?:[^"\\]|\\.)*")\s*\]\)')
_PLAIN_WORD = re.compile(r"[A-Za-z0-9]{3,}")  # letters that JSON never escapes
_JSON = r"""(?:"[{\[]+(?:&quot;|&#34;)|'[{\[]+")"""
_DATA_SIGN = re.compile(rf"data-(?:((?:product[_-])?varia(?:nts|tions)=)({_JSON})?|[\w-]+=({_JSON}))")
_KEYS = table("page_data")["state"]
_NAME_KEYS, _OFFER_KEYS, _ROW_KEYS = (frozenset(_KEYS[kind]) for kind in ("names", "offers", "rows"))
_LISTED = re.compile(r"(?:^|\.)([^.\[]+)\[(\d+)\]$")  # the last step of a place in data: an entry of a list
NOT_INSIDE = frozenset(_KEYS["not_inside"])


@dataclass(frozen=True)
class StateProduct:
    """An object in a script that describes the page's product; `likeness` (0 to 1) says how sure that is."""

    data: Mapping[str, Any]
    path: str
    likeness: float


def state_products(page: Page, title: str) -> list[StateProduct]:
    """The objects that describe the product named `title`, the likeliest first."""
    key = text_key(title)
    found: list[StateProduct] = []
    budget = MAX_NODES
    word = max(_PLAIN_WORD.findall(title), key=len, default="")
    for where, value in values(page, word):
        for path, node in _objects(value, where, budget):
            likeness = _likeness(node, path, key)
            if likeness == 1 or (likeness > 0 and not _is_further_variant(path)):
                found.append(StateProduct(node, path, likeness))
        budget -= 1
    return sorted(found, key=lambda p: -p.likeness)[:8]


def values(page: Page, word: str = "") -> Iterator[tuple[str, Any]]:
    """(place, value) of everything in scripts and data attributes that can be read as JSON and may speak of a product.

    `word` is one of the product's name: what does not have it cannot name the product, and is not read.
    """
    for number, (script, text) in enumerate(page.scripts):
        if len(text) <= MAX_SCRIPT and _mentions_offer(text) and _has_word(text, word):
            yield from _script_values(text, (script.get("type") or "").lower(), script.get("id") or number, number)
    if _FLIGHT in page.html:
        yield from (("script[next]", value) for value in _flight_values(page, word))
    if "json" in data_signs(page):
        yield from (("attribute", lenient_json(text)) for text in _ATTRIBUTES(page.root) if _mentions_offer(text))


def _has_word(text: str, word: str) -> bool:
    return word in text or word.lower() in text or word.capitalize() in text


def _mentions_offer(text: str) -> bool:
    return any(mention in text for mention in _KEYS["mentions"])


def _script_values(text: str, kind: str, own_id: str | int, number: int) -> Iterator[tuple[str, Any]]:
    if "ld+json" in kind:
        return
    if "json" in kind or "x-magento" in kind:
        yield f"script[{own_id}]", lenient_json(text)
    else:
        yield from ((f"script[{name or number}]", value) for name, value in embedded_values(text))


def _flight_values(page: Page, word: str) -> Iterator[Any]:
    """The JSON in what Next.js streams to the browser: `self.__next_f.push([1, "chunk"])`, whose chunks make lines such as `2a:{…}`."""
    scripts = "\n".join(text for _, text in page.scripts if _FLIGHT in text)
    pushed = (lenient_json(chunk[1]) for chunk in _CHUNK.finditer(scripts))
    for line in "".join(chunk for chunk in pushed if isinstance(chunk, str)).splitlines():
        value = line.partition(":")[2]
        if value[:1] in ("[", "{") and word in value and _mentions_offer(value):
            yield lenient_json(value)


def currency_claims(page: Page) -> Iterator[Claim]:
    """The currency that most settings in scripts and attributes name: `currencyCode: "AUD"`, `Shopify.currency = {"active": "AUD"}`."""
    settings = sorted((found.start(), found[1]) for spelling in _CURRENCIES for found in spelling.finditer(page.html))
    named = Counter(code for _, code in settings).most_common(1)
    if named and parse_currency(named[0][0]):
        yield Claim("currency", named[0][0], "state", "the settings of the page's scripts", SET_CURRENCY)


def data_signs(page: Page) -> Set[str]:
    """What data attributes there seem to be: "json", and "variants" for lists of them. At once: a page takes long to search."""
    if "data signs" not in page.memo:
        found = [sign.groups() for sign in _DATA_SIGN.finditer(page.html)]
        has_variants, has_json = any(s[0] for s in found), any(s[1] or s[2] for s in found)
        page.memo["data signs"] = {name for name, has in (("variants", has_variants), ("json", has_json)) if has}
    signs: Set[str] = page.memo["data signs"]
    return signs


def _is_further_variant(path: str) -> bool:
    """Whether an object is a variant of another that is not its first: unless the page is named like it, the first one speaks for all.

    >>> _is_further_variant("product.variants[2]"), _is_further_variant("product.variants[0]"), _is_further_variant("products[2]")
    (True, False, False)
    """
    found = _LISTED.search(path)
    return found is not None and found[2] != "0" and data_key(found[1]) in _KEYS["variants"]


def _objects(value: Any, where: str, budget: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object inside a value that has a key of an offer, with its path."""
    queue: list[tuple[str, Any]] = [(where, value)]
    for count, (path, node) in enumerate(queue):  # grows while it is read
        if count > budget:
            return
        if _is_offer_like(node):
            yield path, node
        queue += [(place, inner) for _, place, inner in inner_values(node, path) if isinstance(inner, (dict, list))]


def inner_values(node: Any, path: str, most: int = MAX_LISTED) -> Iterator[tuple[str, str, Any]]:
    """(key, place, value) of what an object or a list holds; what speaks of other products than the object's is left out."""
    if isinstance(node, list):
        yield from (("[]", f"{path}[{index}]", value) for index, value in enumerate(node[:most]))
    elif isinstance(node, dict):
        keyed = ((data_key(key), f"{path}.{key}", value) for key, value in node.items())
        yield from (entry for entry in keyed if entry[0] not in NOT_INSIDE)


def _is_offer_like(node: Any) -> bool:
    return isinstance(node, dict) and len([key for key in node if data_key(key) in _OFFER_KEYS]) > 1


def _likeness(node: dict[str, Any], path: str, title: str) -> float:
    best = 0.0
    for name in _names(node):
        key = text_key(name)
        if key and key == title:
            return 1.0
        if len(key) > 3:
            ratio = fuzz.ratio(key, title)
            is_part = title.startswith(key + " ") or key.startswith(title) or (len(key) > 12 and key in title)
            best = max(best, ratio / 100 if ratio >= SAME_NAME else 0.8 if is_part else 0.0)
    return best


def _names(node: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    for key, value in node.items():
        name = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(name, str) and data_key(key) in _NAME_KEYS:
            yield clean_text(name)
    if depth == 0:
        for variant in variants_of(node)[:3]:
            yield from _names(variant, 1)


def variants_of(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The variants that a product's object lists."""
    named = {key: node[name] for name in node if (key := data_key(name)) in _KEYS["variants"]}
    for key in _KEYS["variants"]:
        value = named.get(key)
        listed = list(value.values()) if isinstance(value, dict) and len(value) > 1 else value
        if isinstance(listed, list) and listed and all(isinstance(v, dict) for v in listed):
            return listed
    return []


def state_claims(products: Sequence[StateProduct], words: Lexicon) -> Iterator[Claim]:
    """What the product's objects say of each field, by the names of their keys.

    Where one of them leaves the article number empty, the product has none: the numbers of database rows are not it.
    """
    is_unnumbered = any(_leaves_sku_empty(product.data) for product in products)
    for claim in _all_claims(products, words):
        if not (is_unnumbered and claim.field == "sku" and is_row_key(claim.where)):
            yield claim


def is_row_key(where: str) -> bool:
    """Whether the key at a place in data is one of database rows: `product.id`."""
    return data_key(where.rpartition(".")[2]) in _ROW_KEYS


def _all_claims(products: Sequence[StateProduct], words: Lexicon) -> Iterator[Claim]:
    for product in products:
        yield from _claims(product.data, product.path, product.likeness, words, 0)
        for variant in variants_of(product.data)[:1]:
            yield from _claims(variant, f"{product.path}.variants[0]", product.likeness * 0.8, words, 1)


def _leaves_sku_empty(node: Mapping[str, Any]) -> bool:
    variants = variants_of(node)
    return any("sku" in one and one["sku"] in (None, "") for one in (node, *variants[:1]))


def _claims(node: Mapping[str, Any], path: str, share: float, words: Lexicon, depth: int) -> Iterator[Claim]:
    for key, value in node.items():
        name, place = data_key(key), f"{path}.{key}"
        known = words.by_key.get(name, ())
        raw = plain_value(value) if known else None
        if raw:
            said = (pair for pair in known if pair[0] != "title" or depth == 0)
            yield from (Claim(field, raw, "state", place, worth * share * (1 - 0.2 * depth)) for field, worth in said)
        # what is known is read as a whole, but for a price with its currency and former price
        is_open = not raw or "price" in dict(known)
        if isinstance(value, dict) and is_open and depth < MAX_DEPTH and _is_of_product(name):
            yield from _claims(value, place, share * 0.8, words, depth + 1)


def _is_of_product(name: str) -> bool:
    return name not in NOT_INSIDE and name not in _KEYS["variants"]


def plain_value(value: Any) -> str | None:
    """A value as text; of an object what it is mostly about."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return program_number(value)
    if isinstance(value, str):
        return clean_text(value)[:5000] or None
    if isinstance(value, dict):
        parts = (value[key] for key in _KEYS["values"] if key in value and not isinstance(value[key], dict))
        return next(map(plain_value, parts), None)
    is_plain_list = isinstance(value, list) and bool(value) and isinstance(value[0], (str, int))
    return plain_value(value[0]) if is_plain_list else None
