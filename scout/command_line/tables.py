"""Tables for people, on a terminal or in a file."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH_OF_FILES = 240  # columns where the output is a file or a pipe: nothing is cut off there


def output_console() -> Console:
    """The standard output; brackets in texts are never read as markup or coloured."""
    width = None if sys.stdout.isatty() else WIDTH_OF_FILES
    return Console(highlight=False, markup=False, width=width)


def text_table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()) -> Table:
    """A table of plain texts; the columns in `numbers` are aligned to the right."""
    table = Table(box=SIMPLE_HEAD)
    for name in columns:
        is_number = name in numbers
        table.add_column(name, justify="right" if is_number else "left", overflow="fold", no_wrap=is_number)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
