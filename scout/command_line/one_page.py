"""The base of commands about a single page, which is fetched or read from a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line.base import FetchingCommand, is_web_address
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.page import Page


class OnePageCommand(FetchingCommand):
    """A command whose argument is the URL of a page or a file that holds one."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("page", metavar="URL-or-file", help="the URL of a page, or a file with its HTML")
        parser.add_argument("--json", action="store_true", help="print JSON, for programs")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        self.requires_crawler_process = is_web_address(opts.page)  # a file needs none

    def page(self, target: str) -> Page:
        """The page at a URL or in a file."""
        if not is_web_address(target):
            return _read_page(target)
        from scout.command_line.page_spider import fetch_page

        assert self.crawler_process
        return fetch_page(self.crawler_process, target)[0]


def _read_page(file: str) -> Page:
    from scout.page import Page

    path = Path(file)
    try:
        return Page(path.resolve().as_uri(), path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{file} is neither an address (http:// or https://) nor a file that can be read: {error.strerror}"
        ) from error
