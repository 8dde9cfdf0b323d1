"""specs: the specifications of the product on a page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scout.command_line import DONE, FAILED
from scout.command_line.base import AddArgument
from scout.command_line.files import reading
from scout.command_line.one_page import OnePageCommand

if TYPE_CHECKING:
    from rich.table import Table

    from scout.specs import Pair
    from scout.specs.vocabulary import SpecVocabulary

DETAILS = ("section", "concept", "qualifier", "quantity", "unit", "why")


class Command(OnePageCommand):
    """Print the specifications on a page."""

    usage = "URL-or-file [--names FILE] [--segmenter NAME] [--json]"
    description = (
        "Find the specifications of the product without knowing the shop: tables, lists, grids and lines in any language. Print "
        "each attribute as shown on the page, with its value, its section, and its quantity and unit if it has them. "
        "The exit code is 1 if the page has no specifications."
    )

    def add_arguments(self, add: AddArgument) -> None:
        super().add_arguments(add)
        add("--names", metavar="FILE", help="your own names of attributes, in lines of `concept = name; name`")
        add("--segmenter", metavar="NAME", help="what splits Chinese titles into words, in place of SCOUT_SEGMENTER")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.command_line.tables import output_console
        from scout.specs import specifications

        segment = opts.segmenter or self.setting("SCOUT_SEGMENTER")
        pairs = specifications(self.page(opts.page), names=_load_vocabulary(opts.names), segment=segment)
        if opts.json:
            print(json.dumps([_as_json(pair) for pair in pairs], ensure_ascii=False, indent=1))
        elif pairs:
            output_console().print(_table(pairs))
        else:
            print("no specifications found")
        return DONE if pairs else FAILED


def _load_vocabulary(file: str | None) -> SpecVocabulary:
    """The built-in names, extended by the user's file."""
    from scout.specs.vocabulary import vocabulary

    with reading(file or ""):
        return vocabulary(Path(file) if file else None)


def _as_json(pair: Pair) -> dict[str, Any]:
    return {"name": pair.name, "value": pair.value, **{name: getattr(pair, name) for name in DETAILS}}


def _table(pairs: Sequence[Pair]) -> Table:
    """The pairs for a person, without empty columns."""
    from scout.command_line.tables import text_table

    columns = {
        "section": [pair.section or "" for pair in pairs],
        "name": [pair.name for pair in pairs],
        "value": [pair.value for pair in pairs],
        "concept": [" of ".join(filter(None, (pair.concept, pair.qualifier))) for pair in pairs],
        "quantity": [f"{pair.quantity} {pair.unit}" if pair.quantity else "" for pair in pairs],
    }
    shown = {name: cells for name, cells in columns.items() if any(cells)}
    return text_table(list(shown), zip(*shown.values(), strict=True))
