"""Segmenters: Chinese titles as words with their parts of speech.

Any callable from a text to (word, tag) pairs is one. rjieba (dictionary and HMM, MIT) is the default. The conditional random field of the
paper is a plug-in: jiojio is one, but GPLv3 and 2 GB of memory, so that it is only used where a user has installed it and asks for it.
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
    import rjieba  # loads its dictionary: only where a title is Chinese

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
    """A segmenter by its name; loaded once."""
    if name not in SEGMENTERS:
        raise UsageError(f"unknown segmenter {name!r}: choose one of {', '.join(SEGMENTERS)}")
    return SEGMENTERS[name]()
