"""Rules: where a shop shows its values, how they are applied to a page, and the files they are kept in."""

from scout.rules.cuts import Cut
from scout.rules.model import DEFAULT_THRESHOLD, INDUCED, FieldRules, Rule, ShopRules
from scout.rules.selectors import AttributeSelector, DataSelector, LabelSelector, Selector, TextSelector, TrailSelector
from scout.rules.vote import apply_rules

__all__ = [
    "DEFAULT_THRESHOLD",
    "INDUCED",
    "AttributeSelector",
    "Cut",
    "DataSelector",
    "FieldRules",
    "LabelSelector",
    "Rule",
    "Selector",
    "ShopRules",
    "TextSelector",
    "TrailSelector",
    "apply_rules",
]
