"""The commands that the documentation shows, as words for a shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.processes import ROOT

_LINE = re.compile(r"^(?: {4,})?(scout [a-z][^\n]*)$", re.MULTILINE)
_END = re.compile(r"\s(?:\||&&|#)\s.*$")
_BRACKETS = re.compile(r"\s\[[^]]*\]")  # what may be left out
_NO_COMMAND = re.compile(r"scout [\w-]+:")  # output, such as "scout crawl: done"


@dataclass(frozen=True)
class ShownCommand:
    """A command of a page."""

    page: str
    line: str

    @property
    def words(self) -> Sequence[str]:
        """What the program is given."""
        return shlex.split(_BRACKETS.sub("", _END.sub("", self.line)))[1:]


def shown_commands() -> Iterator[ShownCommand]:
    """Every command on a line of its own, in the README and the documentation, each once a page."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        lines = _LINE.findall(path.read_text(encoding="utf-8"))
        for line in dict.fromkeys(lines):
            if not _NO_COMMAND.match(line) and "…" not in line:
                yield ShownCommand(path.name, line.strip())
