"""Errors of HEL rules."""

from __future__ import annotations

from scout.errors import RuleError


class HelError(RuleError):
    """A HEL rule that cannot be used."""


class HelSyntaxError(HelError):
    """A HEL rule that cannot be parsed, with where and what was expected."""

    def __init__(self, line: int, column: int, what: str) -> None:
        self.line, self.column, self.what = line, column, what
        super().__init__(f"line {line}, column {column}: {what}")
