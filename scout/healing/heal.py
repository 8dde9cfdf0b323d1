"""heal: when a shop's pages have changed, learn where the values of yesterday's offers stand today, and prove it before it counts.

Facts such as a title or an EAN do not change with a design, so they show where to look. A price may have changed, so a new place for it
has to agree with the known prices and with a witness that knows nothing of the rules: what each page says when it is read alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from statistics import quantiles
from typing import Any, Literal

from scout.fields import field as field_of
from scout.healing.health import VOLATILE, FieldReading, KnownPage, Tally, is_same, known_pages
from scout.learning.learner import learn
from scout.page import Page
from scout.rules import ShopRules
from scout.rules.model import LEARNED, FieldRules

Verdict = Literal["kept", "repaired", "proposed", "given up"]
State = Literal["healthy", "redesign", "partial redesign", "broken pages", "not enough pages"]
Facts = Callable[[KnownPage], Mapping[str, Sequence[str]]]

MIN_PAGES = 8  # pages with a known offer: fewer cannot be halved into pages to learn from and pages to prove on
MAX_LESSONS = 60  # pages to learn from
BROKEN = 0.2  # share of a field's pages that its rules no longer read, above which new places are looked for
WHOLE = 0.9  # ... above which nothing of the old design is left
MIN_REPRODUCED = 0.99  # share of the values on pages not learned from that must be as known
MIN_REPRODUCED_VOLATILE = 0.7  # ... of a field that changes from day to day
MIN_COVERED = 0.8  # share of the pages not learned from on which the new rules must find a value
MIN_WITNESSED = 0.8  # share of the pages that, read alone, must say the same price
MIN_UNCHANGED = 0.2  # share of the prices that must be as known, unless all have changed by the same factor
SAME_FACTOR = Decimal("0.1")  # how far such factors may lie apart, from quartile to quartile
MAX_FACTOR = 2  # beyond a factor of this, or below one by it, no sale or tax but a misread number
OLD_TURN = 100  # old places are asked where none of the new ones has a value


@dataclass(frozen=True)
class FieldProof:
    """What became of a field: how all known pages were read before and after, and how pages that taught nothing are read."""

    verdict: Verdict
    before: Tally
    after: Tally
    unseen: Tally = field(default_factory=Tally)
    note: str = ""

    def __str__(self) -> str:
        if self.verdict == "kept":
            return f"kept: {self.before}"
        note = f"; {self.note}" if self.note else ""
        return (
            f"{self.verdict}: before {self.before}; after {self.after}; on pages not learned from {self.unseen}{note}"
        )


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
    before = {name: FieldReading.by(rules, name, found) for name, entry in rules.fields.items() if entry.rules}
    proof = {name: FieldProof("kept", reading.tally, reading.tally) for name, reading in before.items()}
    lost = {name: gone for name, reading in before.items() if is_broken(reading, gone := lost_pages(reading))}
    if not lost:
        return Healing(rules, adopted=False, state="broken pages" if has_broken else "healthy", proof=proof)
    if "price" in before.keys() - lost and _is_unexplained(before["price"]):
        lost["price"] = [page for page, value in before["price"].given if not page.is_known("price", value)]
    repairs = _Repairs(rules, lost)
    healed = replace(rules, fields=dict(rules.fields))
    for name in lost:
        healed, proof[name] = repairs.mend(name, before[name], healed)
    is_whole = any(len(gone) > WHOLE * before[name].tally.pages for name, gone in lost.items())
    state: State = "redesign" if is_whole else "partial redesign"
    is_new = any(healed.fields[name].rules != rules.fields[name].rules for name in lost)
    return Healing(healed, adopted=is_new, state=state, proof=proof)


def lost_pages(reading: FieldReading) -> list[KnownPage]:
    """The pages whose value the rules no longer read; a field may change if the page, read alone, says the same."""
    return [page for page, value in reading.values if value is None or not _is_plausible(reading.name, page, value)]


def is_broken(reading: FieldReading, lost: Sequence[KnownPage]) -> bool:
    """Whether the rules of a field fail on so many pages that the shop's design must have changed."""
    return len(lost) > BROKEN * reading.tally.pages and len(lost) >= MIN_PAGES


def _is_plausible(name: str, page: KnownPage, value: Any) -> bool:
    return page.is_known(name, value) or (name in VOLATILE and is_same(name, value, page.witness.get(name)))


@dataclass(frozen=True)
class _NewRules:
    """New rules, and what rules from one half of the pages read on the other half."""

    rules: ShopRules
    unseen: Mapping[str, FieldReading]


