"""What a walk may request only so often: pure bookkeeping, told of pages, asked about links."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from scout.url_rules import url_pattern

BATCH = 4  # facets that are tried at the same time
VAIN_TRIES = 8  # so many in a row without anything new, and facets are not tried any more
MAX_KEPT = 100  # facets of one list that are kept for later
PATIENCE = 20.0  # addresses of one shape that may come to nothing before any further one waits
DEAD, BARREN = (
    1.0,
    0.2,
)  # what an address costs of it that is not there, or that is but shows nothing new: five of these as one
DEAD_RUN = 50  # addresses of a shape in a row that are not there, then others wait: where a tenth is alive, that happens 1 in 200 times
THIN = 20  # one in so many of these is tried at the end, and no fewer than THIN
MAX_NAMED = 3  # shapes that a statement names
PROBES = 5  # of the addresses that wait, asked for at the end: of a shape of which a third is worth it, seven in eight are found out
T = TypeVar("T")


@dataclass(frozen=True)
class SkippedUrls:
    """Addresses of one shape that were never asked for."""

    count: int
    gone: int  # of those that were asked for, not there
    asked: int

    @property
    def is_dead(self) -> bool:
        """Whether it was given up because nothing was there, not because nothing led on."""
        return self.gone >= DEAD_RUN

    def __str__(self) -> str:
        return f"{self.count} of one shape of which {self.gone} of {self.asked} were dead"


def not_asked(bounded: Iterable[SkippedUrls]) -> str:
    """What was given up because nothing was there, to end a sentence with: the largest shapes, and all others together."""
    dead = sorted((left for left in bounded if left.is_dead), key=lambda left: -left.count)
    said = "".join(f"; not asked: {left}" for left in dead[:MAX_NAMED])
    others = dead[MAX_NAMED:]
    return said + (f"; and {sum(left.count for left in others)} of {len(others)} other such shapes" if others else "")


@dataclass
class _Tally(Generic[T]):
    """What came of the addresses of one shape."""

    spent: float = 0.0  # of PATIENCE; what is under way counts as if it were not there
    has_paid: bool = False
    is_probed: bool = False
    gone: int = 0  # addresses that are not there
    run: int = 0  # of these, since the last one that is
    asked: int = 0  # addresses of which it is known whether they are there
    sent: int = 0  # addresses that were let go
    waiting: list[tuple[str, T, bool]] = field(
        default_factory=list
    )  # with their addresses, and whether PATIENCE applies
    charged: set[str] = field(default_factory=set)  # addresses under way that `spent` counts

    def charge(self, url: str) -> None:
        """`url` is asked for, and costs what a dead one does until it is known to be there."""
        self.charged.add(url)
        self.spent += DEAD

    @property
    def is_dead(self) -> bool:
        """Whether hardly one is there, as far as is known; as long as none is, what is under way counts as if it were not."""
        return self.run >= DEAD_RUN or (self.asked == self.gone and self.sent >= DEAD_RUN)

    def probes(self) -> list[T]:
        """A few of what waits, from its beginning to its end: more of what waits because nothing of its shape was there."""
        count = len(self.waiting)
        wanted = max(THIN, count // THIN) if self.is_dead else PROBES
        chosen = {round(i * (count - 1) / (wanted - 1)) for i in range(wanted)}
        due = [self.waiting[i][1] for i in sorted(chosen)]
        self.waiting = [kept for i, kept in enumerate(self.waiting) if i not in chosen]
        return due


@dataclass
class UrlPatternBudget(Generic[T]):
    """UrlPatternBudget of addresses that come to nothing: forms for reviews, searches without results, filters in the path.

    A shape of which one address ever led to something is followed, until DEAD_RUN of its addresses in a row are not there. Of the others
    so many are asked for as PATIENCE allows, or DEAD_RUN where links stand that may be categories. The rest waits until one of the shape
    is there; when everything else is done, a few of it are tried, and what still waits then is bounded.
    """

    _tallies: dict[str, _Tally[T]] = field(default_factory=dict)

    def admits(self, url: str, step: T, *, is_paced: bool = True) -> bool:
        """Whether `url` may be asked for now; else `step` waits. What is not paced waits only where its shape seems dead."""
        tally = self._tallies.setdefault(url_pattern(url), _Tally())
        is_charged = is_paced and not tally.has_paid
        if tally.is_dead or (is_charged and tally.spent + DEAD > PATIENCE):
            tally.waiting.append((url, step, is_paced))
            return False
        tally.sent += 1
        if is_charged:
            tally.charge(url)
        return True

    def hold(self, url: str, step: T) -> None:
        """`step` waits: an earlier run of the walk had it wait."""
        self._tallies.setdefault(url_pattern(url), _Tally()).waiting.append((url, step, True))

    def gone(self, url: str) -> None:
        """`url` is not there."""
        tally = self._tallies.setdefault(url_pattern(url), _Tally())
        tally.gone, tally.run, tally.asked = tally.gone + 1, tally.run + 1, tally.asked + 1

    def paid(self, url: str) -> list[T]:
        """`url` led to something: what its shape had wait."""
        tally = self._tallies.setdefault(url_pattern(url), _Tally())
        tally.run, tally.asked = 0, tally.asked + 1
        tally.has_paid = True
        return self._released(tally)

    def _released(self, tally: _Tally[T]) -> list[T]:
        released, tally.waiting, tally.charged = tally.waiting, [], set()
        return [step for _, step, _ in released]

    def barren(self, url: str) -> list[T]:
        """`url` is there, but showed nothing new: what may be asked for in its place. One that was never charged gives nothing back."""
        tally = self._tallies.setdefault(url_pattern(url), _Tally())
        tally.run, tally.asked = 0, tally.asked + 1
        if tally.has_paid:
            return self._released(tally)
        released = [step for _, step, is_paced in tally.waiting if not is_paced]
        tally.waiting = [one for one in tally.waiting if one[2]]
        return released + (self._in_place_of(url, tally) if url in tally.charged else [])

    def _in_place_of(self, url: str, tally: _Tally[T]) -> list[T]:
        tally.charged.discard(url)
        tally.spent -= DEAD - BARREN
        room = max(0, int((PATIENCE - tally.spent) / DEAD)) if tally.waiting else 0
        released, tally.waiting = tally.waiting[:room], tally.waiting[room:]
        for released_url, _, _ in released:
            tally.charge(released_url)
        return [step for _, step, _ in released]

    def probes(self) -> list[T]:
        """A few of all that waits, from its beginning to its end; each shape is probed once."""
        due = []
        for tally in self._tallies.values():
            if tally.waiting and not tally.is_probed:
                tally.is_probed = True
                due += tally.probes()
        return due

    def bounded(self) -> dict[str, SkippedUrls]:
        """How many addresses of each shape still wait, and what came of those that were asked for."""
        waiting = {name: tally for name, tally in self._tallies.items() if tally.waiting}
        return {name: SkippedUrls(len(tally.waiting), tally.gone, tally.asked) for name, tally in waiting.items()}


@dataclass
class Facets:
    """Facet and sort links, kept back until everything else is done, and then tried while they pay.

    Facets show the same products again, except in shops that link some products nowhere else. So a few are tried, of one list after
    the other; a list of which one showed something new is tried further; when so many have been in vain, no more are.
    """

    _waiting: dict[str, deque[str]] = field(default_factory=dict)
    _vain: int = 0

    def keep(self, group: str, url: str) -> bool:
        """Keep `url`, a facet of the list `group`, for later; False where the list has enough of them."""
        waiting = self._waiting.setdefault(group, deque())
        if len(waiting) >= MAX_KEPT:
            return False
        waiting.append(url)
        return True

    def due(self) -> list[tuple[str, str]]:
        """The next few (group, url) to try, each of another list; none once they have been in vain too often."""
        if self._vain >= VAIN_TRIES:
            return []
        chosen = list(self._waiting)[:BATCH]
        tries = [(group, self._waiting[group].popleft()) for group in chosen]
        for group in chosen:
            rest = self._waiting.pop(group)
            if rest:
                self._waiting[group] = rest  # at the end: the other lists come first
        return tries

    def tried(self, group: str, new_products: int, *, is_repeat: bool = False) -> None:
        """A facet of `group` was read and showed so many products that were not known; `is_repeat`: it was another page once more."""
        if new_products:
            self._vain = 0
            self._waiting = {group: self._waiting.pop(group, deque()), **self._waiting}
            self._waiting = {name: rest for name, rest in self._waiting.items() if rest}
        else:
            self._vain += 2 if is_repeat else 1
