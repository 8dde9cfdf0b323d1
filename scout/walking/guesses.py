"""Guesses: pages of lists that no page leads to, tried with care."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from scout.url_rules import page_key
from scout.walking.steps import Step

MAX_VAIN = 2  # guesses that may come to nothing before one has paid


@dataclass
class Guesses:
    """Pages that no page leads to. Until one has paid they are tried one at a time, and after a few in vain no more."""

    waiting: list[Step] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    vain: int = 0
    has_paid: bool = False
    is_trying: bool = False

    def due(self) -> Iterator[Step]:
        """Those to ask for now."""
        while self.waiting and (self.has_paid or (not self.is_trying and self.vain < MAX_VAIN)):
            step = self.waiting.pop(0)
            self.is_trying = True
            self.asked.add(page_key(step.url))
            yield step

    def judged(self, *, has_paid: bool) -> None:
        """One of them has come to something, or to nothing."""
        self.is_trying = False
        self.has_paid |= has_paid
        self.vain += not has_paid
