"""scrapy hel: try a HEL rule out."""

from __future__ import annotations

import argparse
import json
from typing import Any

from scout.commands.base import DONE, FAILED
from scout.commands.one_page import OnePageCommand
from scout.errors import UsageError
from scout.hel import HelError, HelSyntaxError, evaluate, parse


class Command(OnePageCommand):
    """Print what a HEL rule finds on a page."""

    def syntax(self) -> str:
        return "RULE URL-or-file [--base PATH] [--json]"

    def short_desc(self) -> str:
        return "Try a rule of the extraction language HEL on a page"

    def long_desc(self) -> str:
        return (
            "Prints what the rule finds, one result a line; the values of a fork are separated by tabs. Example: "
            "scrapy hel 'html.body->a[*].getAttr(href)' https://shop.example/ . Exit code 1 where nothing is found."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("rule", metavar="RULE", help="the rule, in quotes")
        super().add_options(parser)
        parser.add_argument(
            "--base", default="", metavar="PATH", help="what paths that do not begin with html go on from"
        )

    def work(self, opts: argparse.Namespace) -> int:
        try:
            rule = parse(opts.rule, opts.base)
        except HelSyntaxError as error:
            raise UsageError(f"{error}\n{pointed(opts.rule, error)}") from error
        except HelError as error:
            raise UsageError(str(error)) from error
        results = evaluate(rule, self.page(opts.page))
        if opts.json:
            print(json.dumps(results, ensure_ascii=False, indent=1))
        else:
            for result in results:
                print(as_line(result))
        return DONE if results else FAILED


def pointed(rule: str, error: HelSyntaxError) -> str:
    """The line of the rule with a mark below the place."""
    lines = rule.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    return f"  {line}\n  {' ' * (error.column - 1)}^"


def as_line(result: Any) -> str:
    """One result on one line."""
    if isinstance(result, tuple):
        return "\t".join(map(as_line, result))
    if isinstance(result, list):
        return ", ".join(map(as_line, result))
    return "" if result is None else " ".join(str(result).split())
