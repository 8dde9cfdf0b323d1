"""HEL, the extraction language of W4F: paths through the document as written, with conditions instead of fixed positions."""

from __future__ import annotations

from scout.hel.ast import HelRule
from scout.hel.errors import HelError, HelSyntaxError
from scout.hel.evaluator import Result, evaluate
from scout.hel.parser import parse

__all__ = ["HelError", "HelRule", "HelSyntaxError", "Result", "evaluate", "parse"]
