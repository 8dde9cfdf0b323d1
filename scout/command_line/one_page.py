"""The base of commands about a single page, which is fetched or read from a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from scout.command_line.base import AddArgument, FetchingCommand, is_web_address
from scout.command_line.files import read_bytes
from scout.errors import UsageError

if TYPE_CHECKING:
    from scout.page import Page


class OnePageCommand(FetchingCommand):
    """A command whose argument is the URL of a page or a file that holds one."""

    def add_arguments(self, add: AddArgument) -> None:
        add("page", metavar="URL-or-file", help="the URL of a page, or a file with its HTML")
        add("--json", action="store_true", help="print JSON, for programs")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        self.requires_crawler_process = is_web_address(opts.page)  # a file needs none

    def page(self, target: str) -> Page:
        """The page at a URL or in a file."""
        from scout.page import Page

        if self.crawler_process:
            from scout.command_line.page_spider import fetch_page

            return fetch_page(self.crawler_process, target)[0]
        if not Path(target).is_file():
            raise UsageError(f"{target} is neither an address (http:// or https://) nor a file")
        return Page(Path(target).resolve().as_uri(), read_bytes(target))
