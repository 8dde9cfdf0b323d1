"""Segmenters split Chinese titles into words with their parts of speech.

Any callable from a text to (word, tag) pairs is one. The default is rjieba (dictionary and HMM, MIT licence). jiojio is a conditional
random field like the paper's, but GPLv3 and 2 GB of memory, so it is used only if the user has installed it and asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import TypeAlias, cast

from scout.errors import UsageError

Segmenter: TypeAlias = Callable[[str], Iterable[tuple[str, str]]]

DEFAULT = "rjieba"
# Nouns, adjectives, numbers and quantifiers, foreign and unknown words: first letters of the tag sets of ICTCLAS, jieba and jiojio.
KEPT_TAGS = ("n", "a", "m", "q", "x", "e", "j", "l", "b", "un")
FUNCTION_TAGS = ("u", "p", "c", "y", "w", "r")  # particles, prepositions, conjunctions: never part of a new word
_IS_CHINESE = re.compile(r"[\u4E00-\u9FA5\uF900-\uFA2D]+").fullmatch


def kept_words(text: str, segment: Segmenter) -> list[str]:
    """The words of a Chinese text that can be values of a product: step 5 of the paper's algorithm 1, new words included."""
    segments = [(word.strip(), tag.lower()) for word, tag in segment(text)]
    kept = [word for word, tag in segments if tag.startswith(KEPT_TAGS) and len(word) > 1]
    return list(dict.fromkeys([*kept, *_new_words(segments)]))


def _new_words(segments: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Words that no dictionary has: single characters that a segmenter left over, joined to their neighbours (超高 清)."""
    for is_chinese, run in groupby(
        segments, lambda item: bool(_IS_CHINESE(item[0])) and not item[1].startswith(FUNCTION_TAGS)
    ):
        words = [word for word, _ in run] if is_chinese else []
        joined: list[list[str]] = []
        for word in words:
            if joined and (len(word) == 1 or all(len(part) == 1 for part in joined[-1])):
                joined[-1].append(word)
            else:
                joined.append([word])
        yield from ("".join(parts) for parts in joined if len(parts) > 1)


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
_chosen = DEFAULT


def choose_segmenter(name: str) -> None:
    """Use this segmenter in this process wherever none is given (`SCOUT_SEGMENTER`); a name that does not exist is an error at once."""
    global _chosen  # like a locale: one for the process
    if name not in SEGMENTERS:
        segmenter(name)
    _chosen = name


@cache
def _load(name: str) -> Segmenter:
    if name in SEGMENTERS:
        return SEGMENTERS[name]()
    module, _, function = name.rpartition(".")
    try:
        return cast("Segmenter", getattr(import_module(module), function))
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(
            f"unknown segmenter {name!r}: choose one of {', '.join(SEGMENTERS)}, or the path of a function (package.module.function)"
        ) from error


def segmenter(name: str | None = None) -> Segmenter:
    """The segmenter of that name or path, or the one chosen for this process; loaded once."""
    return _load(name or _chosen)
