"""Expands a simple regular expression to all values that it matches: `[A-Z]%` is A%, B% ... Z% (Weber, 2001, section 3.4).

The expression is parsed into a tree, whose values are counted before any is generated: `[a-z]{8}` is rejected at no cost.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from scout.forms.errors import ExpansionError

MAX_VALUES = 10_000  # per element; that many queries take three hours at a polite pace
MAX_PATTERN = 1_000  # characters; people write a few dozen
MAX_LENGTH = 200  # characters of one value
MAX_DEPTH = 20  # of nested groups
DIGITS = "0123456789"
CLASSES = {"d": DIGITS}  # other escapes, such as \w, stand for too many characters
SPECIAL = frozenset("[](){}|*+?^$.\\")
UNBOUNDED = frozenset("*+")


@dataclass(frozen=True)
class Characters:
    """One of several characters."""

    choices: tuple[str, ...]

    def count(self) -> int:
        return len(self.choices)

    def longest(self) -> int:
        return 1

    def values(self) -> Iterator[str]:
        yield from self.choices


@dataclass(frozen=True)
class Sequence:
    """Parts one after the other."""

    parts: tuple[Node, ...]

    def count(self) -> int:
        return _product(part.count() for part in self.parts)

    def longest(self) -> int:
        return sum(part.longest() for part in self.parts)

    def values(self) -> Iterator[str]:
        yield from map("".join, itertools.product(*(tuple(part.values()) for part in self.parts)))


@dataclass(frozen=True)
class Alternatives:
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
class Repetition:
    """A part, repeated."""

    part: Node
    least: int
    most: int

    def count(self) -> int:
        """Counted up to _TOO_MANY only: {0,999} of two characters would be a number of 300 digits."""
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


Node: TypeAlias = Characters | Sequence | Alternatives | Repetition

_TOO_MANY = 10**15  # larger counts are not computed
_LONGEST_POWER = 50  # 2**50 is larger than _TOO_MANY


def expand(pattern: str) -> list[str]:
    """The distinct values of the expression, in its order; ExpansionError if there are more than MAX_VALUES.

    >>> expand("[a-c]%"), expand("(north|south)-?[12]")
    (['a%', 'b%', 'c%'], ['north1', 'north2', 'north-1', 'north-2', 'south1', 'south2', 'south-1', 'south-2'])
    """
    tree = _PatternParser(pattern).parse()
    count = tree.count()
    if count > MAX_VALUES:
        amount = f"{count:,}" if count < _TOO_MANY else f"more than {_TOO_MANY:,}"
        raise ExpansionError(
            f"/{_shown(pattern)}/ stands for {amount} values; at most {MAX_VALUES:,} are allowed: "
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


class _PatternParser:
    """A recursive descent parser of expressions."""

    def __init__(self, pattern: str) -> None:
        self.text, self.at, self.depth = pattern, 0, 0

    def parse(self) -> Node:
        if len(self.text) > MAX_PATTERN:
            size = f"{len(self.text):,} characters; at most {MAX_PATTERN:,} are allowed"
            raise ExpansionError(f"the regular expression has {size}")
        tree = self._parse_alternatives()
        if self.at < len(self.text):
            raise self._error("unbalanced )")
        return tree

    def _error(self, what: str) -> ExpansionError:
        return ExpansionError(f"/{_shown(self.text)}/, column {min(self.at, len(self.text)) + 1}: {what}")

    def _next_character(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take_character(self) -> str:
        character = self._next_character()
        if not character:
            raise self._error("the expression ends too soon")
        self.at += 1
        return character

    def _parse_alternatives(self) -> Node:
        parts = [self._parse_sequence()]
        while self._next_character() == "|":
            self.at += 1
            parts.append(self._parse_sequence())
        return parts[0] if len(parts) == 1 else Alternatives(tuple(parts))

    def _parse_sequence(self) -> Node:
        self._skip_anchor("^")
        parts = []
        while self._next_character() not in ("", "|", ")"):
            if self._skip_anchor("$"):
                break
            parts.append(self._parse_repetition(self._parse_part()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _skip_anchor(self, character: str) -> bool:
        """Skip ^ at the beginning and $ at the end, which are implied; inside a group they are not."""
        is_end = self.text[self.at + 1 : self.at + 2] in ("", "|")
        if self._next_character() != character or self.depth or (character == "$" and not is_end):
            return False
        self.at += 1
        return True

    def _parse_part(self) -> Node:
        character = self._take_character()
        if character == "(":
            return self._parse_group()
        if character == "[":
            return Characters(self._parse_class())
        if character == "\\":
            return Characters(self._parse_escape())
        if character == ".":
            raise self._error("the dot stands for any character: list those you mean, as in [a-z]")
        if character in SPECIAL - {"]", "}"}:
            self.at -= 1
            raise self._error(f"{character} has nothing before it to apply to")
        return Characters((character,))

    def _parse_group(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._error(f"more than {MAX_DEPTH} nested groups")
        if self.text.startswith("?:", self.at):
            self.at += 2
        elif self._next_character() == "?":
            raise self._error("only plain groups are supported: ( ) and (?: )")
        group = self._parse_alternatives()
        if self._next_character() != ")":
            raise self._error("the group has no closing )")
        self.at += 1
        self.depth -= 1
        return group

    def _parse_escape(self) -> tuple[str, ...]:
        character = self._take_character()
        if character.isalnum() and character not in CLASSES:
            raise self._error(f"\\{character} is not supported, only \\d and escaped punctuation, as in \\.")
        return tuple(CLASSES.get(character, character))

    def _parse_class(self) -> tuple[str, ...]:
        if self._next_character() == "^":
            raise self._error("a class that begins with ^ stands for too many characters: list those you mean")
        characters: list[str] = []
        while self._next_character() != "]":
            characters.extend(self._parse_class_member())
        self.at += 1
        if not characters:
            raise self._error("the class [] is empty")
        return tuple(dict.fromkeys(characters))

    def _parse_class_member(self) -> tuple[str, ...]:
        first = self._parse_escape() if (character := self._take_character()) == "\\" else (character,)
        is_range = self._next_character() == "-" and self.text[self.at + 1 : self.at + 2] not in ("", "]")
        if not is_range:
            return first
        self.at += 1
        last = self._parse_escape() if (character := self._take_character()) == "\\" else (character,)
        if len(first) > 1 or len(last) > 1 or last < first:
            raise self._error(f"the range {''.join(first)}-{''.join(last)} is invalid")
        if ord(last[0]) - ord(first[0]) >= MAX_VALUES:
            raise self._error(f"the range {first[0]}-{last[0]} has more than {MAX_VALUES:,} characters")
        return tuple(map(chr, range(ord(first[0]), ord(last[0]) + 1)))

    def _parse_repetition(self, part: Node) -> Node:
        character = self._next_character()
        if character in UNBOUNDED:
            raise self._error(f"{character} allows any number of repetitions: say how many, as in {{1,3}}")
        if character == "?":
            self.at += 1
            repetition = Repetition(part, 0, 1)
        elif character == "{":
            repetition = Repetition(part, *self._parse_times())
        else:
            return part
        if self._next_character() and self._next_character() in "?*+{":
            raise self._error("a repetition of a repetition: put the first one into a group")
        return repetition

    def _parse_times(self) -> tuple[int, int]:
        end = self.text.find("}", self.at)
        least, comma, most = self.text[self.at + 1 : max(end, self.at + 1)].partition(",")
        if end < 0 or not _is_number(least) or (comma and not _is_number(most)):
            raise self._error("expected a number of repetitions, as in {2} or {1,3}")
        times = int(least), int(most if comma else least)
        if times[0] > times[1]:
            raise self._error(f"{{{times[0]},{times[1]}}} has a minimum above its maximum")
        self.at = end + 1
        return times


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 4  # more than 9,999 repetitions are too many anyway
