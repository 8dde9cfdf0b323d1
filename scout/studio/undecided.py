"""Offers of which Scout cannot say which row of the catalogue they are, with the rows that they may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scout.fields import field
from scout.matching.columns import rows_by_field
from scout.store import Store
from scout.store.identity import digest
from scout.store.report_data import load_report_data


@dataclass(frozen=True)
class CandidateRow:
    """A row of the catalogue that an offer may be: its key, its values by field, how likely, and why."""

    key: str
    values: Mapping[str, Any]
    score: float
    reason: str


@dataclass(frozen=True)
class UndecidedOffer:
    """An offer and the rows that it may be, the likeliest first."""

    offer: int
    url: str
    values: Mapping[str, Any]
    candidates: Sequence[CandidateRow]

    def agrees(self, name: str, candidate: CandidateRow) -> bool:
        """Whether both say the same in this field."""
        own, other = self.values.get(name), candidate.values.get(name)
        return bool(own and other) and field(name).same(str(own), str(other))

    def is_decided(self, decisions: Mapping[tuple[str, str], bool]) -> bool:
        """Whether a person has decided: for one of the rows, or against all."""
        own = digest(self.url)
        answers = [decisions.get((own, candidate.key)) for candidate in self.candidates]
        return True in answers or None not in answers or decisions.get((own, "")) is False


def undecided_offers(store: Store, shop: str) -> list[UndecidedOffer]:
    """The undecided offers of a shop, those first whose best candidate is the likeliest. Nothing is stored."""
    data = load_report_data(store, shop, save=False)
    known = store.known_offers(shop)  # the rows of the report, in the same order
    rows = rows_by_field(known)
    candidates: dict[int, list[CandidateRow]] = {}
    for match in data.undecided:
        row = CandidateRow(known[match.catalogue].key, rows[match.catalogue], match.score, match.reason)
        candidates.setdefault(match.offer, []).append(row)
    found = [
        UndecidedOffer(
            data.found[position].id,
            str(data.found[position].offer.get("url", "")),
            data.found[position].offer,
            sorted(own, key=lambda row: -row.score),
        )
        for position, own in candidates.items()
    ]
    return sorted(found, key=lambda one: -one.candidates[0].score)
