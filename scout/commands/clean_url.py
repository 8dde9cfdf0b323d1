"""`scrapy clean-url`: addresses without redirects and tracking."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from scout.commands.base import DONE, ScoutCommand
from scout.errors import UsageError
from scout.urls import Cleaned, cleaned


class Command(ScoutCommand):
    """Prints the clean form of each address, in the order given."""

    def syntax(self) -> str:
        return "[options] [URL ...]"

    def short_desc(self) -> str:
        return "Print addresses without redirects and tracking"

    def long_desc(self) -> str:
        return (
            "Unwrap redirects whose target is in the address and remove parameters that are known to track. Without addresses they "
            "are read from standard input, one a line. A redirect that holds only an id is printed unchanged; --explain says so."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("urls", nargs="*", metavar="URL", help="an address to clean")
        parser.add_argument("--root", metavar="URL", help="the shop that the addresses must lead to")
        parser.add_argument(
            "--remove",
            action="append",
            default=[],
            metavar="NAME",
            help="another parameter that tracks; NAME* for all that begin so",
        )
        parser.add_argument("--explain", action="store_true", help="also print what was removed from each")

    def work(self, opts: argparse.Namespace) -> int:
        for url in opts.urls or _lines():
            result = cleaned(url, opts.root, extra=opts.remove)
            print(result.url)
            for note in _notes(result) if opts.explain else ():
                print(f"  {note}")
        return DONE


def _lines() -> Iterable[str]:
    if sys.stdin.isatty():
        raise UsageError("no address given: name one, or pipe them in, one a line")
    return (line.strip() for line in sys.stdin if line.strip())


def _notes(result: Cleaned) -> Iterable[str]:
    yield from (f"removed  {what}" for what in result.removed)
    if result.opaque:
        yield "opaque   the address does not say where it leads; only its server knows"
    if not (result.removed or result.opaque):
        yield "nothing to remove"
