"""Buttons that sell, by what they say and what their elements are called. The words are data (`scout/data/buying.yaml`)."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from scout.extraction.lexicon import Lexicon, label_key, lexicon
from scout.values.tables import table
from scout.values.text import any_word_pattern
from scout.values.walk_words import name_words


@cache
def _names(kind: str) -> re.Pattern[str]:
    return re.compile("|".join(name.replace(" ", ".?") for name in table("buying")[kind]), re.IGNORECASE)


@lru_cache(maxsize=4096)
def is_button_name(names: str) -> bool:
    """Whether a link with this class and id is drawn as a button."""
    return _names("button_names").search(names) is not None


@lru_cache(maxsize=4096)
def is_cart_button_name(names: str) -> bool:
    """Whether the class, id or name of a button says that it puts something into the cart."""
    return _names("cart_button_names").search(names) is not None


def is_cart_address(address: str) -> bool:
    """Whether a form sent to this address concerns the cart."""
    return not name_words(address).isdisjoint(table("buying")["cart_addresses"])


@lru_cache(maxsize=4096)
def says_cart(text: str, words: Lexicon) -> bool:
    """Whether a button with this text puts a product into the cart."""
    key = label_key(text)
    return key in words.cart_labels or _cart_phrases(words).search(key) is not None


@cache
def _cart_phrases(words: Lexicon) -> re.Pattern[str]:
    """Any of the phrases as whole words: "kup" is not in "pickup", and "weiter einkaufen" buys nothing."""
    return re.compile(any_word_pattern(words.cart_phrases))


@lru_cache(maxsize=16_384)
def is_cart_phrase(text: str, words: Lexicon) -> bool:
    """Whether a text is what such a button says as a whole, in words that say nothing else: "buy" may be a heading."""
    key = label_key(text)
    return key in words.cart_phrases and (" " in key or not key.isascii())


@cache
def _product_buttons() -> frozenset[str]:
    words = lexicon()
    return words.cart_labels.union(words.cart_phrases, map(label_key, table("buying")["other_product_buttons"]))


def is_product_button(label: str) -> bool:
    """Whether only the page of a product has a button with exactly this label."""
    return label_key(label.strip(" +!.")) in _product_buttons()
