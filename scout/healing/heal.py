"""heal: when a shop's pages have changed, learn where the values of yesterday's offers stand today, and prove it before it counts.

Facts such as a title or an EAN do not change with a design, so they show where to look. A price may have changed, so a new place for it
has to agree with the known prices and with a witness that knows nothing of the rules: what each page says when it is read alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from scout.healing.health import BROKEN, MIN_PAGES, KnownPage, is_broken, known_pages, lost_pages, readings
from scout.healing.proving import is_displaced
from scout.healing.repairs import FieldProof, Repairs
from scout.page import Page
from scout.rules import ShopRules

State = Literal["healthy", "redesign", "partial redesign", "broken pages", "not enough pages"]

WHOLE = 0.9  # share of the pages that look new, above which nothing of the old design is left


@dataclass(frozen=True)
class Healing:
    """The rules to go on with, whether they are new ones (`adopted`), and the proof of every field."""

    rules: ShopRules
    adopted: bool
    state: State
    proof: Mapping[str, FieldProof] = field(default_factory=dict)

    @property
    def given_up(self) -> tuple[str, ...]:
        """The fields that stay empty, or that only a locked selector reads."""
        return tuple(name for name, proof in self.proof.items() if proof.verdict == "given up")

    @property
    def changed(self) -> dict[str, str]:
        """What was done to each field that is not read as before, and how its pages were read before and after."""
        return {name: str(proof) for name, proof in self.proof.items() if proof.verdict != "kept"}

    def __str__(self) -> str:
        return "\n".join([self.state, *(f"{name}: {proof}" for name, proof in self.proof.items())])


def heal(rules: ShopRules, known: Mapping[str, Mapping[str, Any]], pages: Iterable[Page]) -> Healing:
    """Rules for `pages` of this crawl, given the stored offers by address. Nothing is adopted that is not proven.

    A field whose rules still hold is kept. One whose new place is proven is repaired; while some pages have the old design, both are read.
    Any other is given up: if its old rules would read something else now, it has none, and stays empty.
    """
    all_known = known_pages(known, pages, rules)
    found = [page for page in all_known if page.is_about_offer]
    foreign = len(all_known) - len(found)
    has_broken = foreign >= MIN_PAGES and foreign > BROKEN * len(all_known)
    if len(found) < MIN_PAGES:
        return Healing(rules, adopted=False, state="broken pages" if has_broken else "not enough pages")
    before = readings(rules, [(page, page.read) for page in found])
    lost = {name: lost_pages(reading) for name, reading in before.items()}
    moved = {name: [*lost[name], *reading.by_reserve] for name, reading in before.items()}
    broken = {name: pages for name, pages in moved.items() if is_broken(before[name], pages)}
    new = dict(broken)  # what tells a new design; prices differ on all pages, whatever their design
    if is_displaced(before, is_redesign=bool(broken)):
        lost["price"] = broken["price"] = [
            page for page, value in before["price"].values if value is None or not page.is_known("price", value)
        ]
    if not broken:
        proof = {name: FieldProof("kept", reading.tally, reading.tally) for name, reading in before.items()}
        return Healing(rules, adopted=False, state="broken pages" if has_broken else "healthy", proof=proof)
    healed, proof = Repairs(rules, found, before, lost, broken).mended()
    state: State = "partial redesign" if _has_old_pages(found, new or broken) else "redesign"
    is_new = any(entry.rules != rules.fields[name].rules for name, entry in healed.fields.items())
    return Healing(healed, adopted=is_new, state=state, proof=proof)


def _has_old_pages(pages: Sequence[KnownPage], broken: Mapping[str, Sequence[KnownPage]]) -> bool:
    """Whether a part of the pages is still read as before, in most of the fields that are broken on others."""
    lost = [[page in gone for name, gone in broken.items() if name in page.facts] for page in pages]
    judged = [fields for fields in lost if fields]
    return sum(2 * sum(fields) >= len(fields) for fields in judged) <= WHOLE * len(judged)
