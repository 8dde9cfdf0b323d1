"""The words of titles, and those by which forms and their elements are recognised, read once from the package's data."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import yaml
from rapidfuzz import fuzz, process

from scout.fields import field

SIMILAR = 88  # of 100: "hersteller" and "herstellers" are, "title" and "tile" are not
MIN_FUZZY = 5  # characters from which a word may differ a little
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_][\w'-]*[^\W_]|[^\W_]")
_BREAK = re.compile(r"[\s_.:;,/()\[\]?!&=#]+|\d+")


@cache
def _table(file: str) -> dict[str, Any]:
    text = resources.files("scout").joinpath(f"data/{file}").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@cache
def words(name: str) -> frozenset[str]:
    """The table `name` of data/forms.yaml."""
    return frozenset(str(_table("forms.yaml")[name]).split())


@lru_cache(maxsize=20_000)
def tokens(text: str) -> frozenset[str]:
    """The lower-case words of a name or label; what a hyphen joins also in one piece and in its parts.

    >>> sorted(tokens("sortBy_price")), sorted(tokens("e-mail"))
    (['by', 'price', 'sort'], ['e', 'e-mail', 'email', 'mail'])
    """
    found = {word.lower().strip("*'\"") for word in _BREAK.split(_CAMEL.sub(" ", text)) if word}
    for word in [word for word in found if "-" in word]:
        found |= {word.replace("-", ""), *word.split("-")}
    return frozenset(found - {""})


def words_of(title: str) -> frozenset[str]:
    """The words of an offer's title in lower case.

    >>> sorted(words_of("Alrano Lamp, red (2-light)"))
    ['2-light', 'alrano', 'lamp', 'red']
    """
    return frozenset(word.lower() for word in _WORD.findall(title))


@cache
def _names() -> dict[str, str]:
    """Every word and label of the matching template, without blanks -> the field it names; the heavier one where two claim it."""
    found: dict[str, tuple[float, str]] = {}
    for name, lists in _table("template.yaml")["fields"].items():
        for kind in ("words", "labels", "keys"):
            for weight, entries in (lists.get(kind) or {}).items():
                for entry in entries:
                    key = _plain(str(entry))
                    found[key] = max(found.get(key, (0.0, name)), (float(weight), name))
    return {key: name for key, (_, name) in found.items()}


@lru_cache(maxsize=4096)
def attribute(*texts: str) -> str | None:
    """The field of an offer that one of these names or labels means, by its similarity to those that are known; None otherwise.

    >>> attribute("Hersteller"), attribute("f_17", "Brand:"), attribute("colour of the moon")
    ('brand', 'brand', None)
    """
    names = _names()
    for text in texts:
        plain = _plain(text)
        known = field(text).name
        if known in names.values():
            return known
        if plain in names:
            return names[plain]
        if len(plain) >= MIN_FUZZY:
            close = process.extractOne(plain, names.keys(), scorer=fuzz.ratio, score_cutoff=SIMILAR)
            if close is not None:
                return names[close[0]]
    return None


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())
