"""Learn what to cut around a value from pairs of (raw text, known value)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from scout.rules.cuts import NO_CUT, Cut

MAX_DELIMITER = 40  # characters; what is longer is prose
MIN_PAIRS = 2  # one pair cannot tell a delimiter from the value's surroundings
_FOLD = str.maketrans({"–": "-", "—": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "\xa0": " "})


@lru_cache(maxsize=8_192)  # the same few texts and values are compared again and again
def fold(text: str) -> str:
    """Lower case with plain dashes, quotes and spaces, character for character, so that positions stay."""
    lower = text.translate(_FOLD).lower()
    return lower if len(lower) == len(text) else text


def surroundings(raw: str, values: Iterable[str]) -> tuple[str, str] | None:
    """What stands left and right of the longest of `values` that is in `raw`; None if none is."""
    text = fold(raw)
    for value in sorted(values, key=len, reverse=True):
        position = text.find(needle) if (needle := fold(" ".join(value.split()))) else -1
        if position >= 0:
            return raw[:position], raw[position + len(needle) :]
    return None


def learn_cut(pairs: Sequence[tuple[str, Sequence[str]]]) -> Cut:
    """The cut that yields a known value from most of the raw texts that hold one; NO_CUT if there is none."""
    found = [around for raw, values in pairs if (around := surroundings(raw, values))]
    if len(found) < MIN_PAIRS:
        return NO_CUT
    after, left = _side_cut([head[::-1] for head, _ in found])
    before, right = _side_cut([tail for _, tail in found])
    return Cut(after=after[::-1], before=before, left=left, right=right)


def _side_cut(texts: Sequence[str]) -> tuple[str, int]:
    """(delimiter, length) of what stands on one side, read outwards from the value: by what all share, or by its length."""
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
    """Without those that differ from the most in whether there is anything: noise is rare."""
    filled = [side for side in sides if side.strip()]
    return filled if len(filled) * 2 >= len(sides) else [""]


def candidate_cuts(pairs: Sequence[tuple[str, Sequence[str]]]) -> list[Cut]:
    """Cuts worth trying on a selector: none, the learned one, and the one most pairs agree on exactly."""
    cuts = [NO_CUT, learn_cut(pairs)]
    exact = Counter(around for raw, values in pairs if (around := surroundings(raw, values)))
    if exact:
        (head, tail), count = exact.most_common(1)[0]
        if count >= MIN_PAIRS and len(head) <= MAX_DELIMITER and len(tail) <= MAX_DELIMITER:
            cuts.append(Cut(after=head if head.strip() else "", before=tail if tail.strip() else ""))
    return list(dict.fromkeys(cuts))
