"""From a simple regular expression to the values it stands for: `[A-Z]%` is A%, B% ... Z% (Weber, 2001, section 3.4).

No text is ever matched here. The expression is read into a tree, the tree is counted without making a single value, and only a
number that may be asked is expanded: `[a-z]{8}` is refused before it costs anything.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from scout.forms.errors import ExpansionError

MAX_VALUES = 10_000  # queries that one element may lead to: at a polite pace, three hours
MAX_PATTERN = 1_000  # characters; what a person writes has a few dozen
MAX_LENGTH = 200  # characters of one value: nobody types more into a field
MAX_DEPTH = 20  # groups in groups
DIGITS = "0123456789"
CLASSES = {"d": DIGITS}  # the one escape that stands for few enough characters to be meant
SPECIAL = frozenset("[](){}|*+?^$.\\")
ENDLESS = {"*": "any number of times", "+": "any number of times"}


@dataclass(frozen=True)
class Characters:
    """One character of several."""

    choices: tuple[str, ...]

    def count(self) -> int:
        return len(self.choices)

    def longest(self) -> int:
        return 1

    def values(self) -> Iterator[str]:
        yield from self.choices


@dataclass(frozen=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...]

    def count(self) -> int:
        return _product(part.count() for part in self.parts)

    def longest(self) -> int:
        return sum(part.longest() for part in self.parts)

    def values(self) -> Iterator[str]:
        yield from map("".join, itertools.product(*(tuple(part.values()) for part in self.parts)))


@dataclass(frozen=True)
class Either:
    """One of several parts."""

    parts: tuple[Node, ...]

    def count(self) -> int:
        return min(sum(part.count() for part in self.parts), _TOO_MANY)

    def longest(self) -> int:
        return max(part.longest() for part in self.parts)

    def values(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.values()


@dataclass(frozen=True)
class Repeated:
    """A part, again and again."""

    part: Node
    least: int
    most: int

    def count(self) -> int:
        """Summed up only as far as it matters: {0,999} of two characters has more digits than anyone needs."""
        once, total = self.part.count(), 0
        for times in range(self.least, self.most + 1):
            total += _TOO_MANY if once > 1 and times > _LONGEST_POWER else once**times
            if total >= _TOO_MANY:
                return _TOO_MANY
        return total

    def longest(self) -> int:
        return self.most * self.part.longest()

    def values(self) -> Iterator[str]:
        for times in range(self.least, self.most + 1):
            yield from map("".join, itertools.product(tuple(self.part.values()), repeat=times))


Node: TypeAlias = Characters | Sequence | Either | Repeated

_TOO_MANY = 10**15  # from here on the exact number is of no interest to anyone
_LONGEST_POWER = 50  # 2**50 is above that


def expanded(pattern: str, *, limit: int = MAX_VALUES) -> list[str]:
    """The values that the expression stands for, each once, in its order; ExpansionError where they are more than `limit`.

    >>> expanded("[a-c]%"), expanded("(north|south)-?[12]")
    (['a%', 'b%', 'c%'], ['north1', 'north2', 'north-1', 'north-2', 'south1', 'south2', 'south-1', 'south-2'])
    """
    tree = _Reader(pattern).tree()
    count = tree.count()
    if count > limit:
        amount = f"{count:,}" if count < _TOO_MANY else f"more than {_TOO_MANY:,}"
        raise ExpansionError(
            f"/{_shown(pattern)}/ stands for {amount} values, and {limit:,} is the most: "
            "describe fewer and more general ones"
        )
    if tree.longest() > MAX_LENGTH:
        raise ExpansionError(f"/{_shown(pattern)}/ stands for values of more than {MAX_LENGTH} characters")
    return list(dict.fromkeys(tree.values()))


def _product(counts: Iterator[int]) -> int:
    total = 1
    for count in counts:
        total = min(total * count, _TOO_MANY)
    return total


def _shown(pattern: str) -> str:
    return pattern if len(pattern) <= 60 else f"{pattern[:60]}…"


class _Reader:
    """Recursive descent over the characters of an expression."""

    def __init__(self, pattern: str) -> None:
        self.text, self.at, self.depth = pattern, 0, 0

    def tree(self) -> Node:
        if len(self.text) > MAX_PATTERN:
            raise ExpansionError(
                f"the regular expression has {len(self.text):,} characters, and {MAX_PATTERN:,} is the most"
            )
        found = self._either()
        if self.at < len(self.text):
            raise self._error("a bracket ) that was never opened")
        return found

    def _error(self, what: str) -> ExpansionError:
        return ExpansionError(f"/{_shown(self.text)}/, column {min(self.at, len(self.text)) + 1}: {what}")

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self) -> str:
        found = self._next()
        if not found:
            raise self._error("the expression ends too soon")
        self.at += 1
        return found

    def _either(self) -> Node:
        parts = [self._sequence()]
        while self._next() == "|":
            self.at += 1
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _sequence(self) -> Node:
        self._anchor("^")
        parts = []
        while self._next() not in ("", "|", ")"):
            if self._anchor("$"):
                break
            parts.append(self._repeated(self._part()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _anchor(self, character: str) -> bool:
        """Skip ^ at the beginning and $ at the end, where they say nothing that is not so anyway; in a group they may say something."""
        is_end = self.text[self.at + 1 : self.at + 2] in ("", "|")
        if self._next() != character or self.depth or (character == "$" and not is_end):
            return False
        self.at += 1
        return True

    def _part(self) -> Node:
        character = self._take()
        if character == "(":
            return self._group()
        if character == "[":
            return Characters(self._choices())
        if character == "\\":
            return Characters(self._escaped())
        if character == ".":
            raise self._error(
                "the dot stands for any character, and so for endlessly many values: list those you mean, as in [a-z]"
            )
        if character in SPECIAL - {"]", "}"}:
            self.at -= 1
            raise self._error(f"{character} has nothing before it that it could belong to")
        return Characters((character,))

    def _group(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} groups in each other")
        if self.text.startswith("?:", self.at):
            self.at += 2
        elif self._next() == "?":
            raise self._error("only plain groups are understood: ( ) and (?: )")
        found = self._either()
        if self._next() != ")":
            raise self._error("the group has no closing )")
        self.at += 1
        self.depth -= 1
        return found

    def _escaped(self) -> tuple[str, ...]:
        character = self._take()
        if character.isalnum() and character not in CLASSES:
            raise self._error(f"\\{character} is not understood; \\d is, and the escape of any sign, as in \\.")
        return tuple(CLASSES.get(character, character))

    def _choices(self) -> tuple[str, ...]:
        if self._next() == "^":
            raise self._error("a class that begins with ^ stands for too many characters: list those you mean")
        found: list[str] = []
        while self._next() != "]":
            found.extend(self._choice())
        self.at += 1
        if not found:
            raise self._error("an empty class [] stands for nothing")
        return tuple(dict.fromkeys(found))

    def _choice(self) -> tuple[str, ...]:
        first = self._escaped() if (character := self._take()) == "\\" else (character,)
        is_range = self._next() == "-" and self.text[self.at + 1 : self.at + 2] not in ("", "]")
        if not is_range:
            return first
        self.at += 1
        last = self._escaped() if (character := self._take()) == "\\" else (character,)
        if len(first) > 1 or len(last) > 1 or last < first:
            raise self._error(f"the range {''.join(first)}-{''.join(last)} makes no sense")
        if ord(last[0]) - ord(first[0]) >= MAX_VALUES:
            raise self._error(f"the range {first[0]}-{last[0]} has more than {MAX_VALUES:,} characters")
        return tuple(map(chr, range(ord(first[0]), ord(last[0]) + 1)))

    def _repeated(self, part: Node) -> Node:
        character = self._next()
        if character in ENDLESS:
            raise self._error(
                f"{character} means {ENDLESS[character]}, and so endlessly many values: say how often, as in {{1,3}}"
            )
        if character == "?":
            self.at += 1
            found: Node = Repeated(part, 0, 1)
        elif character == "{":
            found = Repeated(part, *self._times())
        else:
            return part
        if self._next() and self._next() in "?*+{":
            raise self._error("a repetition of a repetition: put the first one into a group")
        return found

    def _times(self) -> tuple[int, int]:
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at + 1 : max(end, self.at + 1)].partition(",")
        if end < 0 or not _is_number(least) or (comma and not _is_number(most)):
            raise self._error("expected a number of times, as in {2} or {1,3}")
        found = int(least), int(most if comma else least)
        if found[0] > found[1]:
            raise self._error(f"{{{found[0]},{found[1]}}} ends before it begins")
        self.at = end + 1
        return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 4  # 9,999 times is already too often
