"""How the preset template finds lists: which kinds come first, and how alike two records are (Zhang, Lin and Liao 2018, section 3.2.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

ANY = "*"  # the path of what no other path names
NUMBERS = ("alpha", "alpha_named", "beta", "plain")
SHARES = ("alpha", "alpha_named", "beta")  # of these numbers, those between 0 and 1
_PATH = re.compile(r"[a-z][a-z0-9]*(?:/[a-z][a-z0-9]*)*|\*")


@dataclass(frozen=True, eq=False)
class ListTemplate:
    """The part of the template by which `scout.walking.records` finds the records of a list.

    >>> template = ListTemplate({"div/ul/li": 1.2, "li": 1.0, "*": 0.8}, {}, 5, 0.55, 0.35, 0.65)
    >>> [template.weight_of(path.split("/")) for path in ("li/ul/div/body", "li/ol/div/body", "b/p/div")]
    [1.2, 1.0, 0.8]
    """

    paths: Mapping[str, float]
    """What a list counts whose records are at this path of tags, the record's own tag last."""
    weights: Mapping[str, float]
    """What a node counts for each of these attributes that it has."""
    plain: float
    """What it counts with none of them."""
    alpha: float
    """The rough similarity from which two elements may be records of one list ..."""
    alpha_named: float
    """... and from which they may if both have the same class."""
    beta: float
    """The tree edit distance up to which they are."""

    @cached_property
    def _by_length(self) -> list[tuple[list[str], float]]:
        paths = [(path.split("/")[::-1], weight) for path, weight in self.paths.items() if path != ANY]
        return sorted(paths, key=lambda entry: -len(entry[0]))

    def weight_of(self, tags: Sequence[str]) -> float:
        """What a list counts, by the tags of its records and their ancestors, innermost first: the longest path decides."""
        longest = (weight for path, weight in self._by_length if list(tags[: len(path)]) == path)
        return next(longest, self.paths[ANY])


def flaw_of(section: Any) -> str | None:
    """What is wrong with a section `node_similarity` of the user; None if it can be used."""
    if not isinstance(section, dict):
        return f"expected {', '.join((*NUMBERS, 'weights'))}"
    for name, value in section.items():
        if name == "weights":
            continue
        if name not in NUMBERS:
            return f"{name} is unknown; there are {', '.join((*NUMBERS, 'weights'))}"
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            return f"{name} is no number from 0"
        if name in SHARES and value > 1:
            return f"{name} is more than 1"
    return None


def is_path(path: str) -> bool:
    """Whether this is the path of a list: tags, separated by slashes."""
    return _PATH.fullmatch(path) is not None
