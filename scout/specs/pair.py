"""Pair: one attribute of a product, with what is known about it beside name and value."""

from __future__ import annotations


class Pair(tuple[str, str]):
    """(name, value) as shown on the page; also `section`, `quantity`, `unit`, `concept` and `why`.

    >>> name, value = Pair("Weight", "2 kg", section="Dimensions")
    """

    section: str | None
    concept: str | None
    quantity: str | None
    unit: str | None
    why: str

    def __new__(
        cls,
        name: str,
        value: str,
        *,
        section: str | None = None,
        concept: str | None = None,
        quantity: str | None = None,
        unit: str | None = None,
        why: str = "",
    ) -> Pair:
        pair = super().__new__(cls, (name, value))
        pair.section, pair.concept = section, concept
        pair.quantity, pair.unit, pair.why = quantity, unit, why
        return pair

    @property
    def name(self) -> str:
        return self[0]

    @property
    def value(self) -> str:
        return self[1]
