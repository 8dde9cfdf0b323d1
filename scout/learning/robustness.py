"""How likely a selector works on pages that differ a little from the sample: names and labels rank above positions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scout.page import Page
from scout.rules import css
from scout.rules.cuts import NO_CUT, Cut
from scout.rules.selectors import (
    AttributeSelector,
    DataSelector,
    LabelSelector,
    Selector,
    TextSelector,
    TrailSelector,
    source,
)

BY_LABEL, BY_NAME, BY_POSITION = 0.9, 1.0, 0.4
BY_DATA_NAME, BY_DATA_NUMBER = 0.8, 0.4  # a script by its type or its variable's name, or by counting scripts
ATTRIBUTE_RISK = 0.15  # visible text is kept correct; an image's alternative text, less so
UNNAMED_RISK = 0.1  # "the first image in this box": the box is named, the value's own element is not
WHOLE_BONUS = 0.02  # on other pages the value may be nested deeper in the same element
STEP_RISK = 0.15  # per position in the path: one element more or less shifts it
NEAR_STEPS = 4  # of the way from a label to its value: up to the row and down to the cell's text; what is further away is no label
AMBIGUITY_RISK = 0.35  # "the first cell of this class" among many is a position in disguise
CUT_RISK = 0.4  # a place with only the value is better than one with more
VERBOSITY_RISK = 0.1  # per doubling of the text that the value is read out of
MAX_VERBOSITY_RISK = 0.5


def robustness(selector: Selector) -> float:
    """How robust a selector is, from 0 to 1, judged by the selector alone."""
    if isinstance(selector, LabelSelector):
        return max(0.0, BY_LABEL - STEP_RISK * max(0, selector.to.count("/") - NEAR_STEPS))
    if isinstance(selector, DataSelector):
        is_named = "json" in selector.css or "#" in selector.css or not selector.block[:1].isdigit()
        return BY_DATA_NAME if is_named else BY_DATA_NUMBER
    if isinstance(selector, (TextSelector, AttributeSelector, TrailSelector)):
        positions = selector.css.count(":nth-of-type") + (selector.match - 1)
        kind = source(selector)[0]
        risk = STEP_RISK * positions + (0.0 if _is_named(selector.css.rpartition(" ")[2]) else UNNAMED_RISK)
        if isinstance(selector, AttributeSelector) and selector.attribute != "content":
            risk += ATTRIBUTE_RISK
        bonus = WHOLE_BONUS if getattr(selector, "node", 0) is None else 0.0
        return max(0.0, (BY_POSITION if kind == "position" else BY_NAME) - risk) + bonus
    return BY_POSITION


def _is_named(path: str) -> bool:
    return "#" in path or "[" in path


def cut_risk(cut: Cut) -> float:
    """The loss of robustness because something must be cut off."""
    return CUT_RISK if cut != NO_CUT else 0.0


def verbosity_risk(texts: Sequence[str | None], usual_length: float) -> float:
    """The loss of robustness because the value is part of a longer text: the more text, the more can be mistaken for it."""
    lengths = [len(text) for text in texts if text]
    if not lengths:
        return 0.0
    ratio = sum(lengths) / len(lengths) / max(1.0, usual_length)
    return min(MAX_VERBOSITY_RISK, VERBOSITY_RISK * math.log2(ratio)) if ratio > 1 else 0.0


def ambiguity_risk(selector: Selector, page: Page) -> float:
    """The loss of robustness because the path matches several elements of a page, of which the first is used."""
    if not isinstance(selector, (TextSelector, AttributeSelector, TrailSelector)) or selector.css.startswith("html"):
        return 0.0
    return AMBIGUITY_RISK if len(css.find_elements(selector.css, page)) > 1 else 0.0
