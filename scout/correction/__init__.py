"""Correction by pointing: where an offer's values stand on its page, and the rule that follows from a place that a person points at.

Pages and rules in, marks and rules out: nothing here knows a web server, a database or a crawl.
"""

from scout.correction.effect import FieldChange, PageEffect, page_effect
from scout.correction.marks import Mark, field_marks
from scout.correction.numbering import element_number, is_huge, numbered_element
from scout.correction.pointed_rule import (
    PointedPlace,
    Suggestion,
    place_readings,
    suggest_data_rule,
    suggest_rule,
    with_locked_rule,
)
from scout.correction.safe_page import safe_page
from scout.correction.value_places import StatedPlace, value_places

__all__ = [
    "FieldChange",
    "Mark",
    "PageEffect",
    "PointedPlace",
    "StatedPlace",
    "Suggestion",
    "element_number",
    "field_marks",
    "is_huge",
    "numbered_element",
    "page_effect",
    "place_readings",
    "safe_page",
    "suggest_data_rule",
    "suggest_rule",
    "value_places",
    "with_locked_rule",
]
