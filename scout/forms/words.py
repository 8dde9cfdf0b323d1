"""The words of titles, and the words by which forms and their elements are recognised."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rapidfuzz import fuzz, process

from scout.fields import field
from scout.values.tables import table
from scout.values.text import alphanumeric

SIMILAR = 88  # of 100; between "hersteller" and "herstellers", but not "title" and "tile"
MIN_FUZZY = 5  # characters; shorter words must be equal
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_][\w'-]*[^\W_]|[^\W_]")
_BREAK = re.compile(r"[\s_.:;,/()\[\]?!&=#]+|\d+")


@cache
def form_words(name: str) -> frozenset[str]:
    """The table `name` of data/forms.yaml."""
    return frozenset(table("forms")[name].split())


@lru_cache(maxsize=20_000)
def label_words(text: str) -> frozenset[str]:
    """The lower-case words of a name or label; words with a hyphen also without it and in parts.

    >>> sorted(label_words("sortBy_price")), sorted(label_words("e-mail"))
    (['by', 'price', 'sort'], ['e', 'e-mail', 'email', 'mail'])
    """
    found = {word.lower().strip("*'\"") for word in _BREAK.split(_CAMEL.sub(" ", text)) if word}
    for word in [word for word in found if "-" in word]:
        found |= {word.replace("-", ""), *word.split("-")}
    return frozenset(found - {""})


def title_words(title: str) -> frozenset[str]:
    """The words of an offer's title in lower case.

    >>> sorted(title_words("Alrano Lamp, red (2-light)"))
    ['2-light', 'alrano', 'lamp', 'red']
    """
    return frozenset(word.lower() for word in _WORD.findall(title))


@cache
def _names() -> dict[str, str]:
    """Every word, label and key of template.yaml, without punctuation -> its field; that with the larger weight if there are two."""
    found: dict[str, tuple[float, str]] = {}
    for name, lists in table("template")["fields"].items():
        for kind in ("words", "labels", "keys"):
            for weight, entries in (lists.get(kind) or {}).items():
                for entry in entries:
                    key = alphanumeric(str(entry))
                    found[key] = max(found.get(key, (0.0, name)), (float(weight), name))
    return {key: name for key, (_, name) in found.items()}


@lru_cache(maxsize=4096)
def field_named(*texts: str) -> str | None:
    """The field of an offer that one of these names or labels means, by similarity to known ones; None if there is none.

    >>> field_named("Hersteller"), field_named("f_17", "Brand:"), field_named("colour of the moon")
    ('brand', 'brand', None)
    """
    names = _names()
    for text in texts:
        key = alphanumeric(text)
        known = field(text).name
        if known in names.values():
            return known
        if key in names:
            return names[key]
        if len(key) >= MIN_FUZZY:
            close = process.extractOne(key, names.keys(), scorer=fuzz.ratio, score_cutoff=SIMILAR)
            if close is not None:
                return names[close[0]]
    return None
