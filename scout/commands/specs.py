"""scrapy specs: the specification of the product on a page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scout.commands.base import DONE, FAILED
from scout.commands.one_page import OnePageCommand
from scout.errors import UsageError
from scout.specs import Pair, specifications
from scout.specs.vocabulary import SpecVocabulary, vocabulary

DETAILS = ("section", "concept", "quantity", "unit", "why")


class Command(OnePageCommand):
    """Print the specification of a page."""

    def syntax(self) -> str:
        return "URL-or-file [--json]"

    def short_desc(self) -> str:
        return "Print the specification (attributes and values) of the product on a page"

    def long_desc(self) -> str:
        return (
            "Finds the specification of the product without knowing the shop: tables, lists, grids and lines in any language. Prints "
            "each attribute as shown, with its value, the section it stands in, and the quantity where the value is one. "
            "Exit code 1 where the page has no specification."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--names", metavar="FILE", help="names of attributes of your own: concept = name; name")

    def work(self, opts: argparse.Namespace) -> int:
        pairs = specifications(self.page(opts.page), names=own_vocabulary(opts.names))
        if opts.json:
            print(json.dumps([as_json(pair) for pair in pairs], ensure_ascii=False, indent=1))
        elif pairs:
            Console().print(as_table(pairs))
        else:
            print("no specification found")
        return DONE if pairs else FAILED


def own_vocabulary(file: str | None) -> SpecVocabulary:
    """The built-in names, extended by a file."""
    try:
        return vocabulary(Path(file) if file else None)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error


def as_json(pair: Pair) -> dict[str, Any]:
    """A pair with what is known beside it."""
    return {"name": pair.name, "value": pair.value, **{name: getattr(pair, name) for name in DETAILS}}


def as_table(pairs: Sequence[Pair]) -> Table:
    """The pairs for a person; columns that would be empty are left out."""
    table = Table(show_edge=False)
    columns = {
        "section": [pair.section or "" for pair in pairs],
        "name": [pair.name for pair in pairs],
        "value": [pair.value for pair in pairs],
        "quantity": [f"{pair.quantity} {pair.unit}" if pair.quantity else "" for pair in pairs],
    }
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    for name in shown:
        table.add_column(name, overflow="fold")
    for cells in zip(*shown.values(), strict=True):
        table.add_row(*map(escape, cells))  # values may hold what rich takes for markup
    return table
