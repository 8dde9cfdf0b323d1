"""The new places of a shop's fields: learned from what is known, proven on pages that did not teach them, and tried all together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from scout.healing.health import BROKEN, FieldReading, KnownPage, Tally, is_broken, readings
from scout.healing.proving import objection
from scout.learning.learner import learn
from scout.rules import ShopRules, apply_rules
from scout.rules.model import LEARNED, FieldRules

Verdict = Literal["kept", "repaired", "proposed", "given up"]
Facts = Callable[[KnownPage], Mapping[str, Sequence[str]]]

PRICES = frozenset({"price", "list_price"})  # one in the other's place is wrong by much, and looks as good
MAX_LESSONS = 60  # pages to learn from
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
        if self.verdict == "kept" and self.before == self.after:
            return f"kept: {self.before}"
        note = f"; {self.note}" if self.note else ""
        return (
            f"{self.verdict}: before {self.before}; after {self.after}; on pages not learned from {self.unseen}{note}"
        )


@dataclass(frozen=True)
class _NewRules:
    """New rules, and what rules from one half of the pages read on the other half."""

    rules: ShopRules
    unseen: Mapping[str, FieldReading]


@dataclass(frozen=True)
class _Choice:
    """What to go on with in one field: its rules, learned as part of `source` if they are new, and why."""

    verdict: Verdict
    entry: FieldRules
    source: ShopRules | None = None
    unseen: Tally = field(default_factory=Tally)
    note: str = ""


@dataclass
class Repairs:
    """Looks for the new places of the fields that are `lost` on some pages, and proves them."""

    rules: ShopRules
    pages: Sequence[KnownPage]
    before: Mapping[str, FieldReading]
    lost: Mapping[str, Sequence[KnownPage]]
    broken: Mapping[str, Sequence[KnownPage]]

    def mended(self) -> tuple[ShopRules, dict[str, FieldProof]]:
        """The rules with new places where they are proven, without those that misread, and the proof of every field.

        Rules of one field are believed because of what those of others read, so all are tried together: a field that reads less than
        before takes its next choice.
        """
        choices = {name: self._choices(name) for name in self.before}
        chosen = {name: next(choices[name]) for name in self.before if name in self.broken or self.lost[name]}
        while True:
            healed = self._with(chosen)
            after = readings(healed, [(page, apply_rules(page.page, healed)) for page in self.pages])
            worse = [name for name in self.before if self._is_worse(name, chosen, after)]
            others = {name: choice for name in worse if (choice := next(choices[name], None))}
            if not others:
                return healed, {name: self._proof(name, chosen, after) for name in self.before}
            chosen |= others

    def _is_worse(self, name: str, chosen: Mapping[str, _Choice], after: Mapping[str, FieldReading]) -> bool:
        """Whether a field reads less than before, or other values, or new places no more of what the old ones have lost."""
        is_new = name in chosen and chosen[name].verdict == "repaired"
        is_shown = is_new and any(page.shows(name) for page in self.lost[name])
        before, now = self.before[name].tally, self._after(name, after)
        return now.right < before.right + is_shown or (not is_new and now.other > before.other)

    def _after(self, name: str, after: Mapping[str, FieldReading]) -> Tally:
        return after[name].tally if name in after else Tally(missing=self.before[name].tally.pages)

    def _proof(self, name: str, chosen: Mapping[str, _Choice], after: Mapping[str, FieldReading]) -> FieldProof:
        choice = chosen.get(name) or _Choice("kept", self.rules.fields[name])
        before = self.before[name].tally
        return FieldProof(choice.verdict, before, self._after(name, after), choice.unseen, choice.note)

    def _with(self, chosen: Mapping[str, _Choice]) -> ShopRules:
        healed = replace(self.rules, fields={**self.rules.fields, **{n: choice.entry for n, choice in chosen.items()}})
        if "price" in chosen and (source := chosen["price"].source):
            healed.locale, healed.currency = source.locale, source.currency or self.rules.currency
        return healed

    def _choices(self, name: str) -> Iterator[_Choice]:
        """Proven new places, best first; at last what is left without them."""
        why, unseen = "", Tally()
        for new in self._teachings(name):
            reading = new.unseen.get(name)
            unseen = reading.tally if reading else Tally()
            if why := objection(reading, self.rules.fields[name].rules):
                continue
            why = "the new places read less than the old ones"
            yield _Choice("repaired", self._combined(name, new.rules), new.rules, unseen)
        if self.before[name].by_reserve and not objection(self._by_reserves(name), self.rules.fields[name].rules):
            yield _Choice("kept", self._with_reserves(name))
        last = self._given_up(name, unseen, why) if self._is_lost(name) else _Choice("kept", self.rules.fields[name])
        yield last
        yield replace(last, entry=_without_reserves(last.entry))

    def _is_lost(self, name: str) -> bool:
        """Whether the old places cannot simply stay."""
        lost, before = self.lost[name], self.before[name]
        return is_broken(before, lost) or (name in self.broken and len(lost) > BROKEN * before.tally.pages)

    def _combined(self, name: str, learned: ShopRules) -> FieldRules:
        """New places first; old ones behind them while pages still have the old design, and locked ones where they were."""
        fresh, before = learned.fields[name], self.before[name].tally
        is_left = before.right - len(self.before[name].by_reserve) > BROKEN * before.pages
        known = {rule.selector for rule in fresh.rules}
        old = [rule for rule in self.rules.fields[name].rules if rule.selector not in known]
        kept = [rule if rule.is_protected else replace(rule, turn=rule.turn + OLD_TURN) for rule in old]
        return replace(
            fresh,
            unanimous=name in PRICES,
            rules=(*fresh.rules, *(rule for rule in kept if is_left or rule.is_protected)),
        )

    def _with_reserves(self, name: str) -> FieldRules:
        """The field with its reserves as rules like others: they are not heard where another field has found its new place."""
        entry = self.rules.fields[name]
        return replace(entry, rules=tuple(replace(rule, reserve=False) for rule in entry.rules))

    def _by_reserves(self, name: str) -> FieldReading | None:
        rules = replace(self.rules, fields={name: self._with_reserves(name)})
        return readings(rules, [(page, apply_rules(page.page, rules)) for page in self.pages]).get(name)

    def _given_up(self, name: str, unseen: Tally, why: str) -> _Choice:
        """The field without the rules that misread it on many pages, or on more than they read."""
        entry, before = self.rules.fields[name], self.before[name]
        misread = [page for page, _ in before.given if page in self.lost[name]]
        if len(misread) > BROKEN * before.tally.pages or before.tally.other > before.tally.right:
            entry = replace(entry, rules=tuple(rule for rule in entry.rules if rule.is_protected))
        entry = replace(entry, diagnosis=f"the pages of the shop have changed: {why}", given_up=True)
        return _Choice("given up", entry, unseen=unseen, note=why)

    # --- learning -----------------------------------------------------------------------------------------------------
    def _teachings(self, name: str) -> Iterator[_NewRules]:
        yield self._taught_by_facts
        if name == "price":  # most prices may have changed: then the pages themselves say what they are
            yield self._new_rules(lambda page: {name: [str(seen)]} if (seen := page.witness.get(name)) else {})

    @cached_property
    def _taught_by_facts(self) -> _NewRules:
        return self._new_rules(lambda page: page.shown_facts(self.before))

    @cached_property
    def _lessons(self) -> list[KnownPage]:
        """Pages to learn from, those first on which a field is broken."""
        is_new = {id(page) for gone in self.broken.values() for page in gone}
        return sorted(self.pages, key=lambda page: id(page) not in is_new)[:MAX_LESSONS]

    def _new_rules(self, facts: Facts) -> _NewRules:
        halves = self._lessons[::2], self._lessons[1::2]
        rules = [self._learned(half, facts) for half in halves]
        unseen = [(page, apply_rules(page.page, rules[half])) for half in (0, 1) for page in halves[1 - half]]
        learned = self._learned(self._lessons, facts)
        return _NewRules(learned, readings(learned, unseen))

    def _learned(self, pages: Sequence[KnownPage], facts: Facts) -> ShopRules:
        origin = next((entry.origin for entry in self.rules.fields.values() if entry.origin), LEARNED)
        samples = [(page.page, facts(page)) for page in pages]
        return learn(samples, threshold=self.rules.threshold, origin=origin, shop=self.rules.shop)


def _without_reserves(entry: FieldRules) -> FieldRules:
    """Reserves are heard by what other fields read: new places of these may wake them, on a design that they do not know."""
    return replace(entry, rules=tuple(rule for rule in entry.rules if rule.is_protected or not rule.reserve))
