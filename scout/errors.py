"""The tree of errors: everything Scout raises on purpose is a ScoutError whose text a person can act on."""

from __future__ import annotations


class ScoutError(Exception):
    """Base of all errors that Scout raises on purpose."""


class PageError(ScoutError):
    """A page that cannot be worked on: not HTML, too large, cut off."""


class RuleError(ScoutError):
    """A rule that cannot be used."""


class RuleSyntaxError(RuleError):
    """A rule file that cannot be read; says where and what is wrong."""

    def __init__(self, file: str, line: int | None, what: str) -> None:
        self.file, self.line, self.what = file, line, what
        super().__init__(f"{file}{f', line {line}' if line else ''}: {what}")


class CatalogueError(ScoutError):
    """A catalogue that cannot be read at all; single bad rows are reported, not raised."""


class ArchiveError(ScoutError):
    """A file of kept pages or offers that cannot be read or written."""


class StoreError(ScoutError):
    """The database refused, also after the retries."""


class UsageError(ScoutError):
    """The user asked for something that cannot be done as asked; the text says what to do instead."""
