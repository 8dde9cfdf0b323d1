"""hel: try a HEL rule on a page."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from scout.command_line import DONE, FAILED
from scout.command_line.base import AddArgument
from scout.command_line.one_page import OnePageCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.hel import HelSyntaxError


class Command(OnePageCommand):
    """Print the results of a HEL rule on a page."""

    usage = "RULE URL-or-file [--base PATH] [--json]"
    description = (
        "Print the results of the rule, one per line; the values of a fork are separated by tabs. "
        "The exit code is 1 if there are none.\n\n"
        "Example: scout hel 'html.body->a[*].getAttr(href)' https://shop.example/"
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("rule", metavar="RULE", help="the rule, in quotes")
        super().add_arguments(add)
        add("--base", default="", metavar="PATH", help="the start of all paths that do not start with html")

    def work(self, opts: argparse.Namespace) -> int:
        from scout.hel import HelError, HelSyntaxError, evaluate, parse

        try:
            rule = parse(opts.rule, opts.base)
        except HelSyntaxError as error:
            raise UsageError(f"{error}\n{_marked_line(opts.rule, error)}") from error
        except HelError as error:
            raise UsageError(str(error)) from error
        results = evaluate(rule, self.page(opts.page))
        if opts.json:
            print(json.dumps(results, ensure_ascii=False, indent=1))
        else:
            for result in results:
                print(_as_line(result))
        return DONE if results else FAILED


def _marked_line(rule: str, error: HelSyntaxError) -> str:
    """The line of the rule with a mark below the error."""
    lines = rule.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    return f"  {line}\n  {' ' * (error.column - 1)}^"


def _as_line(result: Any) -> str:
    if isinstance(result, tuple):
        return "\t".join(map(_as_line, result))
    if isinstance(result, list):
        return ", ".join(map(_as_line, result))
    return "" if result is None else " ".join(str(result).split())
