"""ShopRules: everything known about reading one shop: the rules of each field, the number locale, and data of other rooms."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from scout.rules.cuts import NO_CUT, Cut
from scout.rules.selectors import Selector, source
from scout.values import NumberLocale

DEFAULT_THRESHOLD = 0.6  # minimum quality of a selector: below it, it is wrong too often to vote
LEARNED, INDUCED, MANUAL = "learned", "induced", "manual"


@dataclass(frozen=True)
class Rule:
    """One selector of a field, and where it comes from.

    `quality` (0 to 1) is its weight in the vote. It votes only if no rule of an earlier `turn` finds anything (first the place of the
    reduced price, then that of the price). A `reserve` votes only where nothing that the other rules rely on is on the page.
    `support` is the number of pages on which it found a known value, `sample` one of them.
    A rule that is `locked` or written by hand is never replaced by learning, and wins against the others. `check` refuses a text whose own
    words contradict the field, such as a monthly rate for a price.
    """

    selector: Selector
    cut: Cut = NO_CUT
    quality: float = 1.0
    turn: int = 1
    support: int = 0
    sample: str | None = None
    learned: str | None = None  # date, ISO 8601
    origin: str = MANUAL
    locked: bool = False
    check: bool = True
    reserve: bool = False
    begins: bool = False  # on no sample page did its text stand behind a formatted one

    @cached_property
    def place(self) -> str:
        """The selector as evidence shows it."""
        return self.selector.describe()

    @cached_property
    def source(self) -> tuple[str, str]:
        """What the selector relies on."""
        return source(self.selector)

    @property
    def is_protected(self) -> bool:
        """True if learning again must not replace it and other rules do not outvote it."""
        return self.locked or self.origin == MANUAL


@dataclass(frozen=True)
class FieldRules:
    """The rules of one field, best first, and what cross-validation expects of them."""

    rules: tuple[Rule, ...] = ()
    precision: float | None = None
    accuracy: float | None = None
    found: int | None = None  # pages on which a selector found a known value
    known: int | None = None  # pages whose value is known
    diagnosis: str | None = None  # why there are no rules, or what is unusual about them
    unanimous: bool = False  # where its rules disagree, none of them is believed: they were proven where all agree
    given_up: bool = False  # no place could be proven after a redesign: where no rule reads the field, it stays empty

    @property
    def origin(self) -> str | None:
        """The origin of the best rule."""
        return self.rules[0].origin if self.rules else None


@dataclass
class ShopRules:
    """Everything Scout knows about how to read one shop.

    `structure`, `levels`, `specs` and `urls` are plain data of other rooms, saved and loaded unchanged.
    """

    shop: str = ""
    fields: dict[str, FieldRules] = field(default_factory=dict)
    locale: NumberLocale | None = None
    currency: str | None = None
    # True if the pages' prices include a tax that the catalogue's lack, False if it is the other way round
    gross: bool | None = None
    threshold: float = DEFAULT_THRESHOLD
    learned: str | None = None  # date, ISO 8601
    pages: int = 0  # sample pages that the rules come from
    structure: Any = None
    levels: Any = None
    specs: Any = None
    urls: Any = None

    def has_given_up(self, name: str) -> bool:
        """Whether the field stays empty where its rules read nothing."""
        return name in self.fields and self.fields[name].given_up

    @classmethod
    def load(cls, path: str | Path) -> ShopRules:
        """Load a rule file. RuleSyntaxError names the file, the line and the problem."""
        from scout.rules.files import load_rules  # a cycle at import time: files imports this module

        return load_rules(Path(path))

    def save(self, path: str | Path) -> None:
        """Save as a rule file that load() reads back unchanged; whole or not at all."""
        from scout.rules.files import save_rules

        save_rules(self, Path(path))

    @classmethod
    def from_yaml(cls, text: str, source: str = "rules") -> ShopRules:
        """Parse the text of a rule file, for instance from the database."""
        from scout.rules.files import parse_rules

        return parse_rules(text, source)

    def to_yaml(self) -> str:
        """The text of the rule file."""
        from scout.rules.files import dump_rules

        return dump_rules(self)

    def merged_with(self, newer: ShopRules) -> ShopRules:
        """`newer` in place of these rules. Locked and hand-written rules stay, and induced rules never replace learned ones."""
        names = [*newer.fields, *(name for name in self.fields if name not in newer.fields)]
        fields = {name: _merge_field(self.fields.get(name), newer.fields.get(name)) for name in names}
        kept = {name: rules for name, rules in fields.items() if rules is not None}
        rest = ("locale", "currency", "gross", "structure", "levels", "specs", "urls", "learned")
        old = {name: getattr(self, name) for name in rest if getattr(newer, name) is None}
        return replace(newer, shop=newer.shop or self.shop, fields=kept, **old)


def _merge_field(old: FieldRules | None, new: FieldRules | None) -> FieldRules | None:
    """The rules of one field after learning again."""
    if old is None or not old.rules:
        return new if new is not None else old
    kept = tuple(rule for rule in old.rules if rule.is_protected)
    if new is None or not new.rules or (old.origin == LEARNED and new.origin == INDUCED):
        return old if new is None or new.origin == INDUCED else replace(new, rules=kept)
    known = {rule.selector for rule in kept}
    return replace(new, rules=kept + tuple(rule for rule in new.rules if rule.selector not in known))
