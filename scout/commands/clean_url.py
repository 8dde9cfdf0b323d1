"""clean-url: remove redirects and tracking parameters from URLs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, ScoutCommand
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.urls import CleanedUrl

__name__ = "scout.commands.clean-url"  # Scrapy names a command after its module, and no file of Python can be called so


class Command(ScoutCommand):
    """Prints the clean form of each URL, in the order given."""

    usage = "[options] [URL ...]"
    description = (
        "Unwrap redirects whose target is in the URL, and remove parameters that are known to track. Without URLs on the command "
        "line, read them from standard input, one per line. A redirect that only holds an id is printed unchanged; --explain says so."
    )

    def add_arguments(self, add: AddArgument) -> None:
        add("urls", nargs="*", metavar="URL", help="a URL to clean")
        add("--root", metavar="URL", help="the shop that the URLs must lead to")
        removed = "also remove this parameter (NAME*: all that start so)"
        add("--remove", action="append", default=[], metavar="NAME", help=removed)
        add("--explain", action="store_true", help="also print what was removed from each URL")

    def work(self, opts: argparse.Namespace) -> None:
        from scout.urls import cleaned

        for url in opts.urls or _lines_of_input():
            result = cleaned(url, opts.root, extra=opts.remove)
            print(result.url)
            for note in _notes(result) if opts.explain else ():
                print(f"  {note}")


def _lines_of_input() -> Iterable[str]:
    if sys.stdin.isatty():
        raise UsageError("no URL given: name one, or pipe them in, one per line")
    return (line.strip() for line in sys.stdin if line.strip())


def _notes(result: CleanedUrl) -> Iterable[str]:
    yield from (f"removed  {what}" for what in result.removed)
    if result.opaque:
        yield "opaque   the URL does not say where it leads; only its server knows"
    if not (result.removed or result.opaque):
        yield "nothing to remove"
