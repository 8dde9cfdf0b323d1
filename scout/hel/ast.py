"""A HEL rule as a tree."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any


class Axis(enum.Enum):
    """Where a step leads from a node."""

    CHILD = "."  # to its children
    FLOW = "->"  # to all that follows in the document, depth first: below it and after it


@dataclass(frozen=True)
class Places:
    """Ranges of positions, counted from 0; the last position of a range is None if it goes on to the end."""

    ranges: tuple[tuple[int, int | None], ...]

    def of(self, length: int) -> Iterator[int]:
        """The positions below `length`."""
        for first, last in self.ranges:
            yield from range(first, length if last is None else min(last + 1, length))


FIRST = Places(((0, 0),))
ALL = Places(((0, None),))


@dataclass(frozen=True)
class PathStep:
    """One step of a path: to the nodes with that `tag`, and of those the ones at `places`.

    With a variable, the places count among the nodes that satisfy its condition.
    """

    axis: Axis
    tag: str
    places: Places = FIRST
    variable: str | None = None

    @property
    def selects_one(self) -> bool:
        """Whether it leads to one node at most."""
        return len(self.places.ranges) == 1 and self.places.ranges[0][0] == self.places.ranges[0][1]


@dataclass(frozen=True)
class Value:
    """What to read from the node at the end of a path."""

    kind: str  # text, source, attribute, count
    argument: str = ""


@dataclass(frozen=True)
class Operation:
    """What to do with a text: match or split, by a compiled regular expression."""

    kind: str
    pattern: Any


@dataclass(frozen=True)
class Path:
    """Steps from a node (from the root if absolute), and what to read at the end."""

    steps: tuple[PathStep, ...]
    value: Value | None = None
    branches: tuple[Branch, ...] = ()
    is_absolute: bool = True

    @cached_property
    def variables(self) -> frozenset[str]:
        own = {step.variable for step in self.steps if step.variable}
        return frozenset(own.union(*(branch.path.variables for branch in self.branches)))


@dataclass(frozen=True)
class Branch:
    """One branch of a fork: a path from the fork's node."""

    path: Path
    operations: tuple[Operation, ...] = ()


@dataclass(frozen=True)
class Condition:
    """The condition that a variable has to satisfy."""

    path: Path
    comparator: str
    literal: Any  # text, Decimal or compiled regular expression


@dataclass(frozen=True)
class HelRule:
    """A whole rule; `conditions` by the variable that each decides."""

    path: Path
    operations: tuple[Operation, ...]
    conditions: dict[str, Condition]
