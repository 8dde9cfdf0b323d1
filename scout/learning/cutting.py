"""Learn what to cut off around a value, from pairs of raw text and known values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from scout.rules.cuts import NO_CUT, Cut

MAX_DELIMITER = 40  # characters: anything longer is prose
MIN_PAIRS = 2  # one pair cannot tell a delimiter from the value's surroundings
_FOLD = str.maketrans({"–": "-", "—": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "\xa0": " "})


@lru_cache(maxsize=8_192)  # the same few texts and values are compared many times
def fold(text: str) -> str:
    """The text in lower case with plain dashes, quotes and spaces, character by character, so that positions stay the same."""
    lower = text.translate(_FOLD).lower()
    return lower if len(lower) == len(text) else text


def surroundings(raw: str, values: Iterable[str]) -> tuple[str, str] | None:
    """The texts left and right of the longest of `values` that occurs in `raw`; None if none does."""
    text = fold(raw)
    for value in sorted(values, key=len, reverse=True):
        position = text.find(needle) if (needle := fold(" ".join(value.split()))) else -1
        if position >= 0:
            return raw[:position], raw[position + len(needle) :]
    return None


def learn_cut(pairs: Sequence[tuple[str, Sequence[str]]]) -> Cut:
    """The cut that yields a known value from most raw texts that contain one; NO_CUT if there is no such cut."""
    found = [around for raw, values in pairs if (around := surroundings(raw, values))]
    if len(found) < MIN_PAIRS:
        return NO_CUT
    after, left = _side_cut([head[::-1] for head, _ in found])
    before, right = _side_cut([tail for _, tail in found])
    return Cut(after=after[::-1], before=before, left=left, right=right)


def _side_cut(texts: Sequence[str]) -> tuple[str, int]:
    """(delimiter, length) of what to cut on one side: what all texts share, reading away from the value, or else their common length."""
    texts = _without_outliers(texts)
    shared = _common_prefix(texts)[:MAX_DELIMITER]
    if shared.strip():
        return shared, 0
    lengths = {len(text) for text in texts}
    return "", lengths.pop() if len(lengths) == 1 else 0


def _common_prefix(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


def _without_outliers(sides: Sequence[str]) -> list[str]:
    """The non-blank texts if they are the majority, otherwise only the empty one: exceptions are noise."""
    filled = [side for side in sides if side.strip()]
    return filled if len(filled) * 2 >= len(sides) else [""]


def candidate_cuts(pairs: Sequence[tuple[str, Sequence[str]]]) -> list[Cut]:
    """The cuts worth trying: none, the learned one, and the surroundings that most pairs share exactly."""
    cuts = [NO_CUT, learn_cut(pairs)]
    exact = Counter(around for raw, values in pairs if (around := surroundings(raw, values)))
    if exact:
        (head, tail), count = exact.most_common(1)[0]
        if count >= MIN_PAIRS and len(head) <= MAX_DELIMITER and len(tail) <= MAX_DELIMITER:
            cuts.append(Cut(after=head if head.strip() else "", before=tail if tail.strip() else ""))
    return list(dict.fromkeys(cuts))
