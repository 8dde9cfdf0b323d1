"""Segmenters split Chinese titles into words with their parts of speech.

Any callable from a text to (word, tag) pairs is one. The default is rjieba (dictionary and HMM, MIT licence). jiojio is a conditional
random field like the paper's, but GPLv3 and 2 GB of memory, so it is used only if the user has installed it and asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TypeAlias

from scout.errors import UsageError

Segmenter: TypeAlias = Callable[[str], Iterable[tuple[str, str]]]

# Nouns, adjectives, numbers and quantifiers, foreign and unknown words: first letters of the tag sets of ICTCLAS, jieba and jiojio.
KEPT_TAGS = ("n", "a", "m", "q", "x", "e", "j", "l", "b", "un")


def kept_words(text: str, segment: Segmenter) -> list[str]:
    """The words of a Chinese text that can be values of a product: step 5 of the paper's algorithm 1."""
    return [word.strip() for word, tag in segment(text) if tag.lower().startswith(KEPT_TAGS) and len(word.strip()) > 1]


def _rjieba() -> Segmenter:
    import rjieba  # loads its dictionary, so only for Chinese titles

    return lambda text: rjieba.tag(text)


def _jiojio() -> Segmenter:
    try:
        import jiojio
    except ImportError as error:
        raise UsageError("the segmenter jiojio is not installed: pip install jiojio (GPLv3), or use rjieba") from error
    jiojio.init(pos=True)
    return lambda text: jiojio.cut(text)


SEGMENTERS: Mapping[str, Callable[[], Segmenter]] = {"rjieba": _rjieba, "jiojio": _jiojio}


@cache
def segmenter(name: str = "rjieba") -> Segmenter:
    """The segmenter of that name, loaded once."""
    if name not in SEGMENTERS:
        raise UsageError(f"unknown segmenter {name!r}: choose one of {', '.join(SEGMENTERS)}")
    return SEGMENTERS[name]()
