"""ShopRules: what is known of one shop: per field the selectors with their quality, the number locale, and what other rooms keep."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from scout.rules.cuts import NO_CUT, Cut
from scout.rules.selectors import Selector
from scout.values import NumberLocale

DEFAULT_THRESHOLD = 0.6  # of a selector's quality: below it, it is wrong too often to be heard
LEARNED, INDUCED, MANUAL = "learned", "induced", "manual"


@dataclass(frozen=True)
class Rule:
    """One selector of a field, with where it comes from.

    `quality` (0 to 1) is its weight in the vote; it is heard where all rules of an earlier `turn` are silent (the place of the reduced
    price before that of the price). `support` says on how many pages it found a known value, `sample` is one of these pages.
    A `locked` rule, and one written by hand, is never relearned.
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

    @cached_property
    def place(self) -> str:
        """The selector for a person."""
        return self.selector.describe()

    @property
    def is_protected(self) -> bool:
        """True if relearning must not touch it."""
        return self.locked or self.origin == MANUAL


@dataclass(frozen=True)
class FieldRules:
    """The rules of one field, best first, and what cross-validation expects of them."""

    rules: tuple[Rule, ...] = ()
    precision: float | None = None
    accuracy: float | None = None
    found: int | None = None  # pages on which a known value was found
    known: int | None = None  # pages for which a value was known
    diagnosis: str | None = None  # why there are no rules, or what is odd about them

    @property
    def origin(self) -> str | None:
        """Of the best rule."""
        return self.rules[0].origin if self.rules else None


@dataclass
class ShopRules:
    """Everything Scout knows about how to read one shop.

    `structure`, `levels`, `specs` and `urls` are plain data that other rooms keep here; they are saved and loaded as they are.
    """

    shop: str = ""
    fields: dict[str, FieldRules] = field(default_factory=dict)
    locale: NumberLocale | None = None
    currency: str | None = None
    gross: bool | None = (
        None  # whether the pages' prices include a tax, where that is known: the catalogue's differ by just that
    )
    threshold: float = DEFAULT_THRESHOLD
    learned: str | None = None  # date, ISO 8601
    pages: int = 0  # sample pages that the rules come from
    structure: Any = None
    levels: Any = None
    specs: Any = None
    urls: Any = None

    @classmethod
    def load(cls, path: str | Path) -> ShopRules:
        """The rules in a rule file. RuleSyntaxError names the file, the line and what is wrong."""
        from scout.rules.files import load_rules  # files knows the model, not the other way round

        return load_rules(Path(path))

    def save(self, path: str | Path) -> None:
        """Write a rule file that load() reads back as the same rules; whole or not at all."""
        from scout.rules.files import save_rules

        save_rules(self, Path(path))

    @classmethod
    def from_yaml(cls, text: str, source: str = "rules") -> ShopRules:
        """The rules in a rule file's text, for instance from the database."""
        from scout.rules.files import parse_rules

        return parse_rules(text, source)

    def to_yaml(self) -> str:
        """The text of the rule file."""
        from scout.rules.files import dump_rules

        return dump_rules(self)

    def merged_with(self, newer: ShopRules) -> ShopRules:
        """`newer` in place of these; locked and hand-written rules stay, and so do learned fields that are only induced anew."""
        names = [*newer.fields, *(name for name in self.fields if name not in newer.fields)]
        fields = {name: _merge_field(self.fields.get(name), newer.fields.get(name)) for name in names}
        kept = {name: rules for name, rules in fields.items() if rules is not None}
        rest = ("locale", "currency", "gross", "structure", "levels", "specs", "urls", "learned")
        old = {name: getattr(self, name) for name in rest if getattr(newer, name) is None}
        return replace(newer, shop=newer.shop or self.shop, fields=kept, **old)


def _merge_field(old: FieldRules | None, new: FieldRules | None) -> FieldRules | None:
    """The rules of one field after relearning."""
    if old is None or not old.rules:
        return new if new is not None else old
    kept = tuple(rule for rule in old.rules if rule.is_protected)
    if new is None or not new.rules or (old.origin == LEARNED and new.origin == INDUCED):
        return old if new is None or new.origin == INDUCED else replace(new, rules=kept)
    known = {rule.selector for rule in kept}
    return replace(new, rules=kept + tuple(rule for rule in new.rules if rule.selector not in known))
