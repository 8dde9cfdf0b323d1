"""The attribute index of the papers: every attribute with its distinct values, collected from all result pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


class Summary:
    """Attribute -> distinct values, in the order in which they were added."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, None]] = {}

    def add(self, values: Mapping[str, Iterable[str]]) -> int:
        """Add the values of a result page; returns how many were new."""
        before = len(self)
        for name, texts in values.items():
            self._values.setdefault(name, {}).update(dict.fromkeys(texts))
        return len(self) - before

    def __len__(self) -> int:
        return sum(map(len, self._values.values()))

    def items(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Each attribute with its values."""
        for name, texts in self._values.items():
            yield name, texts.keys()
