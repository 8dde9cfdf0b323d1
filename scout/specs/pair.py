"""Pair: one attribute of a product. Specs: all attributes of an offer."""

from __future__ import annotations

from collections.abc import Iterable


class Pair(tuple[str, str]):
    """(name, value) as shown on the page; also `section`, `quantity`, `unit`, `concept`, `qualifier` and `why`.

    `qualifier` is what the name says beyond its concept: the "shelf" of "Shelf width", which is not the product's own width.

    >>> name, value = Pair("Weight", "2 kg", section="Dimensions")
    """

    section: str | None
    concept: str | None
    qualifier: str | None
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
        qualifier: str | None = None,
        quantity: str | None = None,
        unit: str | None = None,
        why: str = "",
    ) -> Pair:
        pair = super().__new__(cls, (name, value))
        pair.section, pair.concept, pair.qualifier = section, concept, qualifier
        pair.quantity, pair.unit, pair.why = quantity, unit, why
        return pair

    def __getnewargs__(self) -> tuple[str, str]:
        """For pickle and copy: everything besides name and value is in __dict__."""
        return self[0], self[1]

    @property
    def name(self) -> str:
        return self[0]

    @property
    def value(self) -> str:
        return self[1]


class Specs(dict[str, str]):
    """A plain mapping of names to values, for reading and for feeds; `pairs` has all pairs, including repeated names.

    Of several values of one name, the mapping has the first: it is the product's own more often than later ones.

    >>> specs = Specs([Pair("Width", "40 cm", section="Chair"), Pair("Width", "50 cm", section="Box")])
    >>> specs, len(specs.pairs)
    ({'Width': '40 cm'}, 2)
    """

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        self.pairs = tuple(pairs)
        super().__init__()
        for name, value in self.pairs:
            self.setdefault(name, value)
