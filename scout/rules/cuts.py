"""Trimming (paper 1, section 2.9): what to cut off on both sides of a value, by length or, if the length varies, by delimiter."""

from __future__ import annotations

import re
from dataclasses import dataclass

_INTEGER = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True)
class Cut:
    """What to cut off around a value.

    `after` and `before` are delimiters: the value begins after the first `after` and ends before the first `before` that follows; a text
    without them is not of the form that was learned, and holds no value. `left` and `right` are numbers of characters. With `cents`,
    the rest is an integer number of cents, as scripts often write amounts.

    >>> Cut(after="EAN: ").apply("EAN: 4006381333931")
    '4006381333931'
    >>> Cut(after="by ", before=" (").apply("by A. Writer (Author)")
    'A. Writer'
    >>> Cut(left=2, right=1).apply("xx12y"), Cut(cents=True).apply("1299"), Cut(cents=True).apply("12.99")
    ('12', '12.99', None)
    """

    after: str = ""
    before: str = ""
    left: int = 0
    right: int = 0
    cents: bool = False

    def apply(self, raw: str) -> str | None:
        """The value in `raw`; None if nothing is left."""
        if self.after:
            _, found, raw = raw.partition(self.after)
            if not found:
                return None
        if self.before:
            raw, found, _ = raw.partition(self.before)
            if not found:
                return None
        raw = raw[self.left : len(raw) - self.right]
        text = raw.strip()
        if self.cents:
            text = f"{text[:-2] or '0'}.{text[-2:]:0>2}" if _INTEGER.fullmatch(text) else ""
        return text or None

    def describe(self) -> str | None:
        """In words, for `explain`; None if nothing is cut."""
        parts = [
            f"after {self.after!r}" if self.after else "",
            f"before {self.before!r}" if self.before else "",
            f"{self.left} characters from the left" if self.left else "",
            f"{self.right} characters from the right" if self.right else "",
            "the amount is in cents" if self.cents else "",
        ]
        return ", ".join(filter(None, parts)) or None


NO_CUT = Cut()
