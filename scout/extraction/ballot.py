"""Candidates for a field's value, and the election among them.

A candidate is one place of the page that may hold the value. Places that say the same are counted together, each *source* once:
ten copies of a price in one script are one witness, a script and a visible text are two.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from scout.extraction.structured_data import ENDPOINT_MARKUP, RENDERED_MARKUP
from scout.offer import Evidence
from scout.rules.element_query import element_query

MAX_VOTES = 12  # lines of evidence that are kept for a value
REPEATED = 0.1  # what a further candidate of the same source adds, as a share of its weight

_DATA_PLACE = re.compile(r"(json-ld|script)\[([^\]]*)\](.*)", re.DOTALL)
_KEY = re.compile(r"\.([^.\[\]]+)")


@dataclass(frozen=True)
class Candidate:
    """`value` is normalised, `raw` the text as it stood at `where`; `weight` says how much this place is believed."""

    value: str
    raw: str
    source: str
    where: str
    weight: float
    key: Hashable = None  # what counts as the same value; the value itself where None
    element: HtmlElement | None = None
    author: str | None = None  # who wrote it, where one hand has several sources; the source itself where None
    features: Mapping[str, float] = field(default_factory=dict, repr=False)  # what the weight was made of

    @property
    def selector(self) -> str:
        """The place for evidence: a query if it is an element, a JSONPath if it is data; any other is named as it is."""
        return data_place(self.where) if self.element is None else element_query(self.element, self.raw)

    @property
    def same(self) -> Hashable:
        """Candidates with the same key vote together."""
        return self.value if self.key is None else self.key

    def __str__(self) -> str:
        return f"{self.value} ({self.weight:.1f}, {self.where})"


@dataclass(frozen=True)
class Election:
    """The winner's candidates, best first, its score, and the best of the others."""

    winners: tuple[Candidate, ...]
    score: float
    runner_up: Candidate | None
    heard: tuple[Candidate, ...]

    @property
    def value(self) -> str:
        """The winning value as its best candidate wrote it."""
        return self.winners[0].value

    def evidence(self, note: str | None = None) -> Evidence:
        """Why this value: its best place, everyone heard, the runner-up."""
        best = self.winners[0]
        return Evidence(
            best.selector,
            raw=best.raw[:500],
            origin=_origin(best),
            score=round(self.score, 2),
            votes=tuple(str(c)[:200] for c in self.heard[:MAX_VOTES]),
            runner_up=str(self.runner_up)[:200] if self.runner_up else None,
            note=note,
        )


def _origin(best: Candidate) -> str:
    for name in (ENDPOINT_MARKUP, RENDERED_MARKUP):
        if f"[{name}]" in best.where:
            return name.removeprefix("scout-")
    return "structured" if best.source in ("json-ld", "microdata", "rdfa", "meta", "state") else "induced"


def data_place(where: str) -> str:
    """A place in data as JSONPath; any other as it is. Keys of JSON-LD are in lower case, as Scout compares them.

    >>> data_place("json-ld[0].@graph[2].offers.price"), data_place("url /63680")
    ("jsonpath $['@graph'][2].offers.price in json-ld 0", 'url /63680')
    """
    found = _DATA_PLACE.fullmatch(where)
    if found is None:
        return where
    path = _KEY.sub(lambda key: key[0] if key[1].isidentifier() else f"['{key[1]}']", found[3])
    return f"jsonpath ${path} in {found[1]} {found[2]}"


def elected(candidates: Iterable[Candidate], threshold: float = 0.0, *, repeated: float = REPEATED) -> Election | None:
    """The value with the most weight behind it; None where nobody reaches the threshold. The first named wins a tie."""
    groups: dict[Hashable, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.same, []).append(candidate)
    ranked = sorted(groups.values(), key=lambda group: -support(group, repeated))
    if not ranked or support(ranked[0], repeated) < threshold:
        return None
    winners = tuple(sorted(ranked[0], key=lambda c: -c.weight))
    runner_up = max(ranked[1], key=lambda c: c.weight) if len(ranked) > 1 else None
    heard = tuple(sorted((c for group in ranked for c in group), key=lambda c: -c.weight))
    return Election(winners, support(ranked[0], repeated), runner_up, heard)


def support(group: Sequence[Candidate], repeated: float = REPEATED) -> float:
    """The weights of a group: each author counts whole once, and hardly more when it repeats itself."""
    best: dict[str, float] = {}
    for candidate in group:
        author = candidate.author or candidate.source
        best[author] = max(candidate.weight, best.get(author, candidate.weight))
    return sum(best.values()) + repeated * (sum(c.weight for c in group) - sum(best.values()))


def abstention(note: str, candidates: Sequence[Candidate] = ()) -> Evidence:
    """Evidence for a field that is left empty on purpose."""
    heard = sorted(candidates, key=lambda c: -c.weight)
    return Evidence(None, note=note, votes=tuple(str(c)[:200] for c in heard[:MAX_VOTES]))


@dataclass(frozen=True)
class Claim:
    """What one place says about a field, before it is read: `raw` as it stands there; `element` if it stands in one."""

    field: str
    raw: str
    source: str
    where: str
    weight: float
    element: HtmlElement | None = None
