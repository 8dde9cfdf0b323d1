"""An offer's fields as the studio shows them: value, colour, place, votes, what came second."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scout.offer import Evidence, Offer

FIELDS = (
    "title",
    "price",
    "list_price",
    "currency",
    "availability",
    "brand",
    "sku",
    "ean",
    "han",
    "category",
    "images",
    "description",
)
HUES = 12  # colours in studio.css and frame.css
_NOT_SHOWN = frozenset({"url", "urls", "shop", "canonical", "parent", "variants"})
_SHOWN_STEPS = 4  # of a list


@dataclass(frozen=True)
class ExplainedField:
    """A field: its value as one text, and where that comes from."""

    name: str
    value: str
    evidence: Evidence | None
    hue: int

    @property
    def is_override(self) -> bool:
        """Whether a person set the value."""
        return self.evidence is not None and self.evidence.origin == "override"

    @property
    def reason(self) -> str:
        """Why there is no value."""
        return (self.evidence and self.evidence.note) or "nobody looked for it"


def explained_fields(offer: Offer) -> list[ExplainedField]:
    """The usual fields in their usual order, whether they have a value or not, then all others."""
    names = [*FIELDS, *(name for name in {**offer, **offer.evidence} if name not in FIELDS and name not in _NOT_SHOWN)]
    return [ExplainedField(name, shown_value(offer.get(name)), offer.why(name), hue_of(name)) for name in names]


def hue_of(name: str) -> int:
    """The number of a field's colour."""
    return FIELDS.index(name) if name in FIELDS else sum(map(ord, name)) % HUES


def shown_value(value: Any) -> str:
    """A value as one line of text."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {shown_value(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return " · ".join(_shown_steps(value))
    return str(value)


def _shown_steps(values: Any) -> Iterator[str]:
    for position, value in enumerate(values):
        if position == _SHOWN_STEPS:
            yield f"and {len(values) - position} more"
            return
        yield " ".join(map(str, value)) if isinstance(value, tuple) else shown_value(value)
