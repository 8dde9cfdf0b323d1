"""What the documentation shows of a terminal: commands after `$`, and what they print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)


@dataclass(frozen=True)
class ShownRun:
    """A command of a page, and what the page says it prints."""

    line: str
    output: str

    @property
    def words(self) -> Sequence[str]:
        """What the program is given."""
        return shlex.split(self.line, comments=True)[1:]


def shown_runs(page: Path) -> Iterator[ShownRun]:
    """Those of one page, in order: each builds on those before."""
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for line, output in _COMMAND.findall(block):
            yield ShownRun(line, output)


def is_shown(shown: str, printed: str) -> bool:
    """Whether a program printed this: `...` stands for anything, and white space and rules of a table do not count.

    >>> is_shown("10 offers ...\\ndone", "10 offers in 12 s\\n\\ndone\\n"), is_shown("10 offers", "11 offers")
    (True, False)
    """
    parts = (re.escape(_plain(part)) for part in re.split(r"\.\.\.|…", shown))
    return re.fullmatch(r"\s*" + r".*?".join(parts) + r"\s*", _plain(printed), re.DOTALL) is not None


def _plain(text: str) -> str:
    return re.sub(r"[\s─]+", " ", text)