class _Repairs:
    """Looks for the new places of the fields that are lost, and proves them."""

    def __init__(self, rules: ShopRules, lost: Mapping[str, Sequence[KnownPage]]) -> None:
        self.rules, self.lost = rules, lost
        distinct = {id(page): page for pages in lost.values() for page in pages}
        self.lessons = list(distinct.values())[:MAX_LESSONS]
        self.taught_by_facts = self._new_rules(lambda page: page.shown_facts(lost))

    def mend(self, name: str, before: FieldReading, rules: ShopRules) -> tuple[ShopRules, FieldProof]:
        """`rules` with new places for the field if they are proven, else without those that misread."""
        objection, unseen = "", Tally()
        for new in self._teachings(name):
            unseen = new.unseen[name].tally
            objection = self._objection(name, new)
            mended = self._combined(name, before, new.rules, rules)
            after = FieldReading.by(mended, name, [page for page, _ in before.values]).tally
            if not objection and after.right >= before.tally.right:
                return mended, FieldProof("repaired", before.tally, after, unseen)
        return self._given_up(name, before, rules, unseen, objection or "the new places read less than the old ones")

    # --- learning -----------------------------------------------------------------------------------------------------
    def _teachings(self, name: str) -> Iterable[_NewRules]:
        yield self.taught_by_facts
        if name == "price":  # most prices may have changed: then the pages themselves say what they are
            yield self._new_rules(
                lambda page: {"price": [str(page.witness["price"])]} if page.witness.get("price") else {}
            )

    def _new_rules(self, facts: Facts) -> _NewRules:
        halves = self.lessons[::2], self.lessons[1::2]
        first, second = (self._learned(half, facts) for half in halves)
        names = self.lost
        unseen = {n: FieldReading.by(first, n, halves[1]) + FieldReading.by(second, n, halves[0]) for n in names}
        return _NewRules(self._learned(self.lessons, facts), unseen)

    def _learned(self, pages: Sequence[KnownPage], facts: Facts) -> ShopRules:
        origin = next((entry.origin for entry in self.rules.fields.values() if entry.origin), LEARNED)
        samples = [(page.page, facts(page)) for page in pages]
        return learn(samples, threshold=self.rules.threshold, origin=origin, shop=self.rules.shop)

    def _combined(self, name: str, before: FieldReading, learned: ShopRules, rules: ShopRules) -> ShopRules:
        """New places first; old ones behind them while pages still have the old design, and locked ones where they were."""
        fresh = learned.fields.get(name, FieldRules())
        is_left = before.tally.right > BROKEN * before.tally.pages
        old = [rule for rule in self.rules.fields[name].rules if rule.selector not in {r.selector for r in fresh.rules}]
        kept = [rule if rule.is_protected else replace(rule, turn=rule.turn + OLD_TURN) for rule in old]
        entry = replace(fresh, rules=(*fresh.rules, *(rule for rule in kept if is_left or rule.is_protected)))
        mended = replace(rules, fields={**rules.fields, name: entry})
        if name == "price":
            mended.locale, mended.currency = learned.locale, learned.currency or rules.currency
        return mended

    def _given_up(
        self, name: str, before: FieldReading, rules: ShopRules, unseen: Tally, why: str
    ) -> tuple[ShopRules, FieldProof]:
        entry = rules.fields[name]
        if is_broken(before, [page for page, _ in before.given if page in self.lost[name]]):
            entry = replace(entry, rules=tuple(rule for rule in entry.rules if rule.is_protected))
        entry = replace(entry, diagnosis=f"the pages of the shop have changed: {why}")
        left = replace(rules, fields={**rules.fields, name: entry})
        after = FieldReading.by(left, name, [page for page, _ in before.values]).tally
        return left, FieldProof("given up", before.tally, after, unseen, why)

    # --- proving ------------------------------------------------------------------------------------------------------
    def _objection(self, name: str, new: _NewRules) -> str:
        """What speaks against new places, by what they read on pages that did not teach them; nothing if they are proven."""
        if not new.rules.fields.get(name, FieldRules()).rules:
            return "no place was found that holds the known values"
        unseen = new.unseen[name]
        found, given = len(unseen.given), unseen.tally.right + unseen.tally.other
        if found < MIN_COVERED * len(unseen.values):
            return f"the new places have a value on {found} of {len(unseen.values)} pages only"
        if name == "price":
            return _objection_to_prices(unseen)
        needed = MIN_REPRODUCED_VOLATILE if name in VOLATILE else MIN_REPRODUCED
        if unseen.tally.right < needed * given:
            return f"{unseen.tally.other} of {given} values are not the known ones"
        return ""


def _objection_to_prices(unseen: FieldReading) -> str:
    """What speaks against places of a price: pages that say otherwise when they are read alone, or changes that nothing explains."""
    given = unseen.given
    witnessed = [(value, seen) for page, value in given if (seen := page.witness.get("price"))]
    agreed = sum(is_same("price", value, seen) for value, seen in witnessed)
    if agreed < MIN_WITNESSED * len(witnessed):
        return f"{len(witnessed) - agreed} of {len(witnessed)} pages, read alone, show another price"
    if _is_unexplained(unseen):
        return f"{unseen.tally.other} of {len(given)} prices differ from the known ones, each by another factor"
    if not witnessed and unseen.tally.right < MIN_REPRODUCED_VOLATILE * len(given):
        return f"{unseen.tally.other} of {len(given)} prices differ from the known ones, and nothing confirms them"
    return ""


def _is_unexplained(prices: FieldReading) -> bool:
    """Whether hardly a price is as known, and no sale or tax explains it: then the known prices would be gone from the pages."""
    few = MIN_UNCHANGED * len(prices.given)
    if prices.tally.right >= few:
        return False
    return not _have_same_factor(prices.given) or sum(bool(p.shown_facts(["price"])) for p, _ in prices.given) > few


def _have_same_factor(given: Sequence[tuple[KnownPage, Any]]) -> bool:
    """Whether the prices have all changed alike, as by a sale or a tax."""
    pairs = [(value, _amount(page.facts["price"][0])) for page, value in given]
    factors = [Decimal(value) / known for value, known in pairs if known]
    if len(factors) < MIN_PAGES:
        return False
    low, middle, high = quantiles(factors, n=4)
    return high - low <= SAME_FACTOR * middle and 1 <= MAX_FACTOR * middle <= MAX_FACTOR**2


def _amount(text: str) -> Decimal | None:
    amount = field_of("price").read(text)
    return None if amount is None else Decimal(amount)
