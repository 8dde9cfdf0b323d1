"""The attribute index of the papers: every attribute with its distinct values, merged from fragment after fragment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class Summary:
    """Attribute -> distinct values in the order in which they were met. A value costs its text and one entry of a dict."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, None]] = {}

    def add(self, values: Mapping[str, Iterable[str]]) -> int:
        """Take in a fragment's values; how many were new."""
        before = len(self)
        for name, found in values.items():
            self._values.setdefault(name, {}).update(dict.fromkeys(found))
        return len(self) - before

    def __len__(self) -> int:
        return sum(map(len, self._values.values()))

    def items(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Each attribute with its values."""
        for name, found in self._values.items():
            yield name, found.keys()
